"""A run as rows of a table: every encoding over its seeds, and two encodings seed by seed."""

from collections.abc import Mapping
from functools import partial

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.results.comparison import Pair, Summary, next_told, paired, paired_bits, ranked
from pe_core.lab.results.record import RunRecord, judged
from pe_core.lab.results.statistics import MAX, MIN, Losses, at_end, more_bits, ratio, whole_windows
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
    return found if record.config.n_seeds == 1 else ranked(found)


def _evaluations(outcome: Outcome) -> dict[str, Measurement]:
    tuned = {f"{how}, fine-tuned": read for how, read in outcome.evaluations(tuned=True).items()}
    return {**outcome.evaluations(), **tuned}


def rows(record: RunRecord) -> list[dict[str, str | float]]:
    """Return one row per summary: title, number of seeds, means, verdict, and whether it is told from the next one.

    The ratio is that from which the verdict follows, of the mean losses. Where the end of the windows was measured what
    length costs stands beside it in bits per character with its 95% interval, and the ratio of whole windows. With
    several seeds the minimum and maximum stand beside each mean, and how many of the seeds have the verdict alone.
    """
    found = summaries(record)
    intervals = [one.interval if at_end(one.losses) else None for one in found]
    known = None not in intervals
    several = record.config.n_seeds > 1
    return [
        {**_row(one, named_ends(interval) if known else {}, several=several), "Told apart from the next": told or ""}
        for one, interval, told in zip(found, intervals, next_told(found), strict=True)
    ]


def _row(one: Summary, interval: Mapping[str, float], *, several: bool) -> dict[str, str | float]:
    row: dict[str, str | float] = {"Encoding": one.title, "n": one.n}
    each = [_measured(losses) for losses in one.by_seed.values()]
    for name, mean in _measured(one.losses).items():
        row[name], values = mean, [measured[name] for measured in each]
        if several:
            row |= {f"{name}{MIN}": min(values), f"{name}{MAX}": max(values)}
    row |= {**interval, "Verdict": one.verdict}
    return {**row, "Trainings of that verdict": one.n_same} if several else row


def named_ends(interval: tuple[float, float] | None) -> dict[str, float]:
    """Return the ends of the 95% interval of what length costs, in bits per character, by the names of their cells."""
    return {} if interval is None else dict(zip(("Bits more from", "Bits more to"), interval, strict=True))


def _measured(lengths: Losses) -> dict[str, float]:
    """Return the numbers of a row by their names: of a task the shares of what is right, of a text the losses."""
    first, last = lengths[0], lengths[-1]
    right = {f"Right at {one.length:,}": one.accuracy for one in lengths if one.accuracy is not None}
    whole = {f"All right at {one.length:,}": one.exact for one in lengths if one.exact is not None}
    beyond = {} if last.beyond is None else {f"Right past {first.length:,}": last.beyond}
    losses = {f"Loss at {one.length:,}": one.loss for one in lengths}
    paid = {"Bits more": more_bits(lengths), "Whole-window ratio": ratio(whole_windows(lengths))}
    cost = {"Ratio": ratio(lengths), **(paid if at_end(lengths) else {})}
    return {**right, **beyond, **whole} if right else {**losses, **cost}


BITS, RATIO, WHOLE = "bits", "ratio", "whole"  # the others are multiples of the training length


def measures(record: RunRecord) -> dict[str, str]:
    """Return the titles of what the encodings of a run can be compared by: first what length costs, or what is right.

    Runs from before the end of the windows was measured have the ratio of whole windows instead.
    """
    config = record.config
    lengths = {str(multiple): f"{multiple * config.train_length:,}" for multiple in reversed(config.multiples)}
    if record.text.is_task:
        return {key: f"Right at {length}" for key, length in lengths.items()}
    ratios = {RATIO: "Ratio of the losses"}
    if record.done and at_end(record.mean(record.done[0]).lengths):
        ratios = {
            BITS: "Bits per character more at the end of the window",
            RATIO: "Ratio of the losses at the end of the window",
            WHOLE: "Ratio of the losses of whole windows",
        }
    return {**ratios, **{key: f"Loss at {length}" for key, length in lengths.items()}}


def pair_of(record: RunRecord, first: str, second: str, measure: str) -> Pair:
    """Return two encodings of a run, by one of its `measures`, for the seeds that both are done with.

    Raises `ValueError` for an encoding that is not done, and for another measure.
    """
    for name, encoding in (("first", first), ("second", second)):
        require(
            encoding in record.done,
            name,
            f"be one of {', '.join(record.done) or '(none)'}, the encodings that are done",
            encoding,
        )
    require(measure in measures(record), "measure", f"be one of {', '.join(measures(record))}", measure)
    lengths = [{seed: one.lengths for seed, one in record.outcomes[key].items()} for key in (first, second)]
    if measure == BITS:
        return paired_bits(*lengths)
    return paired(*({seed: _value(record, losses, measure) for seed, losses in one.items()} for one in lengths))


def _value(record: RunRecord, losses: Losses, measure: str) -> float:
    if measure in (RATIO, WHOLE):
        return ratio(losses if measure == RATIO else whole_windows(losses))
    at = losses[list(map(str, record.config.multiples)).index(measure)]
    return at.loss if at.accuracy is None else at.accuracy
