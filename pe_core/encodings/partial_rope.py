r"""Two ways to turn only a share of the channels: partial RoPE and p-RoPE. They are not the same thing.

With $n = \lfloor r\,d/2 \rfloor$ pairs turned:

- Partial RoPE turns the first 2n channels as if they were the whole head, $\omega_i = b^{-2i/(2n)}$: the ladder from
  fast to slow is spread anew over fewer pairs.
- p-RoPE keeps the n fastest of the frequencies of the whole head, $\omega_i = b^{-2i/d}$, and sets the slow ones to 0:
  slow pairs carry meaning over long distances, and a turn that they do not need would in the end disturb it.

A share of 0 is no encoding at all, 1 is plain RoPE. The number of pairs is rounded down, as GPT-NeoX and the
"proportional" RoPE of transformers do: a head of two channels has one pair, which only a share of 1 turns.
Reference: partial RoPE: Black et al. 2022, "GPT-NeoX-20B", arXiv:2204.06745; p-RoPE: Barbero et al. 2024,
"Round and Round We Go! What makes Rotary Positional Encodings useful?", arXiv:2410.06205.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.adapters import Turned
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Paper, Parameter, require


def n_turned(n_pairs: int, share: float) -> int:
    """Return how many of `n_pairs` pairs a share from 0 to 1 turns, rounded down."""
    require(0 <= share <= 1, "share", "be from 0 to 1", share)
    return math.floor(share * n_pairs + 1e-9)  # 0.29 * 100 is 28.999999999999996


def truncated(frequencies: Tensor, share: float) -> Tensor:
    """Return `frequencies` (d / 2,), fastest first, with only that share of them kept and 0 for the rest."""
    kept = frequencies.clone()
    kept[n_turned(len(frequencies), share) :] = 0
    return kept


def spread(head_dim: int, share: float, base: float = 10_000.0) -> Tensor:
    """Return the frequencies of the turned channels alone, radians per token, float64, shape (n,)."""
    whole = rotary.frequencies(head_dim, base)
    n_pairs = n_turned(len(whole), share)
    return rotary.frequencies(2 * n_pairs, base) if n_pairs else whole[:0]


def rotate_first(x: Tensor, positions: Tensor, frequencies: Tensor, *, layout: Layout = "interleaved") -> Tensor:
    """Return `x` (..., T, d) with its first channels, two per frequency (n,), turned and the others as they are."""
    n_channels = 2 * len(frequencies)
    turned = rotary.rotate(x[..., :n_channels], positions, frequencies, layout=layout)
    return torch.cat([turned, x[..., n_channels:]], dim=-1)


PARTIAL = EncodingSpec(
    key="rope_partial",
    title="Partial RoPE",
    family="rotary",
    summary="The first channels of each head are turned as in RoPE, the others know nothing of position.",
    paper=Paper("GPT-NeoX-20B: An Open-Source Autoregressive Language Model", "Black et al.", 2022, "2204.06745"),
    make=lambda shape, params: Turned(
        rotate_first,
        frequencies=spread(shape.head_dim, params["share"], params["base"]),  # no buffer, as in `Rotary`
        layout=params["layout"],
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("share", "Share turned", 0.5, "Part of the channels that is turned.", 0.0, 1.0, 0.05),
    ),
)

TRUNCATED = EncodingSpec(
    key="rope_p",
    title="p-RoPE",
    family="rotary",
    summary="RoPE without its slowest turns: those pairs carry no position.",
    paper=Paper(
        "Round and Round We Go! What makes Rotary Positional Encodings useful?", "Barbero et al.", 2024, "2410.06205"
    ),
    make=lambda shape, params: rotary.Rotary(
        truncated(rotary.frequencies(shape.head_dim, params["base"]), params["share"]), layout=params["layout"]
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("share", "Share kept", 0.75, "Part of the frequencies that is kept, fastest first.", 0.0, 1.0, 0.05),
    ),
)
