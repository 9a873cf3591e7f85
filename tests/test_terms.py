"""The glossary for readers: parsed, unique, short, and in agreement with the words of docs/glossary.md."""

import re
from pathlib import Path

from ui.widgets.terms import terms

DOCS = (Path(__file__).parents[1] / "docs" / "glossary.md").read_text(encoding="utf-8")
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
