"""How hard a text is to read: words, sentences, and the grade of Flesch and Kincaid.

Kincaid et al. 1975, "Derivation of new readability formulas", gave the formula. Syllables are counted by a rule, groups
of vowels but for a silent e, which is off by one now and then and right on average.

`python -m tests.verification.readability` prints a table of the texts of all pages; with the name of a folder, of the
texts in it, such as those of an earlier version of `content/en`.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

from ui.widgets.prose import CONTENT, cut

NO_PAGES = {"glossary", "take_away"}  # texts that stand on several pages
HEAD = ("Page", "Grade of the intro", "Words of the look", "Longest look", "Words")

_MARKS = (
    (re.compile(r"\[\[[^\]]*\]\]"), "10"),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"[*`_#]"), ""),
)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'.,-]*")
_VOWELS = re.compile(r"[aeiouy]+")


def plain(markdown: str) -> str:
    """Return the text without marks, with a number in place of each placeholder."""
    for found, instead in _MARKS:
        markdown = found.sub(instead, markdown)
    return " ".join(markdown.split())


def words(text: str) -> list[str]:
    """Return the words and numbers of a text."""
    return [word.rstrip(".,'-") for word in _WORD.findall(text)]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; a colon within one does not end it."""
    return [part for part in re.split(r"(?<=[.!?])\s+", text) if _WORD.search(part)]


def syllables(word: str) -> int:
    """Return how many syllables a word has, at least 1; a number counts as one."""
    letters = re.sub("[^a-z]", "", word.lower())
    count = len(_VOWELS.findall(letters))
    silent = letters.endswith("e") and not letters.endswith(("le", "ee", "ye")) and count > 1
    silent_past = letters.endswith("ed") and not letters.endswith(("ted", "ded")) and count > 1
    silent_plural = re.search(r"[^aeiouyszxgch]es$", letters) is not None and count > 1
    return max(1, count - (silent or silent_past or silent_plural))


def grade(markdown: str) -> float:
    """Return the Flesch-Kincaid grade of a text, in years of school."""
    text = plain(markdown)
    said = words(text)
    return 0.39 * len(said) / len(sentences(text)) + 11.8 * sum(map(syllables, said)) / len(said) - 15.59


def looks(text: Mapping[str, str]) -> dict[str, int]:
    """Return how many words each section of a page's text has that says what to look for: `look` and `look-...`."""
    return {name: len(words(plain(said))) for name, said in text.items() if name.split("-")[0] == "look"}


def measured(folder: Path) -> Iterator[tuple[str, float, int | None, int | None, int]]:
    """Yield for each page's text in a folder what `HEAD` names; None where nothing says what to look for.

    The words are those of all sections, of which a page shows those that fit what its controls say.
    """
    for path in sorted(folder.glob("*.md")):
        if path.stem in NO_PAGES:
            continue
        text = cut(path.read_text(encoding="utf-8"))
        counts = looks(text)
        every = sum(len(words(plain(said))) for said in text.values())
        yield path.stem, grade(text["intro"]), counts.get("look"), max(counts.values(), default=None), every


def table(rows: Sequence[tuple[str, float, int | None, int | None, int]]) -> str:
    """Return such rows as a table in Markdown, with the means of all columns at its end."""
    columns = [[number for number in column if number is not None] for column in list(zip(*rows, strict=True))[1:]]
    means = [f"{mean(column):,.1f}" for column in columns]
    cells = [
        (page, f"{its_grade:.1f}", *("–" if count is None else f"{count:,}" for count in counts))
        for page, its_grade, *counts in rows
    ]
    lines = [HEAD, ("---", *["---:"] * (len(HEAD) - 1)), *cells, ("**mean**", *means)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(table(list(measured(Path(sys.argv[1]) if len(sys.argv) > 1 else CONTENT / "en"))))
