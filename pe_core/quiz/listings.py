"""Listings to be mended: functions with one wrong line each, of a kind that occurs in public code.

They are written for this exercise, and used by nothing else. What a function should return stands in its docstring;
which line is wrong stands in `pe_core.quiz.mending`.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings.rotary import frequencies, rotate


def sinusoids(length: int, dim: int, base: float) -> Tensor:
    """Return sines in even and cosines in odd channels, both of position * base^(-2i/D) in pair i, (T, D)."""
    positions = torch.arange(length, dtype=torch.float64)
    exponents = torch.arange(dim, dtype=torch.float64) / dim
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies
    encoding = torch.empty(length, dim, dtype=torch.float64)
    encoding[:, 0::2] = angles[:, 0::2].sin()
    encoding[:, 1::2] = angles[:, 1::2].cos()
    return encoding


def sinusoids_by_exp(length: int, dim: int, base: float) -> Tensor:
    """Return sines in even and cosines in odd channels, both of position * base^(-2i/D) in pair i, (T, D)."""
    positions = torch.arange(length, dtype=torch.float64)
    frequencies = torch.exp(-math.log(base) * 2 * torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = positions[:, None] * frequencies
    encoding = torch.empty(length, dim, dtype=torch.float64)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding


def rotate_halves(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Turn channels (i, i + d/2) of x (T, d) by position * base^(-2i/d)."""
    dim = x.shape[-1]
    frequencies = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = positions[:, None] * frequencies
    angles = angles.repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    swapped = torch.cat([-second, first], dim=-1)
    return x * angles.cos() + swapped * angles.sin()


def rotate_pairs(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Turn channels (2i, 2i + 1) of x (T, d) by position * base^(-2i/d)."""
    n_pairs = x.shape[-1] // 2
    pairs = torch.view_as_complex(x.reshape(-1, n_pairs, 2))
    exponents = torch.arange(0, 2 * n_pairs, 2, dtype=torch.float64) / n_pairs
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2)


def attend(q: Tensor, k: Tensor, v: Tensor, base: float) -> Tensor:
    """Return the output (T, d) of a causal head, whose scores know the distance only, for q, k, v (T, d)."""
    n_tokens, dim = q.shape
    positions, speeds = torch.arange(n_tokens), frequencies(dim, base)
    q, k, v = (rotate(x, positions, speeds) for x in (q, k, v))
    scores = q @ k.T / dim**0.5
    hidden = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
    return torch.matmul(weights, v)


def extend(cached: Tensor, new: Tensor, base: float) -> Tensor:
    """Return all turned keys, (T_old + T_new, d), from turned ones (T_old, d) and new ones (T_new, d)."""
    n_old, n_new = len(cached), len(new)
    speeds = frequencies(new.shape[-1], base)
    keys = new.new_empty(n_old + n_new, new.shape[-1])
    keys[:n_old] = cached
    positions = torch.arange(n_new)
    keys[n_old:] = rotate(new, positions, speeds)
    return keys


def angles(n_positions: int, dim: int, base: float) -> Tensor:
    """Return the cosine of each angle, (T, d / 2) in bfloat16, right to the digits that bfloat16 has."""
    dtype = torch.bfloat16
    exponents = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    frequencies = base**-exponents
    positions = torch.arange(n_positions, dtype=dtype)
    angles = positions[:, None] * frequencies
    cosines = angles.cos()
    return cosines.to(dtype)


def slopes(n_heads: int) -> Tensor:
    """Return the official slopes (H,): of a power of two, then every other one of twice as many heads."""
    power = 2 ** (n_heads.bit_length() - 1)
    first = 2.0 ** (-8 * torch.arange(1, power + 1, dtype=torch.float64) / power)
    missing = n_heads - power
    rest = 2.0 ** (-8 * torch.arange(1, missing + 1, dtype=torch.float64) / (2 * power))
    return torch.cat([first, rest])


def weights(n_tokens: int, slope: float) -> Tensor:
    """Return the attention weights (T, T) of a causal head whose scores are 0 but for the bias."""
    positions = torch.arange(n_tokens, dtype=torch.float64)
    query, key = positions[:, None], positions[None, :]
    bias = -slope * (key - query)
    bias = bias.masked_fill(key > query, float("-inf"))
    return bias.softmax(dim=-1)


def sliding_window(n_tokens: int, window: int) -> Tensor:
    """Return which keys each query may see, boolean (T, T): the last `window` ones, itself included."""
    positions = torch.arange(n_tokens)
    distance = positions[:, None] - positions[None, :]
    causal = distance >= 0
    near = distance <= window
    return causal & near


def rows(n_tokens: int, max_distance: int) -> Tensor:
    """Return the row for each query and key, (T, T): 0 for keys far before the query, 2k for those far after."""
    positions = torch.arange(n_tokens)
    query, key = positions[:, None], positions[None, :]
    relative = query - key
    near = relative.clamp(-max_distance, max_distance)
    return near + max_distance
