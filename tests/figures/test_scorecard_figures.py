import pytest

from pe_core.figures.scorecard import ranking

VALUES = {"a": 1.0, "b": -2.5, "c": 1.0}
FAMILY_OF = {"a": "bias", "b": "rotary", "c": "none"}


@pytest.mark.parametrize(("descending", "names"), [(True, ["a", "c", "b"]), (False, ["b", "a", "c"])])
def test_bars_stand_in_order_and_equal_ones_as_they_came(descending, names):
    bars = ranking(VALUES, FAMILY_OF, chosen="a", descending=descending).frames["bars"]
    assert bars.name.to_list() == names
    assert bars.place.to_list() == [0, 1, 2]
    assert bars.family.to_list() == [FAMILY_OF[name] for name in names]
    assert bars.set_index("name").label["b"] == "b   −2.5"


def test_the_spec_stays_the_same():
    assert (
        ranking(VALUES, FAMILY_OF, chosen="a", descending=True).spec
        is ranking({"a": 0.0}, FAMILY_OF, chosen="a", descending=False).spec
    )


def test_the_chosen_bar_is_marked():
    bars = ranking(VALUES, FAMILY_OF, chosen="c", descending=True).frames["bars"].set_index("name")
    assert bars.chosen.to_dict() == {"a": False, "c": True, "b": False}
    assert bars.label["c"] == "▶ c   1"
    assert not ranking(VALUES, FAMILY_OF, chosen="without", descending=True).frames["bars"].chosen.any()


def test_it_is_drawn_with_a_name_at_every_bar():
    many = {f"encoding {place}": float(place) for place in range(32)}
    svg = ranking(many, dict.fromkeys(many, "rotary"), chosen="encoding 3", descending=True).svg(height=90 + 22 * 32)
    assert all(f">{'▶ ' if place == 3 else ''}encoding {place}   {place}</text>" in svg for place in range(32))
    assert ">rotary</text>" in svg
