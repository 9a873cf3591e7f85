"""Claims about ALiBi: the sign of its bias, the place where it is added, and what it does to long texts."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, Claim, ClaimVerdict, Finding, outcomes_of
from pe_core.claims.training import LONGER, by_title, rows, upto
from pe_core.encodings import alibi
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import ratio, verdict
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
    """True if both halves of the sentence hold, false if neither does; it depends if one does or nothing was learned.

    The first holds if a softmax row to which the bias is added stays a row of shares: none negative, with the sum 1.
    The second holds if the trained model breaks: its loss grows by half or more up to the longest text.
    """
    before_softmax, after_softmax = both_rows(length, slope)
    still_shares = bool(after_softmax.min() >= 0) and abs(float(after_softmax.sum()) - 1) <= EXACT
    losses = upto(outcomes_of(run)["alibi"].lengths, times)
    fate = verdict(losses, run.text.unigram_loss)
    halves = still_shares, fate == "breaks"
    found: ClaimVerdict = "true" if all(halves) else "depends" if any(halves) or fate == "not learned" else "false"
    return Finding(
        found,
        {
            "sum_before": float(before_softmax.sum()),
            "sum_after": float(after_softmax.sum()),
            "lowest_after": float(after_softmax.min()),
            "ratio": ratio(losses),
            "first": losses[0].loss,
            "last": losses[-1].loss,
            "flatter": sum(ratio(upto(one.lengths, times)) < ratio(losses) for one in outcomes_of(run).values()),
        },
        rows(by_title(run, times), run),
    )


def both_rows(length: int, slope: float) -> tuple[Tensor, Tensor]:
    """Return what the last query gives each key, (length,): with the bias before the softmax, and after it.

    The scores are standard normal, from a fixed generator.
    """
    scores = torch.randn(length, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    bias = slope * (torch.arange(length) - (length - 1)).double()
    return (scores + bias).softmax(dim=0), scores.softmax(dim=0) + bias


_SLOPE = Parameter("slope", "Slope", 1.0, "Cost of one step.", choices=(0.00390625, 0.0625, 0.25, 0.5, 1.0))
_LENGTH = Parameter("length", "Keys", 6, "Tokens up to the query, itself included.", 2, 16)

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
        Parameter("heads", "Heads", 8, "Each head has a slope of its own.", choices=(1, 2, 4, 8, 16, 32)),
    ),
)

AFTER = Claim(
    key="alibi_after",
    title="ALiBi after the softmax",
    summary="ALiBi is added after the softmax, and collapses catastrophically at unseen lengths.",
    paper=alibi.SPEC.paper,
    chapter="biases",
    decide=after,
    sources=(both_rows, upto, verdict),
    encodings=("none", "sinusoidal", "rope", "alibi"),
    parameters=(_LENGTH, _SLOPE, LONGER),
)
