"""The encodings of the gallery in larger models: their files, kept without what no page shows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import Gallery, SeedRun, shared_settings
from pe_core.lab.results.record_file import from_json
from pe_core.parameters import require

LARGER = KEPT_RUNS / "larger.json"  # of most steps, with one seed
EARLY = KEPT_RUNS / "larger_early.json"  # of few steps, with several seeds
TUNED = KEPT_RUNS / "larger_tuned.json"  # of those of few steps RoPE, fine-tuned at the longest length


def of_runs(files: Sequence[str], *, tuned: bool = False) -> Gallery:
    """Return the runs of the lab in the contents of at least one file as one gallery, with the versions that made them.

    `tuned` takes what was measured after a fine-tuning in place of what was before it, of the encodings that have it.
    Raises `ValueError` for anything else than a run, and for runs that differ in settings, text or versions.
    """
    found = [_of_run(file, tuned=tuned) for file in files]
    for one in found:
        same = replace(one, runs={}) == replace(found[0], runs={})
        require(same, "files", "have the same settings, text and versions", "runs that differ in them")
    runs: dict[str, Mapping[int, SeedRun]] = {}
    for one in found:
        for key, by_seed in one.runs.items():
            runs[key] = {**runs.get(key, {}), **by_seed}
    return replace(found[0], runs=runs)


def _of_run(file: str, *, tuned: bool) -> Gallery:
    record = from_json(file).up_to(MULTIPLES[-1])  # as far as the small models are evaluated
    shared = shared_settings(record.config) | ({"tune_steps": record.config.tune_steps} if tuned else {})
    runs = {
        key: {seed: _after_tuning(one) if tuned else _as_trained(one) for seed, one in by_seed.items()}
        for key, by_seed in record.outcomes.items()
        if not tuned or all(one.tuned for one in by_seed.values())
    }
    return Gallery(shared, record.text, json.loads(file)["versions"], runs)


def _as_trained(one: Outcome) -> SeedRun:
    return SeedRun(one.n_parameters, one.lengths, {name: read.lengths for name, read in one.repaired.items()})


def _after_tuning(one: Outcome) -> SeedRun:
    repaired = {name: read.lengths for name, read in one.tuned.items() if name != AS_TRAINED.key}
    return SeedRun(one.n_parameters, one.tuned[AS_TRAINED.key].lengths, repaired)
