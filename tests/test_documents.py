"""Documents name what is there: pages and sections of docs/teaching.md, and terms as both glossaries have them."""

import re
from pathlib import Path

from tests.cases import each
from ui.widgets.prose import sections
from ui.widgets.sidebar import terms

ROOT = Path(__file__).parents[1]
LINE = re.compile(r"^\| .+ \| `(\w+)` \| `(.+)` \|$", re.MULTILINE)
TABLES = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
PLACES = LINE.findall(TABLES)


def test_every_line_of_the_tables_names_a_place():
    lines = [line for line in TABLES.splitlines() if line.startswith("| ") and not line.startswith("| Point")]
    assert len(lines) == len(PLACES) == len(set(PLACES)) > 70


@each("page", sorted({page for page, _ in PLACES}))
def test_every_page_and_section_that_is_named_exists(page):
    assert (ROOT / "pages" / f"{page}.py").exists()
    known = sections(page)
    assert [section for other, section in PLACES if other == page and not known.get(section)] == []


DOCS = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in DOCS.splitlines() if line.startswith("| ")][
    1:
]
MAX_WORDS, MIN_TERMS = 30, 36


def test_every_term_is_short_and_stands_once():
    found = terms()
    assert len(found) >= MIN_TERMS
    assert list(found) == sorted(found, key=str.lower)
    for name, meaning in found.items():
        assert 3 < len(meaning.split()) <= MAX_WORDS, name
        assert meaning.endswith("."), name
        assert len(re.findall(r"[.?!](?: |$)", meaning)) <= 2, name


def test_words_of_both_glossaries_mean_the_same():
    meanings = {name: meaning.lower() for name, meaning in terms().items()}
    shared = 0
    for words, meaning, *_ in ROWS:
        for word in re.sub("`[^`]*`", "", words).split(", "):
            if word.strip() in meanings:
                shared += 1
                first = re.split(r"[.;] ", meaning)[0].lower().rstrip(".")
                assert first in meanings[word.strip()], word
    assert shared >= 9


def test_no_meaning_has_a_word_that_was_replaced():
    replaced = {word.strip() for *_, last in ROWS if len(_) == 2 for word in last.split(",") if "`" not in word}
    assert len(replaced) > 10
    for name, meaning in terms().items():
        for word in replaced - {""}:
            if word.startswith("a "):
                continue  # fine before many words, which tests/test_words.py knows
            assert not re.search(rf"\b{re.escape(word)}\b", f"{name}: {meaning}"), (name, word)
