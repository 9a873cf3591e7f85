"""Predictions: questions that a room answers by vote, each with a computed answer, and the picture of the votes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch

from pe_core.chapters import gallery
from pe_core.chapters.wording import counted, listed
from pe_core.encodings import ENCODINGS, PositionalEncoding, binary, rotary
from pe_core.figures.bars import bars
from pe_core.figures.curves import upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.measures import order
from pe_core.parameters import Choice, require

MULTIPLE = 2  # of the training length, for the question which encoding breaks first
COMPARED = ("sinusoidal", "rope", "alibi", "t5")
HEAD_DIM, BASE, TRAINED = 128, 10_000.0, 4_096  # of Llama 2: Touvron et al. 2023, arXiv:2307.09288
BITS, FROM = 4, 7  # of the counter that goes on by one
SENTENCE, SWAPPED = ("dog", "bites", "man"), (2, 1, 0)
FIRST_TOP, ROOM = 10, 0.9  # votes that the empty picture has room for, and how far bars may fill it
SAME = 1e-9  # float64: an output that has moved by less has not changed

Answer = tuple[str, Facts]


@dataclass(frozen=True)
class Question:
    """What a room is asked: the question, its choices by key, and what computes the right key, with facts."""

    asked: str
    choices: Mapping[str, str]
    answer: Callable[[], Answer]


def first_to_break() -> Answer:
    """Return which of four encodings loses most at twice the training length, over the seeds of the gallery."""
    found = gallery.trained(MULTIPLE)
    ratios = {key: found[key].mean for key in COMPARED}
    facts = {
        "length": gallery.gallery_of().train_length * MULTIPLE,
        "ratios": listed({ENCODINGS[key].title: ratio for key, ratio in ratios.items()}, ".2f"),
        "seeds": min(found[key].n for key in COMPARED),
    }
    return max(ratios, key=ratios.__getitem__), facts


def never_turn() -> Answer:
    """Return how many pairs of a RoPE head turn less than once within the training length."""
    turns = rotary.frequencies(HEAD_DIM, BASE) * TRAINED / (2 * math.pi)
    slow = int((turns < 1).sum())
    return str(slow), {"slow": slow, "pairs": len(turns), "slowest": float(turns.min())}


def flipped_bits() -> Answer:
    """Return how many bits of a counter change when it goes on by one."""
    before, after = binary.table(torch.tensor([FROM, FROM + 1]), BITS).int()
    changed = int((before != after).sum())
    words = ["".join(str(int(bit)) for bit in one.flip(0)) for one in (before, after)]
    return str(changed), {"changed": changed, "from": words[0], "to": words[1]}


def unmoved_words() -> Answer:
    """Return how many outputs of attention without an encoding change when two words of a sentence trade places."""
    moved = order.change(order.attention(PositionalEncoding()), order.word_vectors(SENTENCE), SWAPPED)
    return str(int((moved > SAME).sum())), {"most": float(moved.max())}


QUESTIONS: Mapping[str, Question] = {
    "cliff": Question(
        "Models were trained on short texts. On texts twice as long, whose loss grows most?",
        {key: ENCODINGS[key].title for key in COMPARED},
        first_to_break,
    ),
    "words": Question(
        "Attention without positions reads “dog bites man”, then “man bites dog”. How many of the three words get "
        "another output?",
        {"0": "None", "1": "One", "2": "Two", "3": "All three"},
        unmoved_words,
    ),
    "bits": Question(
        "A binary counter of four bits goes from 7 to 8. How many bits change?",
        {str(n): str(n) for n in range(1, BITS + 1)},
        flipped_bits,
    ),
    "pairs": Question(
        f"RoPE with {HEAD_DIM // 2} pairs and base 10,000, trained on {TRAINED:,} tokens. How many pairs never "
        "complete a turn in training?",
        {"0": "None", "6": "6", "18": "18", "32": "32"},
        never_turn,
    ),
}
QUESTION = {
    "question": Choice(
        "question", "Question", {key: one.asked for key, one in QUESTIONS.items()}, next(iter(QUESTIONS))
    )
}


@lru_cache
def answer(question: str) -> Answer:
    """Return the key of the right choice of a question, and the facts that its explanation quotes."""
    return QUESTIONS[question].answer()


def votes(question: str, counts: Sequence[int], revealed: bool) -> Figure:
    """Return the votes of a room, a bar for each choice; the right one has a tick where the answer is `revealed`.

    `counts` are in the order of the choices. The facts hold the number of all votes, and of the right ones once the
    answer is revealed.
    """
    choices = QUESTIONS[question].choices
    require(len(counts) == len(choices), "counts", f"hold a number for each of the {len(choices)} choices", len(counts))
    right, _ = answer(question)
    places = [f"✓ {title}" if revealed and key == right else title for key, title in choices.items()]
    top = FIRST_TOP
    while max(counts) > ROOM * top:
        top *= 2
    votes = {"Votes": torch.tensor(counts, dtype=torch.float64)}
    figure = bars(places, votes, "Answer", upwards("Votes", ends=(0, top), form="d"))
    told = listed(dict(zip(choices.values(), counts, strict=True)))
    facts: dict[str, object] = {"votes": counted(sum(counts), "vote"), "told": told, "section": "votes-open"}
    if revealed:
        facts |= {"section": "votes-answer", "right": choices[right]}
        facts |= {"right-votes": counted(counts[list(choices).index(right)], "vote")}
    return figure.with_facts(facts)
