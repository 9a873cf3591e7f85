"""Classes with settings of RoPE: which layers turn, and by which frequencies."""
