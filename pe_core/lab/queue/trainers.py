"""Where trainers are and how they are asked: in a process of their own, or on the workers of a cluster."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, TypeVarTuple

from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.storage.store import RunStore

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


class TrainerGone(ValueError):
    """A trainer somewhere else has ended, or does not answer any more."""


@dataclass(frozen=True)
class TrainerOptions:
    """How a trainer is made where it runs; `store` is the URL of one, empty for none."""

    store: str = ""
    max_live: int = 8
    n_workers: int = os.cpu_count() or 1

    def trainer(self) -> Trainer:
        """Return a trainer made so, with its workers."""
        store = RunStore(self.store) if self.store else None
        return Trainer(n_workers=self.n_workers, max_live=self.max_live, store=store)


class RemoteTrainer(Protocol):
    """A trainer somewhere else."""

    def ask(self, do: Callable[[Trainer, *Arguments], Result], /, *arguments: *Arguments) -> Result:
        """Call a method of `Trainer` there and return what it returns, or raise what it raises.

        Raises `TrainerGone` where the trainer does not answer any more.
        """


class Pool(Protocol):
    """The trainers that there are; those that have gone are replaced or left out."""

    n_workers: int  # encodings that one trainer trains at the same time

    def trainers(self) -> Sequence[RemoteTrainer]:
        """Return the trainers that can take runs, starting one if there is none; `ValueError` if that fails."""

    def running(self) -> Sequence[RemoteTrainer]:
        """Return the trainers that run already."""

    def close(self) -> None:
        """Let go of all trainers; those that are our own end."""


def answer(trainer: Trainer, do: Callable[..., object], arguments: Sequence[object]) -> tuple[bool, Any]:
    """Do what a trainer is asked; return whether that went well, and what came out or the error."""
    try:
        return True, do(trainer, *arguments)
    except Exception as error:
        return False, error


def understood(answered: tuple[bool, Any]) -> Any:
    """Return what came out, or raise the error."""
    went_well, value = answered
    if not went_well:
        raise value
    return value
