"""Loss against the amount of data: the kept file is read as it is, and its models can be trained anew."""

import json
import statistics
from functools import partial

import pytest

from pe_core.chapters.learned import by_amount
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.inspection import amounts
from pe_core.lab.results.record import text_facts

PICTURES = {by_amount: ({}, {})}


@pytest.fixture(scope="module")
def kept():
    """The kept file, without the project's own reader."""
    return json.loads(amounts.KEPT.read_text(encoding="utf-8"))


def test_the_picture_shows_mean_best_and_worst_seed(kept):
    figure = by_amount()
    frame = figure.frames["lines"]
    for key, title in (("learned", "Learned table"), ("sinusoidal", "Sinusoidal")):
        line = frame[frame.name == title]
        assert line.x.tolist() == kept["characters"]
        assert line.y.tolist() == pytest.approx([statistics.fmean(seeds) for seeds in kept["losses"][key]])
        assert line["min"].tolist() == pytest.approx([min(seeds) for seeds in kept["losses"][key]])
        assert line["max"].tolist() == pytest.approx([max(seeds) for seeds in kept["losses"][key]])


def test_what_is_said_is_counted_from_the_losses(kept):
    facts, (table, waves) = by_amount().facts, (kept["losses"][key] for key in ("learned", "sinusoidal"))
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
    facts = by_amount().facts
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
