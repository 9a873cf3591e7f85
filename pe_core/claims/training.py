"""Claims about texts longer than those of training; the numbers come from a run of the lab."""

from collections.abc import Mapping, Sequence

import torch

from pe_core.claims.base import NOT, Claim, Finding, Seeds
from pe_core.encodings import ENCODINGS, learned, rotary, sinusoidal
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results import statistics
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import ratio
from pe_core.measures import criteria, lengths
from pe_core.measures.profile import initial
from pe_core.measures.uncertainty import mean_interval
from pe_core.parameters import Parameter, Value

CLASSIC = ("none", "sinusoidal", "rope", "alibi")
LONGER = Parameter(
    "times", "Times the training length", MULTIPLES[-1], "Length of the longest texts.", choices=MULTIPLES[1:]
)


def upto(losses: Sequence[LengthLoss], times: int) -> tuple[LengthLoss, ...]:
    """Return the losses at the training length, which comes first, and up to so many times of it."""
    return tuple(loss for loss in losses if loss.length <= times * losses[0].length)


def trained(run: RunRecord, times: int) -> dict[str, Seeds]:
    """Return the losses of each encoding of the run by seed, by its title, up to so many training lengths."""
    return {ENCODINGS[key].title: seeds_of(run, key, times) for key in run.done}


def seeds_of(run: RunRecord, encoding: str, times: int) -> Seeds:
    """Return the losses of an encoding by seed, up to so many training lengths."""
    by_seed = {seed: upto(outcome.lengths, times) for seed, outcome in run.outcomes[encoding].items()}
    return Seeds(by_seed, run.text.unigram_loss)


def rows(found: Mapping[str, Seeds]) -> tuple[dict[str, Value], ...]:
    """Return a row for each system by title: the losses compared, their ratio, its interval, what became of it."""
    return tuple(
        {
            "Model": title,
            f"Loss within {one.mean[0].length:,}": statistics.compared(one.mean)[0],
            f"Loss at the end of {one.mean[-1].length:,}": statistics.compared(one.mean)[1],
            "Ratio": ratio(one.mean),
            "95% interval": "one seed" if one.interval is None else "{:.3f} to {:.3f}".format(*one.interval),
            "Outcome": one.become,
        }
        for title, one in found.items()
    )


def rope_far(*, run: RunRecord, times: int) -> Finding:
    """True if the loss of RoPE holds: the 95% interval over seeds of its ratio ends at 1.1 or below.

    False if the interval lies above 1.1; it depends if 1.1 is within, if there is one seed only, and if nothing was
    learned. What repairs do to the same models is measured beside.
    """
    found = rope_losses(run, times)
    plain = found[PLAIN]
    repaired = [ratio(one.mean) for title, one in found.items() if title != PLAIN]
    others = {title: one for title, one in trained(run, times).items() if title != rotary.SPEC.title}
    shape = run.config.shape
    return Finding(
        plain.holds,
        {
            **plain.measured,
            "shift": lengths.shift_error(rotary.SPEC.build(shape), shape),
            "best": min(repaired, default=None),
            "worst": max(repaired, default=None),
        },
        rows({**found, **others}),
    )


PLAIN = "RoPE as trained"


def rope_losses(run: RunRecord, times: int) -> dict[str, Seeds]:
    """Return the losses of the models trained with RoPE by how they are read: as trained, and under each repair."""
    outcomes, unigram_loss = run.outcomes["rope"], run.text.unigram_loss
    repaired = {
        f"RoPE, {named(name).title}": Seeds(
            {seed: upto(one.repaired[name].lengths, times) for seed, one in outcomes.items()}, unigram_loss
        )
        for name in run.mean("rope").repaired
    }
    return {PLAIN: seeds_of(run, "rope", times), **repaired}


def sinusoid_far(*, run: RunRecord, times: int) -> Finding:
    """True if the loss holds: the 95% interval over seeds of its ratio ends at 1.1 or below.

    False if the interval lies above 1.1; it depends if 1.1 is within, if there is one seed only, and if nothing was
    learned.
    """
    found = seeds_of(run, "sinusoidal", times)
    positions = torch.arange(found.mean[-1].length)
    largest = float(sinusoidal.table(positions, run.config.d_model, dtype=torch.float64).abs().max())
    return Finding(found.holds, {**found.measured, "largest": largest}, rows(trained(run, times)))


def table_far(*, run: RunRecord, times: int) -> Finding:
    """True if the table that has rows enough does not hold: the interval over seeds of its ratio lies above 1.1.

    False if the interval ends at 1.1 or below; it depends if 1.1 is within, if there is one seed only, and if nothing
    was learned.
    """
    found, shape = seeds_of(run, "learned", times), run.config.shape
    encoding = initial(learned.SPEC.build(shape))
    return Finding(
        NOT[found.holds],
        {
            **found.measured,
            "rows": criteria.n_parameters(encoding) // shape.d_model,
            "trained": run.config.train_length,
            "untrained": criteria.unreached(encoding, shape),
        },
        rows(trained(run, times)),
    )


ROPE_FAR = Claim(
    key="rope_far",
    title="RoPE at any length",
    summary="RoPE extrapolates strongly, because it is relative.",
    paper=rotary.SPEC.paper,
    chapter="extension",
    decide=rope_far,
    sources=(rope_losses, lengths.shift_error, statistics.ratio, mean_interval),
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
    sources=(seeds_of, statistics.ratio, mean_interval),
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
    sources=(learned.rows, criteria.unreached, statistics.ratio, mean_interval),
    encodings=(*CLASSIC, "learned"),
    parameters=(LONGER,),
)
