"""Where training or fine-tuning of one model stands, in a file from which it goes on to the same numbers.

A file is in the format of safetensors: weights, the moments of the optimiser, and the states of what draws batches and
positions; the rest is a small JSON in its header. It is written whole or not at all.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from pe_core.files import write_whole
from pe_core.lab.experiment.model import Transformer

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

    def restore(
        self,
        model: Transformer,
        optimiser: torch.optim.Optimizer,
        schedule: torch.optim.lr_scheduler.LRScheduler,
        drawing: Sequence[torch.Generator],
    ) -> None:
        """Bring all of them to where the file has them; nothing happens where there is none.

        Raises `ValueError` for a file that is no checkpoint of such a model.
        """
        if not self._path.exists():
            return
        try:
            with safetensors.safe_open(self._path, framework="pt") as file:
                facts = json.loads(file.metadata()["training"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            model.load_state_dict(_of("model", tensors))
            moments: dict[int, dict[str, Tensor]] = {}
            for name, value in _of("optimiser", tensors).items():
                number, what = name.split(".")
                moments.setdefault(int(number), {})[what] = value
            groups = [
                {**one, "betas": tuple(one["betas"]), "params": own["params"]}
                for one, own in zip(facts["groups"], optimiser.state_dict()["param_groups"], strict=True)
            ]
            optimiser.load_state_dict({"state": moments, "param_groups": groups})
            schedule.load_state_dict(facts["schedule"])
            for place, generator in enumerate(drawing):
                generator.set_state(tensors[f"drawing.{place}"])
        except (safetensors.SafetensorError, KeyError, TypeError, RuntimeError, ValueError) as error:
            raise ValueError(f"checkpoint must be of this training, got {self._path}: {error}") from None
        self.curve = facts["curve"]
        self.kept = len(self.curve)

    def note(
        self,
        loss: float,
        model: Transformer,
        optimiser: torch.optim.Optimizer,
        schedule: torch.optim.lr_scheduler.LRScheduler,
        drawing: Sequence[torch.Generator],
        *,
        last: bool,
    ) -> None:
        """Take in a step of training; after the last one, and once in `EVERY` seconds, write the file."""
        self.curve.append(loss)
        if not last and time.monotonic() - self._written < EVERY:
            return
        state = optimiser.state_dict()
        tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
        for place, held in state["state"].items():
            tensors |= {f"optimiser.{place}.{name}": value for name, value in held.items()}
        tensors |= {f"drawing.{number}": generator.get_state() for number, generator in enumerate(drawing)}
        groups = [{name: value for name, value in one.items() if name != "params"} for one in state["param_groups"]]
        facts: dict[str, Any] = {"curve": self.curve, "groups": groups, "schedule": schedule.state_dict()}
        whole = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
        write_whole(self._path, safetensors.torch.save(whole, metadata={"training": json.dumps(facts)}))
        self._written, self.kept = time.monotonic(), len(self.curve)

    def remove(self) -> None:
        """Remove the files of the training and of what was fine-tuned, as far as there are some."""
        for one in self._further:
            one.remove()
        self._path.unlink(missing_ok=True)


def _of(kind: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(f"{kind}."): value for name, value in tensors.items() if name.startswith(f"{kind}.")}
