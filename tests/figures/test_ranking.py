"""Rows from the best to the worst: bars, and dots with the range of the seeds."""

import re

import pytest

from pe_core.figures.ranking import families, ranking, ratios
from pe_core.lab.results.gallery import next_apart, repaired, standings
from tests.cases import each
from tests.lab.galleries import made, rising

TITLE = ("share", "more is better")
VALUES = {"a": 1.0, "b": -2.5, "c": 1.0}
FAMILY_OF = {"a": "bias", "b": "rotary", "c": "none"}


@pytest.mark.parametrize(("descending", "names"), [(True, ["a", "c", "b"]), (False, ["b", "a", "c"])])
def test_bars_stand_in_order_and_equal_ones_as_they_came(descending, names):
    bars = ranking(VALUES, FAMILY_OF, TITLE, chosen="a", descending=descending).frames["bars"]
    assert bars.name.to_list() == names
    assert bars.place.to_list() == [0, 1, 2]
    assert bars.family.to_list() == [FAMILY_OF[name] for name in names]
    assert bars.set_index("name").label["b"] == "b   −2.5"


def test_the_spec_stays_the_same():
    assert (
        ranking(VALUES, FAMILY_OF, TITLE, chosen="a", descending=True).spec
        is ranking(dict.fromkeys("abc", 0.0), FAMILY_OF, TITLE, chosen="b", descending=False).spec
    )


def test_the_legend_names_the_families_that_have_a_bar_in_their_order_and_colours():
    scale = ranking({"b": 1.0, "a": 2.0}, FAMILY_OF, TITLE, chosen="a", descending=True).spec["encoding"]["color"][
        "scale"
    ]
    whole = ranking(VALUES, FAMILY_OF, TITLE, chosen="a", descending=True).spec["encoding"]["color"]["scale"]
    assert scale["domain"] == ["bias", "rotary"]
    assert scale["range"] == whole["range"][1:]
    assert whole["domain"] == ["none", *scale["domain"]]


@each("width", [320, 400, 900])
@each("values", [(-1.0, 0.21), (-0.3, 0.9), (0.0, 16_384.0), (0.2, 1.0)])
def test_zero_has_a_label_where_all_bars_start(values, width):
    drawn = ranking(dict(zip("ab", values, strict=True)), FAMILY_OF, TITLE, chosen="a", descending=True)
    svg = drawn.svg(width=width)
    seen = re.findall(r'<text text-anchor="middle"[^>]*opacity="1">([^<]+)</text>', svg)
    assert any(label in ("0", "0.0") for label in seen), seen
    assert {"share", "more is better"} <= {*re.findall(r">([^<]+)</t", svg)}


def test_the_chosen_bar_is_marked():
    bars = ranking(VALUES, FAMILY_OF, TITLE, chosen="c", descending=True).frames["bars"].set_index("name")
    assert bars.chosen.to_dict() == {"a": False, "c": True, "b": False}
    assert bars.label["c"] == "▶ c   1"
    assert not ranking(VALUES, FAMILY_OF, TITLE, chosen="without", descending=True).frames["bars"].chosen.any()


def test_it_is_drawn_with_a_name_at_every_bar():
    many = {f"encoding {place}": float(place) for place in range(32)}
    svg = ranking(many, dict.fromkeys(many, "rotary"), TITLE, chosen="encoding 3", descending=True).svg(
        height=90 + 22 * 32
    )
    assert all(f">{'▶ ' if place == 3 else ''}encoding {place}   {place}</text>" in svg for place in range(32))
    assert ">rotary</text>" in svg


GALLERY = made(
    {
        "none": {0: rising(3.0, 1.0), 1: rising(3.0, 1.0)},
        "sinusoidal": {0: rising(1.7, 2.0), 1: rising(1.7, 1.8)},
        "rope": {0: rising(1.5, 1.0, 1.3), 1: rising(1.5, 1.2, 1.6)},
        "t5": {0: rising(1.6, 1.1), 1: rising(1.6, 1.1)},
        "alibi": {0: rising(1.8, 1.0), 1: rising(1.8, 0.9)},
    },
    {"rope": {0: {"pi": rising(1.5, 2.0)}, 1: {"pi": rising(1.5, 2.1)}}},
)


def ranked(multiple):
    found = standings(GALLERY, multiple)
    return ratios(found, next_apart(found))


def test_rows_stand_in_order_with_mean_range_and_sample_size():
    rows = ranked(3).frames["rows"].set_index("name")
    assert rows.index.to_list() == ["ALiBi", "T5 bias", "RoPE", "Sinusoidal", "None (NoPE)"]
    assert rows.place.to_list() == [0, 1, 2, 3, 4]
    rope = rows.loc["RoPE"]
    assert [rope["mean"], rope["min"], rope["max"], rope.n] == pytest.approx([1.45, 1.3, 1.6, 2])
    assert rope.label == "RoPE  1.45  n=2"
    assert rows.label["T5 bias"] == "T5 bias  1.10  n=2"
    assert rows.learned.to_dict()["None (NoPE)"] is False
    assert rows.learned.sum() == 4


def test_a_line_joins_neighbours_that_are_not_told_apart_and_no_others():
    found = standings(GALLERY, 3)
    joined = ratios(found, [False, True, None, None, None]).frames["joined"]
    assert joined.pair.to_list() == [0, 0]
    assert joined.label.to_list() == ["ALiBi  0.95  n=2", "T5 bias  1.10  n=2"]
    assert joined["mean"].to_list() == [one.mean for one in found[:2]]
    assert ratios(found, [True, True, None, None, None]).frames["joined"].empty


def test_the_spec_of_ratios_stays_the_same():
    assert ranked(2).spec is ranked(8).spec


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (ranked(3), ["holds", "degrades", "breaks", "RoPE  1.45  n=2", "bias", "rotary"]),
        (ratios(repaired(GALLERY, "rope", 8), [True, None], repairs=True), ["As trained  1.45  n=2", "repaired"]),
    ],
    ids=["ranking", "repairs"],
)
def test_ratios_are_drawn(figure, words):
    svg = figure.svg()
    assert "NaN" not in svg
    assert [word for word in words if not re.search(f">{re.escape(word)}</t(ext|span)>", svg)] == []


def test_dots_that_are_near_are_stacked_and_names_stand_above_them():
    found = standings(GALLERY, 3)
    figure = families(found, (0.9, 30.0), ["rope"])  # so long an axis that all are near
    dots, labels = (figure.frames[name].set_index("name") for name in ("dots", "labels"))
    biases = dots[dots.group == "bias"].level
    assert sorted(biases - biases.min()) == [0, 1]
    assert labels.index.to_list() == ["RoPE"]
    assert labels.level["RoPE"] > dots.level["RoPE"]
    assert labels.level["RoPE"] < dots[dots.group == "bias"].level.min()
    apart = families(found, (0.9, 2.0), []).frames
    assert apart["labels"].empty
    assert len(set(zip(apart["dots"].group, apart["dots"]["level"], strict=True))) == apart["dots"].group.nunique()


def test_dots_are_drawn_with_families_verdicts_and_names():
    figure = families(standings(GALLERY, 3), (0.9, 2.0), ["rope"])
    svg = figure.svg()
    assert "NaN" not in svg
    words = [str(word) for word in figure.frames["zones"].word]
    assert [word for word in ("RoPE", "bias", "rotary", *words) if f">{word}</text>" not in svg] == []
    assert figure.spec is families(standings(GALLERY, 8), (0.9, 3.0), []).spec
