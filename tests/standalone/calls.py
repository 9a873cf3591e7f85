"""What is asked of an entry and of its copy: the same calls, whose results have to be equal to the last bit.

This file is read where there is torch alone, so it imports nothing else.
"""

import torch

SIZES = (24, 3, 8, 20)  # width, heads, training length, longest length
LENGTHS = (1, 12)


def of_encoding(make, shape, params):
    """The results of every hook on two layers, with learned parameters drawn, or the text of the error."""
    try:
        encoding = make(shape, params)
        encoding.reset_parameters(torch.Generator().manual_seed(1))
        drawn = torch.Generator().manual_seed(2)
        found = []
        for length in LENGTHS:
            positions = torch.arange(length)
            x = torch.randn(2, length, shape.d_model, generator=drawn)
            q, k = torch.randn(2, 2, shape.n_heads, length, shape.d_model // shape.n_heads, generator=drawn)
            seen = torch.ones(length, length, dtype=torch.bool).tril()
            found.append(encoding.embed(x, positions))
            for layer in range(2):
                own = encoding.at_layer(layer).reading(x).seeing(seen)
                turned = own.rotate(q, k, positions)
                found += [*turned, own.bias(*turned, positions), own.mask(positions)]
    except ValueError as error:
        return str(error)
    return [None if one is None else one.detach() for one in found]


def of_rule(make, params):
    """The frequencies and temperatures of a rule for texts shorter and longer than in training."""
    frequencies = 10_000.0 ** -(torch.arange(0, 16, 2, dtype=torch.float64) / 16)
    found = []
    for target in (32, 64, 65, 512):
        try:
            scaled = make(frequencies, base=10_000.0, train_length=64, scale=max(1.0, target / 64), **params)
            found += [scaled.frequencies, torch.tensor(scaled.temperature)]
        except ValueError as error:
            found.append(str(error))
    return found


def of_mask(make, params):
    """Masks of short and long texts."""
    return [make(n, 16, params) for n in (1, 7, 40)]


def of_remap(make, params):
    """Positions of short and long texts."""
    return [make(n, 16, 64, torch.Generator().manual_seed(3), params) for n in (1, 7, 40)]


def results(kind, make, given, shape_of):
    """Everything that is asked of an entry, for each of the parameters that are given."""
    if kind == "encoding":
        return [of_encoding(make, shape_of(*SIZES), params) for params in given]
    return [{"rule": of_rule, "mask": of_mask, "remap": of_remap}[kind](make, params) for params in given]


def equal(one, other):
    """Whether two results are the same to the last bit."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return (
            one.dtype == other.dtype and one.shape == other.shape and torch.equal(one.nan_to_num(), other.nan_to_num())
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return type(one) is type(other) and one == other
