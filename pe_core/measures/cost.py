"""What an encoding costs, in numbers that can be counted: learned ones, and those of a bias. No times."""

import copy

import torch

from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.measures.profile import PROJECTIONS, attempt, effects_on, precise, random_content, unit_content


def n_parameters(encoding: PositionalEncoding) -> int:
    """Return how many parameters the encoding has, over all layers that share it."""
    return sum(parameter.numel() for parameter in encoding.parameters())


def unreached(encoding: PositionalEncoding, shape: Shape) -> float | None:
    """Return the share of parameters that a text of the training length does not reach, from 0 to 1.

    They are those whose gradient is exactly 0 on random queries and keys, at the weights as they are: rows of a table
    and buckets past the training length, and also what a rectifier has switched off. None where nothing is learned and
    where the encoding refuses the positions.
    """
    positions = torch.arange(shape.train_length)
    if not n_parameters(encoding) or attempt(encoding, shape, positions) is None:
        return None
    own = copy.deepcopy(encoding).double().requires_grad_(True)
    q, k = random_content(shape, len(positions))
    found = effects_on(own, shape, positions, q.new_zeros(len(positions), shape.d_model), q, k)
    generator = torch.Generator().manual_seed(PROJECTIONS)
    loss = sum(
        (part[part.isfinite()] * torch.randn(int(part.isfinite().sum()), generator=generator, dtype=part.dtype)).sum()
        for part in (found.vectors, found.queries, found.keys, found.bias)
    )
    assert isinstance(loss, torch.Tensor)  # for the type checker: a sum of none would be the number 0
    gradients = torch.autograd.grad(loss, list(own.parameters()), allow_unused=True, materialize_grads=True)
    return sum(int((gradient == 0).sum()) for gradient in gradients) / n_parameters(own)


def bias_elements(encoding: PositionalEncoding, shape: Shape) -> int | None:
    """Return how many numbers the bias of one layer holds for one text of the training length; 0 without a bias.

    None where the encoding refuses the positions.
    """
    positions = torch.arange(shape.train_length)
    if attempt(encoding, shape, positions) is None:
        return None
    content = unit_content(shape, len(positions))[None]
    bias = precise(encoding).at_layer(0).bias(content, content, positions)
    return 0 if bias is None else bias.numel()
