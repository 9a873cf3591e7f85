"""The kept run, and others that are made of it by hand."""

from dataclasses import replace
from pathlib import Path

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.results.record_file import from_json

KEPT = from_json((Path(__file__).parents[2] / "pe_core" / "runs" / "claims.json").read_text(encoding="utf-8"))


def with_losses(encoding, first, *later):
    """The kept run, but that one encoding has a seed for each of the `later` losses: `first` in its training length.

    A single one stands for three seeds that agree.
    """
    outcome = next(iter(KEPT.outcomes[encoding].values()))
    by_seed = {}
    for seed, loss in enumerate(later if len(later) > 1 else later * 3):
        lengths = [LengthLoss(one.length, loss if place else first, loss) for place, one in enumerate(outcome.lengths)]
        by_seed[seed] = replace(outcome, lengths=tuple(lengths))
    return replace(KEPT, outcomes={**KEPT.outcomes, encoding: by_seed})


def with_one_seed(encoding, first, later):
    """The kept run, but that one encoding has a single seed with these losses."""
    run = with_losses(encoding, first, later)
    return replace(run, outcomes={**run.outcomes, encoding: {0: run.outcomes[encoding][0]}})
