r"""Tables that somebody's own code has printed: where they differ from ours, and which common mistake makes such.

Nothing that is pasted is run: its numbers are compared, with a sinusoidal table, with vectors that RoPE has turned, or
with the biases of ALiBi. The right sinusoidal table is that of Vaswani et al. 2017, arXiv:1706.03762, section 3.5:
$PE(m, 2i) = \sin(m\,\omega_i)$, $PE(m, 2i+1) = \cos(m\,\omega_i)$, $\omega_i = b^{-2i/D}$.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.encodings import alibi, rotary, sinusoidal
from pe_core.measures import rotation
from pe_core.parameters import quoted, require

MAX_CHARACTERS = 40_000
CLOSE = 1e-3  # numbers that are nearer count as equal: three digits behind the point are enough
_BETWEEN = re.compile(r"[\s,;()\[\]{}]+")  # whatever printed tables have between their numbers
_AROUND = re.compile(r"tensor|array|dtype=[\w.]+")
N_TOKENS, WIDTH = 6, 4  # of the vectors to be turned
N_KEYS = 6


@dataclass(frozen=True)
class Checked:
    """A table beside the right one."""

    difference: Tensor  # theirs minus ours, float64, shape (T, D)
    mistakes: tuple[str, ...]  # names of all that make the same table; none for the right one

    @property
    def max_difference(self) -> float:
        """The largest difference, whatever its sign."""
        return float(self.difference.abs().max())

    @property
    def n_wrong(self) -> int:
        """How many numbers are too far off."""
        return int(self._wrong.sum())

    @property
    def first_wrong(self) -> tuple[int, int] | None:
        """Position and channel of the first number that is too far off; None for the right table."""
        places = self._wrong.nonzero().tolist()
        return (places[0][0], places[0][1]) if places else None

    @property
    def _wrong(self) -> Tensor:
        return self.difference.abs() > CLOSE


def right(length: int, width: int, base: float) -> Tensor:
    """Return the table of the paper for positions 0 .. length - 1, float64, shape (T, D)."""
    return sinusoidal.table(torch.arange(length), width, base=base, dtype=torch.float64)


def mistakes(length: int, width: int, base: float) -> dict[str, Tensor]:
    """Return the table that each common mistake makes, float64, (T, D), by the name of the mistake."""
    positions, channels = torch.arange(length), torch.arange(width)
    plain, log_base = sinusoidal.frequencies(width, base), math.log(base)
    every = torch.exp(-log_base * channels.double() / width)  # base^(-c/D) of every channel c
    even = channels // 2 * 2
    return {
        "own_exponent": _waves(positions, every),
        "no_two": _waves(positions, every[channels // 2]),
        "twice": _waves(positions, every**2),
        "upwards": _waves(positions, 1 / every[even]),
        "no_base": sinusoidal.table(positions, width, base=1.0, dtype=torch.float64),
        "cosine_first": _waves(positions, every[even], first_cosine=0),
        "halves": sinusoidal.table(positions, width, base=base, variant="concatenated", dtype=torch.float64),
        "degrees": _waves(positions, torch.deg2rad(plain).repeat_interleave(2)[:width]),
        "from_one": sinusoidal.table(torch.arange(1, length + 1), width, base=base, dtype=torch.float64),
    }


def checked(numbers: Sequence[float], length: int, width: int, base: float) -> Checked:
    """Return how `numbers`, row by row, compare with the right table; `ValueError` if they are too many or too few."""
    return compared(numbers, right(length, width, base), lambda: mistakes(length, width, base))


def compared(numbers: Sequence[float], ours: Tensor, made: Callable[[], Mapping[str, Tensor]]) -> Checked:
    """Return how `numbers` compare with `ours` (T, D), and which mistakes fit; `ValueError` if too many or too few."""
    length, width = ours.shape
    rule = f"be {length} times {width}, {length * width} in all"
    require(len(numbers) == length * width, "numbers", rule, len(numbers))
    table = torch.tensor(numbers, dtype=torch.float64).view(length, width)
    difference = table - ours
    if difference.abs().max() <= CLOSE:
        return Checked(difference, ())
    return Checked(difference, tuple(name for name, one in made().items() if (table - one).abs().max() <= CLOSE))


def numbers_in(text: str) -> list[float]:
    """Return the numbers of a pasted table, whatever stands between them; `ValueError` for what is no number."""
    require(len(text) <= MAX_CHARACTERS, "table", f"have at most {MAX_CHARACTERS} characters", len(text))
    words = [word for word in _BETWEEN.split(_AROUND.sub(" ", text)) if word]
    numbers = []
    for word in words:
        value = math.nan
        with suppress(ValueError):
            value = float(word)
        require(math.isfinite(value), "table", "hold numbers only", quoted(word))
        numbers.append(value)
    return numbers


def to_turn(seed: int) -> Tensor:
    """Return the vectors to be turned, with one digit behind the point, float64, shape (6, 4)."""
    drawn = torch.randn(N_TOKENS, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return (drawn.sign() * (drawn.abs() + 0.5)).round(decimals=1)  # no pair so short that its turn cannot be seen


def rope(base: float, seed: int) -> Tensor:
    """Return the vectors turned by RoPE on neighbouring channels at positions 0 to 5, float64, shape (6, 4)."""
    return rotary.rotate(to_turn(seed), torch.arange(N_TOKENS), rotary.frequencies(WIDTH, base))


def rope_mistakes(base: float, seed: int) -> dict[str, Tensor]:
    """Return what each common mistake makes of the vectors, float64, (6, 4), by the name of the mistake."""
    x, positions, frequencies = to_turn(seed), torch.arange(N_TOKENS), rotary.frequencies(WIDTH, base)
    return {
        "rope_halves": rotary.rotate(x, positions, frequencies, layout="half"),
        "rope_minus": torch.stack([rotation.without_minus(row, m, frequencies) for m, row in enumerate(x)]),
        "rope_backwards": rotary.rotate(x, -positions, frequencies),
        "rope_twice": rotary.rotate(x, positions, frequencies**2),
        "rope_upwards": rotary.rotate(x, positions, 1 / frequencies),
        "rope_degrees": rotary.rotate(x, positions, torch.deg2rad(frequencies)),
        "rope_from_one": rotary.rotate(x, positions + 1, frequencies),
        "rope_added": x + sinusoidal.table(positions, WIDTH, base=base, dtype=torch.float64),
    }


def biases(n_heads: int) -> Tensor:
    """Return ALiBi's bias of each head for the last of six queries and every key, float64, shape (H, 6)."""
    return _for_last(alibi.slopes(n_heads))


