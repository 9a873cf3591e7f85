"""Comparison with implementations that others wrote and many use."""

import os
from importlib import import_module

import pytest


def oracle(module_name):
    """Import what we compare with: where it is not installed the test is skipped, in CI it fails."""
    return import_module(module_name) if os.environ.get("CI") else pytest.importorskip(module_name)
