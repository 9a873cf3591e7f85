"""The file of a learned table: what was written comes back, nothing else is taken; and the command that makes it."""

import io
import json
import os
from dataclasses import asdict

import numpy as np
import pytest
import torch

from pe_core.lab import table
from pe_core.lab.inspection import learned_table
from pe_core.lab.inspection.learned_table import WAYS, TableConfig, TableRun, read, write
from pe_core.lab.results.record import text_facts
from tests.cases import each

TINY = {"train_length": 16, "n_rows": 32, "d_model": 16, "n_heads": 1, "n_layers": 1, "steps": 50}
FLAGS = [part for name, value in TINY.items() for part in (f"--{name.replace('_', '-')}", str(value))]


@pytest.fixture
def run(text):
    config = TableConfig(**TINY)
    looks = len(config.looks)
    drawn = torch.Generator().manual_seed(0)
    sizes = (looks, 32, 16), (50,), (looks, len(WAYS), 32)
    numbers = [torch.rand(size, generator=drawn) for size in sizes]
    return TableRun(config, text_facts(text), {"python": "3", "torch": "2"}, *numbers)


@pytest.fixture
def path(run, tmp_path):
    write(run, tmp_path / "run.npz")
    return tmp_path / "run.npz"


def rewritten(path, **changes):
    with np.load(path) as file:
        content = {name: file[name] for name in file.files}
    for name, change in changes.items():
        content[name] = change(content[name])
    np.savez(path, **{name: value for name, value in content.items() if value is not None})
    return path


def facts(**changes):
    return lambda value: np.array(json.dumps({**json.loads(str(value)), **changes}))


def test_what_was_written_comes_back(run, path):
    found = read(path)
    assert (found.config, found.text, found.versions) == (run.config, run.text, run.versions)
    for name in ("tables", "curve", "losses"):
        assert torch.equal(getattr(found, name), getattr(run, name))
    assert os.listdir(path.parent) == ["run.npz"]


def test_the_same_run_makes_the_same_file(run, path, tmp_path):
    write(run, tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"facts": facts(format=2)}, "format must be 1, got 2"),
        (
            {"facts": facts(settings=asdict(TableConfig(**TINY)) | {"steps": 7})},
            "steps must be a whole number from 50 to 5,000 in steps of 50, got 7",
        ),
        (
            {"facts": facts(settings={**TINY, "seed": 0})},  # as files were written once
            "settings must be complete, got no value for batch_size, peak_learning_rate",
        ),
        ({"facts": facts(settings=None)}, "file must hold a run of a learned table, got TypeError: "),
        ({"facts": facts(text={"name": "x"})}, "file must hold a run of a learned table, got TypeError: "),
        ({"facts": lambda value: np.array("{")}, "file must be written by pe_core.lab.table, got JSONDecodeError: "),
        ({"facts": lambda value: np.array("[]")}, "file must hold a run of a learned table, got TypeError: "),
        ({"tables": lambda value: None}, "file must hold a run of a learned table, got KeyError: "),
        ({"tables": lambda value: value[1:]}, "tables must have the shape (9, 32, 16), got (8, 32, 16)"),
        ({"curve": lambda value: value.astype("float64")}, "curve must hold float32, got torch.float64"),
        ({"losses": lambda value: value * np.float32("nan")}, "losses must hold finite numbers, got infinity or NaN"),
        ({"curve": lambda value: np.array([None])}, "file must be written by pe_core.lab.table, got ValueError: "),
    ],
)
def test_a_file_that_does_not_hold_a_run(path, changes, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared
        read(rewritten(path, **changes))
    assert str(caught.value).startswith(message)


@each("content", [b"", b"hello", b"PK\x03\x04 and no more", b"\x80\x04."])
def test_a_file_of_another_kind(tmp_path, content):
    (tmp_path / "other.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"^file must be written by pe_core\.lab\.table, got "):
        read(tmp_path / "other.npz")


def test_the_command_writes_the_run(tmp_path, text, monkeypatch, capsys):
    monkeypatch.setattr(table, "built_in", lambda: text)
    assert table.main([*FLAGS, "--seed", "3", "--out", str(tmp_path / "own.npz")]) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'own.npz'}\n"
    found = read(tmp_path / "own.npz")
    assert found.config == TableConfig(**TINY, seed=3)
    *_, expected = learned_table.train_table(found.config, text)
    assert torch.equal(found.tables, expected.tables)
    assert found.text == text_facts(text)


@each(
    ("flags", "message"),
    [
        (["--steps", "many"], "steps must be a whole number from 50 to 5,000 in steps of 50, got 'many'"),
        (["--n-rows", "48", "--train-length", "48"], "n_rows must be above train_length (48), got 48"),
        (["--out", "no/such/folder/run.npz"], "out must lie in a folder that exists, got no/such/folder"),
        (["--out", "."], "out must name a file, not a folder, got ."),
        (["--out", "/proc/x"], "out must lie in a folder that can be written, got /proc: No such file or directory"),
    ],
)
def test_bad_input_is_named_before_any_training(flags, message, capsys, monkeypatch):
    monkeypatch.setattr(table, "train_table", None)
    assert table.main(flags) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


def test_an_interrupted_command_leaves_nothing(tmp_path, monkeypatch, capsys):
    def interrupted(config, text):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(table, "train_table", interrupted)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert table.main(["--out", str(tmp_path / "run.npz")]) == 130
    assert list(tmp_path.iterdir()) == []
