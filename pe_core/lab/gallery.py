"""Make the gallery, every encoding trained with several seeds: `python -m pe_core.lab.gallery --help`."""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from pe_core.encodings import ENCODINGS
from pe_core.files import write_whole
from pe_core.lab.command_line import GOES_ON, Parser, add_store, make_room, status
from pe_core.lab.experiment.datasets import Corpus, built_in
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.gallery import Gallery, empty, read, to_json
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps.pool import finished, on_all_cores
from pe_core.lab.sweeps.sweep import TEXT, TEXTS, planned, runs_of
from pe_core.parameters import require
from pe_core.translation import Say

SEEDS = (0, 1, 2, 3, 4)
# Each encoding is also read with those of them that are made for it, as it was trained.
REPAIRS = (
    "pi",
    "ntk",
    "dynamic_ntk",
    "by_parts",
    "yarn",
    "llama3",
    "longrope",
    "longrope2",
    "rerope",
    "self_extend",
    "dual_chunk",
    "string",
    "lm_infinite",
    "ntk+log_n",
    "learned_clamp",
    "learned_interpolate",
)
# Reads only after some steps more, so it has a run of its own: the others change no weight.
RECALIBRATED, MORE_STEPS = "drope", 100


def setups(encoding: str, seed: int) -> list[RunConfig]:
    """Return the runs of an encoding with one seed, of the lab's defaults.

    One is with the repairs made for the encoding, another one with the repair that learns further, if it is for it.
    """
    repairs = tuple(name for name in REPAIRS if encoding in named(name).suits)
    found = [RunConfig((encoding,), seed=seed, repairs=repairs)]
    if encoding in named(RECALIBRATED).suits:
        found.append(replace(found[0], repairs=(RECALIBRATED,), tune_steps=MORE_STEPS))
    return found


def begin(path: Path, corpus: Corpus) -> Gallery:
    """Return the gallery in the file, to be continued, or an empty one; `ValueError` if it was made another way."""
    fresh = empty(corpus)
    if not path.exists():
        return fresh
    found = read(path)
    for name in ("settings", "text", "versions"):
        ours, theirs = getattr(fresh, name), getattr(found, name)
        require(ours == theirs, f"{name} of {path}", f"be {ours} to be continued", theirs)
    return found


def grown(gallery: Gallery, config: RunConfig, outcome: Outcome) -> Gallery:
    """Return the gallery with one run more, in the order of the registry, of the seeds and of the repairs."""
    (encoding,) = config.encodings
    by_seed = gallery.runs.get(encoding, {})
    before = by_seed[config.seed].repaired if config.seed in by_seed else {}
    measured = outcome.tuned if config.tune_steps else outcome.repaired
    found = {**before, **{name: measured[name] for name in config.repairs}}
    repaired = {name: found[name] for name in (*REPAIRS, RECALIBRATED) if name in found}
    one = replace(outcome, repaired=repaired)
    runs = {**gallery.runs, encoding: dict(sorted({**by_seed, config.seed: one}.items()))}
    return replace(gallery, runs={key: runs[key] for key in ENCODINGS if key in runs})


def parser() -> Parser:
    """Return the parser of the command."""
    program = Parser(
        prog="python -m pe_core.lab.gallery",
        description="Train every encoding with several seeds on all cores, and keep the losses. "
        "A file that is there already is continued if it was made the same way.",
    )
    program.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON file")
    keys = list(ENCODINGS)
    program.add_argument(
        "--encodings", nargs="+", default=keys, metavar="KEY", help=f"encodings to train, of {', '.join(keys)}"
    )
    program.add_argument(
        "--text", default=TEXT, metavar="NAME", help=f"text to learn, one of {', '.join(TEXTS)} (default {TEXT})"
    )
    add_store(program)
    return program


def main(arguments: list[str] | None = None) -> int:
    """Train what the store lacks, and put all of it into the file, beside what is there; return the exit status.

    0 done, 2 bad input or runs that failed, 130 interrupted; what is complete stays in the store.
    """
    return status(_train, parser().parse_args(arguments), GOES_ON)


def _train(options: argparse.Namespace, say: Say) -> None:
    for key in options.encodings:
        require(key in ENCODINGS, "encodings", f"be among {', '.join(ENCODINGS)}", key)
    require(options.text in TEXTS, "text", f"be one of {', '.join(TEXTS)}", options.text)
    make_room(options.out, [""])
    gallery = begin(options.out, built_in(*TEXTS[options.text]))
    wanted = [one for seed in SEEDS for key in options.encodings for one in setups(key, seed)]
    plan = planned(options.text, wanted)
    for trial, record in finished(runs_of(plan), RunStore(options.store), partial(on_all_cores, say=say)):
        gallery = grown(gallery, trial.config, trial.outcome(record))
    write_whole(options.out, to_json(gallery).encode())


if __name__ == "__main__":
    sys.exit(main())
