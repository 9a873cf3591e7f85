"""Comparison with implementations that others wrote and many use."""

from importlib import import_module


def oracle(module_name):
    """Import what we compare with; it is named here, so that the notebook of proof can say what it was."""
    return import_module(module_name)
