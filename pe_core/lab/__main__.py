"""The lab on the command line: `python -m pe_core.lab --help`."""

import argparse
import sys
from pathlib import Path

from pe_core.lab import command_line, inspect_cli, sweep_cli
from pe_core.lab.command_line import (
    GOES_ON,
    STORE,
    Parser,
    add_device,
    add_encodings,
    add_options,
    add_size,
    aligned,
    beside_the_registry,
    make_room,
    parsed,
    status,
)
from pe_core.lab.device import checked
from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.repair import REPAIRS
from pe_core.lab.experiment.settings import FOR_TASKS, SIZES, SMALL, parse_config
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.texts import TEXTS
from pe_core.lab.long_run import train_long
from pe_core.lab.queue.process import Here
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import compact
from pe_core.lab.results.table import rows
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps.pool import under_bar
from pe_core.parameters import require
from pe_core.translation import Say

SUFFIXES = (".json", ".csv", ".png")
COMMANDS = {"sweep": sweep_cli.main, "inspect": inspect_cli.main}


def main(arguments: list[str] | None = None) -> int:
    """Train, print the table and write the files; return the exit status: 0 done, 2 bad input, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        return COMMANDS[arguments[0]](arguments[1:])
    options = parsed(parser(), arguments)
    return status(_train, options) if options.size == SMALL else status(_train, options, GOES_ON)


def _train(options: argparse.Namespace, say: Say) -> None:
    device = checked(options.device)
    texts = {name: getattr(options, name) for name in SIZES[SMALL]}
    with beside_the_registry(options.encoding_file):
        config = parse_config(options.encodings, texts, options.repairs, options.size)
        learned = dataset(options)
        make_room(options.out, SUFFIXES)
        store = RunStore(options.store) if options.store else None
        if store:
            store.check()
        if options.size == SMALL:
            [(_, record)] = under_bar(Here(Trainer(device=device)), {"run": (config, learned)}, say)
        else:
            record = train_long(config, learned, device, store or RunStore(STORE), say)
        if store:
            store.put(record)
        print(aligned([compact(row) for row in rows(record)], say))
        for path in write(record, options.out, say):
            print(f"{say('wrote ')}{path}")


def parser() -> Parser:
    """Return the parser: one option for each parameter of a run, with its rule as help."""
    program = Parser(
        prog="python -m pe_core.lab",
        description="Train a small transformer for each encoding and evaluate it at 1 to 8 times its training length, "
        "with --size paper to 16 times.",
        epilog="`python -m pe_core.lab sweep --help`: many such runs, on all cores or on a cluster. "
        "`pe-lab inspect FILE`: what a model does with positions.",
    )
    add_encodings(program)
    program.add_argument(
        "--encoding-file",
        type=Path,
        metavar="FILE",
        help="a Python file of yours with a SPEC; it is run, and --encodings may name its key",
    )
    program.add_argument(
        "--repairs",
        nargs="+",
        metavar="KEY",
        default=[],
        help=f"repairs under which each trained model is evaluated, of {', '.join(REPAIRS)}, or several joined by +",
    )
    add_size(program)
    add_options(program, SIZES[SMALL].values())
    learned = program.add_mutually_exclusive_group()
    learned.add_argument(
        "--text",
        metavar="TEXT",
        default=datasets.DEFAULT_TEXT,
        help=f"what to learn: {', '.join(TEXTS)}, or a file in UTF-8, with --size paper of any length, or a folder of "
        "them (default %(default)s)",
    )
    learned.add_argument(
        "--task",
        metavar="KEY",
        help=f"a task to learn instead, of {', '.join(TASKS)}; it has defaults of its own for {', '.join(FOR_TASKS)}",
    )
    add_options(program, [datasets.SPLIT])
    add_device(program)
    program.add_argument(
        "--store",
        metavar="URL",
        help=f"a database that also keeps the run, as PE_STORE names it for the page; with --size paper, else {STORE}",
    )
    program.add_argument(
        "--out", type=Path, default=Path("runs/run"), metavar="PATH", help="writes PATH.json, PATH.csv and PATH.png"
    )
    return program


def dataset(options: argparse.Namespace) -> Dataset:
    """Return what is to be learned; `ValueError` for a text that is not usable and a task that does not exist."""
    if options.task is not None:
        require(options.task in TASKS, "task", f"be one of {', '.join(TASKS)}", options.task)
        require(
            options.split == str(datasets.SPLIT.default),
            "split",
            "be left out with a task, which has none",
            options.split,
        )
        return TASKS[options.task]
    split = int(datasets.SPLIT.parse(options.split))
    if options.text in TEXTS:
        return datasets.built_in(options.text, split)
    path = Path(options.text)
    if options.size != SMALL and (path.is_dir() or path.stat().st_size > datasets.MAX_BYTES):
        return datasets.from_path(path, split)
    return datasets.from_bytes(path.read_bytes(), name=path.name, split=split)


def write(record: RunRecord, out: Path, say: Say = str) -> list[Path]:
    """Write the record as JSON, CSV and a picture beside each other, each whole or not at all; return the paths.

    `say` says the words of the picture in the reader's language; both other files are the same in every language.
    """
    import vl_convert  # only the picture needs it

    from pe_core.chapters.run_picture import run_picture

    contents = [
        record_file.to_json(record).encode(),
        record_file.to_csv(record).encode(),
        vl_convert.vegalite_to_png(run_picture(record, say), scale=2),
    ]
    return command_line.write(out, dict(zip(SUFFIXES, contents, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
