"""What trained models read where a visitor has no text for them: text they were not trained on, or their own task."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from pe_core.lab.experiment.datasets import built_in, named
from pe_core.lab.experiment.task import Task
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection.inside import InspectedModel, logits
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.parameters import require

Origin = Literal["task", "held-out", "other", "written"]


@dataclass(frozen=True)
class SampleInput:
    """A text and where it is from: an example of the run's task, text held out of the run, other text, or written."""

    text: str
    origin: Origin


@dataclass(frozen=True, eq=False)
class Question:
    """An example of a task: its symbols to the last answer, and which of them are asked, bool (symbols,)."""

    text: str
    asked: Tensor

    @property
    def read(self) -> str:
        """What a model reads of it: the last answer is only given."""
        return self.text[:-1]


def task_of(run: TrainedRun) -> Task | None:
    """Return the task of a run, None where it has learned a text.

    Raises `ValueError` for a task that is not here any more, or has other symbols now.
    """
    text = run.record.text
    if not text.is_task:
        return None
    found = next((task for task in TASKS.values() if task.sha256 == text.sha256), None)
    require(
        found is not None and found.vocabulary == run.vocabulary, "run", "be of a task that this version has", text.name
    )
    return found


def question(task: Task, length: int) -> Question:
    """Return the first held-out example of a task for so many symbols."""
    parts = task.worked_example(length)
    asked = [is_asked for part, is_asked in parts for _ in part]
    return Question("".join(part for part, _ in parts), torch.tensor(asked))


def sample_input(run: TrainedRun, length: int) -> SampleInput:
    """Return what the models of a run read unless they are given a text, at most `length` symbols.

    Of a task it is an example of that length, of a built-in text its held-out part. Own texts are never kept: in their
    place stands the held-out part of the first built-in text, without characters that the models do not know; where
    these are more than half, it is a text that the first model of the run has written.
    """
    if task := task_of(run):
        return SampleInput(question(task, length).read, "task")
    own = named(run.record.text.name)
    corpus, known = own or built_in(), set(run.vocabulary)
    met = (corpus.vocabulary[token] for token in corpus.held_out[: 2 * length].tolist())
    text = "".join(character for character in met if character in known)[:length]
    if len(text) < length:
        return SampleInput(_written(run, length), "written")
    # Another version of the project may have another text under the same name.
    return SampleInput(text, "held-out" if own else "other")


@torch.inference_mode()
def _written(run: TrainedRun, length: int) -> str:
    """Return what the first model of a run writes, in parts of its training length, each from its first symbol on."""
    config, model = run.record.config, next(iter(run.models.values()))
    inspected, generator = InspectedModel(model, config), torch.Generator().manual_seed(0)
    parts = torch.zeros(-(-length // config.train_length), 1, dtype=torch.int64)
    for _ in range(config.train_length - 1):
        probabilities = logits(inspected, parts)[:, -1].softmax(-1)
        parts = torch.cat([parts, torch.multinomial(probabilities, 1, generator=generator)], dim=1)
    return run.text(parts.flatten()[:length])
