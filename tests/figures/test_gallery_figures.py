"""The figures of the gallery: their frames are the numbers, their specs stay, and they can be drawn."""

import re

import pytest

from pe_core.figures.gallery import by_length, ranking
from pe_core.figures.paper_orders import orders
from pe_core.lab.results.gallery import next_apart, repaired, standings
from pe_core.lab.results.papers import TABLES, compare
from tests.lab.galleries import LENGTHS, made, rising

GALLERY = made(
    {
        "none": {0: rising(3.0, 1.0), 1: rising(3.0, 1.0)},
        "sinusoidal": {0: rising(1.7, 2.0), 1: rising(1.7, 1.8)},
        "rope": {0: rising(1.5, 1.0, 1.3), 1: rising(1.5, 1.2, 1.6)},
        "t5": {0: rising(1.6, 1.1)},
        "alibi": {0: rising(1.8, 1.0), 1: rising(1.8, 0.9)},
    },
    {"rope": {0: {"pi": rising(1.5, 2.0)}, 1: {"pi": rising(1.5, 2.1)}}},
)


def ranked(multiple):
    found = standings(GALLERY, multiple)
    return ranking(found, next_apart(found))


def lengths(*keys):
    losses = {key: [one.losses for one in GALLERY.runs[key].values()] for key in keys}
    return by_length(losses, train_length=64, guess=2.9)


def compared(table, multiple):
    return orders(compare(TABLES[table], GALLERY, multiple), list(TABLES[table].rows))


def test_rows_stand_in_order_with_mean_range_and_sample_size():
    rows = ranked(3).frames["rows"].set_index("name")
    assert rows.index.to_list() == ["ALiBi", "T5 bias", "RoPE", "Sinusoidal", "None (NoPE)"]
    assert rows.place.to_list() == [0, 1, 2, 3, 4]
    rope = rows.loc["RoPE"]
    assert [rope["mean"], rope.least, rope.greatest, rope.n] == pytest.approx([1.45, 1.3, 1.6, 2])
    assert rope.label == "RoPE  1.45  n=2"
    assert rows.label["T5 bias"] == "T5 bias  1.10  n=1"
    assert rows.learned.to_dict()["None (NoPE)"] is False
    assert rows.learned.sum() == 4


def test_a_line_joins_neighbours_that_are_not_told_apart_and_no_others():
    found = standings(GALLERY, 3)
    joined = ranking(found, [False, True, None, None, None]).frames["joined"]
    assert joined.pair.to_list() == [0, 0]
    assert joined.label.to_list() == ["ALiBi  0.95  n=2", "T5 bias  1.10  n=1"]
    assert joined["mean"].to_list() == [one.mean for one in found[:2]]
    assert ranking(found, [True, True, None, None, None]).frames["joined"].empty


def test_lines_are_means_in_the_band_of_the_seeds():
    lines = lengths("rope", "t5").frames["lines"]
    rope = lines[lines.name == "rope (n=2)"]
    assert rope.length.to_list() == list(LENGTHS)
    assert rope["mean"].to_list() == pytest.approx([1.5, 1.65, 2.175, 2.175, 2.175, 2.175])
    assert rope.least.to_list() == pytest.approx([1.5, 1.5, 1.95, 1.95, 1.95, 1.95])
    assert rope.greatest.to_list() == pytest.approx([1.5, 1.8, 2.4, 2.4, 2.4, 2.4])
    alone = lines[lines.n == 1]
    assert alone.least.equals(alone.greatest)
    assert lengths("rope").frames["levels"].level.to_list() == [2.9]


def test_each_side_has_its_order():
    ranks = compared("press_512", 3).frames["ranks"]
    named = {side: list(rows.sort_values("rank").name) for side, rows in ranks.groupby("side")}
    assert named["paper"] == ["alibi", "t5", "rope", "sinusoidal"]
    assert named["here"] == ["alibi", "t5", "rope", "sinusoidal"]
    assert set(ranks.label[ranks.side == "paper"]) >= {"sinusoidal\n3.8", "alibi\n0.939"}


def test_a_long_name_has_a_line_for_each_word_and_one_for_its_number():
    found = compare(TABLES["press_512"], GALLERY, 3)
    ranks = orders(found, ["Sinusoidal waves", "RoPE", "T5", "ALiBi"]).frames["ranks"]
    assert set(ranks.label[ranks.side == "paper"]) >= {"Sinusoidal\nwaves\n3.8", "ALiBi\n0.939"}


def test_the_specs_stay_the_same():
    assert ranked(2).spec is ranked(8).spec
    assert lengths("rope").spec is lengths("t5", "alibi").spec
    assert compared("press_512", 2).spec is compared("press_1024", 8).spec


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (ranked(3), ["holds", "degrades", "breaks", "RoPE  1.45  n=2", "bias", "rotary"]),
        (lengths("rope", "alibi"), ["training length", "guess by frequency", "rope (n=2)", "512"]),
        (compared("press_512", 3), ["paper", "here", "sinusoidal", "3.8"]),
        (ranking(repaired(GALLERY, "rope", 8), [True, None], repairs=True), ["As trained  1.45  n=2", "repaired"]),
    ],
    ids=["ranking", "lengths", "orders", "repairs"],
)
def test_they_are_drawn(figure, words):
    svg = figure.svg()
    assert "NaN" not in svg
    assert [word for word in words if not re.search(f">{re.escape(word)}</t(ext|span)>", svg)] == []
