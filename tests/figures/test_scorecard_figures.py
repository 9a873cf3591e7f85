import pytest

from pe_core.figures.scorecard import ranking

VALUES = {"a": 1.0, "b": -2.5, "c": 1.0}
FAMILY_OF = {"a": "bias", "b": "rotary", "c": "none"}


@pytest.mark.parametrize(("descending", "names"), [(True, ["a", "c", "b"]), (False, ["b", "a", "c"])])
def test_bars_stand_in_order_and_equal_ones_as_they_came(descending, names):
    bars = ranking(VALUES, FAMILY_OF, descending=descending).frames["bars"]
    assert bars.name.to_list() == names
    assert bars.place.to_list() == [0, 1, 2]
    assert bars.family.to_list() == [FAMILY_OF[name] for name in names]
    assert bars.set_index("name").label["b"] == "b   −2.5"


def test_the_spec_stays_the_same():
    assert ranking(VALUES, FAMILY_OF, descending=True).spec is ranking({"a": 0.0}, FAMILY_OF, descending=False).spec
