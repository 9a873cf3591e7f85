"""Predictions: questions that a reader or a room answers before the picture does, and the picture of a room's votes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch

from pe_core.chapters import biases, binary_vs_sinusoid, counting, extension, gallery, images, learned, rope, windows
from pe_core.chapters.story import SAME, SENTENCE
from pe_core.chapters.wording import counted, listed
from pe_core.encodings import ENCODINGS, PositionalEncoding, binary, rotary, sinusoidal
from pe_core.figures.bars import bars
from pe_core.figures.curves import upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.measures import order, patches, rotation
from pe_core.measures.channels import unfinished
from pe_core.parameters import Choice, Value, require
from pe_core.quiz.questions import farthest

MULTIPLE = 2  # of the training length, for the question which encoding breaks first
COMPARED = ("sinusoidal", "rope", "alibi", "t5")
HEAD_DIM, BASE, TRAINED = 128, 10_000.0, 4_096  # of Llama 2: Touvron et al. 2023, arXiv:2307.09288
BITS, FROM = 4, 7  # of the counter that goes on by one
FIRST_TOP, ROOM = 10, 0.9  # votes that the empty picture has room for, and how far bars may fill it

# What chapters ask before their first picture. Where that picture begins with the answer, the question is about another
# setting of its controls, to which they are put afterwards (`settings`).
SHARED_BITS, SHARED = 4, 20  # bits, and positions that they are to tell apart
SHORT, LONG, WORD = 10, 100, 5  # words of a sentence of training, and of one in use; the word that is followed
FIRST_SWAPPED = (1, 0, 2)  # the first two of three words trade places
WAVES, WAVE_POSITIONS = 32, 64
ROPE_WIDTH, QUERY, KEY = 32, 12, 9
BIASES, FARTHEST = ("alibi", "t5", "sandwich", "fire"), 127  # of models trained on 64 tokens
WINDOW, LAYERS = 16, 4
EXTENDED_WIDTH, EXTENDED_BASE, EXTENDED_LENGTH, FACTOR = 64, 500_000.0, 256, 4
SIDE, ROW = 14, 6  # of an image in patches, and a row in its middle
STEPS, ALIKE = (0, 50, 200, 1_000), 0.25  # of training, and the cosine from which rows count as alike

# The key of the right choice, the facts that its explanation quotes, and where the controls of the first picture stand,
# by their names, when it shows just what was asked: nothing where it cannot.
Settings = dict[str, Value | Sequence[str]]
Answer = tuple[str, Facts, Settings]


@dataclass(frozen=True)
class Question:
    """What a room is asked: the question, its choices by key, and what computes the right key, with facts."""

    topic: str
    asked: str
    choices: Mapping[str, str]
    answer: Callable[[], Answer]


def first_to_break() -> Answer:
    """Return which of four encodings loses most at twice the training length, over the seeds of the gallery."""
    found = gallery.trained(MULTIPLE)
    ratios = {key: found[key].mean for key in COMPARED}
    facts = {
        "length": gallery.gallery_of(gallery.KEPT_FILE).train_length * MULTIPLE,
        "ratios": listed({ENCODINGS[key].title: ratio for key, ratio in ratios.items()}, ".2f"),
        "seeds": min(found[key].n for key in COMPARED),
    }
    return max(ratios, key=ratios.__getitem__), facts, {gallery.LENGTH.name: MULTIPLE}


def never_turn() -> Answer:
    """Return how many pairs of a RoPE head turn less than once within the training length."""
    turns = rotary.frequencies(HEAD_DIM, BASE) * TRAINED / (2 * math.pi)
    slow = int((turns < 1).sum())
    return str(slow), {"slow": slow, "pairs": len(turns), "slowest": float(turns.min())}, {}


def flipped_bits() -> Answer:
    """Return how many bits of a counter change when it goes on by one."""
    before, after = binary.table(torch.tensor([FROM, FROM + 1]), BITS).int()
    changed = int((before != after).sum())
    words = ["".join(str(int(bit)) for bit in one.flip(0)) for one in (before, after)]
    facts = {"changed": changed, "from": words[0], "to": words[1]}
    return str(changed), facts, {binary_vs_sinusoid.N_BITS.name: BITS}


def masked_words() -> Answer:
    """Return how many outputs of causal attention without an encoding change when the first two words trade places."""
    reader = order.attention(PositionalEncoding(), causal=True)
    moved = order.change(reader, order.word_vectors(SENTENCE), FIRST_SWAPPED)
    return str(int((moved > SAME).sum())), {"last": float(moved[-1])}, {}


def shared_codes() -> Answer:
    """Return how many of 20 positions have a code of four bits that another one has too."""
    codes = binary.table(torch.arange(SHARED), SHARED_BITS)
    same = (codes[:, None] == codes).all(-1)
    shared = int((same.sum(0) > 1).sum())
    return str(shared), {"shared": shared, "positions": SHARED, "codes": 2**SHARED_BITS}, {}


def same_fraction() -> Answer:
    """Return which word of a long sentence has the index of a word of a short one, both divided by the last index."""
    of_short, of_long = (counting.indices(length, normalise=True) for length in (SHORT, LONG))
    same = int((of_long - of_short[WORD]).abs().argmin())
    facts = {"same": same, "word": WORD, "fraction": float(of_short[WORD]), "other": float(of_long[WORD])}
    return str(same), facts, {counting.FIRST.name: SHORT, counting.SECOND.name: LONG}


def whole_waves() -> Answer:
    """Return how many waves of the sinusoid complete a turn within the positions of the table."""
    frequencies = sinusoidal.frequencies(2 * WAVES, BASE)
    whole = WAVES - unfinished(frequencies, WAVE_POSITIONS)
    facts = {"slowest": float(sinusoidal.wavelengths(frequencies)[-1]), "waves": WAVES, "positions": WAVE_POSITIONS}
    return str(whole), {"whole": whole, **facts}, {}


def first_alike() -> Answer:
    """Return the first of some steps of training after which neighbouring rows of a learned table are alike."""
    near = {step: float(str(learned.similarity(step=step).facts["near"])) for step in STEPS}
    right = next(step for step, cosine in near.items() if cosine > ALIKE)
    first, last = STEPS[0], STEPS[-1]
    facts = {"right": right, "near": near[right], "untrained": near[first], "last": last, "end": near[last]}
    return str(right), facts, {learned.STEP.name: right}


def swapped_score() -> Answer:
    """Return what becomes of RoPE's score when query and key trade places, so that the key stands behind the query."""
    frequencies = rotary.frequencies(ROPE_WIDTH)
    q, k = rope.content(ROPE_WIDTH, int(rope.SEED.default))
    before, after = (rotation.score(q, k, *places, frequencies) for places in ((QUERY, KEY), (KEY, QUERY)))
    right = "stays" if abs(after - before) < SAME else "sign" if abs(after + before) < SAME else "neither"
    facts = {"before": before, "after": after, "offset": QUERY - KEY, "back": KEY - QUERY}
    return right, facts, {rope.HEAD_DIM.name: ROPE_WIDTH, rope.QUERY.name: KEY, rope.KEY.name: QUERY}


