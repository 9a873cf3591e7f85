"""Where training or fine-tuning of one model stands, in a file from which it goes on to the same numbers.

It has the states of the model, of the optimiser and its schedule, and of what draws batches and positions, as torch
writes them. It is written whole or not at all, and nothing of it is ever executed.
"""

import io
import pickle
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from pe_core.files import write_whole
from pe_core.lab.experiment.model import Transformer
from pe_core.parameters import cut

EVERY = 60.0  # seconds between two checkpoints: a large model is gigabytes


class Checkpoint:
    """The file of a training run, at `path`: `curve` has the losses of all steps so far, of which `kept` are in it.

    `again` says whether the step that came last was made before, and only told again. `tuned` is the repair under which
    the trained model is fine-tuned, empty in its training.
    """

    def __init__(self, path: Path, tuned: str = "") -> None:
        self._path = path
        self._written = time.monotonic()
        self._further: list[Checkpoint] = []
        self.curve: list[float] = []
        self.kept = 0
        self.again = False
        self.tuned = tuned

    def of_tuning(self, repair: str) -> "Checkpoint":
        """Return the one of a fine-tuning of the trained model under a repair, whose file lies beside this one."""
        self._further.append(Checkpoint(self._path.with_suffix(f".{repair}{self._path.suffix}"), repair))
        return self._further[-1]

    @property
    def newest(self) -> "Checkpoint":
        """The one of what is learned now: this one, or that of the fine-tuning that began last."""
        return self._further[-1] if self._further else self

    def follow(
        self,
        model: Transformer,
        optimiser: torch.optim.Optimizer,
        schedule: torch.optim.lr_scheduler.LRScheduler,
        drawing: Sequence[torch.Generator],
    ) -> None:
        """Keep all of these from now on, after they were brought to where the file has them, if there is one.

        Raises `ValueError` for a file that is no checkpoint of such a model.
        """
        self._followed: dict[str, Any] = {"model": model, "optimiser": optimiser, "schedule": schedule}
        self._drawing = drawing
        if not self._path.exists():
            return
        try:
            found = torch.load(self._path, map_location="cpu", weights_only=True)
            for name, one in self._followed.items():
                one.load_state_dict(found[name])
            for generator, state in zip(drawing, found["drawing"], strict=True):
                generator.set_state(state)
            self.curve = found["curve"]
        except (pickle.UnpicklingError, OSError, EOFError, KeyError, TypeError, RuntimeError, ValueError) as error:
            first = cut(str(error).partition("\n")[0], 120)
            raise ValueError(f"checkpoint must be of this training, got {self._path}: {first}") from None
        self.kept = len(self.curve)

    def note(self, loss: float, *, last: bool) -> None:
        """Take in a step of training; after the last one, and once in `EVERY` seconds, write the file."""
        self.curve.append(loss)
        if not last and time.monotonic() - self._written < EVERY:
            return
        state = {name: one.state_dict() for name, one in self._followed.items()}
        content = io.BytesIO()
        torch.save({**state, "drawing": [one.get_state() for one in self._drawing], "curve": self.curve}, content)
        write_whole(self._path, content.getvalue())
        self._written, self.kept = time.monotonic(), len(self.curve)

    def remove(self) -> None:
        """Remove the files of the training and of what was fine-tuned, as far as there are some."""
        for one in self._further:
            one.remove()
        self._path.unlink(missing_ok=True)
