"""What a claim is: a sentence that people repeat, and the computation that decides whether it is so.

Where chance plays a part, most of many draws decide, or the interval of a mean over seeds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results import statistics
from pe_core.lab.results.record import RunRecord
from pe_core.measures.uncertainty import mean_interval, wilson
from pe_core.parameters import Entry, Value, require

ClaimVerdict = Literal["true", "false", "depends"]
VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)

NOT: dict[ClaimVerdict, ClaimVerdict] = {"true": "false", "false": "true", "depends": "depends"}
N_DRAWS = 100  # random queries, words, projections or orders, with the seeds 0 to 99
EXACT = 1e-9  # numbers that differ by less are equal up to rounding


@dataclass(frozen=True)
class Finding:
    """What came out: the verdict, the numbers behind it by name, None for what does not occur, and more as a table."""

    verdict: ClaimVerdict
    measured: Mapping[str, float | None]
    rows: tuple[Mapping[str, Value], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Claim(Entry):
    """A registry entry: `title` names the claim in lists, `summary` is the sentence as it is repeated.

    `decide` takes the parameters by their names and, if `encodings` names some that have to be trained, the `run`. Its
    docstring states the rule by which the verdict follows from the numbers. `chapter` is the page it belongs to,
    `sources` are further functions that do the work.
    """

    chapter: str
    decide: Callable[..., Finding]
    sources: tuple[Callable[..., Any], ...] = ()
    encodings: tuple[str, ...] = ()

    def accepts(self, run: RunRecord) -> bool:
        """Return whether the run has what the claim asks for: its encodings, plain causal texts, plain positions."""
        plain = RunConfig()
        usual = (run.config.mask, run.config.remap) == (plain.mask, plain.remap)
        return usual and set(self.encodings) <= set(run.done)

    def settle(self, params: Mapping[str, Value] | None = None, run: RunRecord | None = None) -> Finding:
        """Return the finding; parameters not named keep their default, and `run` is needed where models are trained.

        Raises `ValueError` for a parameter that does not exist or a value it does not allow, and for a run that lacks
        what is needed.
        """
        values: dict[str, Any] = self.values(params)
        if not self.encodings:
            return self.decide(**values)
        rule = f"hold {', '.join(self.encodings)} under the causal mask, at consecutive positions"
        held = "none" if run is None else f"{', '.join(run.done)} ({run.config.mask}, {run.config.remap})"
        require(run is not None and self.accepts(run), "run", rule, held)
        return self.decide(run=run, **values)


@dataclass(frozen=True)
class Counted:
    """In how many of n draws something is so."""

    count: int
    n: int

    @property
    def verdict(self) -> ClaimVerdict:
        """Whether it is so in most draws: true or false where the 95% interval lies on one side of a half."""
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
        """The 95% interval over seeds of the mean ratio; one seed has none."""
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
