"""A trained model as it is and under each repair: what it can do over evaluated length, and at every position.

For a text that is its loss, for a task how many answers are right. With several seeds a line is the mean of the runs;
bands would hide each other, since repairs of one model lie close together.

`file` is what `python -m pe_core.lab --encodings rope --repairs ...` has written; unless given, the run that comes with
the project.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pe_core.chapters.lab_runs import BLOCKS, LENGTH, LOSS_OF_TEXT, SYMBOLS, Right, fraction, guess, right_curve
from pe_core.figures.figure import Figure
from pe_core.figures.over_lengths import Curve, Named, block_means, over_lengths
from pe_core.figures.palette import CATEGORICAL, GREY
from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.record_file import from_json

KEPT_FILE = str(KEPT_RUNS / "repair.json")
ENCODING = "rope"
DASHES = ((1, 0), (6, 3), (2, 2))  # another one each time round the colours

Evaluations = Sequence[Mapping[str, Measurement]]  # of each seed, by the title of the repair


def read(repairs: Sequence[str], file: str = KEPT_FILE) -> RunRecord:
    """Return the run with those of its repairs that are asked for, in the order asked for."""
    record = from_json(Path(file).read_text(encoding="utf-8"))
    outcome = record.outcomes[ENCODING]
    repaired = {key: outcome.repaired[key] for key in repairs if key in outcome.repaired}
    return replace(record, outcomes={ENCODING: replace(outcome, repaired=repaired)})


def losses_by_length(repairs: Sequence[str], file: str = KEPT_FILE) -> Figure:
    """Return the held-out loss of the trained model over evaluated length, as trained and with each of the repairs."""
    return by_length(read(repairs, file), ENCODING)


def by_length(record: RunRecord, encoding: str) -> Figure:
    """Return the held-out loss of one encoding over evaluated length, a line as trained and one for each repair."""
    return _by_length(record, _each(record, encoding, Outcome.evaluations))


def by_position(record: RunRecord, encoding: str) -> Figure:
    """Return the held-out loss of one encoding at each position of the longest length, as trained and repaired.

    Every point is the mean of the positions since the one before, an eighth of the training length.
    """
    return _by_position(record, _each(record, encoding, Outcome.evaluations))


def tuned_by_length(record: RunRecord, encoding: str) -> Figure:
    """Return what `by_length` does, after a fine-tuning at the longest length."""
    return _by_length(record, _each(record, encoding, Outcome.tuned_evaluations))


def tuned_by_position(record: RunRecord, encoding: str) -> Figure:
    """Return what `by_position` does, after a fine-tuning at the longest length."""
    return _by_position(record, _each(record, encoding, Outcome.tuned_evaluations))


def right_by_length(record: RunRecord, encoding: str, right: Right) -> Figure:
    """Return what one encoding has right in a task, by evaluated length, as trained and repaired.

    `right` is the fraction of the right answers, beside what a guess has, or of the examples all of whose answers are
    right.
    """
    return _right_by_length(record, _each(record, encoding, Outcome.evaluations), right)


def tuned_right_by_length(record: RunRecord, encoding: str, right: Right) -> Figure:
    """Return what `right_by_length` does, after a fine-tuning at the longest length."""
    return _right_by_length(record, _each(record, encoding, Outcome.tuned_evaluations), right)


def _each(record: RunRecord, encoding: str, of: Callable[[Outcome], Mapping[str, Measurement]]) -> Evaluations:
    """Return what was measured with each seed; `KeyError` where the encoding is not done."""
    done = record.seeds_of(encoding)
    if not done:
        raise KeyError(encoding)
    return [of(outcome) for outcome in done.values()]


def _by_length(record: RunRecord, found: Evaluations) -> Figure:
    curves = _curves(found, lambda one: [(loss.length, loss.loss) for loss in one.lengths])
    config = record.config
    return over_lengths(
        curves,
        _named(curves),
        LENGTH,
        LOSS_OF_TEXT,
        train_length=config.train_length,
        lengths=config.lengths,
        spread=config.n_seeds > 1,
    )


def _by_position(record: RunRecord, found: Evaluations) -> Figure:
    config = record.config
    stride = max(1, config.train_length // BLOCKS)
    curves = _curves(found, lambda one: block_means(one.positions, stride))
    return over_lengths(
        curves,
        _named(curves),
        "Position",
        LOSS_OF_TEXT,
        train_length=config.train_length,
        spread=config.n_seeds > 1,
    )


def _right_by_length(record: RunRecord, found: Evaluations, right: Right) -> Figure:
    curves = _curves(found, lambda one: right_curve(one.lengths, right))
    config = record.config
    return over_lengths(
        curves,
        _named(curves),
        SYMBOLS,
        fraction(right),
        train_length=config.train_length,
        lengths=config.lengths,
        guesses=guess(record, right),
        spread=config.n_seeds > 1,
    )


def _curves(found: Evaluations, drawn: Callable[[Measurement], Curve]) -> dict[str, list[Curve]]:
    """Return the curves of each seed by the repair, as trained last, which is then drawn above the others."""
    titles = [title for title in found[0] if title != AS_TRAINED.title] + [AS_TRAINED.title]
    return {title: [drawn(one[title]) for one in found] for title in titles}


def _named(curves: Mapping[str, Sequence[Curve]]) -> Named:
    """Return how the lines look: grey as trained, which the legend has first, and no two repairs alike."""
    *repairs, plain = curves
    n_colours = len(CATEGORICAL) - 1
    colours = [CATEGORICAL[place % n_colours] for place in range(len(repairs))]
    dashes = [DASHES[place // n_colours % len(DASHES)] for place in range(len(repairs))]
    return Named((plain, *repairs), (GREY, *colours), ((1, 0), *dashes), "Read")
