"""The protocol of a place where runs train: this process, another one, or a worker of a cluster."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pe_core.lab.queue.snapshot import Live, Snapshot
from pe_core.lab.queue.submission import Submission


class AnyTrainer(Protocol):
    """A place where runs train.

    Every method but `live` and `knows` raises `KeyError` for a run that is not there. One in another process raises
    `TrainerGone` where that process does not answer any more.
    """

    def submit(self, submission: Submission) -> None:
        """Put a run at the end of the queue; `ValueError` if the queue is full."""

    def snapshot(self, job_id: str) -> Snapshot:
        """Return the run as it stands now, and renew its lease."""

    def weights(self, job_id: str, encoding: str, seed: int) -> bytes | None:
        """Return trained weights that are in memory as safetensors, None if they are gone."""

    def knows(self, job_id: str) -> bool:
        """Return whether there is such a run, live or ended."""

    def live(self) -> Mapping[str, Live]:
        """Return all runs that have not ended, by id."""

    def pause(self, job_id: str) -> None:
        """Take a run out of the queue, ready to go on."""

    def resume(self, job_id: str) -> None:
        """Put a paused run at the end of the queue; `ValueError` if the queue is full."""

    def cancel(self, job_id: str) -> None:
        """End a run; what has come out so far stays to be looked at."""

    def release(self, job_id: str, seconds: float) -> None:
        """Shorten the lease of a run whose page has gone; nothing happens if there is no such run."""

    def forget(self, job_id: str) -> None:
        """Let go of what is kept of a run."""


class Pool(Protocol):
    """The trainers that there are; those that have gone are replaced or left out."""

    n_workers: int  # encodings that one trainer trains at the same time

    def trainers(self) -> Sequence[AnyTrainer]:
        """Return the trainers that can take runs, starting one if there is none; `ValueError` if that fails."""

    def running(self) -> Sequence[AnyTrainer]:
        """Return the trainers that run already."""

    def close(self) -> None:
        """Let go of all trainers; those that are our own end."""


class TrainerGone(Exception):
    """A trainer in another process has ended, or does not answer any more."""
