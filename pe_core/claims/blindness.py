"""A claim about order: whether attention without an encoding notices that words have changed places."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, Claim, Finding
from pe_core.encodings import PositionalEncoding
from pe_core.measures import order
from pe_core.parameters import Parameter
from pe_core.registry import Paper

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
BIDIRECTIONAL, CAUSAL = "Attention to all words", "Causal decoder"


def blind(*, n_words: int, number: int) -> Finding:
    """True if no output changes with the order of the words, under either mask; false if some do under both.

    It depends if only one of the two notices.
    """
    seen = {name: float(moved.max()) for name, moved in moved_outputs(n_words, number).items()}
    noticing = [value > EXACT for value in seen.values()]
    measured = {"bidirectional": seen[BIDIRECTIONAL], "causal": seen[CAUSAL], "words": n_words}
    return Finding("false" if all(noticing) else "depends" if any(noticing) else "true", measured)


def moved_outputs(n_words: int, number: int) -> dict[str, Tensor]:
    """Return how far each word's output moves when the words stand in shuffled order `number`, (T,) per reader.

    Both readers are attention with the same random weights and without an encoding.
    """
    x, places = order.word_vectors(WORDS[:n_words]), order.shuffled(n_words, number)
    readers = {
        BIDIRECTIONAL: order.attention(PositionalEncoding()),
        CAUSAL: order.attention(PositionalEncoding(), causal=True),
    }
    with torch.inference_mode():
        return {name: order.change(reader, x, places) for name, reader in readers.items()}


BLIND = Claim(
    key="blind",
    title="Blind to order",
    summary="Without an encoding a transformer is blind to order.",
    paper=Paper(
        "Transformer Language Models without Positional Encodings Still Learn Positional Information",
        "Haviv et al.",
        2022,
        "2203.16634",
    ),
    chapter="why_position",
    decide=blind,
    sources=(moved_outputs, order.attention, order.change),
    parameters=(
        Parameter("n_words", "Words", 6, "How many words the sentence has.", 2, 12),
        Parameter("number", "Order no.", 1, "0 leaves the words, 1 turns them around, others shuffle.", 0, 99),
    ),
)
