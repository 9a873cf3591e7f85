"""What papers measured in larger models, and in how far the gallery puts the same systems in the same order."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import torch

from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import END, Gallery, by_measure
from pe_core.lab.results.statistics import Losses, compared, mean_losses
from pe_core.measures.uncertainty import kendall_tau

_FILE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Table:
    """Numbers of a paper, as `papers.toml` has them: one row for each system, and one column for each length in tokens.

    Where only the training length was measured the numbers are compared as they are, else as ratios to it.
    """

    title: str
    source: str
    link: str
    measured: str
    train_length: int
    lengths: Sequence[int]
    rows: Mapping[str, Sequence[float]]
    higher_is_better: bool = False
    repairs_of: str | None = None

    @property
    def beyond(self) -> bool:
        """Whether lengths beyond that of training were measured."""
        return len(self.lengths) > 1


TABLES: dict[str, Table] = {key: Table(**one) for key, one in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}
FARTHEST = 1.5  # times: how far a length of a paper may be from the multiple it is compared with


@dataclass(frozen=True)
class Comparison:
    """The order of a paper and ours: lower is better in both.

    `paper` has a number for each of `systems`: what was measured at `length` tokens, `times` the training length, over
    the same at the training length. `ours` is the mean perplexity per character at `multiple` times the training length
    over that within the training length, by one of the two measures of the gallery, and `by_seed` the same for each
    seed. At the training length they are what was measured there, and the perplexities.
    """

    multiple: int
    length: int
    times: float
    systems: tuple[str, ...]
    paper: tuple[float, ...]
    ours: tuple[float, ...]
    by_seed: Mapping[int, tuple[float, ...]]

    @property
    def tau(self) -> float:
        """Kendall's tau between the paper and the mean over our seeds."""
        return _tau(self.paper, self.ours)

    @property
    def taus(self) -> Mapping[int, float]:
        """Kendall's tau between the paper and each of our seeds alone."""
        return {seed: _tau(self.paper, values) for seed, values in self.by_seed.items()}

    @property
    def n_same(self) -> int:
        """With how many seeds all systems stand in the order of the paper."""
        return sum(tau == 1 for tau in self.taus.values())

    @property
    def exchanged(self) -> list[tuple[str, str]]:
        """The pairs of systems, in the paper's order, that stand the other way round with at least one seed."""
        pairs = combinations(order(self.paper), 2)
        turned = [(one, two) for one, two in pairs if any(own[one] > own[two] for own in self.by_seed.values())]
        return [(self.systems[one], self.systems[two]) for one, two in turned]


def order(values: Sequence[float]) -> list[int]:
    """Return the places of the values, the smallest first."""
    return sorted(range(len(values)), key=values.__getitem__)


def multiples(table: Table) -> tuple[int, ...]:
    """Return the multiples of the training length for which a paper has a length that is near enough."""
    if not table.beyond:
        return (1,)
    columns = range(len(table.lengths))
    farthest = math.log(FARTHEST)
    return tuple(one for one in MULTIPLES[1:] if min(_away(table, column, one) for column in columns) <= farthest)


def nearest_multiple(table: Table, multiple: int) -> int:
    """Return the multiple that the table can be compared at which is nearest to the given one."""
    return min(multiples(table), key=lambda possible: abs(math.log(possible / multiple)))


def compare(table: Table, gallery: Gallery, multiple: int, measure: str = END) -> Comparison | None:
    """Return the comparison at one of the `multiples` of the table; None if a system or a common seed is missing.

    `measure` is that of the `standings` of the gallery.
    """
    trained = {name: by_measure(_trained(table, gallery, name), measure) for name in table.rows}
    common = sorted(set.intersection(*(set(by_seed) for by_seed in trained.values())))
    if not common:
        return None
    column = min(range(len(table.lengths)), key=lambda place: _away(table, place, multiple))
    ours = {name: mean_losses([by_seed[seed] for seed in common]) for name, by_seed in trained.items()}
    return Comparison(
        multiple,
        table.lengths[column],
        table.lengths[column] / table.train_length,
        tuple(table.rows),
        tuple(_became(table, row, column) for row in table.rows.values()),
        tuple(_perplexity(losses, multiple) for losses in ours.values()),
        {seed: tuple(_perplexity(by_seed[seed], multiple) for by_seed in trained.values()) for seed in common},
    )


def _trained(table: Table, gallery: Gallery, name: str) -> Mapping[int, Losses]:
    runs = gallery.runs.get(table.repairs_of or name, {})
    if table.repairs_of is None or name == AS_TRAINED.key:
        return {seed: one.lengths for seed, one in runs.items()}
    return {seed: one.repaired[name].lengths for seed, one in runs.items() if name in one.repaired}


def _became(table: Table, row: Sequence[float], column: int) -> float:
    if not table.beyond:
        return row[column]
    return row[0] / row[column] if table.higher_is_better else row[column] / row[0]


def _perplexity(losses: Losses, multiple: int) -> float:
    """Return the perplexity at a multiple over that within the training length, or at that length itself."""
    if multiple == MULTIPLES[0]:
        return math.exp(losses[0].loss)
    within, at = compared(losses[: MULTIPLES.index(multiple) + 1])
    return math.exp(at - within)


def _away(table: Table, column: int, multiple: int) -> float:
    return abs(math.log(table.lengths[column] / table.train_length / multiple))


def _tau(one: Sequence[float], other: Sequence[float]) -> float:
    return kendall_tau(torch.tensor(one, dtype=torch.float64), torch.tensor(other, dtype=torch.float64))
