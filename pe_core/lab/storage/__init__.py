"""Storage: the hash of a run, the store of finished runs, and trained weights as bytes."""
