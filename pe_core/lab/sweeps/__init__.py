"""Sweeps: many runs on all cores or on a cluster."""
