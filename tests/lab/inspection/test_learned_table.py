"""A learned table in training, four ways to go on, and its file; the commands that make files of models."""

from dataclasses import replace
from itertools import islice, pairwise

import pytest
import torch

from pe_core.encodings import Shape
from pe_core.encodings.learned import Learned
from pe_core.lab import table, trained_file
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import TrainStep, train
from pe_core.lab.inspection import learned_table, trained_run
from pe_core.lab.inspection.learned_table import KEPT, PARAMETERS, WAYS, TableConfig, read, write
from pe_core.lab.results.record import text_facts
from tests.cases import each, refuses
from tests.lab.running import position_losses
from tests.lab.task_answers import suited

TINY = {"train_length": 16, "n_rows": 32, "d_model": 16, "n_heads": 1, "n_layers": 1, "steps": 50}
CONFIG = TableConfig(**TINY, seed=3)


def finished(config, text):
    *steps, run = learned_table.train_table(config, text)
    losses = run.curve.tolist()
    assert steps == [TrainStep("learned", step, pytest.approx(loss)) for step, loss in enumerate(losses, start=1)]
    assert (run.config, run.text) == (config, text_facts(text))
    return run


@pytest.fixture(scope="module")
def run(text):
    torch.set_num_threads(1)
    return finished(CONFIG, text)


def same_numbers(one, other):
    return all(torch.equal(getattr(one, name), getattr(other, name)) for name in ("tables", "losses", "curve"))


def test_the_same_seed_gives_the_same_numbers(run, text):
    assert same_numbers(run, finished(CONFIG, text))
    assert not torch.equal(run.tables, finished(TableConfig(**TINY, seed=4), text).tables)


def test_the_table_is_kept_at_every_look(run):
    assert CONFIG.looks == (0, 1, 2, 5, 10, 18, 25, 38, 50)
    assert run.tables.shape == (9, 32, 16)
    assert run.losses.shape == (9, len(WAYS), 32)
    trained = run.tables[:, :16]
    assert all(not torch.equal(before, after) for before, after in pairwise(trained))


def test_rows_that_no_text_uses_only_shrink_by_weight_decay(run):
    start, shares = run.tables[0, 16:].double(), learned_table.decay(CONFIG.steps, CONFIG.peak_learning_rate)
    assert shares[0] == 1
    for step, rows in zip(CONFIG.looks, run.tables[:, 16:].double(), strict=True):
        torch.testing.assert_close(rows, shares[step] * start, rtol=1e-5, atol=1e-9)
    assert float(shares[-1]) < 0.9999  # more than rounding


def between(rows, place):
    below = min(int(place), len(rows) - 1)
    above = min(below + 1, len(rows) - 1)
    return rows[below] + (place - below) * (rows[above] - rows[below])


@each(
    ("way", "filled"),
    [
        ("untrained rows", lambda rows, all_rows, m: all_rows[m]),
        ("last trained row", lambda rows, all_rows, m: rows[min(m, 15)]),
        ("wrap around", lambda rows, all_rows, m: rows[m % 16]),
        ("interpolate", lambda rows, all_rows, m: between(rows, m * 15 / 31)),
    ],
)
def test_each_way_on_is_a_table_filled_by_its_rule(text, way, filled):
    learned, generator = Learned(16, 32, std=0.5), torch.Generator().manual_seed(1)  # loud rows, so that ways differ
    model = Transformer(len(text.vocabulary), Shape(16, 1, 16, 32), 1, learned, generator=generator)
    list(islice(train(model, "learned", text, CONFIG), 5))
    found = learned_table.measure(model, learned, CONFIG, text)[WAYS.index(way)]
    assert model.encoding is learned
    rows = learned.table.detach().clone()
    learned.table.data = torch.stack([filled(rows[:16], rows, m) for m in range(32)])
    expected = position_losses(model, text.held_out, 32).float()
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    if way != "untrained rows":
        learned.table.data = rows
        assert not torch.allclose(found, position_losses(model, text.held_out, 32).float(), atol=1e-2)


def test_settings_that_are_not_allowed_and_a_text_that_is_too_short_are_refused_before_training(text):
    assert all(getattr(TableConfig(), name) == one.default for name, one in PARAMETERS.items())
    refuses(lambda: TableConfig(n_rows=64), "n_rows must be above train_length (64), got 64")
    refuses(lambda: TableConfig(n_rows=33), "n_rows must be a whole number from 32 to 1,024 in steps of 16, got 33")
    refuses(lambda: TableConfig(steps=0), "steps must be a whole number from 50 to 100,000 in steps of 50, got 0")
    refuses(lambda: TableConfig(seed=1.0), "seed must be a whole number from 0 to 9,999, got 1.0")
    short = replace(text, held_out=text.held_out[:1_000])
    with pytest.raises(ValueError, match=r"^text must have at least .* to be evaluated at length 1,024, got"):
        next(learned_table.train_table(TableConfig(n_rows=1_024), short))


def test_the_kept_run_has_the_default_settings_and_starts_where_its_seed_says():
    kept, config = read(), TableConfig()
    assert kept.config == config
    assert KEPT.stat().st_size < 400_000
    assert kept.losses[-1, 0, :64].mean() < 2 < kept.text.unigram_loss < kept.losses[-1, 0, 64:].mean()
    learned = Learned(config.d_model, config.n_rows, std=learned_table.STD)
    shape = Shape(config.d_model, config.n_heads, config.train_length, config.n_rows)
    generator = torch.Generator().manual_seed(config.seed)
    Transformer(kept.text.symbols, shape, config.n_layers, learned, generator=generator)
    assert torch.equal(kept.tables[0], learned.table)


# The file.


def test_what_was_written_comes_back_and_the_same_run_makes_the_same_file(run, tmp_path):
    path = tmp_path / "run.npz"
    write(run, path)
    found, content = read(path), path.read_bytes()
    assert (found.config, found.text, found.versions) == (run.config, run.text, run.versions)
    assert same_numbers(found, run)
    write(run, path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


# The commands: what they write and what they refuse.


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
            assert found.config == CONFIG
            *_, expected = learned_table.train_table(found.config, text)
            assert torch.equal(found.tables, expected.tables)
        else:
            run = trained_run.read(path)
            assert list(run.models) == ["none"]
            assert run.record.config == RunConfig(("none",), 16, 16, 1, 1, 50, seed=9)


def test_a_task_can_be_learned_instead_with_its_own_defaults(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(trained_file, "trained", lambda config, learned, told: asked.append((config, learned)) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        trained_file.main(["rope", "--task", "addition", "--steps", "50", "--out", str(tmp_path / "x")])
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
