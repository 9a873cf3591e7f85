"""A catalogue of words: what the code says in English, and how another language says it.

The code says everything in English, and composes sentences as it needs them: f"be from {low} to {high}". A catalogue
holds such a sentence by its form, "be from {} to {}", and finds it by that once it is composed. So what computes
neither knows of languages nor carries marks for them: a page and the command line translate what they show. The files
are those of gettext, `content/<language>/words/*.po`.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter

from pe_core.wrapping import joined

_INSTALLED = Path(__file__).with_name("content")  # in an installed package; in a checkout it stands beside the package
CONTENT = _INSTALLED if _INSTALLED.exists() else Path(__file__).parents[1] / "content"
ENGLISH = "en"
# A folder each, whose file `name` holds what the language calls itself; English first.
LANGUAGES = {
    path.parent.name: path.read_text(encoding="utf-8").strip()
    for path in sorted(CONTENT.glob("*/name"), key=lambda path: (path.parent.name != ENGLISH, path))
}
Say = Callable[[str], str]  # from an English text to the same in another language
GAP = "{}"  # in a form: what differs each time
ROW = "| "  # begins the rows of a Markdown table
CLAUSE = "; "
ENTRIES = (CLAUSE, " · ", "\n")  # between parts that are phrases
LISTS = (", ", " + ", ": ", " < ", " and ")  # between names
# A name and its number, or two numbers.
_NUMBERED = re.compile(r"(.*?[^\d\s→×].*?)( +[×→+−-]? ?(?:\(?n=)?[\d.,∞]+\S*(?: [KG]iB| to [−-]?[\d.,]+)?)")
_NUMBER = r"[−+]?[\d./]+(?:,\d+)*"
# A list of what is the same in every language: numbers, or addresses. Coordinates stand in brackets, and stay.
_SAME = rf"(?:{_NUMBER}|<https://[^<>\s]+>)"
_SAME_LIST = re.compile(rf"{_SAME}(?:, {_SAME})+")
_TYPED_LIST = re.compile(rf"\S+ {_NUMBER}(?:, \S+ {_NUMBER})+")  # words of a visitor, each with its number
_RANGE = re.compile(r"(\S*\d\S*)( to )(\S*\d\S*)")  # from a number to another one
_IN_QUOTES = re.compile(r"(?<!\w)'[^']*'")
_VALUE = re.compile(r'"[^"]*"')  # a text of a file, as JSON has it
_WORD = re.compile(r"[^\W\d_]+")
MARKS = " \n▶"  # before and behind a text, and no part of it
FEW = 4  # words: what is longer, and unknown, is no name
MAX_NAME = 120  # characters of a name with its number, or of a range
MAX_SENTENCE = 1200  # characters of a sentence; what is longer is a text of a visitor
MAX_CLAUSES = 6000  # characters of many clauses, as on a model of many parts
MAX_KNOWN = 4096  # sentences whose translation is remembered, of each language


class Form:
    """A sentence with gaps; in the translation `{}` is the next gap, `{1}` the second one, `{:s}` one left English."""

    def __init__(self, english: str, translated: str) -> None:
        pieces = english.split(GAP)
        self._said = list(_parts_of(translated))
        self.longest = max(pieces, key=len)
        self.n_literal = sum(map(len, pieces))
        self.n_words = len(" ".join(pieces).split())
        self.pieces = pieces

    def whole_words(self) -> list[str]:
        """Return the words that every sentence of this form has as words: those that no gap may go on with."""
        found, last = [], len(self.pieces) - 1
        for place, piece in enumerate(self.pieces):
            for word in _WORD.finditer(piece):
                if (word.start() or place == 0) and (word.end() < len(piece) or place == last):
                    found.append(word[0])
        return found

    def filled(self, gaps: Sequence[str], say: Say) -> str:
        """Return the translation with what stands in the gaps, which `say` translates."""
        parts = []
        for literal, place, stays in self._said:
            parts.append(literal)
            if place is not None:
                parts.append(gaps[place] if stays else say(gaps[place]))
        return joined(parts)

    def gaps(self, sentence: str) -> tuple[str, ...] | None:
        """Return what stands in the gaps, None if the sentence has another form.

        A gap is as short as it can be; where that leaves a parenthesis open, as long as it can be.
        """
        if self.longest not in sentence:
            return None
        for between in (_shortest, _longest):
            found = between(self.pieces, sentence)
            if found is None or all(map(_is_closed, found)):
                return found
        return None


def _parts_of(translated: str) -> Iterator[tuple[str, int | None, bool]]:
    """Yield the words of a translation, each with the place of the gap after it, and whether that stays English."""
    place = 0
    for words, name, stays, _ in Formatter().parse(translated):
        yield words, None if name is None else int(name or place), bool(stays)
        place += name == ""


# A pattern of `re` tries every way to share a text out among many gaps: one label took 30 s. A search needs one walk.
def _shortest(pieces: list[str], sentence: str) -> tuple[str, ...] | None:
    """Return what stands between the pieces of a sentence, the first gap as short as it can be, then the second."""
    first, *middle, last = pieces
    end = len(sentence) - len(last)
    if not (sentence.startswith(first) and sentence.endswith(last)) or end < len(first):
        return None
    found, at = [], len(first)
    for piece in middle:
        next_one = sentence.find(piece, at, end)
        if next_one < 0:
            return None
        found.append(sentence[at:next_one])
        at = next_one + len(piece)
    return (*found, sentence[at:end])


def _longest(pieces: list[str], sentence: str) -> tuple[str, ...] | None:
    """Return what stands between the pieces of a sentence, the first gap as long as it can be, then the second."""
    found = _shortest([piece[::-1] for piece in reversed(pieces)], sentence[::-1])
    return found and tuple(gap[::-1] for gap in reversed(found))


def _is_closed(text: str) -> bool:
    """Return whether every parenthesis of a text is opened before it is closed, and closed; those in quotes aside."""
    depth = 0
    for sign in _IN_QUOTES.sub("", text):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


class Index:
    """Forms by a word that a sentence must have to be of a form: few of a thousand are then compared with it."""

    def __init__(self, forms: Iterable[Form]) -> None:
        """Take the forms, those that say most first."""
        placed = list(enumerate(forms))
        how_often = Counter(word for _, form in placed for word in form.whole_words())
        self._by_word: dict[str, list[tuple[int, Form]]] = {}
        for place, form in placed:
            # "" is the word of those without one, which may be any sentence.
            rarest = min(form.whole_words(), key=how_often.__getitem__, default="")
            self._by_word.setdefault(rarest, []).append((place, form))

    def of(self, sentence: str) -> list[Form]:
        """Return the forms that a sentence may have, those that say most first."""
        words = {"", *_WORD.findall(sentence)}
        return [form for _, form in sorted(one for word in words for one in self._by_word.get(word, ()))]


class Catalogue:
    """The words of a language by their English ones; what it does not know stays English."""

    def __init__(self, messages: Mapping[str, str], names: Collection[str] = ()) -> None:
        """Take the words by the English ones, and the `names` that are the same in this language."""
        self._names = frozenset(names)
        self._words = {english: said for english, said in messages.items() if GAP not in english}
        forms = [Form(english, said) for english, said in messages.items() if GAP in english]
        self._forms = Index(sorted(forms, key=lambda form: -form.n_literal))
        self.word = lru_cache(MAX_KNOWN)(self._word)

    def say(self, text: str) -> str:
        """Return a text in this language; a long one, as the numbers of an image are, is not remembered."""
        if len(text) <= MAX_SENTENCE or text.startswith(ROW):
            return self.word(text) or text
        clauses = self._list(text, (CLAUSE,), all) if len(text) <= MAX_CLAUSES else None
        return self._words.get(text) or clauses or text

    def _word(self, text: str) -> str | None:
        if text in self._words:
            return self._words[text]
        if _SAME_LIST.fullmatch(text):
            return self._joined(text)
        if not any(sign.isalpha() for sign in text):
            return None
        if text.startswith(ROW):
            return self._row(text)
        if len(text) > MAX_SENTENCE:  # a piece of a row
            return None
        is_short = len(text) <= MAX_NAME
        if is_short and (ranged := _RANGE.fullmatch(text)):
            first, between, last = ranged.groups()
            return first + self._words.get(between, between) + last
        if (inner := text.strip(MARKS)) != text:
            said = self.word(inner)
            return said and text.replace(inner, said)
        if "\n" in text and (said := self.word(text.replace("\n", " "))):  # a title in several lines
            return said
        if said := self._list(text, (*ENTRIES, " < "), all):
            return said
        if len(self._parts(text, ", ")) > 2 and (said := self._list(text, (", ",), all)):
            return said
        for form in self._forms.of(text):
            gaps = form.gaps(text)
            if gaps is not None and (form.n_words >= FEW or all(self._fits(gap, form) for gap in gaps)):
                listed = None if form.whole_words() else self._list(text, (", ",), all)
                return listed or form.filled(gaps, self.say)
        if said := self._list(text, (", ",), all):  # of two names, each with its number
            return said
        numbered = _NUMBERED.fullmatch(text) if is_short else None
        if numbered and (name := self._known(numbered[1])):
            return joined([name, " ", self.say(numbered[2].strip())])
        if said := self._list(text, (*ENTRIES, *LISTS), any):
            return said
        return self._joined(text) if is_short and _TYPED_LIST.fullmatch(text) else None

    def _joined(self, text: str) -> str:
        """Return a list whose parts stay as they are."""
        return text.replace(", ", self._words.get(", ", ", "))

    def _row(self, text: str) -> str:
        """Return the rows of a Markdown table, cell by cell."""
        cells = re.split(r"( \| |\| | \|)", text)
        return "".join(self.say(cell) if place % 2 == 0 else cell for place, cell in enumerate(cells))

    def _known(self, text: str) -> str | None:
        """Return a text in this language, a name that stays as it is; None for what is not known."""
        return self.word(text) or (text if text in self._names else None)

    def _fits(self, gap: str, form: Form) -> bool:
        """Return whether a text may stand in the gap of a form of few words: what is known, or may be a name."""
        if form.n_words > 1:
            return self._is_name(gap)
        return not any(map(str.isalpha, gap)) or gap in self._names or gap in self._words

    def _is_name(self, text: str) -> bool:
        """Return whether a text is known, or may be a name or a number: no sentence that is left English."""
        n_words = sum(any(map(str.isalpha, word)) for word in _VALUE.sub("", text).split())
        return n_words <= FEW or text in self._words or self.word(text) is not None

    def _parts(self, text: str, between: str) -> list[str]:
        """Return the parts of a list; a known name, alone or with its number, stays whole, though it has the sign."""
        parts = [""]
        for part in text.split(between):
            both = between.join([parts[-1], part])
            parts[-1:] = [both] if self._is_whole(both) else [parts[-1], part]
        return parts[1:]

    def _is_whole(self, text: str) -> bool:
        """Return whether a text is known as it stands, with or without numbers behind it."""
        numbered = _NUMBERED.fullmatch(text) if len(text) <= MAX_NAME else None
        return text in self._words or (numbered is not None and self._is_whole(numbered[1]))

    def _list(self, text: str, signs: Iterable[str], enough: Callable[[Iterable[object]], bool]) -> str | None:
        """Return a list, part by part, where `enough` of its parts are known, and none is a sentence left English."""
        for between in signs:
            parts = self._parts(text, between)
            if len(parts) == 1:
                continue
            known = [self._known(part) for part in parts]
            if enough(known) and any(map(self.word, parts)) and all(map(self._is_name, parts)):
                said = [known_part or part for part, known_part in zip(parts, known, strict=True)]
                sign = self._words.get(between, between)
                return joined([said[0], *(piece for part in said[1:] for piece in (sign, part))])
        return None


def nearest(locale: str) -> str:
    """Return the language of a locale, such as zh-CN or zh_CN.UTF-8, if there is one like it; else English."""
    said = re.split(r"[-_.@]", locale.lower())[0]
    return said if said in LANGUAGES else ENGLISH


def speaking(language: str) -> Say:
    """Return what says an English text in a language; what its catalogue does not know stays English."""
    known = catalogue(language)
    return known.say if known else str


@cache
def catalogue(language: str) -> Catalogue | None:
    """Return the catalogue of a language, read once per process; None for one without words of its own."""
    files = sorted((CONTENT / language / "words").glob("*.po"))
    if not files:
        return None
    names = CONTENT / language / "latin.txt"
    return Catalogue(messages(files), names.read_text(encoding="utf-8").split() if names.exists() else ())


def messages(files: Iterable[Path], *, all_of_them: bool = False) -> dict[str, str]:
    """Return what files of gettext say, by the English words, or `all_of_them`, also those without a translation.

    Raises `ValueError` where two files differ.
    """
    from babel.messages.pofile import read_po  # only who reads another language needs it

    found: dict[str, str] = {}
    for path in files:
        with path.open(encoding="utf-8") as file:
            for message in read_po(file):
                if message.id and (message.string or all_of_them):
                    english, said = str(message.id), str(message.string)
                    if found.setdefault(english, said) != said:
                        raise ValueError(f"words of {path.name} must agree with those of other files, got {english!r}")
    return found
