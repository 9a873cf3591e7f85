"""What trained weights say about positions, beside their configuration."""
