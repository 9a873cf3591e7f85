"""A learned table in training: the same seed gives the same rows, rows without a text only shrink, and four ways on."""

from itertools import islice, pairwise

import pytest
import torch

from pe_core.encodings import Shape
from pe_core.encodings.learned import Learned
from pe_core.lab.experiment.evaluation import position_losses
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.training import TrainStep, scheduled, train
from pe_core.lab.inspection import learned_table
from pe_core.lab.inspection.learned_table import KEPT, PARAMETERS, WAYS, TableConfig, TableRun, read
from tests.cases import each, refuses

TINY = {"train_length": 16, "n_rows": 32, "d_model": 16, "n_heads": 1, "n_layers": 1, "steps": 50}
CONFIG = TableConfig(**TINY, seed=3)


def finished(config, text):
    *steps, run = learned_table.train_table(config, text)
    assert [step.step for step in steps] == list(range(1, config.steps + 1))
    assert all(isinstance(step, TrainStep) for step in steps)
    assert isinstance(run, TableRun)
    assert run.curve.tolist() == pytest.approx([step.loss for step in steps])
    return run


@pytest.fixture(scope="module")
def run(text):
    torch.set_num_threads(1)
    return finished(CONFIG, text)


def test_the_same_seed_gives_the_same_numbers(run, text):
    again = finished(CONFIG, text)
    assert torch.equal(run.tables, again.tables)
    assert torch.equal(run.losses, again.losses)
    assert torch.equal(run.curve, again.curve)
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


def test_what_weight_decay_leaves_is_a_product_over_the_learning_rates_that_the_optimiser_had():
    weight = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    weight.grad = torch.zeros_like(weight)
    optimiser, schedule = scheduled([weight], 3e-3, 20)
    for share in learned_table.decay(20, 3e-3)[1:]:
        optimiser.step()
        schedule.step()
        assert float(share) == pytest.approx(weight.item(), rel=1e-14)


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
    learned = Learned(16, 32, std=0.5)  # loud rows, so that the ways differ
    model = Transformer(
        len(text.vocabulary), Shape(16, 1, 16, 32), 1, learned, generator=torch.Generator().manual_seed(1)
    )
    list(islice(train(model, "learned", text, CONFIG.run), 5))
    found = learned_table.measure(model, learned, CONFIG, text)[WAYS.index(way)]
    assert model.encoding is learned
    rows = learned.table.detach().clone()
    learned.table.data = torch.stack([filled(rows[:16], rows, m) for m in range(32)])
    expected = position_losses(model, text.held_out, 32).float()
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    if way != "untrained rows":
        learned.table.data = rows
        assert not torch.allclose(found, position_losses(model, text.held_out, 32).float(), atol=1e-2)


def test_a_text_that_is_too_short_is_refused_before_training(text):
    with pytest.raises(ValueError, match=r"^text must have at least .* to be evaluated at length 1,024, got"):
        next(
            learned_table.train_table(
                TableConfig(n_rows=1_024), type(text)("short", text.vocabulary, text.train, text.held_out[:1_000])
            )
        )


@each(
    ("settings", "message"),
    [
        ({"n_rows": 64}, "n_rows must be above train_length (64), got 64"),
        ({"n_rows": 33}, "n_rows must be a whole number from 32 to 1,024 in steps of 16, got 33"),
        ({"steps": 0}, "steps must be a whole number from 50 to 5,000 in steps of 50, got 0"),
        ({"seed": 1.0}, "seed must be a whole number from 0 to 9,999, got 1.0"),
        ({"d_model": 8}, "d_model must be a whole number from 16 to 256 in steps of 16, got 8"),
    ],
)
def test_settings_that_are_not_allowed(settings, message):
    refuses(lambda: TableConfig(**settings), message)


def test_the_defaults_are_those_of_the_parameters():
    assert {name: parameter.default for name, parameter in PARAMETERS.items()} == vars(TableConfig())


def test_the_kept_run_has_the_default_settings_and_can_be_kept():
    kept = read()
    assert kept.config == TableConfig()
    assert KEPT.stat().st_size < 400_000
    assert kept.losses[-1, 0, :64].mean() < 2 < kept.text.unigram_loss < kept.losses[-1, 0, 64:].mean()


def test_the_kept_run_starts_where_its_seed_says():
    kept, config = read(), TableConfig()
    learned = Learned(config.d_model, config.n_rows, std=learned_table.STD)
    shape = Shape(config.d_model, config.n_heads, config.train_length, config.n_rows)
    generator = torch.Generator().manual_seed(config.seed)
    Transformer(kept.text.vocab_size, shape, config.n_layers, learned, generator=generator)
    assert torch.equal(kept.tables[0], learned.table)
