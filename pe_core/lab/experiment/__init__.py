"""The experiment: all that decides a number of a run, and nothing else."""
