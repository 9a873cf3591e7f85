r"""What masks do: influence through layers, what is subtracted from scores, a sink that is gone, what a cache keeps.

A position sees the keys that its mask allows; what these have seen one layer below comes with them. So after n layers
the influences are the boolean product of n masks. A window of W keys, the query included, moves W - 1 further back with
each layer: n (W - 1) + 1 tokens, of which the last is the position itself (`rule`). Influence is what the mask permits;
how much of it a model uses is another matter.

A window subtracts a matrix $M \ge 0$ from the scores, as biases do that grow with the distance: 0 or infinity.
Attention is the softmax of $S - M$, so each key keeps $e^{-M}$ of the weight that its score would earn, before all
weights are made to sum to one again. Source of the common form: Su 2023, kexue.fm/archives/9431 (in Chinese).

A softmax gives away all of its weight. A trained head that has nothing to look for parks it on the first keys. With a
fraction $a$ there, the others have $1 - a$; where the sink is cut off, they get all, so that each weighs $1/(1 - a)$
times what it did in training. Reference: Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks",
arXiv:2309.17453, section 3.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.encodings import alibi, kerple, sandwich
from pe_core.masks import sinks, sliding_window, subtractive
from pe_core.parameters import require

N_HEADS = 8


def through_layers(masks: Sequence[Tensor]) -> Tensor:
    """Return which token can have influenced which position after 0, 1 .. N layers, boolean (N + 1, T, T).

    `masks` holds one boolean (T, T) per layer, the lowest first; row = position, column = token. After no layer, each
    position knows itself only. Raises `ValueError` without a mask.
    """
    require(len(masks) >= 1, "masks", "hold at least one layer", len(masks))
    found = [torch.eye(len(masks[0]), dtype=torch.bool)]
    for mask in masks:
        found.append(mask.float() @ found[-1].float() > 0)  # sums of zeros and ones, so exact
    return torch.stack(found)


def rule(window: int, n_layers: int) -> int:
    """Return how many tokens a late position can know of: `window` keys per layer, itself included, in `n_layers`.

    Source: Jiang et al. 2023, "Mistral 7B", arXiv:2310.06825, section 2, which rounds window - 1 up to the window.
    """
    require(window >= 1, "window", "be at least 1 (1 keeps only the query itself)", window)
    require(n_layers >= 0, "n_layers", "be at least 0", n_layers)
    return n_layers * (window - 1) + 1


def family(n: int, window: int, head: int, r1: float, r2: float) -> dict[str, Tensor]:
    """Return the M of each member of the family by name, float64, shape (n, n), infinite for keys after the query.

    `head` is one of 1 .. 8: ALiBi and Sandwich weaken from head to head. `r1` and `r2` are the two numbers of a head of
    KERPLE: strength and scale in its logarithmic form, strength and exponent in its power form.
    """
    require(1 <= head <= N_HEADS, "head", f"be from 1 to {N_HEADS}", head)
    require(r1 > 0, "r1", "be above 0", r1)
    require(0 < r2 <= 2, "r2", "be above 0 and at most 2", r2)
    positions = torch.arange(n)
    distance = (positions[:, None] - positions).double()
    strength, scale = torch.tensor([r1], dtype=torch.float64), torch.tensor([r2], dtype=torch.float64)
    added = {
        "ALiBi": alibi.bias(positions, N_HEADS, dtype=torch.float64)[head - 1],
        "KERPLE power": kerple.power_bias(distance, strength, scale)[0],
        "KERPLE log": kerple.log_bias(distance, strength, scale)[0],
        "Sandwich": sandwich.bias(positions, N_HEADS, dtype=torch.float64)[head - 1],
    }
    found = {"Window": subtractive(sliding_window(n, window), dtype=torch.float64)}
    return found | {name: -bias.masked_fill(distance < 0, -torch.inf) for name, bias in added.items()}


def kept(matrix: Tensor) -> Tensor:
    """Return e^-M, the share of its weight that each key keeps, same shape as `matrix`."""
    return (-matrix).exp()


def sink_rows(sink: float, others: Tensor) -> tuple[Tensor, Tensor]:
    """Return the attention to a key of score `sink` and to keys with the scores `others` (N,), with and without it.

    Both are float64, (N + 1,), the sink first: without it its weight is 0.
    """
    require(len(others) >= 1, "others", "hold at least one score", len(others))
    scores = torch.cat([torch.tensor([sink], dtype=torch.float64), others.double()])
    gone = scores.clone()
    gone[0] = -torch.inf
    return scores.softmax(-1), gone.softmax(-1)


def cached(step: int, window: int, n_sinks: int) -> Tensor:
    """Return the places in the text of what the cache holds when the token at place `step` is read, int64, (K,).

    These are the first keys and the last `window`; the token itself is the last one. Source: arXiv:2309.17453, section
    3.2 and figure 4.
    """
    require(step >= 0, "step", "be at least 0", step)
    return sinks(step + 1, window, n_sinks)[-1].nonzero()[:, 0]
