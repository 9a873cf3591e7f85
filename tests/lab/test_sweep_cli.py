"""Sweeps on the command line: their files and table, going on after a stop, and one line for every bad input."""

import csv
import re
import sys
from dataclasses import replace
from itertools import product

import pytest

from pe_core.lab import __main__ as lab
from pe_core.lab import long_run, sweep_cli
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import OF_MODEL, RunConfig
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from tests.cases import each
from tests.lab.seeded import SHARED, SMALL, in_place, made
from tests.lab.task_answers import suited

AXES = ["--train-lengths", "16", "32", "--seeds", "0", "3", "--encodings", "rope", "alibi"]


@pytest.fixture
def quick(monkeypatch):
    """Training without any steps, in this process; returns the configurations that were trained."""
    log = []
    pool = in_place(lambda config, learned: log.append(config) or made(config, learned))
    monkeypatch.setattr(long_run, "under_bar", lambda _, runs, say: pool(runs))
    monkeypatch.setattr(sweep_cli, "on_all_cores", pool)
    return log


@pytest.fixture
def swept(tmp_path, url):
    """Makes a sweep with these options and returns its exit status; its file is `out.csv`."""
    where = ["--store", url, "--out", str(tmp_path / "deep" / "out")]
    return lambda *options: lab.main(["sweep", *SMALL, *where, *options])


def files(folder):
    return {path.name: path.read_bytes() for path in folder.glob("deep/*")}


def test_the_file_has_every_training_and_length_with_its_settings(quick, swept, tmp_path, capsys):
    assert swept(*AXES) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"wrote {tmp_path}/deep/out.csv"
    rows = list(csv.DictReader((tmp_path / "deep" / "out.csv").read_text().splitlines()))
    assert [row["seed"] for row in rows] == ["0"] * 24 + ["3"] * 24
    asked = [
        RunConfig((key,), train_length=length, seed=seed, **SHARED)
        for seed, length, key in product((0, 3), (16, 32), ("rope", "alibi"))
    ]
    assert len(quick) == 8
    assert set(quick) == set(asked)
    found = iter(rows)
    for config in asked:
        [key] = config.encodings
        record = made(config, built_in())
        for mark in record.outcomes[key][config.seed].lengths:
            row = next(found)
            assert (row["task"], row["encoding"], row["length"]) == ("text", key, str(mark.length))
            assert all(row[name] == str(getattr(config, name)) for name in OF_MODEL)
            assert row["run"] == run_hash(config, text_facts(built_in()))
            assert (row["n_weights"], row["verdict"]) == ("77", record.verdict(key))
            assert float(row["loss"]) == pytest.approx(mark.loss, rel=1e-5)


def test_the_table_has_the_means_over_the_seeds(quick, swept, capsys):
    assert swept("--train-lengths", "64", "--seeds", "0", "4", "8", "--encodings", "rope") == 0
    header, line = capsys.readouterr().out.splitlines()[:2]
    assert re.split(r"  +", header.strip())[:5] == ["Task", "Trained at", "Encoding", "Seeds", "Mean of"]
    # 2 + 4/1024 + 64/512 at the length of training with seed 0, half more with each next seed
    assert re.split(r"  +", line.strip())[4:7] == ["loss", "2.629 (2.129 to 3.129)", "2.754 (2.254 to 3.254)"]
    assert re.split(r"  +", header.strip())[5:] == ["×1", "×2", "×3", "×4", "×6", "×8"]


def test_of_a_task_the_table_has_the_right_answers(quick, swept, capsys):
    assert swept("--tasks", "copy", "text", "--encodings", "rope") == 0
    copied, text = (re.split(r"  +", line.strip()) for line in capsys.readouterr().out.splitlines()[1:3])
    assert copied[:6] == ["copy", "16", "RoPE", "1", "accuracy", "0.500"]
    assert text[:6] == ["text", "64", "RoPE", "1", "loss", "2.129"]


def test_a_task_brings_its_own_defaults_and_what_is_told_comes_before_them(quick, tmp_path, url):
    command = ["sweep", "--tasks=addition", "--encodings=rope", f"--out={tmp_path}/out", f"--store={url}"]
    assert lab.main(command) == 0
    assert lab.main([*command, "--n-heads", "2", "--train-lengths", "32"]) == 0
    own = RunConfig(("rope",), **suited("addition"))
    assert quick == [own, replace(own, n_heads=2, train_length=32)]


