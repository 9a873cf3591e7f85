"""A learned table while it is trained: its rows at several steps, and the loss past the last row that was trained.

The table has more rows than the training length, as tables have in practice, so that no gradient ever reaches the later
ones. A text longer than those of training can get its vectors in four ways (`table_run.WAYS`).

On the command line: `python -m pe_core.lab.table --help`.
"""

import argparse
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm import tqdm

from pe_core.encodings import Shape
from pe_core.encodings.learned import Learned
from pe_core.lab import training
from pe_core.lab.command_line import add_options, check_file, status
from pe_core.lab.corpus import Corpus, built_in
from pe_core.lab.evaluation import position_losses
from pe_core.lab.learning import scheduled
from pe_core.lab.model import Transformer
from pe_core.lab.results import text_facts
from pe_core.lab.table_run import PARAMETERS, TableConfig, TableRun, write
from pe_core.lab.training import TrainStep
from pe_core.positions import clipped

STD = 0.02  # of the rows before training, as in GPT-2


def train_table(config: TableConfig, corpus: Corpus) -> Iterator[TrainStep | TableRun]:
    """Yield a `TrainStep` after each step, and the `TableRun` at the end; the same seed gives the same numbers."""
    corpus.check_length(config.n_rows)
    table = Learned(config.d_model, config.n_rows, std=STD)
    shape = Shape(config.d_model, config.n_heads, config.train_length, config.n_rows)
    generator = torch.Generator().manual_seed(config.seed)
    model = Transformer(len(corpus.symbols), shape, config.n_layers, table, generator=generator)
    tables, losses, curve = [table.table.detach().clone()], [measure(model, table, config, corpus)], []
    for step in training.train(model, "learned", corpus, config.run):
        curve.append(step.loss)
        if step.step in config.looks:
            tables.append(table.table.detach().clone())
            losses.append(measure(model, table, config, corpus))
        yield step
    versions = {"python": platform.python_version(), "torch": torch.__version__}
    kept = torch.stack(tables), torch.tensor(curve), torch.stack(losses)
    yield TableRun(config, text_facts(corpus), versions, *kept)


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
    found = []
    for encoding, told in ways:
        model.encoding = encoding
        found.append(position_losses(model, corpus.held_out, config.n_rows, positions=told.clone))
    model.encoding = table
    return torch.stack(found).float()


def decay(steps: int, peak_learning_rate: float) -> Tensor:
    """Return what is left of a weight without gradient after 0, 1, ... steps, as a share, float64, (steps + 1,).

    AdamW multiplies every weight by 1 - learning rate * weight decay at each step, needed or not (Loshchilov & Hutter
    2017, arXiv:1711.05101, algorithm 2). The rates are those of the lab's training.
    """
    optimiser, schedule = scheduled([nn.Parameter(torch.zeros(1))], peak_learning_rate, steps)
    weight_decay = optimiser.defaults["weight_decay"]
    shares = [1.0]
    optimiser.step()  # before the schedule's first one, or torch warns; the weight itself is of no interest
    for _ in range(steps):
        shares.append(shares[-1] * (1 - schedule.get_last_lr()[0] * weight_decay))
        schedule.step()
    return torch.tensor(shares, dtype=torch.float64)


def main(arguments: list[str] | None = None) -> int:
    """Train and write the file; return the exit status: 0 done, 2 bad input, 130 interrupted."""
    program = argparse.ArgumentParser(prog="python -m pe_core.lab.table", description="Train and keep a learned table.")
    add_options(program, PARAMETERS.values())
    program.add_argument("--out", type=Path, default=Path("learned_table.npz"), metavar="FILE", help="file to write")
    options = program.parse_args(arguments)

    def work() -> None:
        config = TableConfig(**{name: one.parse(getattr(options, name)) for name, one in PARAMETERS.items()})  # type: ignore[arg-type]
        check_file(options.out)
        for piece in tqdm(train_table(config, built_in()), total=config.steps + 1, unit="step"):
            if isinstance(piece, TableRun):
                write(piece, options.out)
        print(f"wrote {options.out}")

    return status(work)


if __name__ == "__main__":
    torch.set_num_threads(1)  # as on the page: the same numbers, and no waiting for busy cores
    sys.exit(main())
