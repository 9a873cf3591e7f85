"""The parts of the page on why position is needed: the sentence, its orders, and who notices."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pe_core.chapters import why_position as pictures
from pe_core.chapters.why_position import MOST_WORDS
from pe_core.encodings import ENCODINGS, PositionalEncoding
from pe_core.figures.cells import BLIND, largest
from pe_core.measures import order
from pe_core.parameters import Parameter, require
from ui.frame.turns import fragment
from ui.widgets.charts import show
from ui.widgets.controls import choose_one, control, literal, warn_of_link
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

SENTENCE = "the dog bites the old man"
FEWEST, MOST = 2, MOST_WORDS
LONGEST_WORD = 24
ORDER = "Order no."


def words_of(sentence: str, rule: str) -> list[str]:
    """Return the words of a sentence; `ValueError` if there are too few, too many, or too long ones."""
    words = sentence.split()
    require(FEWEST <= len(words) <= MOST, "sentence", rule, f"{len(words)}")
    longest = max(words, key=len)
    require(len(longest) <= LONGEST_WORD, "each word", f"have at most {LONGEST_WORD} letters", longest[:LONGEST_WORD])
    return words


def choose_words(text: Mapping[str, str]) -> list[str]:
    """Draw the field of the sentence and return its words; a sentence that is not allowed gives way to the first."""
    sentence = st.text_input(
        "Sentence", SENTENCE, key="sentence", help=text["sentence-help"], max_chars=200, bind="query-params"
    )
    try:
        return words_of(sentence, text["sentence-rule"])
    except ValueError as error:
        warn_of_link(str(error), literal(SENTENCE))
        return SENTENCE.split()


@fragment
def draw_changes(text: Mapping[str, str]) -> None:
    """Draw the controls, the two orders, and what each reader makes of them."""
    words = choose_words(text)
    left, right = st.columns(2)
    with left:
        number = int(control(Parameter("order", ORDER, 1, text["order-help"], 0, 99)))
    with right:
        titles = {key: spec.title for key, spec in ENCODINGS.items()}
        key = choose_one("why_encoding", "Encoding of the second row", titles, "sinusoidal")
    places = order.shuffled(len(words), number)
    picture = partial(pictures.changes, words=words, encoding=key, number=number)
    table = picture()
    moved = largest(table)
    facts = {
        "before": literal(" ".join(words)),
        "after": literal(" ".join(words[place] for place in places)),
        "largest": ", ".join(f"{name} {value:.2g}" for name, value in moved.items()),
        "blind": ", ".join(name for name, value in moved.items() if value <= BLIND),
        "seeing": ", ".join(f"{name} {value:.2f}" for name, value in moved.items() if value > BLIND),
        "rounding": f"{max([value for value in moved.values() if value <= BLIND], default=0):.1g}",
    }
    write(text["orders"], facts)
    show(picture, key="order_changes", alternative=fill(text["changes-alternative"], facts), height=380, figure=table)
    verdict = "blind" if facts["blind"] and facts["seeing"] else "blind-nobody" if facts["seeing"] else "blind-none"
    write(text[verdict], facts)


def draw_exercise(text: Mapping[str, str]) -> None:
    """Ask how many outputs of a causal decoder change with the last two of six words, and count them."""
    guess = ask(text, "why_guess", 0, 6)
    if guess is None:
        return
    words = ["one", "two", "three", "four", "five", "six"]
    reader = order.attention(PositionalEncoding(), causal=True)
    moved = order.change(reader, order.word_vectors(words), [0, 1, 2, 3, 5, 4])
    spelt = ", ".join(f"{word} {float(value):.2f}" for word, value in zip(words, moved, strict=True))
    facts = {"count": int((moved > BLIND).sum()), "guess": guess, "moved": spelt}
    judge(text, guess == facts["count"], facts)
