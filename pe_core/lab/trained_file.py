"""Make the file of trained models that comes with the project: `python -m pe_core.lab.trained_file --help`.

Weights are written in half precision: that halves the file and changes no loss by more than 0.01 nats.
"""

import argparse
import sys
from pathlib import Path

import torch
from tqdm import tqdm

from pe_core.files import write_whole
from pe_core.lab.command_line import Parser, add_options, check_file, parsed, status
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import ENTRIES, OF_MODEL, PARAMETERS, RunConfig, parse_config
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection.trained_run import KEPT, to_bytes, trained
from pe_core.translation import Say

# Those that choose from a registry stay as they are: the page reads these models under the causal mask.
CHOSEN = tuple(name for name in OF_MODEL if name not in ENTRIES)


def main(arguments: list[str] | None = None) -> int:
    """Train and write the file; return the exit status: 0 done, 2 bad input, 130 interrupted."""
    program = Parser(
        prog="python -m pe_core.lab.trained_file",
        description="Train the mini-models that the page Inside looks into, and keep their weights.",
    )
    program.add_argument("encodings", nargs="*", default=RunConfig().encodings, help="keys of encodings")
    add_options(program, (PARAMETERS[name] for name in CHOSEN))
    program.add_argument("--task", choices=TASKS, help="a task to learn instead of the built-in text")
    program.add_argument("--out", type=Path, default=Path(KEPT.name), metavar="FILE", help="file to write")
    return status(_train, parsed(program, arguments))


def _train(options: argparse.Namespace, say: Say) -> None:
    config = parse_config(options.encodings, {name: getattr(options, name) for name in CHOSEN})
    check_file(options.out)
    dataset = TASKS[options.task] if options.task else built_in()
    with tqdm(unit="event") as bar:
        run = trained(config, dataset, lambda event: bar.update())
    write_whole(options.out, to_bytes(run, torch.float16))
    print(f"{say('wrote ')}{options.out}")


if __name__ == "__main__":
    torch.set_num_threads(1)  # as on the page: the same numbers, and no waiting for busy cores
    sys.exit(main())
