"""Functions that tests call in other processes, where nothing can be put in their place."""

import sys
import threading

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig


def is_ready(trainer):
    """Whether the thread that makes the process ready has ended; it is named after the function."""
    return not any("get_ready" in thread.name for thread in threading.enumerate())


def loaded_by_first_steps(trainer):
    """The modules that are loaded by the first step of three encodings."""
    ready = set(sys.modules)
    for key in ("sinusoidal", "rope", "alibi"):
        next(run_encoding(RunConfig((key,)), key, built_in()))
    return sorted(set(sys.modules) - ready)
