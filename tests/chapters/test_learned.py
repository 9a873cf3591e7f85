"""Learned tables: facts found by other ways, of the table in training and of the loss against the amount of data."""

import json
import math
import statistics
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.chapters import learned
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.inspection import amounts
from pe_core.lab.inspection.learned_table import KEPT, WAYS, read
from pe_core.lab.results.record import text_facts
from tests.cases import each, refuses
from tests.chapters.offered import sets
from tests.strategies import normal, seeds, widths

STEP = 500
PICTURES = {
    learned.row: sets("step number", (STEP, 20), (100, 21)),
    **dict.fromkeys(
        (learned.table, learned.similarity, learned.past_end, learned.lengths, learned.movement),
        ({"step": STEP}, {"step": 100}),
    ),
    learned.by_amount: ({}, {}),
}


@pytest.fixture(scope="module")
def rows():
    """The numbers of the kept file, read without the project's own reader: tables and losses by step."""
    with np.load(KEPT) as file:
        steps = [0, 10, 25, 50, 100, 200, 350, 500, 750, 1000]
        return dict(zip(steps, file["tables"], strict=True)), dict(zip(steps, file["losses"], strict=True))


def cosine(a, b):
    dot = sum(float(x) * float(y) for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(float(x) ** 2 for x in a) * sum(float(y) ** 2 for y in b))


def test_losses_are_shown_by_way_and_averaged_on_either_side_of_the_end(rows):
    frame = learned.past_end(step=STEP).frames["lines"]
    facts = learned.past_end(step=STEP).facts
    for way, losses in zip(WAYS, rows[1][STEP], strict=True):
        assert frame[frame.name == way].y.to_numpy() == pytest.approx(losses)
    within, past = (rows[1][STEP][:, part].astype("float64").mean(axis=1) for part in (slice(64), slice(64, None)))
    assert [facts["within"], facts["interpolated-within"]] == pytest.approx([within[0], within[3]])
    assert [facts[way] for way in ("untrained", "last-row", "wrap", "interpolated")] == pytest.approx(past)
    assert facts["best"] == WAYS[past.argmin()]
    level = learned.past_end(step=STEP).frames["levels"].y.item()
    assert facts["guess"] == level == read().text.unigram_loss


@each(("step", "verdict"), [(0, "past-end"), (1_000, "past-end-worse")])
def test_worse_than_a_guess_is_said_only_where_it_is_true(rows, step, verdict):
    facts, losses = learned.past_end(step=step).facts, rows[1][step][0]
    assert facts["verdict"] == verdict
    assert (losses[64:].mean() > facts["guess"] > losses[:64].mean()) == (verdict == "past-end-worse")


def test_what_is_said_of_movement(rows):
    before, after = (rows[0][step].astype("float64") for step in (0, 1_000))
    facts = learned.movement(step=1_000).facts
    cosines = np.array([cosine(a, b) for a, b in zip(before, after, strict=True)])
    lengths, gone = np.linalg.norm(before, axis=1), np.linalg.norm(after - before, axis=1)
    shrunk = np.linalg.norm(after[64:], axis=1) / lengths[64:]
    assert facts["trained-cosine"] == pytest.approx(cosines[:64].mean())
    assert facts["trained-moved"] == pytest.approx((gone / lengths)[:64].mean())
    assert 0 < facts["turned"] < 1e-6
    assert facts["moved"] == pytest.approx(100 * (gone / lengths)[64:].max())
    assert facts["shrunk"] == pytest.approx(shrunk.mean())
    rates = [*np.linspace(0.01 / 25, 0.01, 300), *np.linspace(0.01, 0.01 / 25 / 10_000, 701)[1:]]
    expected = np.prod(1 - 0.01 * np.array(rates))  # each step takes rate * weight decay
    assert facts["expected"] == pytest.approx(expected, abs=1e-6)
    assert facts["off"] == pytest.approx(np.abs(shrunk - facts["expected"]).max(), abs=1e-9)
    assert facts["verdict"] == "movement"
    start = learned.movement(step=0).facts
    assert (start["verdict"], start["trained-moved"], start["moved"]) == ("movement-start", 0, 0)
    assert start["shrunk"] == start["expected"] == 1


def test_the_row_most_alike_is_found_by_looking_at_all(rows):
    table = rows[0][STEP]
    for number in (0, 20, 64):
        others = [other for other in range(128) if other != number]
        best = max(others, key=lambda other: cosine(table[number], table[other]))
        assert learned.row(step=STEP, number=number).facts == {
            "other": best,
            "away": abs(best - number),
            "cosine": pytest.approx(cosine(table[number], table[best])),
            "never": "" if number < 64 else "row-never",
        }


@each("step", [0, STEP])
def test_the_file_of_the_table_has_the_numbers_of_its_step(rows, step):
    [table] = learned.table(step=step).tables().values()
    assert table["Value"].to_numpy().reshape(128, 64) == pytest.approx(rows[0][step], abs=1e-6)


@each(("step", "state"), [(0, "state-start"), (10, "state"), (1_000, "state")])
def test_what_is_said_of_the_table(step, state):
    sizes = {"trained": 64, "last": 63, "rows": 128, "never": 64, "channels": 64}
    assert learned.table(step=step).facts == {**sizes, "characters": step * 16 * 64, "state": state}


