r"""The matrix $M \ge 0$ that is subtracted from the scores, for a window and for biases that grow with the distance.

Attention is the softmax of $S - M$, so each key keeps $e^{-M}$ of the weight that its score would earn, before all
weights are made to sum to one again. Source of the common form: Su 2023, kexue.fm/archives/9431 (in Chinese).
"""

import torch
from torch import Tensor

from pe_core.encodings import alibi, kerple, sandwich
from pe_core.masks import sliding_window, subtractive
from pe_core.parameters import require

N_HEADS = 8


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
