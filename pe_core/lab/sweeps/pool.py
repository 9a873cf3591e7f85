"""A function called for many items: on all cores, one process with one thread for each, or on a Dask cluster.

Both yield what is ready as soon as it is. Dask is loaded for a cluster only.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import torch

from pe_core.lab.queue.cluster import connected

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def on_all_cores(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[Item, Result]]:
    """Yield each item with what the function returns for it, in the order in which they get ready.

    The function and the items are pickled. An item that fails keeps no other from its turn; at the end `ValueError`
    says how many failed, and why the first one did. Whoever closes the iterator, or ends, ends the processes too.
    """
    if not items:
        return
    context = multiprocessing.get_context("spawn")  # a fork would have torch's threads in the middle of their work
    reader, writer = context.Pipe(duplex=False)
    with (
        ProcessPoolExecutor(min(cores(), len(items)), context, initializer=_begin, initargs=(reader,)) as pool,
        writer,  # closed before the pool waits for its processes
    ):
        heard = signal.signal(signal.SIGINT, signal.SIG_IGN)  # processes never hear Ctrl-C, but leave it to this one
        futures = {pool.submit(function, item): item for item in items}
        signal.signal(signal.SIGINT, heard)
        yield from collected(as_completed(futures), futures)


def collected(ready: Iterable[Any], items: Mapping[Any, Item]) -> Iterator[tuple[Item, Any]]:
    """Yield the item of each future that is ready with its result; at the end `ValueError` where some have failed."""
    failures = []
    for future in ready:
        try:
            result = future.result()
        except Exception as error:
            failures.append(f"{items[future]}: {error}")
        else:
            yield items[future], result
    if failures:
        raise ValueError(f"{len(failures)} of {len(items)} runs failed, the first one {failures[0]}")


def _begin(writer_lives: Connection) -> None:
    """Prepare a process of the pool: one thread, and an end as soon as nobody needs it.

    The other end of the pipe closes with the iterator, or with the process that holds it however that one ends.
    """
    torch.set_num_threads(1)

    def watch() -> None:
        writer_lives.poll(None)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def on_cluster(
    address: str, function: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with what the function returns for it on the cluster of a scheduler, as they get ready.

    A worker needs this project at the place where Python looks for it. What a worker was at when it died is given to
    another one. Raises `ValueError` as `connected` does, and at the end where items have failed.
    """
    with connected(address) as client:
        from distributed import as_completed

        futures = dict(zip(client.map(function, items, pure=False), items, strict=True))
        ready = as_completed(futures, loop=client.loop)  # type: ignore[no-untyped-call]
        yield from collected(ready, futures)
