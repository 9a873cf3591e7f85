"""Wait for a state instead of for a time: a slow machine takes longer, and the test is the same."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

PATIENCE = 120.0  # seconds; nothing here takes as long, so that only what never comes is given up
GIVES_WAY = 600.0  # seconds for what a trainer does: it gives way to all other work that shares the machine

Found = TypeVar("Found")


def until(
    look: Callable[[], Found | None],
    what: Callable[[], object] | str,
    *,
    every: float = 0.02,
    patience: float = PATIENCE,
) -> Found:
    """Look until the look gives something true, and return that; where it never does, fail and say `what`."""
    end = time.monotonic() + patience
    while not (found := look()):
        assert time.monotonic() < end, f"waited in vain: {what() if callable(what) else what}"
        time.sleep(every)
    return found


async def until_async(
    look: Callable[[], Awaitable[Found | None]],
    what: Callable[[], object] | str,
    *,
    every: float = 0.3,
    patience: float = PATIENCE,
) -> Found:
    """Look as `until` does where a look has to be awaited."""
    end = time.monotonic() + patience
    while not (found := await look()):
        assert time.monotonic() < end, f"waited in vain: {what() if callable(what) else what}"
        await asyncio.sleep(every)
    return found
