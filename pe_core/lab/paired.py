"""Two encodings of one run beside each other, seed by seed."""

from collections.abc import Mapping

from pe_core.lab.evaluation import ratio
from pe_core.lab.results import RunRecord
from pe_core.lab.seeds import Losses, Pair, paired
from pe_core.lab.settings import MULTIPLES
from pe_core.parameters import require

RATIO = "ratio"  # the others are multiples of the training length


def measures(record: RunRecord) -> dict[str, str]:
    """Return the titles of what the encodings of a run can be compared by, the one that decides verdicts first."""
    lengths = {str(multiple): f"{multiple * record.config.train_length:,}" for multiple in reversed(MULTIPLES)}
    if record.text.is_task:
        return {key: f"Right at {length}" for key, length in lengths.items()}
    return {RATIO: "Ratio of the losses", **{key: f"Loss at {length}" for key, length in lengths.items()}}


def pair_of(record: RunRecord, first: str, second: str, measure: str) -> Pair:
    """Return two encodings of a run, by one of its `measures`, for the seeds that both are done with.

    Raises `ValueError` for an encoding that is not done, and for another measure.
    """
    for name, encoding in (("first", first), ("second", second)):
        require(encoding in record.done, name, f"be among {', '.join(record.done) or 'none'}, which are done", encoding)
    require(measure in measures(record), "measure", f"be one of {', '.join(measures(record))}", measure)
    return paired(*(_by_seed(record, encoding, measure) for encoding in (first, second)))


def _by_seed(record: RunRecord, encoding: str, measure: str) -> Mapping[int, float]:
    return {seed: _value(outcome.lengths, measure) for seed, outcome in record.seeds_of(encoding).items()}


def _value(losses: Losses, measure: str) -> float:
    if measure == RATIO:
        return ratio(losses)
    at = losses[list(map(str, MULTIPLES)).index(measure)]
    return at.loss if at.accuracy is None else at.accuracy
