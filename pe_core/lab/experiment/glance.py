"""Glances at a model in training: what it does with a few held-out examples of every evaluated length.

They show how the losses past the training length come about. They decide no number of a finished run: nothing is drawn
from the generators of the training, and the model is left as it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pe_core.lab.experiment.evaluation import answers_under, texts_at_once
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.repair import AS_TRAINED, Repair
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks.base import Dataset, Task

N_LONGEST = 2  # windows of the longest length that are read under a repair, and as many characters in shorter ones
FIRST = 10  # steps before the first glance, so that there is something to see within a second
MIN_APART, MAX_APART, N_GLANCES = 25, 100, 6  # steps between two glances, and how many a short run has


@dataclass(frozen=True)
class Glance:
    """What a model does after so many steps with a few examples of one length.

    `loss` is in nats per answer; `accuracy` is the fraction of right answers of a task, None for a text; `repair` is
    the key of what was changed.
    """

    step: int
    length: int
    loss: float
    accuracy: float | None = None
    repair: str = AS_TRAINED.key


def glanced_steps(config: RunConfig) -> tuple[int, ...]:
    """Return the steps after which a model is glanced at: an early one, then a sixth of the training apart.

    That is 25 to 100 steps. None comes near the last step, which the whole evaluation follows.
    """
    apart = min(MAX_APART, max(MIN_APART, config.steps // N_GLANCES))
    return FIRST, *range(apart, config.steps - apart // 2, apart)


def glanced_tokens(config: RunConfig, length: int, repair: Repair) -> int:
    """Return how many tokens a glance reads at a length, at most: one batch of an evaluation, under a repair less."""
    return texts_at_once(length) * length if repair is AS_TRAINED else N_LONGEST * max(config.lengths)


def glance(
    model: Transformer, config: RunConfig, dataset: Dataset, step: int, repairs: Sequence[Repair] = ()
) -> Iterator[Glance]:
    """Yield what a model does after so many steps, length by length, as it is and under each of the repairs."""
    for repair in (AS_TRAINED, *repairs):
        for length in config.lengths:
            examples = dataset.held_out_examples(length).part(0, glanced_tokens(config, length, repair) // length)
            found = answers_under(model, config, examples, repair)
            accuracy = found.accuracy if isinstance(dataset, Task) else None
            yield Glance(step, length, float(found.by_place.mean()), accuracy, repair.key)
