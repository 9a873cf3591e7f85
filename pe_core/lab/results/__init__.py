"""Results: what a run leaves, how it is judged, its files, and how it compares with other runs and with papers."""
