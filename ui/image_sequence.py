"""Closer looks at a text with images and video that the visitor assembles: ids, scores of a token, and the exercise."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from pe_core.chapters import images as pictures
from pe_core.encodings import mrope
from pe_core.figures.grids import HEAD
from pe_core.measures import sequence as sequences
from pe_core.parameters import Parameter
from ui.images import HEAD_DIM, ROPE_BASE, Chosen
from ui.widgets.charts import show
from ui.widgets.controls import literal, side_by_side, warn_of_link
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

SEQUENCE = "text 4, image 3x4, text 2, video 2x3x4, text 3"
LINE, SHORTEST = 13, 90  # pixels: a line of squares, and a sequence of few lines
FIRST_TOKEN = 9  # in the middle of the image of that sequence
EXERCISE = "text 5, image 6x9"  # as the question has it


def choose_sequence(text: Mapping[str, str]) -> str:
    """Draw the field of the sequence and return its words; those that cannot be read give way to the first ones."""
    words = st.text_input(
        "Sequence", SEQUENCE, key="img_parts", help=text["sequence-help"], max_chars=200, bind="query-params"
    )
    try:
        sequences.parse(words)
    except ValueError as error:
        warn_of_link(str(error), literal(SEQUENCE))
        return SEQUENCE
    return words


def draw_ids(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the ids of a sequence of the visitor's, with a table of its parts."""
    words = choose_sequence(text)
    pieces = sequences.parse(words)
    parts, following = sequences.parts(pieces), sequences.next_id(pieces)
    n_tokens = parts[-1].last + 1
    facts = {"tokens": n_tokens, "last": n_tokens - 1, "parts": len(parts), "next": following, "largest": following - 1}
    show(
        partial(pictures.sequence_ids, parts=words),
        key="img_ids",
        alternative=fill(text["ids-alternative"], facts),
        height=380,
    )
    write(text["ids"], facts)
    rows = [
        f"| {place} | {part.kind} | {part.last - part.first + 1} | {_spelt(part.first_ids)} | {_spelt(part.last_ids)} |"
        for place, part in enumerate(parts, 1)
    ]
    write("\n".join([text["ids-head"], *rows]))


def _spelt(ids: Sequence[int]) -> str:
    return f"({', '.join(map(str, ids))})"


def draw_scores(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw what one token of a sequence scores with all of them."""
    words = choose_sequence(text)
    ids = mrope.position_ids(sequences.parse(words))
    last = len(ids) - 1
    place = Parameter(f"img_token_to_{last}", "Token", min(FIRST_TOKEN, last), "", 0, last)
    token, head_dim, base = map(int, side_by_side(place, HEAD_DIM, ROPE_BASE))
    found = pictures.token_scores(words, token, head_dim, float(base))
    lowest = ", ".join(f"{name} {float(scores.min()):.3f}" for name, scores in found.items())
    facts = {"token": token, "ids": _spelt(ids[token].tolist()), "lowest": lowest, "least": f"{pictures.LEAST_FALL:g}"}
    picture = partial(pictures.score_maps, parts=words, token=token, head_dim=head_dim, base=float(base))
    height = 60 + len(found) * (HEAD + max(SHORTEST, LINE * pictures.lines_of(words)))
    show(picture, key="img_scores", alternative=fill(text["scores-alternative"], facts), height=height)
    write(text["scores"], facts)
    rows = [
        f"| {name} | {' | '.join(f'{fall:.2g}' for fall in reversed(sequences.falls(head_dim, base, allocation)))} |"
        for name, allocation in pictures.ALLOCATIONS.items()
    ]
    write("\n".join([text["falls-head"], *rows]))


def draw_exercise(text: Mapping[str, str]) -> None:
    """Ask for the id of the text after an image, and count it."""
    guess = ask(text, "img_guess", 0, 999)
    if guess is None:
        return
    pieces = sequences.parse(EXERCISE)
    last = mrope.position_ids(pieces)[-1].tolist()
    facts = {"next": sequences.next_id(pieces), "guess": guess, "last": _spelt(last), "largest": max(last)}
    judge(text, guess == facts["next"], {**facts, "plain": sum(map(sequences.size, pieces))})
