"""How much of a run is done and how long the rest takes, from what its own work has taken so far.

All work counts: training steps, glances, evaluations, those under repairs, fine-tuning, of every seed. What has been
done is known by its seconds. What has not been done yet is weighed by arithmetic and by what is most like it among the
work that was measured: a glance at a length, or under a repair, tells what its evaluation will take.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np  # not torch, whose threads are for training
from numpy.typing import NDArray

from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Unit
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue.estimate import of

PAIR = 80  # multiplications that a pair of tokens costs a head beside its products, as a calibration has measured

READING = 0.4  # of a step that learns from as much, as measured with the default sizes
LEARNED = 2.0  # what a repair adds to a step of fine-tuning, in times of what it adds to reading as much, as measured


def weight(config: RunConfig, unit: Unit, vocab_size: int) -> float:
    """Return what a unit of work costs by arithmetic, in multiplications."""
    batch = of(config, vocab_size, texts=unit.tokens / unit.length, length=unit.length)
    whole = batch.multiplications + PAIR * batch.seen["bias"]
    return whole if unit.learns else READING * whole


@dataclass(eq=False)
class Pace:
    """Seconds that the work of a run takes for its weight, as measured in this run, for all its encodings and seeds."""

    config: RunConfig
    vocab_size: int
    _taken: dict[tuple[object, ...], tuple[float, float]] = field(default_factory=lambda: defaultdict(lambda: (0, 0)))

    def note(self, encoding: str, unit: Unit, seconds: float) -> None:
        """Take in what a unit of an encoding has taken."""
        weighed = weight(self.config, unit, self.vocab_size)
        for likeness in _likenesses(encoding, unit):
            before, weighed_before = self._taken[likeness]
            self._taken[likeness] = before + seconds, weighed_before + weighed

    def seconds(self, encoding: str, unit: Unit) -> float:
        """Return what a unit of an encoding will take; 0 before anything was measured."""
        exact, *_ = _likenesses(encoding, unit)
        if unit.doing == "tuning" and unit.repair != AS_TRAINED.key and exact not in self._taken:
            plain = replace(unit, repair=AS_TRAINED.key)
            read, read_plain = (self.seconds(encoding, replace(one, doing="glance")) for one in (unit, plain))
            return self.seconds(encoding, plain) + LEARNED * max(0.0, read - read_plain)
        for likeness in _likenesses(encoding, unit):
            if likeness in self._taken:
                taken, weighed = self._taken[likeness]
                return weight(self.config, unit, self.vocab_size) * taken / weighed
        return 0.0


def _likenesses(encoding: str, unit: Unit) -> Sequence[tuple[object, ...]]:
    """Return by what a unit is like others, from the same work to any."""
    return (
        (encoding, unit.doing, unit.length, unit.repair),
        (encoding, unit.length, unit.repair),
        (encoding, unit.doing, unit.length),
        (encoding, unit.length),
        (encoding,),
        (),
    )


class Remaining:
    """What one encoding with one seed has still to do, of its plan."""

    def __init__(self, plan: Sequence[tuple[Unit, int]]) -> None:
        self._parts = [(unit, n) for unit, n in reversed(plan) if n > 0]  # the next one last
        self._n_done = 0

    def take(self) -> Unit | None:
        """Return the next unit, which is then done; None where nothing is left."""
        if not self._parts:
            return None
        unit, n = self._parts.pop()
        if n > 1:
            self._parts.append((unit, n - 1))
        self._n_done += 1
        return unit

    def seconds(self, encoding: str, pace: Pace) -> NDArray[np.float64]:
        """Return the seconds that each event will still take, (events,): 0 for those that are done."""
        ahead = self._parts[::-1]
        each = [0.0, *(pace.seconds(encoding, unit) for unit, _ in ahead)]
        return np.repeat(each, [self._n_done, *(n for _, n in ahead)])


def seconds_left(models: Sequence[NDArray[np.float64]], n_workers: int) -> float:
    """Return how long workers need for what is left of models, given the `seconds` of each.

    Those that have done the fewest events go first: who is behind catches up, and then all do as many events in the
    same time until the shortest is done. A worker has one model at a time, so that all their next events take as long
    as the longest of them at least.
    """
    together = np.zeros((len(models), max(map(len, models))))
    for row, seconds in zip(together, models, strict=True):
        row[: len(seconds)] = seconds
    return float(np.maximum(together.sum(0) / n_workers, together.max(0)).sum())
