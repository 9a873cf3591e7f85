"""Train and keep a learned table: `python -m pe_core.lab.table --help`."""

import argparse
import sys
from pathlib import Path

import torch
from tqdm import tqdm

from pe_core.lab.command_line import Parser, add_options, check_file, status
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.inspection.learned_table import PARAMETERS, TableConfig, TableRun, train_table, write
from pe_core.translation import Say


def main(arguments: list[str] | None = None) -> int:
    """Train and write the file; return the exit status: 0 done, 2 bad input, 130 interrupted."""
    program = Parser(prog="python -m pe_core.lab.table", description="Train and keep a learned table.")
    add_options(program, PARAMETERS.values())
    program.add_argument("--out", type=Path, default=Path("learned_table.npz"), metavar="FILE", help="file to write")
    return status(_train, program.parse_args(arguments))


def _train(options: argparse.Namespace, say: Say) -> None:
    config = TableConfig(**{name: one.parse(getattr(options, name)) for name, one in PARAMETERS.items()})  # type: ignore[arg-type]
    check_file(options.out)
    for event in tqdm(train_table(config, built_in()), total=config.steps + 1, unit="step"):
        if isinstance(event, TableRun):
            write(event, options.out)
    print(f"{say('wrote ')}{options.out}")


if __name__ == "__main__":
    torch.set_num_threads(1)  # as on the page: the same numbers, and no waiting for busy cores
    sys.exit(main())
