"""What the process has for all visitors: things made once, and rounds in which it collects garbage."""

import gc
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar

PERIOD = 60.0  # seconds between two full collections
# Of new objects, and of collections of the youngest ones; the oldest are left to the rounds.
THRESHOLDS = 10_000, 20, 1_000_000

Made = TypeVar("Made")


class Once(Generic[Made]):
    """A function without arguments that is called once, by the first thread that asks; all get what it returned.

    Where it raises, nothing is kept and the next one tries again. Streamlit's caches are no place for what must not be
    lost: any client can send the message that empties them for all visitors.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = cache(make)
        self._lock = threading.RLock()
        self.__doc__ = make.__doc__

    def __call__(self) -> Made:
        """Return what was made; the first call makes it, and others wait for it."""
        with self._lock:
            return self._make()

    @property
    def is_made(self) -> bool:
        """Whether it has been asked for."""
        return self._make.cache_info().currsize > 0

    def forget(self) -> None:
        """Let the next call make it anew, as in a new process."""
        self._make.cache_clear()


# Streamlit would force a full collection after every run of a page (`runner.postScriptGC`, which is off), and Python
# starts one of its own whenever a quarter of all objects are new. Each stops all visitors while it goes over every
# living object. What is not part of a reference cycle is freed at once in any case; cycles, such as those of sessions
# that have ended, wait for the next round.


def collect() -> None:
    """Free all cycles that nobody can reach, and hide what is left from the collections between two rounds."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def collect_in_rounds() -> None:
    """Collect garbage now, and from now on once in a period, in a thread of its own."""
    gc.set_threshold(*THRESHOLDS)
    collect()
    threading.Thread(target=_rounds, name="garbage", daemon=True).start()


def _rounds() -> None:
    while True:
        time.sleep(PERIOD)
        collect()
