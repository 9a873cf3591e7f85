"""How hard a text is to read: words, sentences, and the grade of Flesch and Kincaid.

Kincaid et al. 1975, "Derivation of new readability formulas", gave the formula. Syllables are counted by a rule, groups
of vowels but for a silent e, which is off by one now and then and right on average.

`python -m tests.readability FOLDER` prints the figures of every text of a folder, `content/en` if none is named.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from ui.widgets.prose import CONTENT, parts

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


def row(name: str, text: Mapping[str, str]) -> str:
    """Return the line of a table: a page, grade of its intro, words of its looks and of the longest one, all words.

    `text` is the page's, by section. Looks are the sections "look", or "look-" and what they are for.
    """
    looks = [len(words(plain(one))) for key, one in text.items() if key.split("-")[0] == "look"]
    intro = f"{grade(text['intro']):.1f}" if text.get("intro") else "–"
    whole = sum(len(words(plain(one))) for one in text.values())
    return f"| {name} | {intro} | {sum(looks) or '–'} | {max(looks, default='–')} | {whole:,} |"


def main(folder: Path) -> None:
    """Print the table of a folder of texts."""
    print("| Page | Grade of the intro | Words of all looks | Longest look | Words in all |\n|---|---|---|---|---|")
    for path in sorted(folder.glob("*.md")):
        print(row(path.stem, parts(path.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CONTENT / "en")
