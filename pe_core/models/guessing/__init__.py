"""As which type a file is read: its own, one that is alike, or a guess from its fields."""
