"""What the process has once and must not lose: made when it is first asked for, kept by a module.

Streamlit's caches are no place for it: any client can send the message that empties them for all visitors.
"""

import threading
from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Once(Generic[Made]):
    """A function without arguments that is called once, by the first thread that asks; all get what it returned.

    Where it raises, nothing is kept and the next one tries again.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = cache(make)
        self._lock = threading.RLock()
        self.__doc__ = make.__doc__

    def __call__(self) -> Made:
        """Return what was made; the first call makes it, and others wait for it."""
        with self._lock:
            return self._make()

    def forget(self) -> None:
        """Let the next call make it anew, as in a new process."""
        self._make.cache_clear()
