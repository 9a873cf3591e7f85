"""How definitions are written in these tests, one number at a time, and the scores that are held against them."""

import math

import torch


def scores(encoding, q, k, positions):
    """Return the scaled scores with all that an encoding does to them, (..., T_q, T), as a model sees them."""
    turned_q, turned_k = encoding.rotate(q, k, positions)
    bias, mask = encoding.bias(turned_q, turned_k, positions), encoding.mask(positions)
    plain = turned_q @ turned_k.mT / math.sqrt(turned_q.shape[-1])
    every = plain if bias is None else plain + bias
    return every if mask is None else every.masked_fill(~mask, -math.inf)


def of_pairs(positions, value, heads=((),)):
    """Return `value(m, n, *head)` for each head and each pair of positions, (H, T, T), float64."""
    places = positions.tolist()
    return torch.tensor([[[value(m, n, *head) for n in places] for m in places] for head in heads], dtype=torch.float64)


def of_texts(n_texts, n_heads, n_tokens, value):
    """Return `value(row, column, text, head)` for each text, head and pair of places, (B, H, T, T), float64."""
    places = torch.arange(n_tokens)
    return torch.stack([of_pairs(places, value, [(text, head) for head in range(n_heads)]) for text in range(n_texts)])


def hiding_the_future(value, hidden=True):
    """Return `value` with -inf for a key that comes after its query, or `value` itself."""
    return (lambda m, n, *head: -math.inf if n > m else value(m, n, *head)) if hidden else value


def wave(position, dim, base):
    """Return the sine and the cosine of each pair at a position, pair after pair: so many channels."""
    angles = [position * base ** (-2 * pair / dim) for pair in range((dim + 1) // 2)]
    return [side for angle in angles for side in (math.sin(angle), math.cos(angle))][:dim]


def plain_entropy(weights):
    """Return the entropy in nats of some weights whose sum is 1."""
    return -sum(weight * math.log(weight) for weight in weights if weight > 0)


def turned(x, angle, layout="interleaved"):
    """Return `x` (T, d) with each pair of each row turned on its own, by `angle(row, pair)` in radians."""
    result, n_pairs = x.clone(), x.shape[-1] // 2
    for row in range(len(x)):
        for i in range(n_pairs):
            a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + n_pairs)
            cosine, sine = math.cos(angle(row, i)), math.sin(angle(row, i))
            result[row, a] = x[row, a] * cosine - x[row, b] * sine
            result[row, b] = x[row, a] * sine + x[row, b] * cosine
    return result
