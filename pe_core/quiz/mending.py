"""Listings with one wrong line: which it is, what mends it, and the tables that the wrong and the right one make."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import alibi, rotary, shaw, sinusoidal
from pe_core.quiz import listings

Made = Callable[..., Tensor]

N_TOKENS, WIDTH, BASE = 16, 8, 100.0  # of most tables: no pair is so slow that its mistakes cannot be seen
POSITIONS, N_CACHED = torch.arange(N_TOKENS), 10
FAR = 320  # positions where half precision no longer counts
N_HEADS, REACH = 12, 12
WINDOW, CLIP, SLOPE = 4, 5, 0.5


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A function with one wrong line, and how to see that it is wrong.

    `run` calls a function of its kind and returns a table (rows, columns), whose axes have a name each; `right` makes
    that table with `pe_core`.
    """

    title: str
    function: Made
    wrong: str  # the line, without its indentation
    mended: str
    run: Callable[[Made], Tensor]
    right: Callable[[], Tensor]
    rows: str = "Position"
    columns: str = "Channel"

    @property
    def lines(self) -> list[str]:
        """The lines of the function, the first one with its name."""
        return inspect.getsource(self.function).splitlines()

    @property
    def offered(self) -> list[int]:
        """The numbers of the lines that may be wrong, from 1: those after the name and the docstring."""
        return list(range(3, len(self.lines) + 1))

    @property
    def line(self) -> int:
        """The number of the wrong line, from 1."""
        return [line.strip() for line in self.lines].index(self.wrong) + 1

    def tables(self) -> tuple[Tensor, Tensor]:
        """Return the table of the listing and the right one, float64, (rows, columns) each."""
        return self.run(self.function).double(), self.right().double()


def vectors(number: int) -> Tensor:
    """Return vector set `number` that the listings turn, the same each time, float64, shape (16, 8)."""
    return torch.randn(N_TOKENS, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(number))


def _turned(layout: rotary.Layout) -> Tensor:
    return rotary.rotate(vectors(0), POSITIONS, rotary.frequencies(WIDTH, BASE), layout=layout)


def _attended() -> Tensor:
    q, k = rotary.rotate_both(vectors(0), vectors(1), POSITIONS, rotary.frequencies(WIDTH, BASE))
    scores = (q @ k.T / WIDTH**0.5).masked_fill(~masks.causal(N_TOKENS), -torch.inf)
    return torch.matmul(scores.softmax(dim=-1), vectors(2))


def _sinusoids() -> Tensor:
    return sinusoidal.table(POSITIONS, WIDTH, base=BASE, dtype=torch.float64)


def _by_distance(slopes: Tensor) -> Tensor:
    """Return the bias of each head at each distance, (H, 12)."""
    return -slopes[:, None] * torch.arange(REACH)


def _weights() -> Tensor:
    unit = alibi.bias(POSITIONS, 1, dtype=torch.float64)[0] / alibi.slopes(1)
    return (unit * SLOPE).softmax(dim=-1)


LISTINGS: dict[str, Listing] = {
    "sinusoid_exponent": Listing(
        title="Sinusoidal table",
        function=listings.sinusoids,
        wrong="exponents = torch.arange(dim, dtype=torch.float64) / dim",
        mended="exponents = torch.arange(dim, dtype=torch.float64) // 2 * 2 / dim",
        run=lambda table: table(N_TOKENS, WIDTH, BASE),
        right=_sinusoids,
    ),
    "sinusoid_step": Listing(
        title="Sinusoidal table, exp(log) form",
        function=listings.sinusoids_by_exp,
        wrong="frequencies = torch.exp(-math.log(base) * 2 * torch.arange(0, dim, 2, dtype=torch.float64) / dim)",
        mended="frequencies = torch.exp(-math.log(base) * torch.arange(0, dim, 2, dtype=torch.float64) / dim)",
        run=lambda table: table(N_TOKENS, WIDTH, BASE),
        right=_sinusoids,
    ),
    "rope_halves": Listing(
        title="RoPE, half-split layout",
        function=listings.rotate_halves,
        wrong="angles = angles.repeat_interleave(2, dim=-1)",
        mended="angles = torch.cat([angles, angles], dim=-1)",
        run=lambda rotate: rotate(vectors(0), POSITIONS, BASE),
        right=partial(_turned, "half"),
    ),
    "rope_power": Listing(
        title="RoPE, interleaved layout",
        function=listings.rotate_pairs,
        wrong="exponents = torch.arange(0, 2 * n_pairs, 2, dtype=torch.float64) / n_pairs",
        mended="exponents = torch.arange(0, 2 * n_pairs, 2, dtype=torch.float64) / (2 * n_pairs)",
        run=lambda rotate: rotate(vectors(0), POSITIONS, BASE),
        right=partial(_turned, "interleaved"),
    ),
    "rope_values": Listing(
        title="RoPE in a head",
        function=listings.attend,
        wrong="q, k, v = (rotate(x, positions, speeds) for x in (q, k, v))",
        mended="q, k = (rotate(x, positions, speeds) for x in (q, k))",
        run=lambda attend: attend(vectors(0), vectors(1), vectors(2), BASE),
        right=_attended,
    ),
    "rope_cache": Listing(
        title="RoPE with a cache",
        function=listings.extend,
        wrong="positions = torch.arange(n_new)",
        mended="positions = torch.arange(n_old, n_old + n_new)",
        run=lambda extend: extend(_turned("interleaved")[:N_CACHED], vectors(0)[N_CACHED:], BASE),
        right=partial(_turned, "interleaved"),
    ),
    "rope_precision": Listing(
        title="Angles in half precision",
        function=listings.angles,
        wrong="positions = torch.arange(n_positions, dtype=dtype)",
        mended="positions = torch.arange(n_positions, dtype=torch.float64)",
        run=lambda angles: angles(FAR, WIDTH, BASE),
        right=lambda: sinusoidal.angles(torch.arange(FAR), rotary.frequencies(WIDTH, BASE)).cos().bfloat16(),
        columns="Pair",
    ),
    "alibi_slopes": Listing(
        title="Slopes of ALiBi",
        function=listings.slopes,
        wrong="rest = 2.0 ** (-8 * torch.arange(1, missing + 1, dtype=torch.float64) / (2 * power))",
        mended="rest = 2.0 ** (-8 * torch.arange(1, 2 * missing + 1, 2, dtype=torch.float64) / (2 * power))",
        run=lambda slopes: _by_distance(slopes(N_HEADS)),
        right=lambda: _by_distance(alibi.slopes(N_HEADS)),
        rows="Head",
        columns="Distance",
    ),
    "alibi_sign": Listing(
        title="Attention weights of ALiBi",
        function=listings.weights,
        wrong="bias = -slope * (key - query)",
        mended="bias = -slope * (query - key)",
        run=lambda weights: weights(N_TOKENS, SLOPE),
        right=_weights,
        rows="Query",
        columns="Key",
    ),
    "window_edge": Listing(
        title="A causal window",
        function=listings.sliding_window,
        wrong="near = distance <= window",
        mended="near = distance < window",
        run=lambda window: window(N_TOKENS, WINDOW),
        right=lambda: masks.sliding_window(N_TOKENS, WINDOW),
        rows="Query",
        columns="Key",
    ),
    "relative_sign": Listing(
        title="Rows of a relative-position table",
        function=listings.rows,
        wrong="relative = query - key",
        mended="relative = key - query",
        run=lambda rows: rows(N_TOKENS, CLIP),
        right=lambda: shaw.clipped(POSITIONS - POSITIONS[:, None], CLIP),
        rows="Query",
        columns="Key",
    ),
}
