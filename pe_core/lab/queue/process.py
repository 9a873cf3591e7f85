"""A trainer in a process of its own, so that training and pages share no interpreter; and the program that runs there.

The process is told on its standard input how to train, says on its standard output where it listens, and ends when its
input does: so it never outlives the app, however that ends.
"""

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from queue import LifoQueue

from pe_core.lab.queue.remote import RemoteTrainer, TrainerOptions, answer
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.queue.trainers import TrainerGone
from pe_core.lab.queue.worker import get_ready
from pe_core.parameters import require

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0  # seconds that an answer may take, and a process until it listens
CONNECTIONS = 4  # questions at the same time: one that waits for the database holds up no other


class TrainerProcess(RemoteTrainer):
    """A trainer in a process of its own, which starts with this object."""

    def __init__(self, options: TrainerOptions) -> None:
        super().__init__()
        self._key = secrets.token_bytes(32)
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
            text=True,
            start_new_session=True,  # Ctrl-C is for the app, which ends it
        )
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"key": self._key.hex(), **asdict(options)}) + "\n")
        self._process.stdin.flush()
        self._address = ""
        self._listens = threading.Event()  # or has ended before
        self._hearing = threading.Thread(target=self._hear, name="trainer", daemon=True)
        self._hearing.start()
        self._free: LifoQueue[Connection | None] = LifoQueue()
        for _ in range(CONNECTIONS):
            self._free.put(None)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked without waiting for its start."""
        return self._listens.is_set() and self.is_alive

    def close(self) -> None:
        """End all runs and the process; return when it has ended."""
        assert self._process.stdin
        with suppress(OSError):  # it has ended before it has read all
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._hearing.join()
        for _ in range(CONNECTIONS):
            if connection := self._free.get():
                connection.close()
            self._free.put(None)

    def _hear(self) -> None:
        assert self._process.stdout
        with self._process.stdout as said:
            self._address = said.readline().strip()
        self._listens.set()

    def _told(self, question: bytes) -> bytes:
        connection = self._free.get()
        try:
            connection = connection or self._connected()
            connection.send_bytes(question)
            if not connection.poll(PATIENCE):
                raise TimeoutError("no answer")
            return connection.recv_bytes()
        except (OSError, EOFError, AuthenticationError) as error:
            self._process.kill()  # one that does not answer trains for nobody
            if connection is not None:
                connection.close()
                connection = None
            raise TrainerGone(str(error)) from error
        finally:
            self._free.put(connection)

    def _connected(self) -> Connection:
        self._listens.wait(PATIENCE)
        if not self._address:
            raise EOFError("it has not started")
        return Client(self._address, authkey=self._key)


class OneProcess:
    """The pool of one machine: a trainer in a process of its own, and another one when that has ended."""

    def __init__(self, options: TrainerOptions) -> None:
        self._options = options
        self._trainer: TrainerProcess | None = None
        self._lock = threading.Lock()
        self._closed = False
        self.n_workers = options.n_workers or os.cpu_count() or 1

    def trainers(self) -> Sequence[TrainerProcess]:
        """Return the trainer, which is started if there is none; `ValueError` once the pool is closed."""
        with self._lock:
            require(not self._closed, "lab", "be open to take a run", "closed")
            if self._trainer is not None and not self._trainer.is_alive:
                self._trainer.close()
                self._trainer = None
            self._trainer = self._trainer or TrainerProcess(self._options)
            return [self._trainer]

    def running(self) -> Sequence[TrainerProcess]:
        """Return the trainer if it can be asked at once."""
        trainer = self._trainer
        return [trainer] if trainer is not None and trainer.is_ready else []

    def close(self) -> None:
        """End all runs and the process."""
        with self._lock:
            self._closed = True
            if self._trainer is not None:
                self._trainer.close()


def serve(trainer: Trainer, listener: Listener) -> None:
    """Answer whoever connects, each in a thread of its own."""
    while True:
        try:
            connection = listener.accept()
        except (OSError, EOFError, AuthenticationError):  # somebody without the key, or the end
            continue
        threading.Thread(target=_answer_all, args=(trainer, connection), daemon=True).start()


def _answer_all(trainer: Trainer, connection: Connection) -> None:
    try:
        while True:
            connection.send_bytes(answer(trainer, connection.recv_bytes()))
    except (OSError, EOFError):  # the app has gone
        return


def main() -> None:
    """Train until the standard input ends."""
    options = json.loads(sys.stdin.readline())
    with Listener(authkey=bytes.fromhex(options.pop("key"))) as listener:
        trainer = TrainerOptions(**options).trainer()
        threading.Thread(target=serve, args=(trainer, listener), daemon=True).start()
        print(listener.address, flush=True)
        sys.stdout = sys.stderr  # nobody reads more of it
        threading.Thread(target=get_ready, daemon=True).start()
        sys.stdin.read()
        trainer.close()


if __name__ == "__main__":
    main()
