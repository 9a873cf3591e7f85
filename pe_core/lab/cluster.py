"""The same function called for many items on a Dask cluster, where one is there; Dask is loaded for nothing else."""

from collections.abc import Callable, Iterator, Sequence

from pe_core.lab.pool import Item, Result, collected

PATIENCE = 10.0  # seconds that a scheduler may take to answer


def on_cluster(
    address: str, function: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with what the function returns for it on the cluster of a scheduler, as they get ready.

    A worker needs this project at the place where Python looks for it. What a worker was at when it died is given to
    another one. Raises `ValueError` where Dask is not installed, where no scheduler answers, and at the end where items
    have failed.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise ValueError("a cluster needs Dask, which is not installed: pip install distributed") from None
    try:
        client = Client(address, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ValueError(f"scheduler must be the address of a Dask scheduler, got {address!r}: {error}") from None
    with client:
        futures = dict(zip(client.map(function, items, pure=False), items, strict=True))
        ready = as_completed(futures)  # type: ignore[no-untyped-call]
        yield from collected(ready, futures)