def alibi_mistakes(n_heads: int) -> dict[str, Tensor]:
    """Return the biases that each common mistake makes, float64, (H, 6), by the name of the mistake."""
    right, heads = alibi.slopes(n_heads), torch.arange(1, n_heads + 1, dtype=torch.float64)
    power = 1 << (n_heads.bit_length() - 1)
    finer = 2.0 ** (-8 * heads[: n_heads - power] / (2 * power))
    return {
        "alibi_sign": -_for_last(right),
        "alibi_from_first": _for_last(right).flip(-1),
        "alibi_plain": _for_last(2.0 ** (-8 * heads / n_heads)),
        "alibi_finer": _for_last(torch.cat([right[:power], finer])),
        "alibi_eighth": _for_last(2.0**-heads),
        "alibi_from_zero": _for_last(2.0 ** (-8 * (heads - 1) / n_heads)),
    }


def _for_last(slopes: Tensor) -> Tensor:
    """Return -slope times the distance from the last key back to each, (H, 6)."""
    return -slopes[:, None] * torch.arange(N_KEYS - 1, -1, -1)


def _waves(positions: Tensor, frequencies: Tensor, *, first_cosine: int = 1) -> Tensor:
    """Return sines and cosines in turn, of a frequency for each channel, (T, D); `first_cosine` is 0 or 1."""
    angle = sinusoidal.angles(positions, frequencies)
    table = angle.sin()
    table[:, first_cosine::2] = angle[:, first_cosine::2].cos()
    return table
