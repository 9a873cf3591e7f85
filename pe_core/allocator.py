"""How the process holds memory: glibc keeps what is free for each thread apart, by and by twice of what is in use.

Elsewhere nothing happens here: other systems give memory back by themselves.
"""

import ctypes
import sys

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
ARENAS = 2


def share_arenas() -> None:
    """Let all threads take their memory from two places; to be called before there are many threads."""
    if (libc := _glibc()) is not None:
        libc.mallopt(_ARENA_MAX, ARENAS)


def trim() -> None:
    """Give memory that is not used any more back to the system."""
    if (libc := _glibc()) is not None:
        libc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "malloc_trim") else None
