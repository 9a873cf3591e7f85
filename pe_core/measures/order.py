"""Who notices that words have changed places: layers with random weights read a sentence, and the same words reordered.

Each reader maps word vectors (T, D) to outputs (T, D). If the output of every word is the same wherever the word
stands, the reader is blind to order: it is equivariant under permutations. All is float64, from fixed generators.
Sources: Vaswani et al. 2017, arXiv:1706.03762, section 3.5 (attention has no recurrence and no convolution, so it needs
positions); Haviv et al. 2022, arXiv:2203.16634 (a causal mask is enough to make order visible).
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core import masks
from pe_core.encodings import PositionalEncoding
from pe_core.parameters import require

DIM = 16
N_HEADS = 2

Reader = Callable[[Tensor], Tensor]


def word_vectors(words: Sequence[str]) -> Tensor:
    """Return a random vector for each word, equal words alike, float64, shape (T, 16)."""
    drawn = _normal(0, len(set(words)), DIM)
    known = {word: drawn[place] for place, word in enumerate(dict.fromkeys(words))}
    return torch.stack([known[word] for word in words])


def attention(encoding: PositionalEncoding, *, causal: bool = False) -> Reader:
    """Return self-attention with random weights and this encoding, over all words or over those up to each one."""
    to_q, to_k, to_v = _normal(1, 3, DIM, DIM) / DIM**0.5

    def read(x: Tensor) -> Tensor:
        positions = torch.arange(len(x))
        h = encoding.embed(x[None], positions)
        q, k, v = (F.linear(h, weight).view(1, len(x), N_HEADS, -1).transpose(1, 2) for weight in (to_q, to_k, to_v))
        layer = encoding.at_layer(0).reading(h)
        q, k = layer.rotate(q, k, positions)
        bias, own = layer.bias(q, k, positions), layer.mask(positions)
        allowed = masks.causal(len(x)) if causal else torch.ones(len(x), len(x), dtype=torch.bool)
        allowed = allowed if own is None else allowed & own
        added = torch.zeros(len(x), len(x), dtype=x.dtype) if bias is None else bias
        attended = F.scaled_dot_product_attention(q, k, v, added.masked_fill(~allowed, -torch.inf))
        return attended.transpose(1, 2).flatten(2)[0]

    return read


def recurrent(x: Tensor) -> Tensor:
    """Return the states of a plain recurrent layer with random weights, h_t = tanh(W x_t + U h_(t-1)), (T, D)."""
    from_input, from_state = _normal(2, 2, DIM, DIM) / DIM**0.5
    state, states = torch.zeros(DIM, dtype=x.dtype), []
    for vector in x:
        state = torch.tanh(from_input @ vector + from_state @ state)
        states.append(state)
    return torch.stack(states)


def convolution(x: Tensor) -> Tensor:
    """Return a text CNN's layer with random weights: each word with its two neighbours, zeros past the ends, (T, D)."""
    weight = _normal(3, DIM, DIM, 3) / (3 * DIM) ** 0.5
    return F.conv1d(x.T[None], weight, padding=1)[0].T.relu()


def change(reader: Reader, x: Tensor, order: Sequence[int]) -> Tensor:
    """Return by how much each word's output moves when the words stand in another order, float64, shape (T,).

    `x` (T, D) are the words in their first order, `order` names which of them stands where afterwards. The outputs are
    put back to the first order before they are compared; the result is the distance of the two, in mean lengths of an
    output.
    """
    require(sorted(order) == list(range(len(x))), "order", f"hold each of 0 to {len(x) - 1} once", list(order))
    places = torch.tensor(order)
    before, after = reader(x), torch.empty_like(x)
    after[places] = reader(x[places])
    moved: Tensor = (after - before).norm(dim=-1) / before.norm(dim=-1).mean()
    return moved


def shuffled(n: int, number: int) -> list[int]:
    """Return one of the orders of n words, the same for the same `number`; 0 leaves them, 1 turns them around."""
    require(n >= 1, "n", "be at least 1", n)
    require(number >= 0, "number", "be at least 0", number)
    if number < 2:
        return list(range(n))[:: 1 - 2 * number]
    order: list[int] = torch.randperm(n, generator=torch.Generator().manual_seed(number)).tolist()
    return order


def _normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
