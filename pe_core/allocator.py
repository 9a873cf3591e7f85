"""How the process holds memory: glibc keeps what is free for each thread apart, by and by twice of what is in use.

Elsewhere nothing happens here: other systems give memory back by themselves.
"""

import ctypes
import sys


def trim() -> None:
    """Give memory that is not used any more back to the system."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
