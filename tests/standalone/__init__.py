"""Every entry as one file: what it holds, and that it does what the package does where there is torch alone."""
