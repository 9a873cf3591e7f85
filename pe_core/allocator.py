"""Give free memory back to the system.

glibc keeps free memory for each thread apart, so that after a while a process holds twice as much as it uses. Other
systems give memory back by themselves, so nothing happens there.
"""

import ctypes
import sys


def trim() -> None:
    """Give memory that is no longer used back to the system."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
