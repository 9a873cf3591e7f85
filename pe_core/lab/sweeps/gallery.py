"""The gallery in the making: every encoding trained with several seeds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import Corpus
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.gallery import Gallery, SeedRun, empty, read
from pe_core.lab.sweeps.pool import on_all_cores
from pe_core.lab.sweeps.sweep import TEXT, planned, trained
from pe_core.parameters import require

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


def setup(encoding: str, seed: int, steps: int) -> RunConfig:
    """Return the configuration of one run: the lab's defaults, and the repairs made for the encoding."""
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
    require(found.has_ends, f"runs of {path}", "have the loss at the end of the window to be continued", "none")
    return found


def missing(gallery: Gallery, encodings: Sequence[str], seeds: Sequence[int]) -> list[tuple[str, int]]:
    """Return what is yet to be trained: all encodings with the first seed, then all with the next."""
    return [(key, seed) for seed in seeds for key in encodings if seed not in gallery.runs.get(key, {})]


def sweep(gallery: Gallery, encodings: Sequence[str], seeds: Sequence[int], steps: int) -> Iterator[Gallery]:
    """Train what is missing on all cores; yield the gallery with one run more each time, in the order they get ready.

    Raises `ValueError` for what is not allowed, before any of them, and at the end where runs have failed.
    """
    configs = [setup(encoding, seed, steps) for encoding, seed in missing(gallery, encodings, seeds)]
    for trial, record in on_all_cores(trained, planned(TEXT, configs)):
        gallery = grown(gallery, trial.encoding, trial.config.seed, trial.outcome(record))
        yield gallery


def grown(gallery: Gallery, encoding: str, seed: int, outcome: Outcome) -> Gallery:
    """Return the gallery with one run more, in the order of the registry and of the seeds."""
    repaired = {name: measured.lengths for name, measured in outcome.repaired.items()}
    one = SeedRun(outcome.n_parameters, outcome.lengths, repaired)
    by_seed = {**gallery.runs.get(encoding, {}), seed: one}
    runs = {**gallery.runs, encoding: dict(sorted(by_seed.items()))}
    return replace(gallery, runs={key: runs[key] for key in ENCODINGS if key in runs})
