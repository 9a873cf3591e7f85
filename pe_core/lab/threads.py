"""How a thread computes in the lab: on one core, for the same sums everywhere, and after those in haste."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch

NICENESS = 10  # more than others: all of a core that nobody else wants, and a tenth of one that somebody does


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch add on one thread: a second one would add in another order and round differently."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def become_worker() -> None:
    """Let this thread compute on one core and come after all others, so that a page answers while models train."""
    torch.set_num_threads(1)  # a second thread would only wait for cores that other workers have
    # Elsewhere the niceness would be that of the whole process.
    if sys.platform == "linux":
        os.nice(NICENESS)
