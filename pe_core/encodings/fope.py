r"""Fourier position embedding (FoPE): RoPE whose pairs each hear a little of all frequencies, and no untrained one.

1. A frequency below $2 \pi / L$ does not turn once within the training length L. Those pairs are not turned at all.
2. The n pairs that are left get sums of the cosines and sines of all n frequencies, with fixed random coefficients near
   the identity, for each head:
   $$ C_j(m) = \frac{\sum_i a_{ij} \cos m\,\omega_i}{\sum_i a_{ij}}, \qquad
   S_j(m) = \frac{\sum_i c_{ij} \sin m\,\omega_i}{\sum_i c_{ij}}, \qquad a, c = 1 + \text{noise}. $$
   Pair (x, y) becomes $(x\,C_j - y\,S_j,\; y\,C_j + x\,S_j)$.

Without noise (a gain of 0) this is RoPE without its slow pairs. With it, what is done is no turn any more: norms
change, and scores are no function of the distance alone.

- The noise is Xavier-normal with the gain that the configurations of training have, and is never trained. It is drawn
  from a fixed seed here, so that runs with the same settings have the same noise and need not save it.
- A pair that is not turned has C = 1 and S = 0, which is what a frequency of 0 means. The listing in the paper fills S
  with ones; it also keeps at most a quarter of the head's width of pairs, here all that turn are kept.
- With fewer than 7 tokens no frequency is trained; the fastest is kept.
- Pairs are channels (i, i + d/2).

Reference: Hua et al. 2024, "Fourier Position Embedding: Enhancing Attention's Periodic Extension for Length
Generalization", arXiv:2412.17739, and the listing in its appendix.
"""

import math

import torch
from torch import Tensor, nn

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.adapters import Turned
from pe_core.encodings.base import EncodingSpec
from pe_core.parameters import Paper, Parameter, require

SEED = 0  # of the coefficients


def trained(frequencies: Tensor, train_length: int) -> Tensor:
    """Return those of `frequencies` (d / 2,), fastest first, that turn once within the training length, at least one.

    Radians per token; `train_length` in tokens.
    """
    require(train_length >= 1, "train_length", "be at least 1", train_length)
    n_turning = int((frequencies >= 2 * math.pi / train_length).sum())
    return frequencies[: max(1, n_turning)]


def coefficients(n_heads: int, n_pairs: int, gain: float, *, seed: int = SEED) -> Tensor:
    """Return the weights of cosines, then of sines, of frequency i in pair j, float64, shape (2, H, n, n).

    Those of a pair add up to 1. `gain` is the strength of the noise on the identity.
    """
    require(gain >= 0, "gain", "be at least 0 (0 is the identity)", gain)
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.empty(2, n_heads, n_pairs, n_pairs, dtype=torch.float64)
    for part in drawn:
        nn.init.xavier_normal_(part, gain=gain, generator=generator)
    drawn += torch.eye(n_pairs, dtype=torch.float64)
    return drawn / drawn.sum(dim=-2, keepdim=True)


def rotate(x: Tensor, positions: Tensor, frequencies: Tensor, coefficients: Tensor) -> Tensor:
    """Return `x` (..., H, T, d) with its first n pairs changed by their series, the others left, same dtype.

    `positions` (T,) or (B, T) in tokens, `frequencies` (n,) in radians per token, `coefficients` (2, H, n, n). The
    series are computed in float64; half precision inputs are changed in float32 and cast back.
    """
    angle = sinusoidal.angles(positions, frequencies)  # (T, n) or (B, T, n)
    of_cosine, of_sine = coefficients.to(angle.device)
    precise = x.to(torch.promote_types(x.dtype, torch.float32))
    first, second = precise.chunk(2, dim=-1)
    still = first.shape[-1] - len(frequencies)
    cosine = nn.functional.pad(angle.cos()[..., None, :, :] @ of_cosine, (0, still), value=1).to(precise.dtype)
    sine = nn.functional.pad(angle.sin()[..., None, :, :] @ of_sine, (0, still)).to(precise.dtype)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1).to(x.dtype)


def _make(n_heads: int, frequencies: Tensor, gain: float) -> Turned:
    weights = coefficients(n_heads, len(frequencies), gain)  # no buffers, as in `Rotary`
    return Turned(rotate, frequencies=frequencies, coefficients=weights)


SPEC = EncodingSpec(
    key="fope",
    title="FoPE",
    family="rotary",
    summary="RoPE without the pairs that training never turns once; the others each hear a little of all frequencies.",
    paper=Paper(
        "Fourier Position Embedding: Enhancing Attention's Periodic Extension for Length Generalization",
        "Hua et al.",
        2024,
        "2412.17739",
    ),
    make=lambda shape, params: _make(
        shape.n_heads, trained(rotary.frequencies(shape.head_dim, params["base"]), shape.train_length), params["gain"]
    ),
    parameters=(
        sinusoidal.BASE,
        Parameter("gain", "Gain", 0.3, "How much a pair hears of the other frequencies.", 0.0, 0.5, 0.05),
    ),
)
