r"""Random Fourier features: cosines and sines of random frequencies, $[\cos 2 \pi B x, \sin 2 \pi B x]$.

$B \sim N(0, \sigma^2)$ is drawn once and never learned; x is a real place, here $x = m / L$, a position in training
lengths, so $\sigma$ is how many turns a typical pair makes in a training length. The product of two codes depends on
the difference of their places alone: its mean over B is $e^{-2 (\pi \sigma (x - y))^2}$ per pair, a bump whose width
falls with $\sigma$. Too small a $\sigma$ blurs neighbours, too large a one makes all places equally foreign.

NeRF's octaves (`fourier`) are a choice of B by hand, all of which repeat after a range of 2; random frequencies share
no period. The paper feeds a network with nothing but the features; here they are added to the embedding of the token,
as many pairs as fit, and an odd width ends with a zero.

Reference: Tancik et al. 2020, "Fourier Features Let Networks Learn High Frequency Functions in Low Dimensional
Domains", arXiv:2006.10739, the Gaussian mapping.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.encodings import sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import add
from pe_core.parameters import Paper, Parameter, require


def draw(n_pairs: int, sigma: float, generator: torch.Generator) -> Tensor:
    """Return B, the turns per unit of x of each pair, float64, shape (n_pairs,), from N(0, `sigma`^2)."""
    require(n_pairs >= 0, "n_pairs", "be at least 0", n_pairs)
    require(0 < sigma < math.inf, "sigma", "be above 0 and finite", sigma)
    return sigma * torch.randn(n_pairs, generator=generator, dtype=torch.float64)


def features(x: Tensor, turns: Tensor, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the cosines, then the sines, of all pairs, shape (..., 2 n), from places `x` (...) and `turns` B (n,)."""
    angle = sinusoidal.angles(x, 2 * math.pi * turns.to(torch.float64))
    return torch.cat([angle.cos(), angle.sin()], dim=-1).to(dtype)


class RandomFourier(PositionalEncoding):
    """Add the features of position / `unit`, as many pairs as fit; B is drawn, never learned, and saved with the model.

    It is no buffer, for a cast of the model would round it, but an extra state of the module, which is kept as it is.
    """

    def __init__(self, width: int, *, sigma: float, unit: float) -> None:
        super().__init__()
        self.sigma = sigma
        self.unit = unit
        self.turns = torch.zeros(width // 2, dtype=torch.float64)

    def reset_parameters(self, generator: torch.Generator) -> None:
        self.turns = draw(len(self.turns), self.sigma, generator)

    def get_extra_state(self) -> Tensor:
        """Return B, float64, shape (n,), which `state_dict` keeps beside the parameters."""
        return self.turns

    def set_extra_state(self, state: Tensor) -> None:
        """Take B from a `state_dict`, float64, shape (n,)."""
        self.turns = state

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        found = features(positions.to(torch.float64) / self.unit, self.turns, dtype=x.dtype)
        return add(x, F.pad(found, (0, x.shape[-1] - found.shape[-1])))


SPEC = EncodingSpec(
    key="random_fourier",
    title="Random Fourier features",
    family="absolute",
    summary="Cosines and sines of the position, with frequencies that are drawn once and never learned.",
    paper=Paper(
        "Fourier Features Let Networks Learn High Frequency Functions in Low Dimensional Domains",
        "Tancik et al.",
        2020,
        "2006.10739",
    ),
    make=lambda shape, params: RandomFourier(shape.d_model, sigma=params["sigma"], unit=shape.train_length),
    parameters=(Parameter("sigma", "Sigma", 10.0, "Turns of a typical pair in a training length.", 0.5, 64.0, 0.5),),
)
