"""What a thread that computes models does before it begins, and a process before it is asked for any."""

import os
import sys

import torch

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig

NICENESS = 10  # a worker gets all of an idle core, and a tenth of a busy one

FIRST = RunConfig(("none",), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)


def become_worker() -> None:
    """Let this thread compute on one core and give way to all others, so that a page answers while models train."""
    torch.set_num_threads(1)  # a second thread would only wait for cores that other workers have
    # Elsewhere the niceness would be that of the whole process.
    if sys.platform == "linux":
        os.nice(NICENESS)


def get_ready() -> None:
    """Take one step of a tiny model, so that the first visitor's run does not wait for what this process loads for it.

    With its first optimiser torch imports a compiler that nothing here uses, which takes over a second. A text and its
    statistics are read as well.
    """
    become_worker()
    next(run_encoding(FIRST, "none", built_in()))
