"""The pictures of the listings: a listing, what is right, and the difference of the two."""

import pytest

from pe_core.chapters import mend
from pe_core.quiz import own_table
from pe_core.quiz.mending import LISTINGS
from tests.cases import each

NUMBERS = [round(value, 3) for value in own_table.rope(100, 1).flatten().tolist()]
BIASES = own_table.biases(4).flatten().tolist()
PICTURES = {
    mend.table: ({"listing": "rope_halves", "side": "wrong"}, {"listing": "rope_power", "side": "right"}),
    mend.own_rope: ({"numbers": NUMBERS, "base": 100, "seed": 1}, {"numbers": NUMBERS[::-1], "base": 10, "seed": 2}),
    mend.own_alibi: ({"numbers": BIASES, "n_heads": 4}, {"numbers": BIASES[::-1], "n_heads": 4}),
}


@each("listing", LISTINGS)
def test_the_difference_is_the_listing_less_what_is_right(listing):
    drawn = {side: mend.table(listing, side) for side in ("wrong", "right", "difference")}
    wrong, right, difference = (figure.tables()["table"] for figure in drawn.values())
    numbers = difference.columns[1:]
    assert ((wrong[numbers] - right[numbers] - difference[numbers]).abs().max() < 1e-4).all()
    facts = drawn["difference"].facts
    assert facts["differ"] == int((difference[numbers].abs() > mend.VISIBLE).to_numpy().sum())
    assert 0 < facts["differ"] < facts["count"] == wrong[numbers].size
    row, column = facts["row"], facts["column"]
    assert facts["first-wrong"] == pytest.approx(wrong.iloc[row, column + 1], abs=1e-6)
    assert facts["first-right"] == pytest.approx(right.iloc[row, column + 1], abs=1e-6)
    assert facts["first-wrong"] != facts["first-right"]


def test_a_guess_is_judged_and_the_vectors_can_be_copied():
    (right, wrong) = (mend.judged("alibi_sign", line) for line in (5, 4))
    assert (right["found"], right["line"], right["mended"]) == ("line-right", 5, "bias = -slope * (query - key)")
    assert (wrong["found"], wrong["guess"], wrong["line"]) == ("line-wrong", 4, 5)
    assert eval(mend.vectors(5)) == own_table.to_turn(5).tolist()


def ends_and_title(figure):
    """The ends of the colours, and what they are called; an image has them in a layer of their own."""
    layers = figure.spec.get("layer", [figure.spec])
    colour = next(layer["encoding"]["color"] for layer in layers if "color" in layer["encoding"])
    return colour["scale"]["domain"], colour["title"]


@each("listing", LISTINGS)
def test_colours_reach_to_the_largest_difference(listing):
    (low, high), title = ends_and_title(mend.table(listing, "difference"))
    assert -low == high >= mend.table(listing, "difference").facts["max"]
    assert title == "Listing minus right"
    assert ends_and_title(mend.table(listing, "wrong")) == ends_and_title(mend.table(listing, "right"))