@each(("guess", "right"), [(50, True), (51, False), (0, False), (99, False)])
def test_the_row_that_token_80_reads(guess, right):
    place = 80 * 63 / 99
    found, facts = learned.row_of_a_squeezed_text(guess)
    assert found == right
    parts = {"part": 100 * (place - 50), "rest": 100 * (51 - place)}
    assert facts == pytest.approx({"below": 50, "above": 51, "place": place, **parts, "position": 80})


@each("number", [128, -1])
def test_a_step_that_was_not_kept_and_a_row_outside_of_the_table_are_refused(number):
    steps = "0, 10, 25, 50, 100, 200, 350, 500, 750, 1000"
    refuses(lambda: learned.table(step=7), f"step must be one of {steps}, got 7")
    refuses(lambda: learned.row(step=0, number=number), f"number must be from 0 to 127, got {number}")


def test_cosines_by_hand():
    table = torch.tensor([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    half = 1 / math.sqrt(2)
    expected = [[1, 0, half, 0], [0, 1, half, 0], [half, half, 1, 0], [0, 0, 0, 0]]
    torch.testing.assert_close(learned.cosines(table), torch.tensor(expected, dtype=torch.float64))


@given(seeds, widths, st.floats(0.01, 3))
def test_a_row_that_shrinks_has_moved_and_not_turned(seed, dim, factor):
    before = normal(seed, 4, dim)
    ones = torch.ones(4, dtype=torch.float64)
    torch.testing.assert_close(learned.turned(before, factor * before), ones, rtol=0, atol=1e-12)
    torch.testing.assert_close(learned.moved(before, factor * before), abs(1 - factor) * ones, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(learned.row_lengths(factor * before), factor * learned.row_lengths(before))


def test_training_makes_the_order_readable_and_neighbours_nearer(rows):
    tables, _ = rows
    facts = learned.marked()
    for name, step in (("before", 0), ("after", 1_000)):
        trained = torch.tensor(tables[step][:64], dtype=torch.float64)
        apart = torch.pdist(trained)
        assert facts[f"near-{name}"] == pytest.approx(float(trained.diff(dim=0).norm(dim=-1).max() / apart.median()))
    assert facts["order-before"] < 0.8 < facts["order-needed"] < facts["order-after"]
    assert facts["near-needed"] < facts["near-after"] < 0.6 < 1 < facts["near-before"]


def test_a_row_is_read_once_a_text():
    facts = learned.data()
    assert (facts["all-characters"], facts["per-row"]) == (64 * 16_000, 16_000)
    assert facts["bert-numbers"] == 393_216


@pytest.fixture(scope="module")
def kept():
    """The kept file, without the project's own reader."""
    return json.loads(amounts.KEPT.read_text(encoding="utf-8"))


def test_the_picture_shows_mean_best_and_worst_seed(kept):
    figure = learned.by_amount()
    frame = figure.frames["lines"]
    for key, title in (("learned", "Learned table"), ("sinusoidal", "Sinusoidal")):
        line = frame[frame.name == title]
        assert line.x.tolist() == kept["characters"]
        assert line.y.tolist() == pytest.approx([statistics.fmean(seeds) for seeds in kept["losses"][key]])
        assert line["min"].tolist() == pytest.approx([min(seeds) for seeds in kept["losses"][key]])
        assert line["max"].tolist() == pytest.approx([max(seeds) for seeds in kept["losses"][key]])


def test_what_is_said_is_counted_from_the_losses(kept):
    facts, (table, waves) = learned.by_amount().facts, (kept["losses"][key] for key in ("learned", "sinusoidal"))
    assert facts["lower"] == sum(max(two) < min(one) for one, two in zip(table, waves, strict=True))
    whole = statistics.fmean(table[-1])
    reached = [n for n, seeds in zip(kept["characters"], waves, strict=True) if statistics.fmean(seeds) <= whole]
    assert facts["enough"] == ("amounts-enough" if reached else "amounts-not-enough")
    assert facts["enough-characters"] == min(reached)
    assert facts["enough-characters"] / facts["most"] == pytest.approx(1 / 4, rel=1e-3)  # as the introduction says


def test_a_sinusoid_that_is_never_as_good_is_told_of_otherwise(monkeypatch, tmp_path):
    found, path = amounts.read(), tmp_path / "amounts.json"
    worse = {**found.losses, "sinusoidal": [[loss + 9 for loss in row] for row in found.losses["sinusoidal"]]}
    amounts.write(amounts.Amounts(found.config, found.characters, worse), text_facts(built_in()), path)
    monkeypatch.setattr(amounts, "read", partial(amounts.read, path))
    facts = learned.by_amount().facts
    assert (facts["enough"], facts["lower"]) == ("amounts-not-enough", 0)


def test_parts_are_the_beginning_of_the_text_with_the_same_text_held_out():
    corpus = built_in()
    part = amounts.part_of(corpus, 8)
    assert len(part.train) == len(corpus.train) // 8
    assert part.train.equal(corpus.train[: len(part.train)])
    assert part.held_out.equal(corpus.held_out)


def test_more_of_the_text_lowers_the_loss_of_a_model_trained_anew():
    config = RunConfig(amounts.ENCODINGS, steps=50, train_length=16, d_model=16)
    losses = [amounts.loss_after(config, "sinusoidal", amounts.part_of(built_in(), part)) for part in (2000, 1)]
    assert losses[1] < losses[0]
