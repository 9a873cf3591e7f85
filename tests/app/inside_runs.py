"""Tiny runs of a text and of tasks, trained once and put into the store of the page with their weights."""

import re
from dataclasses import replace

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.inspection.trained_run import trained
from pe_core.lab.results.record import RunRecord
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.weights import to_bytes
from tests.app.opened import checked, opened, said

TINY = RunConfig(("rope", "learned"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, n_seeds=2)
ALONE = replace(TINY, n_seeds=1)
KEPT, OWN = ({"ins_models": choice} for choice in ("of a kept run", "of your run"))
LOOKS = {"Attention maps": 2, "Entropy": 1, "What they write": 1}  # and how many pictures each has


def seed_runs(config, dataset):
    """A run of the lab, a trained run for each of its seeds."""
    found = []
    for seed in config.seeds:
        last = trained(config.of_seed(seed), dataset)
        found.append(last)
    return found


def put(store, runs, config, owner=""):
    """Keep the runs as one of so many seeds and of an owner, with all weights; returns its hash."""
    records = [one.record for one in runs]
    curves, outcomes = (
        {key: {seed: found for one in records for seed, found in getattr(one, name)[key].items()} for key in one_of}
        for name, one_of in (("curves", records[0].curves), ("outcomes", records[0].outcomes))
    )
    record = RunRecord(config, records[0].text, curves, outcomes)
    weights = {
        (key, one.record.config.seed): to_bytes(model, key, one.vocabulary)
        for one in runs
        for key, model in one.models.items()
    }
    store.put(record, weights, owner)
    return name(record)


def name(record: RunRecord) -> str:
    """The hash of a run."""
    return run_hash(record.config, record.text)


def look_at(look, **link):
    """The page with a look open, after checking that it shows what it should without a warning."""
    at = checked(opened("inside", ins_look=look, **link), LOOKS[look])
    assert not at.warning
    return at


def refused(at):
    """Why the page refuses a run, after checking that it shows the models of the project."""
    checked(at, 2)
    (warning,) = at.warning
    assert "**RoPE, as trained**" in said(at)
    return re.fullmatch(
        r"The models of this run cannot be shown: `(.*)`. Shown instead: those of this project.", warning.value
    )[1]
