"""What the lab shows of its runs: losses and right answers over steps, positions and evaluated lengths.

A function takes a run, or plain numbers and words of several kept ones, and returns a figure.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Figure
from pe_core.figures.over_lengths import Curve, Named, Quantity, block_means, over_lengths
from pe_core.figures.over_lengths import two_runs as two_runs_figure
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.results.record import RunRecord

MAX_POINTS = 100  # of one training curve: more are not told apart, and all are sent again and again during a run
BLOCKS = 8  # points of a line by position for one training length
LOSS = "Loss (nats per character)"
LOSS_OF_TEXT, LOSS_OF_TASK = Quantity(LOSS), Quantity("Loss (nats per answer)")
LENGTH, SYMBOLS = "Evaluated length (characters)", "Evaluated length (symbols)"
UNIFORM, BY_FREQUENCY = "uniform guess", "guess by frequency"

Right = Literal["accuracy", "exact"]
TITLES: dict[Right, str] = {"accuracy": "Right answers", "exact": "Examples without a mistake"}

# An encoding's title, and by evaluated length the losses in nats per character, or the fractions of right answers.
Line = tuple[str, tuple[tuple[int, float], ...]]


def training_curves(record: RunRecord) -> Figure:
    """Return the training loss over steps, a line per encoding of some 100 points, with the lines of guessing.

    Every point is the mean of the steps since the one before, of all seeds that have begun, as far as each of them has
    come.
    """
    stride = max(1, record.config.steps // MAX_POINTS)
    begun = [one.curves for one in record.by_seed.values()]
    curves = {
        key: [block_means(curves[key], stride) for curves in begun if key in curves] for key in record.config.encodings
    }
    return _losses(record, curves, "Step", last=record.config.steps, marked=False)


def position_losses(record: RunRecord) -> Figure:
    """Return the held-out loss at each position of the longest length, with a line at the training length.

    Every point is the mean of the positions since the one before, an eighth of the training length.
    """
    stride = max(1, record.config.train_length // BLOCKS)
    curves = {
        key: [block_means(outcome.positions, stride) for outcome in record.seeds_of(key).values()]
        for key in record.done
    }
    return _losses(record, curves, "Position", last=max(record.config.lengths))


def length_losses(record: RunRecord) -> Figure:
    """Return the held-out loss over evaluated length on a logarithmic axis, with a line at the training length."""
    curves = {
        key: [[(loss.length, loss.loss) for loss in outcome.lengths] for outcome in record.seeds_of(key).values()]
        for key in record.done
    }
    title, lengths = SYMBOLS if record.text.is_task else LENGTH, record.config.lengths
    return _losses(record, curves, title, last=max(lengths), lengths=lengths)


def losses_by_length(
    losses: Mapping[str, Sequence[Sequence[LengthLoss]]], *, train_length: int, guess: float
) -> Figure:
    """Return a line of the mean loss over the length for each name, in a band from the min to the max of its seeds.

    `losses` has the losses with each seed; `guess` is the loss of guessing by frequency.
    """
    curves = {
        f"{name} (n={len(by_seed)})": [[(loss.length, loss.loss) for loss in one] for one in by_seed]
        for name, by_seed in losses.items()
    }
    return over_lengths(
        curves,
        Named(tuple(curves)),
        LENGTH,
        LOSS_OF_TEXT,
        train_length=train_length,
        lengths=tuple(sorted({length for by_seed in curves.values() for one in by_seed for length, _ in one})),
        guesses={BY_FREQUENCY: guess},
        banded=True,
        spread=True,
    )


def right_answers(record: RunRecord, right: Right) -> Figure:
    """Return what is right of a task by evaluated length, a line for each encoding.

    `right` is the fraction of the right answers, beside what a guess has, or of the examples all of whose answers are
    right.
    """
    curves = {
        ENCODINGS[key].title: [right_curve(one.lengths, right) for one in record.seeds_of(key).values()]
        for key in record.done
    }
    several = record.config.n_seeds > 1
    return over_lengths(
        curves,
        _encodings(record),
        SYMBOLS,
        fraction(right),
        train_length=record.config.train_length,
        lengths=record.config.lengths,
        guesses=guess(record, right),
        banded=several,
        spread=several,
    )


def fraction(right: Right) -> Quantity:
    """Return a fraction of what is right as what a picture shows upwards."""
    return Quantity(TITLES[right], ".1%", is_fraction=True)


def fraction_of(one: LengthLoss, right: Right) -> float:
    """Return what fraction a model of a task has right at one length."""
    value = one.accuracy if right == "accuracy" else one.exact
    assert value is not None  # of a task both are known
    return value


def right_curve(lengths: Sequence[LengthLoss], right: Right) -> Curve:
    """Return the evaluated lengths, each with the fraction of what is right there."""
    return [(one.length, fraction_of(one, right)) for one in lengths]


def guess(record: RunRecord, right: Right) -> dict[str, float]:
    """Return what a uniform guess has right, by its name; a whole example it hardly ever has."""
    return {UNIFORM: record.text.chance} if right == "accuracy" else {}


def two_runs(*, first: tuple[Line, ...], second: tuple[Line, ...]) -> Figure:
    """Draw the loss by length of two runs; each line starts at the training length of its run."""
    return two_runs_figure(_in_training_lengths(first), _in_training_lengths(second), LOSS_OF_TEXT)


def two_task_runs(*, first: tuple[Line, ...], second: tuple[Line, ...]) -> Figure:
    """Draw the right answers by length of two runs of tasks; each line starts at the training length of its run."""
    return two_runs_figure(_in_training_lengths(first), _in_training_lengths(second), fraction("accuracy"))


def _in_training_lengths(lines: tuple[Line, ...]) -> dict[str, list[tuple[float, float]]]:
    return {title: [(length / points[0][0], value) for length, value in points] for title, points in lines}


def _encodings(record: RunRecord) -> Named:
    return Named(tuple(ENCODINGS[key].title for key in record.config.encodings))


def _losses(
    record: RunRecord,
    curves: Mapping[str, Sequence[Curve]],
    x: str,
    *,
    last: int,
    lengths: tuple[int, ...] = (),
    marked: bool = True,
) -> Figure:
    """Return the losses of a run; the answers to a task are equally likely, so that both guesses are one."""
    guesses = {UNIFORM: record.text.chance_loss}
    if not record.text.is_task:
        guesses = {BY_FREQUENCY: record.text.unigram_loss, **guesses}
    several = record.config.n_seeds > 1
    return over_lengths(
        {ENCODINGS[key].title: by_seed for key, by_seed in curves.items()},
        _encodings(record),
        x,
        LOSS_OF_TASK if record.text.is_task else LOSS_OF_TEXT,
        train_length=record.config.train_length if marked else None,
        last=last,
        lengths=lengths,
        guesses=guesses,
        banded=several,
        spread=several,
    )
