r"""What a step from one position to the next does to a code: bits that flip, distances, and codes that come again.

Bit $k$ flips every $2^k$ steps and repeats every $2^{k+1}$ positions; pair $i$ of the sinusoid repeats every
$2 \pi\, b^{2i/D}$. The step of the sinusoid has the same length everywhere, $\sqrt{\sum_i (2 - 2 \cos \omega_i)}$,
because each pair turns by its own angle wherever it stands.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.encodings import binary, sinusoidal
from pe_core.parameters import require


def hamming_steps(codes: Tensor) -> Tensor:
    """Return how many entries differ between each row of `codes` (T, K) and the next, int64, shape (T - 1,)."""
    return torch.count_nonzero(codes[1:] - codes[:-1], dim=-1)


def euclidean_steps(vectors: Tensor) -> Tensor:
    """Return the Euclidean distance from each row of `vectors` (T, D) to the next, shape (T - 1,)."""
    lengths: Tensor = torch.linalg.vector_norm(vectors[1:] - vectors[:-1], dim=-1)
    return lengths


def flip_rates(n_bits: int) -> Tensor:
    """Return how often each bit flips per step, counted over the full period of the code, float64, shape (n_bits,).

    The period has 2^n_bits steps; the last leads back to position 0, where the code starts again.
    """
    codes = binary.table(torch.arange(2**n_bits), n_bits)
    return codes.ne(codes.roll(-1, dims=0)).double().mean(dim=0)


def bit_periods(n_bits: int) -> Tensor:
    """Return after how many positions each bit repeats, 2^(k+1), float64, shape (n_bits,)."""
    return 2.0 ** torch.arange(1, n_bits + 1, dtype=torch.float64)


def nearest_pair(periods: Tensor, wavelengths: Tensor) -> Tensor:
    """Return for each of `periods` (K,) which of `wavelengths` (P,) is nearest by ratio, int64, shape (K,).

    Of several that are equally near the first is taken.
    """
    return (periods.log()[:, None] - wavelengths.log()[None, :]).abs().argmin(dim=-1)


def wavelength_growth(dim: int, base: float) -> float:
    """Return the factor from the wavelength of one pair to the next, b^(2/dim); with a single pair it has no effect."""
    require(dim >= 2 and dim % 2 == 0, "dim", "be even and at least 2", dim)
    return math.pow(base, 2 / dim)


def doubling_base(dim: int) -> float:
    """Return the base at which each pair has twice the wavelength of the pair before: b^(2/dim) = 2, b = 2^(dim/2)."""
    require(dim >= 2 and dim % 2 == 0, "dim", "be even and at least 2", dim)
    return math.exp2(dim / 2)


@dataclass(frozen=True)
class Overflow:
    """What a position meets when it is written in too few bits, and how far its sinusoid is from all earlier ones."""

    position: int
    n_bits: int
    kept: int  # the number that the bits stand for, position mod 2^n_bits
    twins: tuple[int, ...]  # earlier positions with the same bits, ascending
    bit_distance: Tensor  # number of bits that differ from each earlier position, shape (position,)
    wave_distance: Tensor  # Euclidean distance to each earlier position, float64, shape (position,)

    @property
    def written(self) -> tuple[str, str]:
        """The position in base 2, highest bit first, cut into what does not fit and what the bits hold."""
        digits = f"{self.position:0{self.n_bits}b}"
        return digits[: -self.n_bits], digits[-self.n_bits :]

    @property
    def nearest(self) -> int:
        """The earlier position whose sinusoid is nearest, the latest of several."""
        return self.position - 1 - int(self.wave_distance.flip(0).argmin())


def overflow(position: int, n_bits: int, dim: int, base: float) -> Overflow:
    """Compare `position` with every earlier one, in `n_bits` bits and in a sinusoid of `dim` channels."""
    require(position >= 1, "position", "be at least 1, so that there is an earlier one", position)
    positions = torch.arange(position + 1)
    codes = binary.table(positions, n_bits)
    vectors = sinusoidal.table(positions, dim, base=base, dtype=torch.float64)
    bit_distance = torch.count_nonzero(codes[:-1] - codes[-1], dim=-1)
    return Overflow(
        position=position,
        n_bits=n_bits,
        kept=int((codes[-1].long() << torch.arange(n_bits)).sum()),
        twins=tuple((bit_distance == 0).nonzero().flatten().tolist()),
        bit_distance=bit_distance,
        wave_distance=torch.linalg.vector_norm(vectors[:-1] - vectors[-1], dim=-1),
    )
