"""What every chapter says first is short and easy to read."""

import pytest

from pe_core.chapters.course import COURSE
from tests.cases import each
from tests.verification.readability import NO_PAGES, grade, looks, measured, plain, sentences, syllables, table, words
from ui.widgets.prose import CONTENT, sections

MAX_GRADE, MAX_LOOK = 9, 60
PAGES = sorted({path.stem for path in (CONTENT / "en").glob("*.md")} - NO_PAGES)
SYLLABLES = {"cat": 1, "table": 2, "position": 3, "encoding": 3, "turned": 1, "rotated": 3, "waves": 1, "phases": 2}


@each("page", PAGES)
def test_the_intro_can_be_read_after_nine_years_of_school(page):
    assert grade(sections(page)["intro"]) <= MAX_GRADE


@each("page", PAGES)
def test_what_to_look_for_is_short(page):
    counts = looks(sections(page))
    assert {name: count for name, count in counts.items() if count > MAX_LOOK} == {}
    assert "look" in counts or page not in COURSE


@each("page", COURSE)
@each("section", ["so-far", "take-home", "next"])
def test_a_chapter_says_where_it_stands_in_a_few_words(page, section):
    text = sections(page)[section]
    assert 3 <= len(words(text)) <= 25
    assert len(sentences(text)) <= 2
    assert "[[" not in text  # it stands outside of what controls change


@each(("word", "count"), SYLLABLES.items())
def test_syllables_of_known_words(word, count):
    assert syllables(word) == count


def test_the_grade_is_that_of_a_case_by_hand():
    """Two sentences of 4 and 2 words with 10 syllables in all."""
    text = "Move the **slider** [now](page). Positions matter."
    assert words(plain(text)) == ["Move", "the", "slider", "now", "Positions", "matter"]
    assert len(sentences(plain(text))) == 2
    assert grade(text) == pytest.approx(0.39 * 3 + 11.8 * 10 / 6 - 15.59)


def test_the_table_of_a_folder_has_its_pages_and_means(tmp_path):
    (tmp_path / "a.md").write_text("## intro\nCats sit. Cats run.\n\n## look\nSee one.\n\n## look-far\nSee far off.\n")
    (tmp_path / "b.md").write_text("## intro\nWaves move on.\n")
    rows = list(measured(tmp_path))
    assert rows == [("a", pytest.approx(0.39 * 2 + 11.8 - 15.59), 2, 3, 9), ("b", pytest.approx(-2.62), None, None, 3)]
    assert table(rows).splitlines()[2:] == [
        "| a | -3.0 | 2 | 3 | 9 |",
        "| b | -2.6 | – | – | 3 |",
        "| **mean** | -2.8 | 2.0 | 3.0 | 6.0 |",
    ]
