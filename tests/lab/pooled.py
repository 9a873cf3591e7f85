"""Functions that tests call in other processes, where nothing can be put in their place."""

import os
import sys
import threading
import time
from pathlib import Path

import torch

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.sweeps import sweep

STAY = 3_600.0  # seconds: until it is killed, and no process is left for ever where a test fails


def square(number):
    """The square, the process that took it, and its threads; an odd one fails."""
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number**2, os.getpid(), torch.get_num_threads()


def stay(path):
    """Write down the process, and stay."""
    Path(path).write_text(str(os.getpid()))
    time.sleep(STAY)


def either(item):
    """The square of a number, and a stay at a path."""
    return square(item) if isinstance(item, int) else stay(item)


def stumble(trial, device):
    """A training of the first seed that is never done by the process that has begun it; notes every beginning.

    The folder of the notes comes with the environment, which a cluster of this machine inherits.
    """
    notes = Path(os.environ["PE_TEST_NOTES"])
    first = not any(notes.glob(f"{trial.run}.*"))
    (notes / f"{trial.run}.{os.getpid()}").touch()
    if first and trial.config.seed == 0:
        time.sleep(STAY)
    return sweep.trained(trial, device)


def is_ready(trainer):
    """Whether the thread that makes the process ready has ended; it is named after the function."""
    return not any("get_ready" in thread.name for thread in threading.enumerate())


def loaded_by_first_steps(trainer):
    """The modules that are loaded by the first step of three encodings."""
    ready = set(sys.modules)
    for key in ("sinusoidal", "rope", "alibi"):
        next(run_encoding(RunConfig((key,)), key, built_in()))
    return sorted(set(sys.modules) - ready)
