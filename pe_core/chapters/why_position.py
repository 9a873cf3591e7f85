"""Why position is needed: a sentence, its words in another order, and who notices."""

import re
from collections.abc import Sequence

import torch

from pe_core.chapters.wording import listed
from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape
from pe_core.figures import bars as figures
from pe_core.figures.figure import Facts, Figure
from pe_core.measures import order
from pe_core.measures.profile import initial
from pe_core.parameters import Choice, Example, Order, Words, require

MIN_WORDS, MAX_WORDS = 2, 12
MAX_LETTERS = 24  # of a word
TURNED_AROUND, MAX_NUMBER = 1, 99  # of the orders that have a number
SHAPE = Shape(d_model=order.DIM, n_heads=order.N_HEADS, train_length=MAX_WORDS, max_length=MAX_WORDS)
_CHINESE = r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # a character of Chinese script
_WORD = re.compile(rf"{_CHINESE}|(?:(?!{_CHINESE})\S)+")
_BETWEEN = re.compile(rf"(?<={_CHINESE}) (?={_CHINESE})")
ASKED = ("A", "B", "C", "D", "E", "F")  # the words of the exercise


def words_of(sentence: str) -> list[str]:
    """Return the words of a sentence, each Chinese character one; `ValueError` if they are too few, many or long."""
    words = _WORD.findall(sentence)
    require(MIN_WORDS <= len(words) <= MAX_WORDS, "sentence", f"have {MIN_WORDS} to {MAX_WORDS} words", len(words))
    longest = max(words, key=len)
    shown = f"{longest[:MAX_LETTERS]!r} and more"
    require(len(longest) <= MAX_LETTERS, "each word", f"have at most {MAX_LETTERS} letters", shown)
    return words


SENTENCE = Words(
    "sentence",
    "Sentence",
    Example("the dog bites the old man"),
    "Two to twelve words; a Chinese character counts as a word. Equal words have equal vectors.",
    checked=words_of,
)


def order_and_encoding(sentence: str) -> tuple[Order, Choice]:
    """Return the controls of the words' other order, and of the encoding that is compared with none."""
    titles = {key: spec.title for key, spec in ENCODINGS.items()}
    words = tuple(words_of(sentence))
    around = tuple(order.shuffled(len(words), TURNED_AROUND))
    return (
        Order("order", "Other order: move a word", words, around, MAX_NUMBER, order.shuffled),
        Choice("why_encoding", "Encoding of the second row", titles, "sinusoidal"),
    )


def readers(encoding: str) -> dict[str, order.Reader]:
    """Return the five readers that are compared, by name; `encoding` is the key of the second one's."""
    spec = ENCODINGS[encoding]
    return {
        "Attention, no encoding": order.attention(PositionalEncoding()),
        f"Attention, {spec.title}": order.attention(initial(spec.build(SHAPE))),
        "Causal decoder, no encoding": order.attention(PositionalEncoding(), causal=True),
        "Recurrent layer": order.recurrent,
        "Convolution of 3": order.convolution,
    }


def changes(sentence: str, encoding: str, places: Sequence[int]) -> Figure:
    """Return the table of what each reader notices when each of `places` has the word of that number."""
    words = words_of(sentence)
    x = order.word_vectors(words)
    with torch.inference_mode():
        moved = {name: order.change(reader, x, places) for name, reader in readers(encoding).items()}
    figure = figures.changes(words, places, moved)
    largest = {name: float(values.max()) for name, values in moved.items()}
    blind = {name: value for name, value in largest.items() if value <= figures.BLIND}
    seeing = {name: value for name, value in largest.items() if value > figures.BLIND}
    facts = {
        "to": list(places).index(0) + 1,
        "before": _quotable(words),
        "after": _quotable([words[place] for place in places]),
        "largest": listed(largest, ".2g", "; "),
        "blind": "; ".join(blind),
        "rounding": max(blind.values(), default=0.0),
        "seeing": listed(seeing, ".2f", "; "),
        "verdict": "blind" if blind and seeing else "blind-nobody" if seeing else "blind-none",
    }
    return figure.with_facts(facts)


def pooled(sentence: str, places: Sequence[int]) -> Facts:
    """Return by how much attention's outputs, place by place, and their mean change with the other order."""
    x = order.word_vectors(words_of(sentence))
    with torch.inference_mode():
        before, after = (order.attention(PositionalEncoding())(one) for one in (x, x[torch.tensor(places)]))
    mean = before.norm(dim=-1).mean()
    return {
        "in-place": float((after - before).norm(dim=-1).max() / mean),
        "mean-change": float((after.mean(dim=0) - before.mean(dim=0)).norm() / mean),
    }


def _quotable(words: list[str]) -> str:
    """Return words as a text may quote them as code, Chinese ones without spaces between them."""
    return _BETWEEN.sub("", " ".join(words)).replace("`", "'")


def words_that_notice(guess: int) -> tuple[bool, Facts]:
    """Return whether as many outputs of a causal decoder change with the last two of six words."""
    reader = order.attention(PositionalEncoding(), causal=True)
    moved = order.change(reader, order.word_vectors(ASKED), [0, 1, 2, 3, 5, 4])
    count = int((moved > figures.BLIND).sum())
    return guess == count, {"count": count, "moved": listed(dict(zip(ASKED, moved.tolist(), strict=True)), ".2f")}
