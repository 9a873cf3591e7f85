r"""Sinusoids step by step: from the addition theorem to the dot product of two positions; E + P; one row of the table.

Reference: Vaswani et al. 2017, arXiv:1706.03762, section 3.5, which states that the matrix exists.
"""

import zlib
from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from pe_core.chapters.why_position import words_of
from pe_core.chapters.wording import rows
from pe_core.encodings import sinusoidal
from pe_core.figures import waves
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import heatmap
from pe_core.measures import similarity as measures
from pe_core.measures.channels import Channel, channel
from pe_core.parameters import Example, Parameter, Words
from pe_core.wrapping import spelt

STEP = Parameter("sinusoid_step", "Step of the derivation", 1, "From the addition theorem to the dot product.", 1, 8)
PLACE = Parameter("steps_position", "Position p", 3, "Where the derivation begins.", 0, 31)
SENTENCE = Words(
    "sum_sentence",
    "Sentence",
    Example("the dog bites the man"),
    "Two to twelve words; a Chinese character counts as a word. Equal words have equal embeddings.",
    checked=words_of,
)
WIDTH = 8  # channels of the three small tables
LIMIT = 2.0  # end of their scale of colours
Side = Literal["embedding", "position", "sum"]
SHOWN = 6  # of the cosines that a sum lists
FARTHEST = 64  # distances of the picture of the dot product
APPROXIMATELY = r"\approx"

EXAMPLE_ROW = Parameter("example_position", "Position m", 1, "The position whose row is built up.", 0, 15)
EXAMPLE_WIDTH = Parameter(
    "example_width", "Width D", 4, "How many channels the row has; the base is that of the page.", 1, 8
)


def derivation(width: int, base: float, position: int, offset: int) -> Facts:
    """Return the numbers of every step for position p and p + k: of one pair, and of all of an even `width`."""
    frequencies = sinusoidal.frequencies(width, base)
    pair = min(1, len(frequencies) - 1)
    places = torch.tensor([position, offset, position + offset])
    angle = sinusoidal.angles(places, frequencies)
    (sin_p, sin_k, sin_pk), (cos_p, cos_k, cos_pk) = angle.sin()[:, pair].tolist(), angle.cos()[:, pair].tolist()
    table = sinusoidal.table(places, width, base=base, dtype=torch.float64)
    matrix = sinusoidal.shift_matrix(offset, width, base=base)
    cosines = angle[1].cos()
    dots = measures.dot_products(torch.arange(FARTHEST + 1) - offset, frequencies)
    return {
        "pair": pair,
        "pairs": len(frequencies),
        "there": position + offset,
        "omega": float(frequencies[pair]),
        "angle-p": float(angle[0, pair]),
        "angle-k": float(angle[1, pair]),
        "angle-there": float(angle[2, pair]),
        "sin-p": sin_p,
        "cos-p": cos_p,
        "sin-k": sin_k,
        "cos-k": cos_k,
        "minus-sin-k": -sin_k,
        "sin-there": sin_pk,
        "cos-there": cos_pk,
        "sine-sum": sin_p * cos_k + cos_p * sin_k,
        "cosine-sum": cos_p * cos_k - sin_p * sin_k,
        "shift-error": float((matrix @ table[0] - table[2]).abs().max()),
        "pair-dot": sin_p * sin_pk + cos_p * cos_pk,
        "cosines": " ".join(spelt(value, "+.4f") for value in cosines[:SHOWN].tolist()),
        "more": " + ..." if len(cosines) > SHOWN else "",
        "dot": float(table[0] @ table[2]),
        "cosine-total": float(cosines.sum()),
        "self-dot": float(table[0] @ table[0]),
        "backwards": float(measures.dot_products(torch.tensor([-offset]), frequencies)),
        "peak": int(dots.argmax()),
        "peak-value": float(dots.max()),
        "farthest": FARTHEST,
    }


