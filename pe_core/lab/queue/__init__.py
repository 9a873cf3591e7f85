"""The queue of runs in the app: who trains what and when, and what a run will need."""
