"""A trainer in a process of its own, so that training and pages share no interpreter; and the program that runs there.

The process reads questions from its standard input and writes the answers to its standard output, one after the other.
It ends when its input does: so it never outlives the app, however that ends.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue.trainer import (
    Arguments,
    Result,
    Trainer,
    TrainerGone,
    TrainerOptions,
    answer,
    become_worker,
    understood,
)
from pe_core.parameters import require

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0  # seconds that an answer may take, the first one with the start of the process


class OneProcess:
    """The pool of one machine: a trainer in a process of its own, and in another one when that has ended."""

    def __init__(self, options: TrainerOptions) -> None:
        self.n_workers = options.n_workers
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()

    def trainers(self) -> Sequence["OneProcess"]:
        """Return itself, with a process that is started if there is none; `ValueError` once the pool is closed."""
        with self._lock:
            require(not self._closed, "lab", "be open to take a run", "closed")
            if self._process is None or self._process.poll() is not None:
                self._end()
                self._start()
        return [self]

    def ask(self, do: Callable[[Trainer, *Arguments], Result], /, *arguments: *Arguments) -> Result:
        """Call a method of the trainer there; a process that does not answer in time is ended."""
        with self._lock:
            if self._process is None:
                raise TrainerGone("trainer must answer, got no answer")
            patience = threading.Timer(PATIENCE, self._process.kill)  # one that does not answer trains for nobody
            patience.start()
            try:
                self._tell((do, arguments))
                answered = pickle.load(self._answers)
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                self._process.kill()
                raise TrainerGone(f"trainer must answer, got {error or 'no answer'}") from error
            finally:
                patience.cancel()
        return cast(Result, understood(answered))

    def close(self) -> None:
        """End all runs and the process; return when it has ended."""
        with self._lock:
            self._closed = True
            self._end()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
            # Ctrl-C is for the app, which ends it. In a session of its own, Linux would give it as much of a busy
            # machine as the app and all that was started with it get together: niceness counts within a session.
            process_group=0,
        )
        self._questions = cast(IO[bytes], self._process.stdin)
        self._answers = cast(IO[bytes], self._process.stdout)
        with suppress(OSError):  # it has ended already, as the first question will say
            self._tell(self._options)  # not by its arguments: the address of a store has a password

    def _end(self) -> None:
        if self._process is None:
            return
        with suppress(OSError):  # it has ended before it has read all
            self._questions.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()
        self._process = None

    def _tell(self, what: object) -> None:
        self._questions.write(pickle.dumps(what))
        self._questions.flush()


class Processes:
    """The pool of all cores: trainers, each in a process of its own."""

    def __init__(self, options: TrainerOptions, n_processes: int) -> None:
        self.n_workers = options.n_workers
        self._each = [OneProcess(options) for _ in range(n_processes)]

    def trainers(self) -> Sequence[OneProcess]:
        """Return all trainers, as `OneProcess` does."""
        return [trainer for one in self._each for trainer in one.trainers()]

    def close(self) -> None:
        """End all runs and the processes."""
        for one in self._each:
            one.close()


class Here:
    """The pool of a trainer in this process, which computes nothing else."""

    def __init__(self, trainer: Trainer) -> None:
        self.n_workers = trainer.n_workers
        self.trainer = trainer

    def trainers(self) -> Sequence["Here"]:
        """Return itself."""
        return [self]

    def ask(self, do: Callable[[Trainer, *Arguments], Result], /, *arguments: *Arguments) -> Result:
        """Call a method of the trainer."""
        return do(self.trainer, *arguments)

    def close(self) -> None:
        """End all runs."""
        self.trainer.close()


FIRST = RunConfig(("none",), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)


def get_ready() -> None:
    """Take one step of a tiny model, so that the first visitor's run does not wait for what this process loads for it.

    With its first optimiser torch imports a compiler that nothing here uses, which takes over a second. A text and its
    statistics are read as well.
    """
    become_worker()
    next(run_encoding(FIRST, "none", built_in()))


def main() -> None:
    """Make the trainer that the first message describes, and answer questions until the input ends."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else prints something is no answer
    trainer = cast(TrainerOptions, pickle.load(questions)).trainer()
    threading.Thread(target=get_ready, daemon=True).start()
    with suppress(EOFError, OSError):  # the app has gone
        while True:
            answers.write(pickle.dumps(answer(trainer, *pickle.load(questions))))
            answers.flush()
    trainer.close()


if __name__ == "__main__":
    main()
