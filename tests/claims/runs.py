"""The kept run, and others that are made of it by hand."""

from dataclasses import replace
from pathlib import Path

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.results.record_file import from_json

KEPT = from_json((Path(__file__).parents[2] / "pe_core" / "runs" / "claims.json").read_text(encoding="utf-8"))


def with_losses(encoding, first, later):
    """The kept run, but that one encoding has these losses: in its training length, and in all longer texts."""
    outcome = KEPT.mean(encoding)
    lengths = [LengthLoss(loss.length, later if place else first, later) for place, loss in enumerate(outcome.lengths)]
    return replace(KEPT, outcomes={**KEPT.outcomes, encoding: {0: replace(outcome, lengths=tuple(lengths))}})