def lowest_bias() -> Answer:
    """Return which bias lowers the score of the farthest key most, at the last head."""
    distances, trained, head = torch.tensor([0, FARTHEST]), int(biases.TRAIN_LENGTH.default), biases.N_HEADS
    found = {key: float(biases.at(biases.built(key, trained), head, FARTHEST, distances)[-1]) for key in BIASES}
    named = {ENCODINGS[key].title: value for key, value in found.items()}
    facts = {"head": head, "farthest": FARTHEST, "values": listed(named, ".1f")}
    shown: Settings = {biases.HEAD.name: head, biases.TRAIN_LENGTH.name: trained, biases.COMPARED.name: list(BIASES)}
    return min(found, key=found.__getitem__), facts, shown


def window_reach() -> Answer:
    """Return how many tokens back the last query hears through a stack of layers with a window."""
    tokens = farthest(LAYERS, WINDOW)
    facts = {"one": int(tokens[1]), "layers": LAYERS, "reach": int(tokens[-1])}
    trained, own = int(windows.TRAINED.default), windows.own("window")
    shown: Settings = {windows.MASK.name: "window", windows.TRAINED.name: trained, windows.LAYERS.name: LAYERS}
    shown |= {own["window"].name: WINDOW / trained, own["convention"].name: "with self"}
    return str(int(tokens[-1])), facts, shown


