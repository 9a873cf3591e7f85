"""The requirements: pictures that fail and meet, sentences that say so, and the table of verdicts."""

import pytest

from pe_core.chapters import requirements as chapter
from pe_core.measures.requirements import REQUIREMENTS
from tests.cases import each

PICTURES = {  # arguments by default, and other ones
    draw: tuple({"requirement": key} for key in [*REQUIREMENTS][::3]) for draw in (chapter.failing, chapter.meeting)
}
NEW_SPEC = {(draw, "requirement") for draw in PICTURES}  # axes and names are those of the requirement
MISSED = {  # of the seven, in their order: what is not met, or cannot be judged
    "none": ["own", "near", "order"],
    "integer": ["bounded", "offset", "longer"],
    "normalised": ["offset", "longer"],
    "binary": ["offset", "near", "longer"],
    "sinusoidal": ["longer"],
    "learned": ["bounded", "offset", "near", "order", "longer", "cheap"],
    "rope": ["longer"],
    "alibi": ["bounded"],
}


@each("key", REQUIREMENTS)
def test_of_each_requirement_and_no_other_one_example_fails_and_the_other_meets(key):
    """The fact says so by its name, which follows from the number."""
    assert "fails-name" in chapter.failing(key).facts
    assert "meets-name" in chapter.meeting(key).facts
    with pytest.raises(ValueError, match="requirement must be one of own, bounded"):
        chapter.failing("pretty")


@each("encoding", chapter.COMPARED)
def test_verdicts_of_the_compared_encodings(encoding):
    assert [key for key in REQUIREMENTS if not chapter.verdict(key, encoding)] == MISSED[encoding]


def test_a_table_has_no_bound_to_judge_and_equal_codes_no_neighbours():
    assert chapter.verdict("bounded", "learned") is None
    assert chapter.verdict("near", "none") is None
    assert chapter.told("bounded")["unjudged-section"] == "unjudged"
    assert chapter.told("own")["unjudged-section"] == ""


def test_the_table_has_a_mark_and_a_number_in_each_cell():
    rows = {row["Requirement"]: row for row in chapter.table()}
    assert list(rows) == [one.title for one in REQUIREMENTS.values()]
    bounded = rows[REQUIREMENTS["bounded"].title]
    assert (bounded["Integer index"], bounded["Learned table"], bounded["Sinusoidal"]) == ("✗ 1", "–", "✓ 0")


def test_nobody_meets_all_and_three_miss_one():
    """The text says so, too, in the words to take home."""
    assert all(any(not chapter.verdict(key, encoding) for key in REQUIREMENTS) for encoding in chapter.COMPARED)
    right, facts = chapter.how_many_miss_one(3)
    assert right
    assert facts == {"count": 3, "names": "Sinusoidal (longer texts); RoPE (longer texts); ALiBi (bounded)"}
    assert not chapter.how_many_miss_one(0)[0]


def test_what_the_sentences_say_of_the_pictures():
    few, enough = (picture("own").frames["lines"] for picture in (chapter.failing, chapter.meeting))
    assert list(few[few.y == 0].x) == [3, 19]
    assert list(enough[enough.y == 0].x) == [3]
    assert float(chapter.meeting("own").facts["meets-value"]) == pytest.approx(3**-0.5, abs=5e-4)
    steps = chapter.failing("near").frames["lines"]
    assert steps.x[steps.y.idxmax()] == 31
    assert steps.y.max() > 1