def test_an_interruption_keeps_what_is_complete_and_only_what_is_missing_is_trained(
    quick, swept, tmp_path, monkeypatch, capsys
):
    def interrupted(runs, **_):
        yield next(pool(runs))
        raise KeyboardInterrupt

    pool = sweep_cli.on_all_cores
    monkeypatch.setattr(sweep_cli, "on_all_cores", interrupted)
    assert swept(*AXES) == 130
    assert capsys.readouterr().err.endswith(
        "stopped; what is complete is kept, and the same command goes on from there\n"
    )
    assert files(tmp_path) == {}
    monkeypatch.setattr(sweep_cli, "on_all_cores", pool)
    assert swept(*AXES) == 0
    assert len(quick) == len(set(quick)) == 8
    before = files(tmp_path)
    assert swept(*AXES) == 0
    assert files(tmp_path) == before
    assert len(quick) == 8
    assert swept(*AXES, "--seeds", "0", "3", "5") == 0
    assert [config.seed for config in quick[8:]] == [5] * 4


def test_a_training_that_fails_is_named_and_the_others_are_kept(quick, swept, url, tmp_path, monkeypatch, capsys):
    def failing(runs, **_):
        yield from pool({one: runs[one] for one in [*runs][1:]})
        raise ValueError(f"1 of {len(runs)} runs failed, the first one rope: no memory")

    pool = sweep_cli.on_all_cores
    monkeypatch.setattr(sweep_cli, "on_all_cores", failing)
    assert swept(*AXES) == 2
    assert capsys.readouterr().err.endswith("error: 1 of 8 runs failed, the first one rope: no memory\n")
    assert files(tmp_path) == {}
    assert len(RunStore(url).listing()) == 7


BAD = {
    "length off step": (["--train-lengths", "16", "17"], r"train_length must be .* in steps of 16, got '17'"),
    "out is a folder": (["--out", "{here}/taken"], r"out must name a file, not a folder, got {here}/taken\.csv"),
    "store is a folder": (["--store", "sqlite:///{here}"], r"runs must lie in a database .*, got .+"),
    "nobody schedules": (
        ["--scheduler", "nowhere"],
        r"scheduler must be the address of a Dask scheduler that answers, got 'nowhere': .*",
    ),
}


@each("name", BAD)
def test_bad_input_is_one_line_and_trains_nothing(quick, swept, tmp_path, capsys, name):
    (tmp_path / "taken.csv").mkdir(exist_ok=True)
    arguments, message = BAD[name]
    assert swept(*(argument.replace("{here}", str(tmp_path)) for argument in arguments)) == 2
    error = capsys.readouterr().err.rstrip("\n").split("\n")[-1].split("\r")[-1]
    assert re.fullmatch("error: " + message.replace("{here}", re.escape(str(tmp_path))), error)
    assert quick == []
    assert files(tmp_path) == {}


def test_a_store_that_can_only_be_read_and_a_scheduler_without_dask_are_refused_before_anything_is_trained(
    quick, swept, tmp_path, capsys, monkeypatch
):
    monkeypatch.setitem(sys.modules, "distributed", None)
    RunStore(f"sqlite:///{tmp_path / 'kept.sqlite'}").listing()
    for option, problem in {
        f"--store=sqlite:///file:{tmp_path / 'kept.sqlite'}?mode=ro&uri=true": (
            "runs must lie in a database that can be read and written, got attempt to write a readonly database"
        ),
        "--scheduler=tcp://127.0.0.1:8786": "a cluster needs Dask, which is not installed: pip install distributed",
    }.items():
        assert swept(option) == 2
        assert capsys.readouterr().err.endswith(f"error: {problem}\n")
    assert quick == []


def test_large_models_are_swept_one_after_the_other_where_the_memory_will_do(quick, swept, monkeypatch, capsys):
    monkeypatch.setattr(sweep_cli, "on_all_cores", None)
    large = ["--size", "paper", "--train-lengths", "512", "--batch-size", "64", "--encodings", "none"]
    with monkeypatch.context() as little:
        little.setattr(long_run, "free_bytes", lambda device: 10**3)
        assert swept(*large) == 2
    rule = r"error: free memory of cpu must be at least \d+\.\d GB for none in this run, got 0\.0 GB"
    assert re.fullmatch(rule, capsys.readouterr().err.splitlines()[-1])
    assert quick == []
    assert swept(*large) == 0
    [config] = quick
    assert (config.train_length, config.batch_size) == (512, 64)
    assert swept("--train-lengths", "512") == 2
    assert capsys.readouterr().err.endswith("from 16 to 256 in steps of 16, got '512'\n")


def test_on_all_cores_the_numbers_are_those_of_the_lab(swept, url):
    assert swept("--train-lengths", "16", "--encodings", "alibi") == 0
    [kept], config = RunStore(url).listing(), RunConfig(("alibi",), train_length=16, **SHARED)
    assert kept.hash == run_hash(config, text_facts(built_in()))
    assert RunStore(url).get(kept.hash) == repeat(config, built_in())
