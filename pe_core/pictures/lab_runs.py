"""What the lab shows of several kept runs: each function takes plain numbers and words and returns a figure."""

from pe_core.figures import two_runs as figures
from pe_core.figures.figure import Figure

# An encoding's title, and the losses in nats per character by evaluated length in characters.
Line = tuple[str, tuple[tuple[int, float], ...]]


def two_runs(*, first: tuple[Line, ...], second: tuple[Line, ...]) -> Figure:
    """Draw the loss by length of two runs; each line starts at the training length of its run."""
    return figures.two_runs(_in_training_lengths(first), _in_training_lengths(second))


def _in_training_lengths(lines: tuple[Line, ...]) -> figures.Losses:
    return {title: [(length / losses[0][0], loss) for length, loss in losses] for title, losses in lines}
