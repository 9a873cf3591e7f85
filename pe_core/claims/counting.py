"""Claims about order and counting: no encoding, binary codes, an index in every channel, a share of the length."""

import torch
from torch import Tensor

from pe_core.claims.base import EXACT, N_DRAWS, NOT, Claim, ClaimVerdict, Counted, Finding
from pe_core.encodings import PositionalEncoding, binary, index, none
from pe_core.measures import jumps, order
from pe_core.measures.index import layer_norm
from pe_core.measures.uncertainty import wilson
from pe_core.parameters import Paper, Parameter, Value

WIDTH, BASE = 16, 10_000.0  # of the sinusoid that stands beside the bits in the picture
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
    return bool((reader(torch.cat([-x[:1], x[1:]]))[-1] - reader(x)[-1]).abs().max() > EXACT)


def moved_outputs(n_words: int, number: int) -> dict[str, Tensor]:
    """Return how far each word's output moves when the words stand in shuffled order `number`, (T,) per reader."""
    x, places = order.word_vectors(WORDS[:n_words]), order.shuffled(n_words, number)
    with torch.inference_mode():
        return {name: order.change(reader, x, places) for name, reader in readers().items()}


def codes(*, bits: int, position: int) -> Finding:
    """True if no two positions up to the chosen one share a code; else false."""
    n_codes = 2**bits
    table, every = (binary.table(torch.arange(n), bits) for n in (position + 1, n_codes))
    distinct, flips = len({tuple(code) for code in table.tolist()}), jumps.hamming_steps(every)
    twins = jumps.overflow(position, bits, WIDTH, BASE).twins
    min_flips, max_flips = int(flips.min()), int(flips.max())
    return Finding(
        "true" if distinct == position + 1 else "false",
        {
            "codes": n_codes,
            "distinct": distinct,
            "positions": position + 1,
            "min_flips": min_flips,
            "max_flips": max_flips,
            "worst": int(flips.argmax()),
            "next": int(flips.argmax()) + 1,
            "far": n_codes // 2,
            "far_flips": int(every[n_codes // 2].sum()),
            "position": position,
            "twin": twins[0] if twins else None,
            "needed": binary.bits_for(position + 1),
        },
    )


EVERY, ONE = "every channel", "one direction"


def index_norm(*, width: int, position: int, way: str) -> Finding:
    """True if for most of 100 random words LayerNorm's output at this position differs from that at position 0.

    False if it does for less than half of them; it depends if the 95% interval holds a half.
    """
    told = [normed_change(words_at(width, position, way, seed)) > EXACT for seed in range(N_DRAWS)]
    counted, shown = Counted(sum(told), N_DRAWS), words_at(width, position, way)
    before, after = float((shown[1] - shown[0]).abs().max()), normed_change(shown)
    return Finding(counted.verdict, {"before": before, "after": after, "position": position, **counted.measured})


def normed_change(words: Tensor) -> float:
    """Return the largest difference between two words, (2, D), after LayerNorm."""
    first, second = layer_norm(words)
    return float((second - first).abs().max())


def words_at(width: int, position: int, way: str, seed: int = 0) -> Tensor:
    """Return a random word vector at position 0 and at this position, with the index added, float64, (2, width)."""
    word, drawn = torch.randn(2, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    along = torch.ones_like(word) if way == EVERY else drawn / drawn.norm()
    both: Tensor = word + index.table(torch.tensor([0, position]), dtype=torch.float64) * along
    return both


def fractions(*, short: int, long: int) -> Finding:
    """True if the step from one word to the next is the same in both sentences; else false."""
    both = shares(short), shares(long)
    steps = [float(places[1]) for places in both]
    rows: list[dict[str, Value]] = [
        {"Words": len(places), "Step": f"1/{len(places) - 1}", "Position of the second word": float(places[1])}
        for places in both
    ]
    return Finding(
        "true" if abs(steps[0] - steps[1]) <= EXACT else "false",
        {"short_step": steps[0], "long_step": steps[1], "times": steps[0] / steps[1]},
        tuple(rows),
    )


def shares(n_words: int) -> Tensor:
    """Return where each word of a sentence stands between 0 and 1, float64, shape (n_words,)."""
    return index.table(torch.arange(n_words), normalise=True, dtype=torch.float64)[:, 0]


CODES = Claim(
    key="codes",
    title="Binary codes",
    summary="Binary codes tell positions apart.",
    paper=None,
    chapter="binary_vs_sinusoid",
    decide=codes,
    sources=(binary.table, jumps.hamming_steps, jumps.overflow),
    parameters=(
        Parameter("bits", "Bits", 8, "Number of bits of the code.", 1, 10),
        Parameter("position", "Position", 300, "The position that is compared with all earlier ones.", 1, 1_000),
    ),
)

INDEX_NORM = Claim(
    key="index_norm",
    title="The index in every channel",
    summary="An index added to every channel tells the model the position.",
    paper=Paper("Layer Normalization", "Ba, Kiros & Hinton", 2016, "1607.06450"),
    chapter="counting",
    decide=index_norm,
    sources=(words_at, layer_norm, wilson),
    parameters=(
        Parameter("width", "Width D", 16, "Channels of the word.", 4, 64, 4),
        Parameter("position", "Position", 20, "The index that is added.", 0, 500),
        Parameter("way", "Added to", EVERY, "All channels, or one random direction.", choices=(EVERY, ONE)),
    ),
)

FRACTIONS = Claim(
    key="fractions",
    title="Positions as fractions",
    summary="Positions normalised to [0, 1] are comparable between sentences.",
    paper=None,
    chapter="counting",
    decide=fractions,
    sources=(shares, index.table),
    parameters=(
        Parameter("short", "Words of the first sentence", 10, "Length of this sentence.", 2, 200),
        Parameter("long", "Words of the second sentence", 100, "Length of this sentence.", 2, 200),
    ),
)

BLIND = Claim(
    key="blind",
    title="Blind to order",
    summary="Without an encoding a transformer is blind to order.",
    paper=none.SPEC.paper,
    chapter="why_position",
    decide=blind,
    sources=(moved_outputs, hears, order.attention, order.change, wilson),
    parameters=(
        Parameter("n_words", "Words", 6, "How many words the sentence has.", 2, 12),
        Parameter("number", "Order of the words", 1, "0 keeps the order, 1 reverses it, others are random.", 0, 99),
    ),
)
