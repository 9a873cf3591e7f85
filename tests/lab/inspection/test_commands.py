"""The commands that make the file of a learned table and of trained models: what they write and what they refuse."""

import pytest
import torch

from pe_core.lab import table, trained_file
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection import learned_table, trained_run
from pe_core.lab.inspection.learned_table import TableConfig
from tests.cases import each
from tests.lab.task_answers import suited

SMALL = "--train-length 16 --d-model 16 --n-heads 1 --n-layers 1 --steps 50"
STEPS = "steps must be a whole number from 50 to 5,000 in steps of 50, got "


def test_they_write_a_file_that_can_be_read(tmp_path, text, monkeypatch, capsys):
    path = tmp_path / "made"
    for command, arguments in ((table, "--n-rows 32 --seed 3"), (trained_file, "none --seed 9")):
        monkeypatch.setattr(command, "built_in", lambda: text)
        assert command.main([*arguments.split(), *SMALL.split(), "--out", str(path)]) == 0
        assert capsys.readouterr().out == f"wrote {path}\n"
        assert list(tmp_path.iterdir()) == [path]
        if command is table:
            found = learned_table.read(path)
            assert found.config == TableConfig(
                train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, seed=3, n_rows=32
            )
            *_, expected = learned_table.train_table(found.config, text)
            assert torch.equal(found.tables, expected.tables)
        else:
            run = trained_run.read(path)
            assert list(run.models) == ["none"]
            assert run.record.config == RunConfig(("none",), 16, 16, 1, 1, 50, seed=9)


def test_a_task_can_be_learned_instead_with_its_own_defaults(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(trained_file, "trained", lambda *given: asked.append(given) or iter(()))
    assert trained_file.main(["rope", "--task", "addition", "--steps", "50", "--out", str(tmp_path / "x")]) == 0
    assert asked == [(RunConfig(("rope",), **{**suited("addition"), "steps": 50}), TASKS["addition"])]
    with pytest.raises(SystemExit) as ended:
        trained_file.main(["--task", "nope"])
    assert ended.value.code == 2


@each(
    ("command", "arguments", "problem"),
    [
        (table, "--steps many", f"{STEPS}'many'"),
        (table, "--n-rows 48 --train-length 48", "n_rows must be above train_length (48), got 48"),
        (table, "--out no/such/run.npz", "out must lie in a folder that exists, got no/such"),
        (trained_file, "nope", "encodings must be among "),
        (trained_file, "--steps 7", f"{STEPS}'7'"),
        (trained_file, "--out .", "out must name a file, not a folder, got ."),
        (trained_file, "--out /proc/x", "out must lie in a folder that can be written, got /proc: No such file"),
    ],
)
def test_they_name_what_is_wrong_before_any_training(command, arguments, problem, capsys, monkeypatch):
    monkeypatch.setattr(table, "train_table", None)
    monkeypatch.setattr(trained_file, "trained", None)
    assert command.main(arguments.split()) == 2
    assert capsys.readouterr().err.startswith(f"error: {problem}")
