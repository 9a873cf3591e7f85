"""A claim about order: whether attention without an encoding notices that words have changed places."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, N_DRAWS, NOT, Claim, ClaimVerdict, Counted, Finding
from pe_core.encodings import PositionalEncoding
from pe_core.measures import order
from pe_core.measures.uncertainty import wilson
from pe_core.parameters import Parameter
from pe_core.registry import Paper

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
BIDIRECTIONAL, CAUSAL = "Attention to all words", "Causal decoder"


def blind(*, n_words: int, number: int) -> Finding:
    """True if under either mask most of 100 shuffles change no output, though outputs hear the other words.

    False if most shuffles change some output under both masks. Else it depends. A reader whose outputs do not hear the
    other words cannot tell their order, but is no transformer: it settles nothing.
    """
    x, first = order.word_vectors(WORDS[:n_words]), moved_outputs(n_words, number)
    orders = [
        places for places in (order.shuffled(n_words, one) for one in range(1, N_DRAWS + 1)) if places != sorted(places)
    ]
    with torch.inference_mode():
        deaf = [not hears(reader, x) for reader in readers().values()]
        noticed = {
            name: Counted(sum(bool(order.change(reader, x, places).max() > EXACT) for places in orders), len(orders))
            for name, reader in readers().items()
        }
    verdicts = {one.verdict for one in noticed.values()}
    found: ClaimVerdict = NOT[verdicts.pop()] if len(verdicts) == 1 and not any(deaf) else "depends"
    return Finding(
        found,
        {
            "bidirectional": float(first[BIDIRECTIONAL].max()),
            "causal": float(first[CAUSAL].max()),
            "words": n_words,
            "shuffles": len(orders),
            "bidirectional_noticed": noticed[BIDIRECTIONAL].count,
            "bidirectional_high": noticed[BIDIRECTIONAL].measured["high"],
            "causal_noticed": noticed[CAUSAL].count,
            "causal_low": noticed[CAUSAL].measured["low"],
        },
    )


def readers() -> dict[str, order.Reader]:
    """Return attention without an encoding, over all words and over those up to each one, with the same weights."""
    plain = PositionalEncoding()
    return {BIDIRECTIONAL: order.attention(plain), CAUSAL: order.attention(plain, causal=True)}


def hears(reader: order.Reader, x: Tensor) -> bool:
    """Return whether the output of the last word changes when the first word of `x` (T, D) becomes another."""
    other = torch.cat([-x[:1], x[1:]])
    return bool((reader(other)[-1] - reader(x)[-1]).abs().max() > EXACT)


def moved_outputs(n_words: int, number: int) -> dict[str, Tensor]:
    """Return how far each word's output moves when the words stand in shuffled order `number`, (T,) per reader.

    Both readers are attention with the same random weights and without an encoding.
    """
    x, places = order.word_vectors(WORDS[:n_words]), order.shuffled(n_words, number)
    with torch.inference_mode():
        return {name: order.change(reader, x, places) for name, reader in readers().items()}


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
    sources=(moved_outputs, hears, order.attention, order.change, wilson),
    parameters=(
        Parameter("n_words", "Words", 6, "How many words the sentence has.", 2, 12),
        Parameter("number", "Order of the words", 1, "0 keeps the order, 1 reverses it, others are random.", 0, 99),
    ),
)
