"""The order of a paper beside ours: each side in its order, constant specs, drawn files."""

import re

from pe_core.figures.ranking import orders
from pe_core.lab.results.papers import TABLES, compare
from tests.lab.galleries import made, rising

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


def compared(table, multiple):
    return orders(compare(TABLES[table], GALLERY, multiple), list(TABLES[table].rows))


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


def test_the_spec_stays_and_the_names_are_drawn():
    figure = compared("press_512", 3)
    assert compared("press_512", 2).spec is figure.spec
    svg = figure.svg()
    assert "NaN" not in svg
    for word in ("paper", "here", "sinusoidal", "3.8"):
        assert re.search(f">{re.escape(word)}</t(ext|span)>", svg)
