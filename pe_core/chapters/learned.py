"""Pictures of the chapter on learned tables: one training run, looked at after some of its steps.

`file` is what `python -m pe_core.lab.table` has written; unless given, the run that comes with the project.
"""

import torch
from torch import Tensor

from pe_core.figures import table_rows as figures
from pe_core.figures.figure import Figure
from pe_core.lab.inspection.learned_table import KEPT, WAYS, TableRun, read
from pe_core.measures import table_rows as measures
from pe_core.parameters import require

LIMIT = 0.15  # end of the colours of the table: rows start at a standard deviation of 0.02
KEPT_FILE = str(KEPT)


def look(run: TableRun, step: int) -> int:
    """Return which of the run's looks was taken after `step` steps; `ValueError` if none was."""
    steps = run.config.looks
    require(step in steps, "step", f"be one of {', '.join(map(str, steps))}", step)
    return steps.index(step)


def table(step: int, file: str = KEPT_FILE) -> Figure:
    """Return the table after `step` steps: a row per position, a column per channel."""
    run = read(file)
    rows = run.tables[look(run, step)]
    return figures.image(rows, run.config.train_length, columns="Channel", title="Value", limit=LIMIT)


def similarity(step: int, file: str = KEPT_FILE) -> Figure:
    """Return the cosine of every row of the table with every other after `step` steps."""
    run = read(file)
    values = measures.cosines(run.tables[look(run, step)])
    return figures.image(values, run.config.train_length, columns="Row (position)", title="Cosine", limit=1.0)


def row(step: int, number: int, file: str = KEPT_FILE) -> Figure:
    """Return the cosine of row `number` with every row of the table after `step` steps."""
    run = read(file)
    require(0 <= number < run.config.n_rows, "number", f"be from 0 to {run.config.n_rows - 1}", number)
    values = measures.cosines(run.tables[look(run, step)])[number]
    name = "cosine with the chosen row"
    return figures.lines({name: values}, run.config.train_length, title="Cosine", ends=(-1, 1), chosen=number)


def past_end(step: int, file: str = KEPT_FILE) -> Figure:
    """Return the held-out loss at each position under each way to go on past the trained rows, after `step` steps."""
    run = read(file)
    losses = dict(zip(WAYS, run.losses[look(run, step)], strict=True))
    levels = [("guess by frequency", run.text.unigram_loss)]
    ends = (0.0, float(run.losses.max()))
    return figures.lines(losses, run.config.train_length, title="Loss (nats per character)", ends=ends, levels=levels)


def lengths(step: int, file: str = KEPT_FILE) -> Figure:
    """Return the length of each row before training and after `step` steps."""
    run = read(file)
    values = {
        "before training": measures.lengths(run.tables[0]),
        "after these steps": measures.lengths(run.tables[look(run, step)]),
    }
    ends = (0.0, float(measures.lengths(run.tables).max()))
    return figures.lines(values, run.config.train_length, title="Length of the row", ends=ends)


def movement(step: int, file: str = KEPT_FILE) -> Figure:
    """Return how much of its first direction each row has after `step` steps: its cosine with the untrained row."""
    run = read(file)
    values = {"cosine with the row before training": turned(run, step)}
    lowest = min(float(measures.turned(run.tables[0], table).min()) for table in run.tables)
    ends = (min(0.0, lowest), 1.0)
    return figures.lines(values, run.config.train_length, title="Cosine", ends=ends)


def turned(run: TableRun, step: int) -> Tensor:
    """Return the cosine of each row after `step` steps with itself before training, shape (n_rows,)."""
    return measures.turned(run.tables[0], run.tables[look(run, step)])


def moved(run: TableRun, step: int) -> Tensor:
    """Return how far each row has moved after `step` steps, in lengths of the row before training, (n_rows,)."""
    return measures.moved(run.tables[0], run.tables[look(run, step)])


def past_losses(run: TableRun, step: int) -> dict[str, tuple[float, float]]:
    """Return the mean loss within and past the training length after `step` steps, for each way to go on."""
    trained, losses = run.config.train_length, run.losses[look(run, step)].double()
    return {
        way: (float(one[:trained].mean()), float(one[trained:].mean())) for way, one in zip(WAYS, losses, strict=True)
    }


def alike(run: TableRun, step: int, offset: int = 1) -> tuple[float, float]:
    """Return the mean cosine of rows `offset` apart among the trained ones and among the others, after `step` steps."""
    rows, trained = run.tables[look(run, step)], run.config.train_length
    return measures.neighbours(rows[:trained], offset), measures.neighbours(rows[trained:], offset)


def most_alike(run: TableRun, step: int, number: int) -> tuple[int, float]:
    """Return the row that is most like row `number` after `step` steps, other than itself, and their cosine."""
    values = measures.cosines(run.tables[look(run, step)])[number]
    values[number] = -torch.inf
    return int(values.argmax()), float(values.max())
