"""What a thread that computes models does before it begins."""

import os
import sys

import torch

NICENESS = 10  # a worker gets all of an idle core, and a tenth of a busy one


def become_worker() -> None:
    """Let this thread compute on one core and give way to all others, so that a page answers while models train."""
    torch.set_num_threads(1)  # a second thread would only wait for cores that other workers have
    # Elsewhere the niceness would be that of the whole process.
    if sys.platform == "linux":
        os.nice(NICENESS)
