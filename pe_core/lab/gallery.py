"""The gallery: every encoding trained with several seeds. `python -m pe_core.lab.gallery --help` makes the file."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from pe_core.encodings import ENCODINGS
from pe_core.files import write_whole
from pe_core.lab.command_line import status
from pe_core.lab.corpus import Corpus, built_in
from pe_core.lab.gallery_file import Gallery, Training, empty, read, to_json
from pe_core.lab.pool import on_all_cores
from pe_core.lab.repair import named
from pe_core.lab.results import Outcome
from pe_core.lab.settings import PARAMETERS
from pe_core.lab.sweep import TEXT, planned, trained
from pe_core.lab.training import RunConfig
from pe_core.parameters import require

SEEDS = (0, 1, 2)
# Each encoding is also read with those of them that are made for it, as it was trained.
REPAIRS = (
    "pi",
    "ntk",
    "dynamic_ntk",
    "by_parts",
    "yarn",
    "llama3",
    "longrope",
    "rerope",
    "self_extend",
    "ntk+log_n",
    "learned_clamp",
    "learned_interpolate",
)


def setup(encoding: str, seed: int, steps: int) -> RunConfig:
    """Return the configuration of one training: the lab's defaults, and the repairs made for the encoding."""
    repairs = tuple(name for name in REPAIRS if encoding in named(name).suits)
    return RunConfig((encoding,), seed=seed, steps=steps, repairs=repairs)


def begin(path: Path, steps: int, corpus: Corpus) -> Gallery:
    """Return the gallery in the file, to be continued, or an empty one; `ValueError` if it was made another way."""
    fresh = empty(steps, corpus)
    if not path.exists():
        return fresh
    found = read(path)
    for name in ("settings", "text", "versions"):
        ours, theirs = getattr(fresh, name), getattr(found, name)
        require(ours == theirs, f"{name} of {path}", f"be {ours} to be continued", theirs)
    return found


def missing(gallery: Gallery, encodings: Sequence[str], seeds: Sequence[int]) -> list[tuple[str, int]]:
    """Return what is yet to be trained: all encodings with the first seed, then all with the next."""
    return [(key, seed) for seed in seeds for key in encodings if seed not in gallery.trainings.get(key, {})]


def sweep(gallery: Gallery, encodings: Sequence[str], seeds: Sequence[int], steps: int) -> Iterator[Gallery]:
    """Train what is missing on all cores; yield the gallery with each training more, in the order they get ready.

    Raises `ValueError` for what is not allowed, before any of them, and at the end where trainings have failed.
    """
    configs = [setup(encoding, seed, steps) for encoding, seed in missing(gallery, encodings, seeds)]
    for trial, record in on_all_cores(trained, planned(TEXT, configs)):
        gallery = grown(gallery, trial.encoding, trial.config.seed, record.outcomes[trial.encoding])
        yield gallery


def grown(gallery: Gallery, encoding: str, seed: int, outcome: Outcome) -> Gallery:
    """Return the gallery with one training more, in the order of the registry and of the seeds."""
    repaired = {name: measured.lengths for name, measured in outcome.repaired.items()}
    training = Training(outcome.n_weights, outcome.lengths, repaired)
    by_seed = {**gallery.trainings.get(encoding, {}), seed: training}
    trainings = {**gallery.trainings, encoding: dict(sorted(by_seed.items()))}
    return replace(gallery, trainings={key: trainings[key] for key in ENCODINGS if key in trainings})


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    program = argparse.ArgumentParser(
        prog="python -m pe_core.lab.gallery",
        description="Train every encoding with several seeds on all cores, and keep the losses. "
        "A file that is there already is continued if it was made the same way.",
    )
    steps = PARAMETERS["steps"]
    program.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON file")
    program.add_argument("--seeds", nargs="+", default=list(map(str, SEEDS)), metavar="N", help="(default 0 1 2)")
    program.add_argument(
        "--encodings", nargs="+", default=list(ENCODINGS), metavar="KEY", help=f"of {', '.join(ENCODINGS)}"
    )
    words = f"{steps.help} Must {steps.rule} (default {steps.default})."
    program.add_argument("--steps", default=str(steps.default), metavar="N", help=words)
    return program


def make(out: Path, encodings: Sequence[str], seeds: Sequence[int], steps: int) -> None:
    """Make or continue the file under a progress bar; after each training it is written whole."""
    gallery = begin(out, steps, built_in())
    out.parent.mkdir(parents=True, exist_ok=True)
    with tqdm(total=len(missing(gallery, encodings, seeds)), unit="training") as bar:
        for grown_gallery in sweep(gallery, encodings, seeds, steps):
            write_whole(out, to_json(grown_gallery).encode())
            bar.update()


def main(arguments: list[str] | None = None) -> int:
    """Make or continue the file; return the exit status: 0 done, 2 bad input, 130 interrupted (the file is kept)."""
    options = parser().parse_args(arguments)

    def work() -> None:
        for key in options.encodings:
            require(key in ENCODINGS, "encodings", f"be among {', '.join(ENCODINGS)}", key)
        seeds = [int(PARAMETERS["seed"].parse(text)) for text in options.seeds]
        make(options.out, options.encodings, seeds, int(PARAMETERS["steps"].parse(options.steps)))

    return status(work, f"stopped; {options.out} holds what is complete")


if __name__ == "__main__":
    sys.exit(main())
