"""The value of a formula: its tree walked once, each step an operation of torch on tensors in float64."""

from collections.abc import Mapping

import torch
from torch import Tensor

from pe_core.expression.tree import OPERATIONS, Name, Number, Tree


def evaluate(tree: Tree, values: Mapping[str, Tensor]) -> Tensor:
    """Return the value of a tree, float64, in the shape to which the shapes of the `values` it names broadcast.

    Numbers and `values` are float64, so no number grows beyond 64 bits; 0 / 0 and the like give NaN and infinity as in
    torch. Raises `KeyError` for a name without a value.
    """
    match tree:
        case Number():
            return torch.tensor(tree.value, dtype=torch.float64)
        case Name():
            return values[tree.name]
    return OPERATIONS[tree.operation].compute(*(evaluate(argument, values) for argument in tree.arguments))