def new_angle_pairs() -> Answer:
    """Return how many pairs come to angles that training has not met: those that complete no turn in it."""
    frequencies = rotary.frequencies(EXTENDED_WIDTH, EXTENDED_BASE)
    new = unfinished(frequencies, EXTENDED_LENGTH)
    facts = {"new": new, "pairs": len(frequencies), "trained": EXTENDED_LENGTH}
    shown: Settings = {extension.FACTOR.name: FACTOR, extension.TRAIN_LENGTH.name: EXTENDED_LENGTH}
    return str(new), facts, {**shown, extension.HEAD_DIM.name: EXTENDED_WIDTH, extension.BASE.name: int(EXTENDED_BASE)}


def after_the_last() -> Answer:
    """Return what a plain index calls more like the last patch of a row: the one below, or the next row's first."""
    grid = patches.Patches(SIDE, SIDE)
    codes = patches.PATCH_CODES["flat"].codes(grid, images.base_of("flat", images.PUBLISHED), 0.0)
    alike = patches.similarity(codes, grid.index(ROW, SIDE - 1))
    below, following = (float(alike[grid.index(ROW + 1, column)]) for column in (SIDE - 1, 0))
    right = "both" if abs(below - following) < SAME else "next" if following > below else "below"
    row, column = images.place(SIDE, SIDE)
    shown: Settings = {images.N_ROWS.name: SIDE, images.N_COLUMNS.name: SIDE, row.name: ROW, column.name: SIDE - 1}
    return right, {"next": following, "below": below, "side": SIDE}, shown


