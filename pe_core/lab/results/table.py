"""A run as rows of a table: every encoding over its seeds, and two encodings seed by seed."""

from collections.abc import Mapping
from functools import partial

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.record import RunRecord, judged
from pe_core.lab.results.statistics import MAX, MIN, Losses, Pair, Summary, next_told, paired, ranked, ratio
from pe_core.parameters import require


def summaries(record: RunRecord) -> list[Summary]:
    """Return every encoding that is done, and every other evaluation of it, over its seeds.

    They stand in the order of the run; with several seeds the best one comes first and "not learned" last.
    """
    found = []
    for key in record.done:
        evaluations = {seed: _evaluations(outcome) for seed, outcome in record.outcomes[key].items()}
        for how in dict.fromkeys(how for read in evaluations.values() for how in read):
            title = ENCODINGS[key].title if how == AS_TRAINED.title else f"{ENCODINGS[key].title}, {how}"
            by_seed = {seed: read[how].lengths for seed, read in evaluations.items() if how in read}
            found.append(Summary(title, by_seed, partial(judged, text=record.text)))
    return found if record.config.n_seeds == 1 else ranked(found, lambda one: one)


def _evaluations(outcome: Outcome) -> dict[str, Measurement]:
    tuned = {f"{how}, fine-tuned": read for how, read in outcome.tuned_evaluations().items()}
    return {**outcome.evaluations(), **tuned}


def rows(record: RunRecord) -> list[dict[str, str | float]]:
    """Return one row per summary: title, number of seeds, means, verdict, and whether it is told from the next one.

    The ratio is that of the mean losses. With several seeds the minimum and maximum stand beside each mean, and how
    many of the seeds have the verdict alone.
    """
    found = summaries(record)
    row = _row if record.config.n_seeds == 1 else _spread_row
    return [
        {**row(one), "Told apart from the next": told or ""} for one, told in zip(found, next_told(found), strict=True)
    ]


def _row(one: Summary) -> dict[str, str | float]:
    return {"Encoding": one.title, "n": one.n, **_measured(one.mean), "Verdict": one.verdict}


def _spread_row(one: Summary) -> dict[str, str | float]:
    row: dict[str, str | float] = {"Encoding": one.title, "n": one.n}
    each = [_measured(losses) for losses in one.by_seed.values()]
    for name, mean in _measured(one.mean).items():
        values = [measured[name] for measured in each]
        row |= {name: mean, f"{name}{MIN}": min(values), f"{name}{MAX}": max(values)}
    return {**row, "Verdict": one.verdict, "Trainings of that verdict": one.n_same}


def _measured(lengths: Losses) -> dict[str, float]:
    """Return the numbers of a row by their names: of a task the shares of what is right, of a text the losses."""
    right = {f"Right at {one.length:,}": one.accuracy for one in lengths if one.accuracy is not None}
    whole = {f"All right at {one.length:,}": one.exact for one in lengths if one.exact is not None}
    losses = {f"Loss at {one.length:,}": one.loss for one in lengths}
    return {**right, **whole} if right else {**losses, "Ratio": ratio(lengths)}


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
    return {seed: _value(outcome.lengths, measure) for seed, outcome in record.outcomes[encoding].items()}


def _value(losses: Losses, measure: str) -> float:
    if measure == RATIO:
        return ratio(losses)
    at = losses[list(map(str, MULTIPLES)).index(measure)]
    return at.loss if at.accuracy is None else at.accuracy
