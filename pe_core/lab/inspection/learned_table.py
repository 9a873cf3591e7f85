"""A learned table while it is trained: its rows at several steps, the loss past the last trained row, and its file.

The table has more rows than the training length, as tables have in practice, so that no gradient ever reaches the later
ones. A text longer than those of training can get its vectors in four ways (`WAYS`).
"""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from pe_core.encodings import Shape
from pe_core.encodings.learned import Learned
from pe_core.files import KEPT_RUNS, write_whole
from pe_core.lab.experiment import settings, training
from pe_core.lab.experiment.datasets import EVALUATED_CHARACTERS, Corpus, windows
from pe_core.lab.experiment.evaluation import answers
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import TrainStep, scheduled
from pe_core.lab.results.record import TextFacts, text_facts
from pe_core.lab.results.record_file import check_format, head, versions
from pe_core.parameters import Parameter, Value, require
from pe_core.positions import clipped

KEPT = KEPT_RUNS / "learned_table.npz"
WAYS = ("untrained rows", "last trained row", "wrap around", "interpolate")  # to go on past the trained rows
FRACTIONS = (0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1)  # of the steps: when the table is looked at

_SHARED = ("train_length", "d_model", "n_heads", "n_layers", "batch_size", "peak_learning_rate", "seed")
N_ROWS = Parameter("n_rows", "Rows", 128, "Rows of the table, more than the training length.", 32, 1_024, 16)
PARAMETERS: dict[str, Parameter[Value]] = {
    **{name: settings.PARAMETERS[name] for name in _SHARED},
    "steps": replace(settings.PARAMETERS["steps"], default=1_000),
    "n_rows": N_ROWS,
}


@dataclass(frozen=True)
class TableConfig(RunConfig):
    """What decides a run beside the text: settings of the lab, and a number of rows; `ValueError` for other values."""

    encodings: tuple[str, ...] = ("learned",)
    steps: int = int(PARAMETERS["steps"].default)
    n_rows: int = N_ROWS.default

    def __post_init__(self) -> None:
        super().__post_init__()
        N_ROWS.check(self.n_rows)
        require(self.n_rows > self.train_length, "n_rows", f"be above train_length ({self.train_length})", self.n_rows)

    @property
    def looks(self) -> tuple[int, ...]:
        """The steps after which the table is kept, 0 for the untrained one."""
        return tuple(sorted({round(fraction * self.steps) for fraction in FRACTIONS}))


@dataclass(frozen=True, eq=False)
class TableRun:
    """A finished run: the tables (looks, n_rows, d_model), the training loss after each step, and held-out losses.

    `losses` (looks, ways, n_rows) are nats per character at each position of texts of n_rows characters.
    """

    config: TableConfig
    text: TextFacts
    versions: dict[str, str]
    tables: Tensor
    curve: Tensor
    losses: Tensor


def write(run: TableRun, path: Path) -> None:
    """Write a run to a file, whole or not at all."""
    chosen = {name: getattr(run.config, name) for name in PARAMETERS}
    facts = {**head(chosen, run.text), "versions": run.versions}
    content = io.BytesIO()
    np.savez(  # not compressed: noise does not get smaller
        content,
        facts=np.array(json.dumps(facts)),
        tables=run.tables.numpy(),
        curve=run.curve.numpy(),
        losses=run.losses.numpy(),
    )
    write_whole(path, content.getvalue())


def read(path: str | Path = KEPT) -> TableRun:
    """Return the run that `write` has written; `ValueError` for another format, `OSError` where there is no file."""
    with np.load(path, allow_pickle=False) as file:
        facts = json.loads(str(file["facts"]))
        check_format(facts)
        tables, curve, losses = (torch.from_numpy(file[name]) for name in ("tables", "curve", "losses"))
    text = TextFacts(**facts["text"])
    return TableRun(TableConfig(**facts["settings"]), text, facts["versions"], tables, curve, losses)


STD = 0.02  # of the rows before training, as in GPT-2


def train_table(config: TableConfig, corpus: Corpus) -> Iterator[TrainStep | TableRun]:
    """Yield a `TrainStep` after each step, and the `TableRun` at the end; the same seed gives the same numbers."""
    corpus.check_length(config.n_rows)
    table = Learned(config.d_model, config.n_rows, std=STD)
    shape = Shape(config.d_model, config.n_heads, config.train_length, config.n_rows)
    generator = torch.Generator().manual_seed(config.seed)
    model = Transformer(len(corpus.vocabulary), shape, config.n_layers, table, generator=generator)
    tables, losses, curve = [table.table.detach().clone()], [measure(model, table, config, corpus)], []
    for step in training.train(model, "learned", corpus, config):
        curve.append(step.loss)
        if step.step in config.looks:
            tables.append(table.table.detach().clone())
            losses.append(measure(model, table, config, corpus))
        yield step
    kept = torch.stack(tables), torch.tensor(curve), torch.stack(losses)
    yield TableRun(config, text_facts(corpus), versions(), *kept)


def measure(model: Transformer, table: Learned, config: TableConfig, corpus: Corpus) -> Tensor:
    """Return the held-out loss at each position under each of `table_run.WAYS`, float32, shape (ways, n_rows)."""
    trained = config.train_length
    positions = torch.arange(config.n_rows)
    squeezed = Learned(config.d_model, trained, std=STD, beyond="interpolate")
    squeezed.table.data.copy_(table.table.data[:trained])
    ways = (
        (table, positions),
        (table, clipped(positions, trained - 1)),
        (table, positions % trained),
        (squeezed, positions),
    )
    examples, found = windows(corpus.held_out, config.n_rows, EVALUATED_CHARACTERS), []
    for encoding, told in ways:
        model.encoding = encoding
        found.append(answers(model, examples, positions=told.clone).by_place)
    model.encoding = table
    return torch.stack(found).float()


def decay(steps: int, peak_learning_rate: float) -> Tensor:
    """Return what is left of a weight without gradient after 0, 1, ... steps, as a fraction, float64, (steps + 1,).

    AdamW multiplies every weight by 1 - learning rate * weight decay at each step, needed or not (Loshchilov & Hutter
    2017, arXiv:1711.05101, algorithm 2). The rates are those of the lab's training.
    """
    optimiser, schedule = scheduled([nn.Parameter(torch.zeros(1))], peak_learning_rate, steps)
    weight_decay = optimiser.defaults["weight_decay"]
    left = [1.0]
    optimiser.step()  # before the schedule's first one, or torch warns; the weight itself is of no interest
    for _ in range(steps):
        left.append(left[-1] * (1 - schedule.get_last_lr()[0] * weight_decay))
        schedule.step()
    return torch.tensor(left, dtype=torch.float64)
