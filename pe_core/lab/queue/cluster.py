"""Trainers on the workers of a Dask cluster, which all apps of that cluster share.

Each worker has one trainer, made when it is first asked. It trains in threads of its own, beside the tasks of Dask: the
cluster says which workers there are, brings them messages and starts those anew that have died.
"""

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from pe_core.lab.queue.trainer import Arguments, Result, Trainer, TrainerGone, TrainerOptions, answer, understood

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 5.0  # seconds that a scheduler may take to answer
AGAIN = 10.0  # seconds for which a scheduler that has not answered is left alone: each try holds up a page


def _rule(address: str) -> str:
    return f"scheduler must be the address of a Dask scheduler that answers, got {address!r}"


_trainer = cache(TrainerOptions.trainer)  # that of this process, where it is a worker; Dask asks from one thread


def _answer(options: TrainerOptions, do: Callable[..., object], arguments: Sequence[object]) -> Any:
    return answer(_trainer(options), do, arguments)


class Cluster:
    """The pool of a Dask scheduler at an address, whose workers all get the same options."""

    def __init__(self, address: str, options: TrainerOptions) -> None:
        self._address = address
        self.options = options
        self.n_workers = options.n_workers
        self._client: Client | None = None
        self._next_try = 0.0  # when a scheduler that has not answered is asked again
        self._lock = threading.Lock()

    def client(self) -> "Client":
        """Return the connection to the scheduler, a new one where the last has ended.

        Raises `ValueError` where Dask is not installed, and where no scheduler answers.
        """
        try:
            from distributed import Client
        except ImportError:
            raise ValueError("a cluster needs Dask, which is not installed: pip install distributed") from None
        with self._lock:
            if self._client is None or self._client.status != "running":
                if time.monotonic() < self._next_try:
                    raise ValueError(f"{_rule(self._address)}: it did not answer a moment ago")
                self._next_try = time.monotonic() + AGAIN
                try:
                    self._client = Client(self._address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
                except (OSError, ValueError) as error:
                    raise ValueError(f"{_rule(self._address)}: {error}") from error
                self._next_try = 0.0
            return self._client

    def workers(self) -> Collection[str]:
        """Return the addresses of the workers that the scheduler knows now; `ValueError` where none answers."""
        client = self.client()
        try:
            # not `scheduler_info`: every two seconds the client puts its own answer, without workers, in its place
            known: dict[str, int] = client.nthreads()  # type: ignore[no-untyped-call]
        except OSError as error:
            raise ValueError(f"{_rule(self._address)}: {error}") from error
        return known.keys()

    def trainers(self) -> Sequence["WorkerTrainer"]:
        """Return the trainer of each worker that the scheduler knows; `ValueError` where no scheduler answers."""
        return [WorkerTrainer(self, address) for address in self.workers()]

    def close(self) -> None:
        """Leave the cluster; what has begun there goes on as long as somebody looks at it."""
        with self._lock:
            if self._client is not None:
                self._client.close()  # type: ignore[no-untyped-call]
                self._client = None


@dataclass(frozen=True)
class WorkerTrainer:
    """The trainer of a worker of a cluster, by its address."""

    cluster: Cluster
    address: str

    def ask(self, do: Callable[[Trainer, *Arguments], Result], /, *arguments: *Arguments) -> Result:
        """Call a method of the trainer there; `TrainerGone` where the worker or the scheduler does not answer."""
        try:
            if self.address not in self.cluster.workers():  # else its comm would be tried for long
                raise OSError("the scheduler does not know it any more")
            client, question = self.cluster.client(), (self.cluster.options, do, arguments)
            answered = client.run(_answer, *question, workers=[self.address])[self.address]
        except Exception as error:  # what the trainer raises comes as an answer, so this is of the cluster
            raise TrainerGone(f"trainer must answer, got {error}") from error
        return cast(Result, understood(answered))
