"""What every chapter says first is short and easy to read: words, sentences, and the grade of Flesch and Kincaid.

Kincaid et al. 1975, "Derivation of new readability formulas", gave the formula. Syllables are counted by a rule, groups
of vowels but for a silent e, which is off by one now and then and right on average.
"""

import re

import pytest

from pe_core.chapters.course import COURSE
from tests.cases import each
from ui.widgets.prose import CONTENT, sections

NO_PAGES = {"glossary", "take_away"}  # texts that stand on several pages
MAX_GRADE, MAX_LOOK = 9, 60
PAGES = sorted({path.stem for path in (CONTENT / "en").glob("*.md")} - NO_PAGES)
SYLLABLES = {"cat": 1, "table": 2, "position": 3, "encoding": 3, "turned": 1, "rotated": 3, "waves": 1, "phases": 2}
MARKS = (
    (re.compile(r"\[\[[^\]]*\]\]"), "10"),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"[*`_#]"), ""),
)
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'.,-]*")
VOWELS = re.compile(r"[aeiouy]+")


def plain(markdown: str) -> str:
    """Return the text without marks, with a number in place of each placeholder."""
    for found, instead in MARKS:
        markdown = found.sub(instead, markdown)
    return " ".join(markdown.split())


def words(text: str) -> list[str]:
    """Return the words and numbers of a text."""
    return [word.rstrip(".,'-") for word in WORD.findall(text)]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; a colon within one does not end it."""
    return [part for part in re.split(r"(?<=[.!?])\s+", text) if WORD.search(part)]


def syllables(word: str) -> int:
    """Return how many syllables a word has, at least 1; a number counts as one."""
    letters = re.sub("[^a-z]", "", word.lower())
    count = len(VOWELS.findall(letters))
    silent = letters.endswith("e") and not letters.endswith(("le", "ee", "ye")) and count > 1
    silent_past = letters.endswith("ed") and not letters.endswith(("ted", "ded")) and count > 1
    silent_plural = re.search(r"[^aeiouyszxgch]es$", letters) is not None and count > 1
    return max(1, count - (silent or silent_past or silent_plural))


def grade(markdown: str) -> float:
    """Return the Flesch-Kincaid grade of a text, in years of school."""
    text = plain(markdown)
    said = words(text)
    return 0.39 * len(said) / len(sentences(text)) + 11.8 * sum(map(syllables, said)) / len(said) - 15.59


def looks(text: dict[str, str]) -> dict[str, int]:
    """Return how many words each section of a page's text has that says what to look for: `look` and `look-...`."""
    return {name: len(words(plain(said))) for name, said in text.items() if name.split("-")[0] == "look"}


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