def block(offset: int, width: int, base: float) -> Figure:
    """Return the 2 x 2 block of the shift matrix of the pair that is derived."""
    pair = min(1, width // 2 - 1)
    own = slice(2 * pair, 2 * pair + 2)
    matrix = sinusoidal.shift_matrix(offset, width, base=base)[own, own]
    return heatmap(
        matrix,
        rows="Channel of PE(p + k)",
        columns="Channel of PE(p)",
        title="Entry",
        first_row=2 * pair,
        first_column=2 * pair,
    ).with_facts({"pair": pair})


def products(width: int, base: float) -> Figure:
    """Return the dot product of two positions by their distance, the same to both sides, over that at distance 0."""
    pairs = measures.complete_pairs(width, base)
    found = measures.dot_products(torch.arange(1 - FARTHEST, FARTHEST), pairs)
    facts = {"farthest": FARTHEST - 1, "uneven": float((found - found.flip(0)).abs().max())}
    return waves.similarity(pairs, FARTHEST).with_facts(facts)


def embedding(word: str) -> Tensor:
    """Return the embedding of a word, drawn with its letters as the seed, float64, shape (8,)."""
    generator = torch.Generator().manual_seed(zlib.crc32(word.encode()))
    return torch.randn(WIDTH, dtype=torch.float64, generator=generator).clamp(-1.9, 1.9) / 2


def _tables(words: Sequence[str], base: float) -> dict[Side, Tensor]:
    """Return the embeddings of the words, the rows of their positions, and the sum, float64, (T, 8) each."""
    embeddings = torch.stack([embedding(word) for word in words])
    positions = sinusoidal.table(torch.arange(len(words)), WIDTH, base=base, dtype=torch.float64)
    return {"embedding": embeddings, "position": positions, "sum": embeddings + positions}


def added(sentence: str, base: float, side: Side) -> Figure:
    """Return one of the three small tables: the embeddings of the words, the rows of their positions, or the sum."""
    shown = _tables(words_of(sentence), base)[side]
    figure = heatmap(shown, rows="Position", columns="Channel", title="Value", limit=LIMIT)
    return figure.with_facts({"n-words": len(shown), "channels": WIDTH})


def sums(sentence: str, base: float) -> Facts:
    """Return the first channels of each row of E, P and E + P, and what a word that comes twice gets."""
    words = words_of(sentence)
    tables = _tables(words, base)
    first = next((m for m, word in enumerate(words) if word in words[m + 1 :]), None)
    facts: dict[str, object] = {
        "rows": rows(
            (m, word, *(f"`{'  '.join(f'{value:+.2f}' for value in one[m, :4].tolist())}`" for one in tables.values()))
            for m, word in enumerate(words)
        ),
        "twice": "sum-once" if first is None else "sum-twice",
    }
    if first is not None:
        again = words.index(words[first], first + 1)
        apart = float((tables["sum"][first] - tables["sum"][again]).norm())
        facts |= {"first": first, "again": again, "word": words[first], "apart": apart}
    return facts


def row_of(position: int, dim: int, base: float) -> list[float]:
    """Return the numbers of the row of `position`, channel by channel."""
    row: list[float] = sinusoidal.table(torch.tensor([position]), dim, base=base, dtype=torch.float64)[0].tolist()
    return row


def worked_example(row: int, dim: int, base: float) -> Facts:
    """Return the steps to the numbers of one row, as formulas, and that row below the one of position 0."""
    own, zero = row_of(row, dim, base), row_of(0, dim, base)
    return {
        "steps": "\n".join(_formulas(channel(index, dim, base), row, dim, base) for index in range(dim)),
        "zero-equals": _equals(zero),
        "zero": ", ".join(map(_value, zero)),
        "row-equals": _equals(own),
        "numbers": ", ".join(map(_value, own)),
    }


def row_to_check() -> Facts:
    """Return the row of position 1, for width 4 and base 10,000, by which own code can be checked."""
    return {"row": ", ".join(f"{value:.5f}" for value in row_of(1, 4, 10_000))}


def _formulas(channel: Channel, position: int, dim: int, base: float) -> str:
    """Return a line of a list: frequency, angle and wave of one number as formulas in a row."""
    frequency, value = channel.frequency, row_of(position, dim, base)[channel.index]
    wave = r"\cos" if channel.wave == "cosine" else r"\sin"
    factor, angle, power = _digits(frequency), position * frequency, f"-{2 * channel.pair}/{dim}"
    formulas = (
        rf"\omega_{{{channel.pair}}} = {base}^{{{power}}} {_six_digits_equal(frequency)} {factor}",
        rf"{position} \times {factor} {_six_digits_equal(angle)} {_digits(angle)}",
        rf"{wave} {_digits(angle)} {_equals([value])} \mathbf{{{_value(value)}}}",
    )
    return f"{channel.index}. {'&ensp;→&ensp;'.join(f'${formula}$' for formula in formulas)}"


def _digits(value: float) -> str:
    """Return six digits, as a formula has them."""
    mantissa, _, power = f"{value:.6g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if power else mantissa


def _six_digits_equal(value: float) -> str:
    """Return the sign before six digits: they are either all there are, or an approximation."""
    return "=" if float(f"{value:.6g}") == value else APPROXIMATELY


def _equals(row: Sequence[float]) -> str:
    """Return the sign before the numbers of a row: those that are not whole are an approximation."""
    return "=" if all(value.is_integer() for value in row) else APPROXIMATELY


def _value(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else f"{value:.5f}"
