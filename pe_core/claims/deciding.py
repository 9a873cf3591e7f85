"""How a claim is decided where chance plays a part: by most of many draws, or by the interval of a mean over seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from pe_core.claims.base import ClaimVerdict
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.results import statistics
from pe_core.measures.uncertainty import mean_interval, wilson

NOT: dict[ClaimVerdict, ClaimVerdict] = {"true": "false", "false": "true", "depends": "depends"}
N_DRAWS = 100  # random queries, words, projections or orders, with the seeds 0 to 99


@dataclass(frozen=True)
class Counted:
    """In how many of n draws something is so."""

    count: int
    n: int

    @property
    def verdict(self) -> ClaimVerdict:
        """Whether it is so in most draws: true or false where the 95 % interval lies on one side of a half."""
        low, high = wilson(self.count, self.n)
        return "true" if low > 0.5 else "false" if high < 0.5 else "depends"

    @property
    def measured(self) -> dict[str, float | None]:
        """The count, the number of draws, and the ends of the interval in percent, for a sentence."""
        low, high = wilson(self.count, self.n)
        return {"count": self.count, "drawn": self.n, "low": 100 * low, "high": 100 * high}


@dataclass(frozen=True)
class Seeds:
    """The losses of one encoding by seed, the training length first, and the loss of guessing by frequency."""

    by_seed: Mapping[int, Sequence[LengthLoss]]
    unigram_loss: float

    @property
    def mean(self) -> statistics.Losses:
        """The mean losses."""
        return statistics.mean_losses([tuple(losses) for losses in self.by_seed.values()])

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval over seeds of the mean ratio; one seed has none."""
        ratios = [statistics.ratio(losses) for losses in self.by_seed.values()]
        return mean_interval(torch.tensor(ratios, dtype=torch.float64))

    @property
    def become(self) -> statistics.Verdict:
        """What became of the model in the mean."""
        return statistics.verdict(self.mean, self.unigram_loss)

    @property
    def holds(self) -> ClaimVerdict:
        """Whether the loss holds; it depends where nothing was learned or the interval has ends on both sides."""
        if self.interval is None or self.become == statistics.NOT_LEARNED:
            return "depends"
        low, high = self.interval
        return "true" if high <= statistics.HOLDS_UP_TO else "false" if low > statistics.HOLDS_UP_TO else "depends"

    @property
    def breaks(self) -> ClaimVerdict:
        """Whether the loss breaks; it depends where nothing was learned or the interval has ends on both sides."""
        if self.interval is None or self.become == statistics.NOT_LEARNED:
            return "depends"
        low, high = self.interval
        return "true" if low >= statistics.BREAKS_FROM else "false" if high < statistics.BREAKS_FROM else "depends"

    @property
    def measured(self) -> dict[str, float | None]:
        """Lengths, losses and ratio of the mean, the number of seeds, and the ends of the interval, for a sentence.

        `first` and `last` are the losses that are compared, `first_mean` and `last_mean` those over whole windows.
        """
        first, last = statistics.compared(self.mean)
        low, high = self.interval or (None, None)
        lengths = {"length": self.mean[0].length, "longest": self.mean[-1].length}
        losses = {"first": first, "last": last, "first_mean": self.mean[0].loss, "last_mean": self.mean[-1].loss}
        found = {"ratio": statistics.ratio(self.mean), "seeds": len(self.by_seed), "low": low, "high": high}
        return {**lengths, **losses, **found}
