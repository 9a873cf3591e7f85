"""The lab on the command line: `python -m pe_core.lab --help`."""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import NoReturn

from tqdm import tqdm

from pe_core.encodings import ENCODINGS
from pe_core.files import write_whole
from pe_core.lab import corpus, results
from pe_core.lab.job import LIVE, Snapshot
from pe_core.lab.jobs import JobManager
from pe_core.lab.repair import REPAIRS
from pe_core.lab.results import RunRecord
from pe_core.lab.training import PARAMETERS, RunConfig, parse_config
from pe_core.parameters import require

SUFFIXES = (".json", ".csv", ".png")


def main(arguments: list[str] | None = None) -> int:
    """Train, print the table and write the files; return the exit status: 0 done, 2 bad input, 130 interrupted."""
    options = parser().parse_args(arguments)
    try:
        texts = {name: getattr(options, name) for name in PARAMETERS}
        config = parse_config(options.encodings, texts, options.repairs)
        text = corpus.built_in() if options.text is None else read_text(options.text)
        make_room(options.out)
        record = run(config, text)
        print(table(record))
        for path in write(record, options.out):
            print(f"wrote {path}")
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; nothing was written", file=sys.stderr)
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser: one option for each parameter of a run, with its rule as help."""
    program = argparse.ArgumentParser(
        prog="python -m pe_core.lab",
        description="Train a small transformer for each encoding and measure it at 1 to 8 times its training length.",
    )
    program.add_argument(
        "--encodings", nargs="+", metavar="KEY", default=list(RunConfig().encodings), help=f"of {', '.join(ENCODINGS)}"
    )
    program.add_argument(
        "--repairs",
        nargs="+",
        metavar="KEY",
        default=[],
        help=f"ways to read each trained model beyond its length, of {', '.join(REPAIRS)}, or several with + between",
    )
    for name, parameter in PARAMETERS.items():
        text = f"{parameter.help} Must {parameter.rule} (default {parameter.default})."
        kind = "KEY" if isinstance(parameter.default, str) else "N"
        program.add_argument(f"--{name.replace('_', '-')}", default=str(parameter.default), metavar=kind, help=text)
    program.add_argument("--text", type=Path, metavar="FILE", help="UTF-8 text to learn instead of the built-in one")
    program.add_argument(
        "--out", type=Path, default=Path("runs/run"), metavar="PATH", help="writes PATH.json, PATH.csv and PATH.png"
    )
    return program


def read_text(path: Path) -> corpus.Corpus:
    """Return the corpus of a file."""
    return corpus.from_bytes(path.read_bytes(), name=path.name)


def run(config: RunConfig, text: corpus.Corpus) -> RunRecord:
    """Train and measure under a progress bar; raise `ValueError` with the message of a run that failed."""
    jobs = JobManager()
    try:
        job_id = jobs.submit(config, text)
        with tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}") as bar:
            while (snapshot := jobs.snapshot(job_id)).state in LIVE:
                advance(bar, snapshot)
                time.sleep(0.2)
            advance(bar, snapshot)
    finally:
        jobs.close()
    if snapshot.state != "finished":
        raise ValueError(snapshot.message)
    return snapshot.record


def advance(bar: "tqdm[NoReturn]", snapshot: Snapshot) -> None:
    """Move the bar to where the run stands."""
    bar.update(100 * snapshot.done - bar.n)
    if snapshot.tokens_per_second:
        bar.set_postfix_str(f"{snapshot.steps} steps, {snapshot.tokens_per_second:,.0f} tokens/s")


def table(record: RunRecord) -> str:
    """Return the rows of the record as aligned text."""
    rows = results.rows(record)
    cells = [list(rows[0])]
    cells += [[f"{value:.3f}" if isinstance(value, float) else value for value in row.values()] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def make_room(out: Path) -> None:
    """Make the folder that `out` is in; raise before a run, and not after it, where its files could not be written."""
    require(out.name != "", "out", "name a file", repr(str(out)))
    out.parent.mkdir(parents=True, exist_ok=True)
    for suffix in SUFFIXES:
        path = with_suffix(out, suffix)
        require(not path.is_dir(), "out", "name files, not folders", path)
    require(os.access(out.parent, os.W_OK), "out", "lie in a folder that can be written", out.parent)


def with_suffix(out: Path, suffix: str) -> Path:
    """Return the path with a suffix of its own: a dot in the name is part of the name."""
    return out.with_name(out.name + suffix)


def write(record: RunRecord, out: Path) -> list[Path]:
    """Write the record as JSON, CSV and a picture beside each other, each whole or not at all; return the paths."""
    import vl_convert  # only the picture needs it

    from pe_core.figures.lab import length_losses

    spec = {**length_losses(record).standalone(), "width": 640, "height": 380}
    contents = (
        results.to_json(record).encode(),
        results.to_csv(record).encode(),
        vl_convert.vegalite_to_png(spec, scale=2),
    )
    paths = [with_suffix(out, suffix) for suffix in SUFFIXES]
    for path, content in zip(paths, contents, strict=True):
        write_whole(path, content)
    return paths


if __name__ == "__main__":
    sys.exit(main())
