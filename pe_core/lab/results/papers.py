"""What papers measured in larger models, and in how far the gallery puts the same systems in the same order."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import torch

from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import END, Gallery, by_measure
from pe_core.lab.results.statistics import Losses, compared, mean_losses
from pe_core.measures.uncertainty import kendall_tau


@dataclass(frozen=True)
class Table:
    """Numbers of a paper: one row for each system, by our key, and one column for each length in tokens.

    `source` says where they stand and `link` leads there. Where only the training length was measured the numbers are
    compared as they are, else as ratios to the training length. `repairs_of` is the encoding whose repairs the rows
    are, None where they are encodings.
    """

    title: str
    source: str
    link: str
    measured: str
    train_length: int
    lengths: tuple[int, ...]
    rows: Mapping[str, tuple[float, ...]]
    higher_is_better: bool = False
    repairs_of: str | None = None

    @property
    def beyond(self) -> bool:
        """Whether lengths beyond that of training were measured."""
        return len(self.lengths) > 1


TABLES: dict[str, Table] = {
    "press_512": Table(
        "Press et al., trained at 512",
        "Press, Smith & Lewis 2021, Table 2",
        "https://arxiv.org/abs/2108.12409",
        "perplexity on WikiText-103",
        512,
        (512, 612, 712, 1012, 1512, 2512, 5512, 10512),
        {
            "sinusoidal": (20.05, 20.59, 24.86, 43.54, 76.23, 132.41, 240.44, 341.53),
            "rope": (20.07, 19.81, 19.79, 21.37, 25.99, 31.58, 43.14, 60.77),
            "t5": (19.65, 19.27, 19.10, 18.79, 18.91, 20.41, 29.54, 52.95),
            "alibi": (19.73, 19.38, 19.14, 18.73, 18.52, 18.41, 18.36, 18.32),
        },
    ),
    "press_1024": Table(
        "Press et al., trained at 1,024",
        "Press, Smith & Lewis 2021, Table 3",
        "https://arxiv.org/abs/2108.12409",
        "perplexity on WikiText-103",
        1024,
        (1024, 1124, 1224, 1524, 2024, 3024, 5024, 10024),
        {
            "sinusoidal": (19.34, 19.26, 20.54, 29.82, 51.09, 96.46, 182.31, 337.48),
            "rope": (19.33, 19.18, 19.38, 22.59, 31.17, 35.67, 48.31, 77.70),
            "t5": (18.80, 18.62, 18.58, 18.42, 18.34, 18.62, 20.47, 29.54),
            "alibi": (18.66, 18.46, 18.40, 18.22, 18.05, 17.92, 17.92, 17.97),
        },
    ),
    "kazemnejad": Table(
        "Kazemnejad et al., trained at 1,024",
        "Kazemnejad et al. 2023, Appendix F",
        "https://arxiv.org/abs/2305.19466",
        "perplexity on documents of 2,750 to 3,000 tokens",
        1024,
        (1024, 1200, 1400, 1600, 1800, 2048, 2560),
        {
            "none": (2.67, 2.62, 2.50, 3.84, 41.2, 151.8, 536.0),
            "alibi": (2.74, 2.74, 2.74, 3.68, 13.8, 43.0, 150.0),
            "rope": (2.61, 3.32, 156.0, 507.0, 675.0, 677.0, 760.0),
        },
    ),
    "haviv": Table(
        "Haviv et al., at the training length",
        "Haviv et al. 2022, Table 1",
        "https://arxiv.org/abs/2203.16634",
        "perplexity on WikiText-103",
        512,
        (512,),
        {"none": (20.97,), "learned": (20.42,), "sinusoidal": (20.16,), "alibi": (19.71,)},
    ),
    "su": Table(
        "Su, repairs of RoPE, trained at 512",
        "Su 2023, kexue.fm/archives/9708 (in Chinese)",
        "https://kexue.fm/archives/9708",
        "per cent of tokens predicted right, text not repeated",
        512,
        (512, 4096),
        {
            "as_trained": (49.41, 23.16),
            "pi": (49.41, 13.54),
            "ntk": (49.41, 39.27),
            "rerope": (49.41, 48.48),  # half the training length kept exact, as here
        },
        higher_is_better=True,
        repairs_of="rope",
    ),
}

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
    return tuple(multiple for multiple in MULTIPLES[1:] if _distance(table, multiple) <= math.log(FARTHEST))


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
        return {seed: one.losses for seed, one in runs.items()}
    return {seed: one.repaired[name] for seed, one in runs.items() if name in one.repaired}


def _became(table: Table, row: tuple[float, ...], column: int) -> float:
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


def _distance(table: Table, multiple: int) -> float:
    return min(_away(table, column, multiple) for column in range(len(table.lengths)))


def _tau(one: Sequence[float], other: Sequence[float]) -> float:
    return kendall_tau(torch.tensor(one, dtype=torch.float64), torch.tensor(other, dtype=torch.float64))
