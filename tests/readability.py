"""How hard a text is to read: words, sentences, and the grade of Flesch and Kincaid.

Kincaid et al. 1975, "Derivation of new readability formulas", gave the formula. Syllables are counted by a rule, groups
of vowels but for a silent e, which is off by one now and then and right on average.
"""

import re

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
