"""Sweeps on the command line: `python -m pe_core.lab sweep --help`."""

import argparse
from functools import partial
from pathlib import Path

from pe_core.lab.command_line import (
    GOES_ON,
    Parser,
    add_device,
    add_encodings,
    add_options,
    add_size,
    add_store,
    aligned,
    make_room,
    status,
    write,
)
from pe_core.lab.device import checked
from pe_core.lab.experiment.settings import FOR_TASKS, OF_MODEL, PARAMETERS, SIZES, SMALL
from pe_core.lab.long_run import in_turn
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps.pool import finished, on_all_cores, on_cluster
from pe_core.lab.sweeps.sweep import DATASETS, TEXT, Trial, means, runs_of, to_csv, trials
from pe_core.translation import Say

SWEPT = ("train_length", "seed")
SHARED = (*(name for name in OF_MODEL if name not in SWEPT), "max_multiple")


def main(arguments: list[str]) -> int:
    """Train what is missing, print the means and write the file; return the exit status.

    0 done, 2 bad input or runs that failed, 130 interrupted; what is complete stays in the store.
    """
    return status(_train, parser().parse_args(arguments), GOES_ON)


def _train(options: argparse.Namespace, say: Say) -> None:
    if options.scheduler is None:  # on a cluster each worker looks for itself
        checked(options.device)
    planned = plan(options)
    make_room(options.out, [".csv"])
    one_machine = on_all_cores if options.size == SMALL else in_turn
    pool = one_machine if options.scheduler is None else partial(on_cluster, options.scheduler)
    train = partial(pool, device=options.device, say=say)
    ready = dict(finished(runs_of(planned), RunStore(options.store), train))
    records = {trial: ready[trial] for trial in planned}
    print(aligned(means(records), say))
    for path in write(options.out, {".csv": to_csv(records).encode()}):
        print(f"{say('wrote ')}{path}")


def parser() -> Parser:
    """Return the parser: several values for what is swept, and one for each other parameter of a run."""
    program = Parser(
        prog="python -m pe_core.lab sweep",
        description="Train a small transformer for every combination of task, training length, encoding and seed, on "
        "all cores or on a cluster. What is complete is kept, and is not trained again by a later sweep.",
    )
    program.add_argument(
        "--tasks",
        nargs="+",
        metavar="KEY",
        default=[TEXT],
        help=f"of {', '.join(DATASETS)}; each has defaults of its own for {', '.join(FOR_TASKS)}",
    )
    add_encodings(program)
    add_size(program)
    for name in SWEPT:
        parameter = PARAMETERS[name]
        text = f"{parameter.help} Each must {parameter.rule} (default {parameter.default})."
        option = f"--{name.replace('_', '-')}s"
        program.add_argument(option, nargs="+", metavar="N", default=[str(parameter.default)], help=text)
    add_options(program, (SIZES[SMALL][name] for name in SHARED))
    program.set_defaults(train_lengths=[], **dict.fromkeys(FOR_TASKS))
    add_device(program)
    program.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler, tcp://HOST:PORT, whose workers train instead"
    )
    add_store(program)
    program.add_argument("--out", type=Path, default=Path("runs/sweep"), metavar="PATH", help="writes PATH.csv")
    return program


def plan(options: argparse.Namespace) -> list[Trial]:
    """Return the runs that the options ask for; `ValueError` for the first value that is not allowed."""
    limits = SIZES[options.size]
    told = {name: text for name in SHARED if (text := getattr(options, name)) is not None}
    shared = {name: limits[name].parse(text) for name, text in told.items()}
    train_lengths, seeds = ([int(limits[name].parse(text)) for text in getattr(options, f"{name}s")] for name in SWEPT)
    return trials(options.tasks, train_lengths, options.encodings, seeds, shared)
