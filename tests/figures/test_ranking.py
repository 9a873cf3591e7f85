"""Rows from the best to the worst: bars, dots with the range of the seeds, and the order of a paper beside ours."""

import pytest

from pe_core.figures.ranking import families, orders, ranking, ratios
from pe_core.lab.results.gallery import next_apart, standings
from pe_core.lab.results.papers import TABLES, compare
from tests.cases import each
from tests.lab.galleries import made, rising

TITLE = ("share", "more is better")
VALUES = {"a": 1.0, "b": -2.5, "c": 1.0}
FAMILY_OF = {"a": "bias", "b": "rotary", "c": "none"}


@each(("descending", "names"), [(True, ["a", "c", "b"]), (False, ["b", "a", "c"])])
def test_bars_stand_in_order_equal_ones_as_they_came_and_the_chosen_one_is_marked(descending, names):
    bars = ranking(VALUES, FAMILY_OF, TITLE, chosen="c", descending=descending).frames["bars"]
    assert bars.name.to_list() == names
    assert bars.place.to_list() == [0, 1, 2]
    assert bars.family.to_list() == [FAMILY_OF[name] for name in names]
    assert dict(zip(bars.name, bars.chosen, strict=True)) == {"a": False, "b": False, "c": True}
    assert dict(zip(bars.name, bars.label, strict=True)).items() >= {"b": "b   −2.5", "c": "▶ c   1"}.items()
    assert not ranking(VALUES, FAMILY_OF, TITLE, chosen="none", descending=descending).frames["bars"].chosen.any()


def test_the_legend_names_the_families_that_have_a_bar_in_their_order_and_colours():
    def scale(values):
        figure = ranking(values, FAMILY_OF, TITLE, chosen="a", descending=True)
        return figure.spec["encoding"]["color"]["scale"]

    whole, part = scale(VALUES), scale({"b": 1.0, "a": 2.0})
    assert (whole["domain"], part["domain"]) == (["none", "bias", "rotary"], ["bias", "rotary"])
    assert part["range"] == whole["range"][1:]


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


def test_each_side_has_its_order_and_a_long_name_a_line_for_each_word():
    found = compare(TABLES["press_512"], GALLERY, 3)
    ranks = orders(found, ["Sinusoidal waves", "RoPE", "T5", "ALiBi"]).frames["ranks"]
    named = {side: list(rows.sort_values("rank").name) for side, rows in ranks.groupby("side")}
    assert named["paper"] == named["here"] == ["ALiBi", "T5", "RoPE", "Sinusoidal waves"]
    assert set(ranks.label[ranks.side == "paper"]) >= {"Sinusoidal\nwaves\n3.8", "ALiBi\n0.939"}


def test_dots_that_are_near_are_stacked_and_names_stand_above_them():
    found = standings(GALLERY, 3)
    figure = families(found, (0.9, 30.0), ["rope"])  # so long an axis that all are near
    dots, labels = (figure.frames[name].set_index("name") for name in ("dots", "labels"))
    biases = dots[dots.group == "bias"].level
    assert sorted(biases - biases.min()) == [0, 1]
    assert labels.index.to_list() == ["RoPE"]
    assert set(figure.frames["families"]["head"]) == {"None\n(NoPE)", "absolute", "bias", "rotary"}
    assert labels.level["RoPE"] > dots.level["RoPE"]
    assert labels.level["RoPE"] < dots[dots.group == "bias"].level.min()
    apart = families(found, (0.9, 2.0), []).frames
    assert apart["labels"].empty
    assert len(set(zip(apart["dots"].group, apart["dots"]["level"], strict=True))) == apart["dots"].group.nunique()
