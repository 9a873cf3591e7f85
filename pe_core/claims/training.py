"""Claims about texts longer than those of training; the numbers come from a run of the lab."""

from collections.abc import Mapping, Sequence

import torch

from pe_core.claims.base import Claim, ClaimVerdict, Finding, outcomes_of
from pe_core.encodings import ENCODINGS, learned, rotary, sinusoidal
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results import statistics
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import ratio
from pe_core.measures import criteria, lengths
from pe_core.measures.profile import attempt, initial
from pe_core.parameters import Parameter, Value

CLASSIC = ("none", "sinusoidal", "rope", "alibi")
LONGER = Parameter(
    "times", "Times the training length", MULTIPLES[-1], "How long the longest texts are.", choices=MULTIPLES[1:]
)

# What the sentence "it works past the training length" is, given what became of the model.
JUDGED: dict[statistics.Verdict, ClaimVerdict] = {
    "holds": "true",
    "degrades": "false",
    "breaks": "false",
    "not learned": "depends",
}


def upto(losses: Sequence[LengthLoss], times: int) -> tuple[LengthLoss, ...]:
    """Return the losses at the training length, which comes first, and up to so many times of it."""
    return tuple(loss for loss in losses if loss.length <= times * losses[0].length)


def by_title(run: RunRecord, times: int) -> dict[str, tuple[LengthLoss, ...]]:
    """Return the losses of each encoding of the run, by its title, up to so many training lengths."""
    return {ENCODINGS[key].title: upto(outcome.lengths, times) for key, outcome in outcomes_of(run).items()}


def rows(found: Mapping[str, Sequence[LengthLoss]], run: RunRecord) -> tuple[dict[str, Value], ...]:
    """Return a row for each of the losses by title: loss at both lengths, their ratio, and what became of the model."""
    return tuple(
        {
            "Model": title,
            f"Loss at {losses[0].length:,}": losses[0].loss,
            f"Loss at {losses[-1].length:,}": losses[-1].loss,
            "Ratio": ratio(losses),
            "It": statistics.verdict(losses, run.text.unigram_loss),
        }
        for title, losses in found.items()
    )


def rope_far(*, run: RunRecord, times: int) -> Finding:
    """True if the loss of RoPE holds: it grows by a tenth at most up to the longest text.

    It depends if nothing was learned; else it is false. What repairs do to the same model is measured beside.
    """
    losses = rope_losses(run, times)
    plain = losses[PLAIN]
    repaired = [ratio(one) for title, one in losses.items() if title != PLAIN]
    others = {title: one for title, one in by_title(run, times).items() if title != rotary.SPEC.title}
    shape = run.config.shape
    return Finding(
        JUDGED[statistics.verdict(plain, run.text.unigram_loss)],
        {
            **_ends(plain),
            "shift": lengths.shift_error(rotary.SPEC.build(shape), shape),
            "best": min(repaired, default=None),
            "worst": max(repaired, default=None),
        },
        rows({**losses, **others}, run),
    )


PLAIN = "RoPE as trained"


def rope_losses(run: RunRecord, times: int) -> dict[str, tuple[LengthLoss, ...]]:
    """Return the losses of the model trained with RoPE by how it is read: as trained, and under each of the repairs.

    A repair changes frequencies, positions or the mask at evaluation, and no weight.
    """
    outcome = outcomes_of(run)["rope"]
    repaired = {f"RoPE, {named(name).title}": read.lengths for name, read in outcome.repaired.items()}
    return {title: upto(one, times) for title, one in {PLAIN: outcome.lengths, **repaired}.items()}


def sinusoid_far(*, run: RunRecord, times: int) -> Finding:
    """True if the loss holds: it grows by a tenth at most up to the longest text.

    It depends if nothing was learned; else it is false.
    """
    losses = upto(outcomes_of(run)["sinusoidal"].lengths, times)
    positions = torch.arange(losses[-1].length)
    largest = float(sinusoidal.table(positions, run.config.d_model, dtype=torch.float64).abs().max())
    return Finding(
        JUDGED[statistics.verdict(losses, run.text.unigram_loss)],
        {**_ends(losses), "largest": largest},
        rows(by_title(run, times), run),
    )


NOISE, ERROR = "noise", "error"


def table_far(*, run: RunRecord, times: int, beyond: str) -> Finding:
    """True if the table refuses the longest text; false if it reads it with a loss that holds; else it depends."""
    losses = upto(outcomes_of(run)["learned"].lengths, times)
    shape = run.config.shape
    encoding = initial(learned.SPEC.build(shape, {"beyond": beyond}))
    refused = attempt(encoding, shape, torch.tensor([losses[-1].length - 1])) is None
    holds = statistics.verdict(losses, run.text.unigram_loss) == "holds"
    return Finding(
        "true" if refused else "false" if holds else "depends",
        {
            **_ends(losses),
            "rows": criteria.n_parameters(encoding) // shape.d_model,
            "trained": run.config.train_length,
            "untrained": criteria.unreached(encoding, shape),
        },
        rows(by_title(run, times), run),
    )


def _ends(losses: Sequence[LengthLoss]) -> dict[str, float | None]:
    first, last = losses[0], losses[-1]
    numbers = {"length": first.length, "longest": last.length, "first": first.loss, "last": last.loss}
    return {**numbers, "ratio": ratio(losses)}


ROPE_FAR = Claim(
    key="rope_far",
    title="RoPE at any length",
    summary="RoPE extrapolates strongly, because it is relative.",
    paper=rotary.SPEC.paper,
    chapter="extension",
    decide=rope_far,
    sources=(rope_losses, lengths.shift_error, statistics.verdict),
    encodings=CLASSIC,
    parameters=(LONGER,),
)

SINUSOID_FAR = Claim(
    key="sinusoid_far",
    title="Sinusoids at any length",
    summary="Sinusoidal encodings generalise to any length, since they are bounded.",
    paper=sinusoidal.SPEC.paper,
    chapter="lab",
    decide=sinusoid_far,
    sources=(upto, statistics.verdict),
    encodings=CLASSIC,
    parameters=(LONGER,),
)

TABLE_FAR = Claim(
    key="table_far",
    title="A table past its end",
    summary="A learned table cannot exceed its length.",
    paper=learned.SPEC.paper,
    chapter="learned",
    decide=table_far,
    sources=(learned.rows, criteria.unreached, statistics.verdict),
    encodings=(*CLASSIC, "learned"),
    parameters=(
        LONGER,
        Parameter("beyond", "Rows past training", NOISE, "What the table has there.", choices=(NOISE, ERROR)),
    ),
)