QUESTIONS: Mapping[str, Question] = {
    "cliff": Question(
        "Longer texts",
        "Trained on short texts, whose loss grows most on texts twice as long?",
        {key: ENCODINGS[key].title for key in COMPARED},
        first_to_break,
    ),
    "words": Question(
        "Another order of words",
        'A causal decoder of one layer, without an encoding, reads "dog bites man", then "bites dog man". How many of '
        "the three words get another output?",
        {str(n): str(n) for n in range(4)},
        masked_words,
    ),
    "bits": Question(
        "Bits of a counter",
        "A binary counter of four bits goes from 7 to 8. How many bits change?",
        {str(n): str(n) for n in range(1, BITS + 1)},
        flipped_bits,
    ),
    "pairs": Question(
        "Slow pairs of RoPE",
        f"RoPE with {HEAD_DIM // 2} pairs and base 10,000, trained on {TRAINED:,} tokens. How many pairs never "
        "complete a turn in training?",
        {str(n): str(n) for n in (0, 6, 18, 32)},
        never_turn,
    ),
    "codes": Question(
        "Too few bits",
        f"Four bits count {SHARED} positions. How many positions share their code with another one?",
        {str(n): str(n) for n in (0, 4, 8, 20)},
        shared_codes,
    ),
    "numbers": Question(
        "Fractions of the length",
        f"Count words from 0, and divide by the last number. Which of {LONG} words has the fraction of word {WORD} of "
        f"{SHORT}?",
        {str(n): str(n) for n in (5, 50, 55, 95)},
        same_fraction,
    ),
    "waves": Question(
        "Waves of the sinusoid",
        f"A sinusoid has {WAVES} waves, base 10,000. How many complete a turn within {WAVE_POSITIONS} positions?",
        {str(n): str(n) for n in (3, 9, 16, 32)},
        whole_waves,
    ),
    "rows": Question(
        "Learned rows",
        f"After which of these steps of training is the mean cosine of neighbouring rows first above {ALIKE:g}?",
        {str(n): f"{n:,}" for n in STEPS},
        first_alike,
    ),
    "swapped": Question(
        "Query and key trade places",
        f"A query at {QUERY} and a key at {KEY} trade places. What does their score with RoPE do?",
        {"stays": "It stays", "sign": "It changes sign", "neither": "Neither"},
        swapped_score,
    ),
    "lowest": Question(
        "Biases far away",
        f"At head {biases.N_HEADS} of this app's models, trained on {int(biases.TRAIN_LENGTH.default)} tokens, which "
        f"bias lowers the score of a key {FARTHEST} tokens back the most?",
        {key: ENCODINGS[key].title for key in BIASES},
        lowest_bias,
    ),
    "reach": Question(
        "Window through layers",
        f"Each query sees the last {WINDOW} keys, its own included. How many tokens back does it hear at most through "
        f"{LAYERS} layers?",
        {str(n): str(n) for n in (15, 45, 60, 64)},
        window_reach,
    ),
    "angles": Question(
        "New angles of RoPE",
        f"RoPE with {EXTENDED_WIDTH // 2} pairs, base {EXTENDED_BASE:,.0f}, trained on {EXTENDED_LENGTH} tokens: how "
        f"many leave their range of angles in {EXTENDED_LENGTH * FACTOR:,}?",
        {str(n): str(n) for n in (7, 19, 22, 32)},
        new_angle_pairs,
    ),
    "patches": Question(
        "Patches of an image",
        "By a plain index, which code is more like that of a row's last patch?",
        {"below": "Below it", "next": "Next row's first", "both": "Both alike"},
        after_the_last,
    ),
}
BEFORE: Mapping[str, str] = {
    "why_position": "words",
    "requirements": "codes",
    "counting": "numbers",
    "binary_vs_sinusoid": "bits",
    "sinusoidal": "waves",
    "learned": "rows",
    "rope": "swapped",
    "biases": "lowest",
    "windows": "reach",
    "extension": "angles",
    "images": "patches",
    "gallery": "cliff",
}  # which question a chapter asks before its first picture


QUESTION = Choice("question", "Question", {key: one.topic for key, one in QUESTIONS.items()}, next(iter(QUESTIONS)))


@lru_cache
def answer(question: str) -> Answer:
    """Return the answer of a question; it is computed once."""
    return QUESTIONS[question].answer()


def votes(question: str, counts: Sequence[int], revealed: bool) -> Figure:
    """Return the votes of a room, a bar for each choice; the right one has a tick where the answer is `revealed`."""
    choices = QUESTIONS[question].choices
    require(len(counts) == len(choices), "counts", f"hold a number for each of the {len(choices)} choices", len(counts))
    right, *_ = answer(question)
    places = [f"✓ {title}" if revealed and key == right else title for key, title in choices.items()]
    top = FIRST_TOP
    while max(counts) > ROOM * top:
        top *= 2
    votes = {"Votes": torch.tensor(counts, dtype=torch.float64)}
    figure = bars(places, votes, "Answer", upwards("Votes", ends=(0, top), form="d"))
    told = "; ".join(f"{title}: {counted(n, 'vote')}" for title, n in zip(choices.values(), counts, strict=True))
    facts: dict[str, object] = {"votes": counted(sum(counts), "vote"), "told": told, "section": "votes-open"}
    if revealed:
        facts |= {"section": "votes-answer", "right": choices[right]}
        facts |= {"right-votes": counted(counts[list(choices).index(right)], "vote")}
    return figure.with_facts(facts)
