"""Claims about ALiBi: the sign of its bias, the place where it is added, and what it does to long texts."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, N_DRAWS, Claim, ClaimVerdict, Counted, Finding
from pe_core.claims.training import LONGER, rows, trained
from pe_core.encodings import alibi
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import ratio
from pe_core.measures.uncertainty import mean_interval, wilson
from pe_core.parameters import Parameter

NEGATIVE, POSITIVE = "negative", "positive"


def sign(*, length: int, slope: float, sign: str, heads: int) -> Finding:
    """True if the softmax of the last query gives every key less than the next nearer one; else false."""
    stated, paper = last_rows(length, slope, sign)
    falls = bool((stated.diff() > 0).all())  # keys are in the order of the text, so nearer ones come later
    slopes = alibi.slopes(heads)
    return Finding(
        "true" if falls else "false",
        {
            "first": float(stated[0]),
            "own": float(stated[-1]),
            "paper_first": float(paper[0]),
            "paper_own": float(paper[-1]),
            "keys": length,
            "steepest": float(slopes[0]),
            "last_slope": float(slopes[-1]),
        },
    )


def last_rows(length: int, slope: float, sign: str) -> tuple[Tensor, Tensor]:
    """Return the softmax over the keys of the last query, (length,): with the stated bias, and with the paper's.

    The scores are 0 but for the bias: slope times (j - i) with the sign, against -slope * (i - j).
    """
    positions = torch.arange(length)
    signed = slope if sign == POSITIVE else -slope
    stated = signed * (positions - positions[-1]).double()
    paper = alibi.bias(positions, 1, dtype=torch.float64)[0, -1] / alibi.slopes(1) * slope
    return stated.softmax(dim=0), paper.softmax(dim=0)


def after(*, run: RunRecord, length: int, slope: float, times: int) -> Finding:
    """True if both halves of the sentence hold, false if neither does; it depends if one does or is not decided.

    The first holds if most of 100 random softmax rows to which the bias is added stay rows of fractions: none negative,
    with the sum 1. The second holds if the trained model breaks: the 95% interval over seeds of its ratio at the
    longest text begins at 1.5 or above, and it does not hold if the interval lies below.
    """
    before_softmax, after_softmax = both_rows(length, slope)
    sound = Counted(sum(is_fractions(both_rows(length, slope, seed)[1]) for seed in range(N_DRAWS)), N_DRAWS)
    models = trained(run, times)
    own = models[alibi.SPEC.title]
    halves = {sound.verdict, own.breaks}
    found: ClaimVerdict = halves.pop() if len(halves) == 1 else "depends"
    return Finding(
        found,
        {
            **own.measured,
            "rows-sound": sound.count,
            "rows-drawn": sound.n,
            "rows-low": sound.measured["low"],
            "rows-high": sound.measured["high"],
            "sum_before": float(before_softmax.sum()),
            "sum_after": float(after_softmax.sum()),
            "lowest_after": float(after_softmax.min()),
            "flatter": sum(ratio(one.mean) < ratio(own.mean) for one in models.values()),
        },
        rows(models),
    )


def is_fractions(row: Tensor) -> bool:
    """Return whether the numbers of a row (N,) are fractions of one whole: none negative, with the sum 1."""
    return bool(row.min() >= 0) and abs(float(row.sum()) - 1) <= EXACT


def both_rows(length: int, slope: float, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Return what the last query gives each key for drawn scores, (length,): bias before the softmax, and after it."""
    scores = torch.randn(length, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    bias = slope * (torch.arange(length) - (length - 1)).double()
    return (scores + bias).softmax(dim=0), scores.softmax(dim=0) + bias


_SLOPE = Parameter(
    "slope",
    "Slope",
    1.0,
    "How much each step of distance changes the bias.",
    choices=(0.00390625, 0.0625, 0.25, 0.5, 1.0),
)
_LENGTH = Parameter("length", "Keys", 6, "All tokens up to the query, which is included.", 2, 16)

SIGN = Claim(
    key="alibi_sign",
    title="ALiBi's sign",
    summary="ALiBi adds a negative slope times (j − i), for query i and key j.",
    paper=alibi.SPEC.paper,
    chapter="biases",
    decide=sign,
    sources=(last_rows, alibi.bias, alibi.slopes),
    parameters=(
        _LENGTH,
        _SLOPE,
        Parameter("sign", "The slope is", NEGATIVE, "Sign of the slope.", choices=(NEGATIVE, POSITIVE)),
        Parameter("heads", "Heads", 8, "Each head has its own slope.", choices=(1, 2, 4, 8, 16, 32)),
    ),
)

AFTER = Claim(
    key="alibi_after",
    title="ALiBi after the softmax",
    summary="ALiBi is added after the softmax, and collapses catastrophically at unseen lengths.",
    paper=alibi.SPEC.paper,
    chapter="biases",
    decide=after,
    sources=(both_rows, is_fractions, wilson, ratio, mean_interval),
    encodings=("none", "sinusoidal", "rope", "alibi"),
    parameters=(_LENGTH, _SLOPE, LONGER),
)
