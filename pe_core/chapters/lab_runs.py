"""What the lab shows of several kept runs: each function takes plain numbers and words and returns a figure."""

from pe_core.chapters.lab_curves import LOSS_OF_TEXT, fraction
from pe_core.figures import over_lengths as figures
from pe_core.figures.figure import Figure

# An encoding's title, and by evaluated length the losses in nats per character, or the shares of right answers.
Line = tuple[str, tuple[tuple[int, float], ...]]


def two_runs(*, first: tuple[Line, ...], second: tuple[Line, ...]) -> Figure:
    """Draw the loss by length of two runs; each line starts at the training length of its run."""
    return figures.two_runs(_in_training_lengths(first), _in_training_lengths(second), LOSS_OF_TEXT)


def two_task_runs(*, first: tuple[Line, ...], second: tuple[Line, ...]) -> Figure:
    """Draw the right answers by length of two runs of tasks; each line starts at the training length of its run."""
    return figures.two_runs(_in_training_lengths(first), _in_training_lengths(second), fraction("accuracy"))


def _in_training_lengths(lines: tuple[Line, ...]) -> dict[str, list[tuple[float, float]]]:
    return {title: [(length / points[0][0], value) for length, value in points] for title, points in lines}
