"""RoPE and ALiBi that somebody has written: the table that the code should print, and those of common mistakes.

Nothing that is pasted is run: its numbers are compared (`own_table.compared`).
"""

import torch
from torch import Tensor

from pe_core.encodings import alibi, rotary, sinusoidal
from pe_core.measures import rotation

N_TOKENS, WIDTH = 6, 4  # of the vectors to be turned
N_KEYS = 6


def to_turn(seed: int) -> Tensor:
    """Return the vectors to be turned, with one digit behind the point, float64, shape (6, 4)."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(N_TOKENS, WIDTH, dtype=torch.float64, generator=generator)
    return (drawn.sign() * (drawn.abs() + 0.5)).round(decimals=1)  # no pair so short that its turn cannot be seen


def rope(base: float, seed: int) -> Tensor:
    """Return the vectors turned by RoPE on neighbouring channels at positions 0 to 5, float64, shape (6, 4)."""
    return rotary.rotate(to_turn(seed), torch.arange(N_TOKENS), rotary.frequencies(WIDTH, base))


def rope_mistakes(base: float, seed: int) -> dict[str, Tensor]:
    """Return what each common mistake makes of the vectors, float64, (6, 4), by the name of the mistake."""
    x, positions, frequencies = to_turn(seed), torch.arange(N_TOKENS), rotary.frequencies(WIDTH, base)
    mirrored = [rotation.without_minus(row, m, frequencies) for m, row in enumerate(x)]
    return {
        "rope_halves": rotary.rotate(x, positions, frequencies, layout="half"),
        "rope_minus": torch.stack(mirrored),
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
