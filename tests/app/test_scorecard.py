"""The tables of the scorecard and of the gallery: every encoding, by what is measured and by what training brought."""

import json
import math

import pytest

from pe_core.chapters.gallery import trained
from pe_core.chapters.scorecard import MARKS, ordered, ranking
from pe_core.encodings import ENCODINGS
from pe_core.lab.results.gallery import KEPT, read
from pe_core.measures.criteria import CRITERIA
from tests.app.opened import checked, followed, frames, opened, said
from tests.app.test_page_texts import all_of
from tests.app.walking import sound
from tests.cases import each

PAGE = "scorecard"


def marked(key):
    """The name of an encoding behind the mark of what became of it in training."""
    return f"{MARKS[trained()[key].verdict]} {ENCODINGS[key].title}"


def row_of(at, key):
    """The row of the table that is about an encoding."""
    table = at.dataframe[0].value
    return table[table.Encoding.str.removeprefix("▶ ") == marked(key)].iloc[0]


def test_a_picture_that_was_shown_has_the_spec_that_it_had():
    """Streamlit writes into the spec that it is given; the page opens with this picture."""
    before = json.dumps(ranking("global_order", "alibi", 64, 4, 64).spec)
    opened(PAGE)
    assert json.dumps(ranking("global_order", "alibi", 64, 4, 64).spec) == before


@each(
    ("key", "name", "words"),
    [
        ("alibi", "global_order", f"**ALiBi has −1**: rank 1 of {len(ENCODINGS) - 1}, which 6 encodings share."),
        ("none", "global_order", "This criterion does not apply to **None (NoPE)**."),
        ("learned", "parameters", "**Learned table has 32,768**: rank"),
    ],
)
def test_a_cell_is_named_below_the_table(key, name, words):
    at = checked(opened(PAGE, scorecard_encoding=key, criterion=name), 1)
    assert words in said(at)
    assert f"**{CRITERIA[name].title}.** {CRITERIA[name].summary}" in said(at)
    shown = at.dataframe[0]
    assert shown.value.Encoding[shown.value.Encoding.str.startswith("▶")].to_list() == [f"▶ {marked(key)}"]
    assert list(shown.proto.column_order)[:2] == ["Encoding", CRITERIA[name].title]
    bars = frames(at)[0]["bars"]
    assert len(bars) == at.dataframe[0].value[CRITERIA[name].title].notna().sum()
    applies = "does not apply" not in words
    assert bars[bars.chosen].name.to_list() == ([ENCODINGS[key].title] if applies else [])


def test_the_table_has_a_row_for_every_encoding():
    at = opened(PAGE)
    table = at.dataframe[0].value
    names = table.Encoding.str.removeprefix("▶ ")
    assert names.to_list() == [marked(key) for key in ordered("global_order")]
    assert dict(zip(table.Trained, names.str[0], strict=True)) == {"holds": "✓", "degrades": "~", "breaks": "✗"}
    alibi, none = row_of(at, "alibi"), row_of(at, "none")
    assert alibi[CRITERIA["global_order"].title] == -1
    assert row_of(at, "rope")["Trained: loss ratio"] == trained()["rope"].mean
    assert math.isnan(none[CRITERIA["global_order"].title])
    shown = json.loads(at.dataframe[0].proto.columns)
    assert [name for name, column in shown.items() if column.get("pinned")] == ["Encoding"]
    assert shown["Encoding"]["width"] <= 0.6 * (390 - 32)  # of a telephone
    assert shown[CRITERIA["reach"].title]["label"] == "↑ Defined past training"
    assert "Encodings are built for a width of 64, 4 heads and a training length of 64;" in said(at)


def test_all_numbers_of_the_gallery_can_be_sorted():
    gallery = read(KEPT)
    common = sorted(set.intersection(*map(set, gallery.runs.values())))  # the seeds of all encodings are ranked
    at = sound(followed("gallery?gal_look=All numbers&gal_multiple=4&gal_measure=whole"))
    assert f"All {len(ENCODINGS)} are compared over the same {len(common)} seeds." in all_of(at)
    assert f"torch {gallery.versions['torch']}" in all_of(at)
    table = at.dataframe[0].value
    assert len(table) == len(ENCODINGS)
    rope = table.set_index("Encoding").loc["RoPE"]
    losses = [gallery.runs["rope"][seed].lengths for seed in common]
    start, end = (sum(one[place].loss for one in losses) / len(losses) for place in (0, 3))
    assert rope["Bits more"] == pytest.approx((end - start) / math.log(2), abs=5e-4)
    assert rope["Bits more from"] <= rope["Bits more"] <= rope["Bits more to"]
    assert rope["Loss at 256"] == pytest.approx(end, abs=5e-4)
    assert rope["n"] == len(losses)
    assert rope["Parameters"] == gallery.runs["rope"][0].n_parameters
    assert rope["Minimum"] <= rope["Ratio"] <= rope["Maximum"]
