"""What the property tests draw from: widths, bases, positions, and random numbers with a seed."""

import torch
from hypothesis import strategies as st

from pe_core.encodings import ENCODINGS

F64 = torch.float64
seeds = st.integers(0, 2**32 - 1)
widths = st.integers(1, 24)
even_widths = st.integers(1, 12).map(lambda pairs: 2 * pairs)
head_counts = st.integers(1, 40)
lengths = st.integers(1, 24)
bases = st.floats(1, 1e9)
offsets = st.integers(-5000, 5000)

# Neither sorted nor distinct.
whole_positions = st.lists(st.integers(0, 5000), min_size=1, max_size=10).map(torch.tensor)
real_positions = st.lists(st.floats(-5000, 5000), min_size=1, max_size=10).map(
    lambda values: torch.tensor(values, dtype=torch.float64)
)


def extremes(parameter):
    """Return the choices of a parameter, or the ends of its range, in the type of its default."""
    return parameter.choices or tuple(type(parameter.default)(end) for end in (parameter.minimum, parameter.maximum))


def settings(entry):
    """Return parameters of an entry to try: its defaults, and each parameter at its ends or choices."""
    return [{}, *({parameter.name: value} for parameter in entry.parameters for value in extremes(parameter))]


def choices(entry):
    """Return parameters of an entry to try: its defaults, and each choice that is not the default."""
    listed = ((parameter, choice) for parameter in entry.parameters for choice in parameter.choices)
    return [{}, *({parameter.name: choice} for parameter, choice in listed if choice != parameter.default)]


def normal(seed, *shape):
    """Return standard normal numbers, float64: the same for the same seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@torch.no_grad()
def drawn(module):
    """Return a module of others with parameters of our drawing, N(0, 1 / width): its own come from the global seed."""
    for place, parameter in enumerate(module.parameters()):
        parameter.copy_(normal(place, *parameter.shape) * parameter.shape[-1] ** -0.5)
    return module


@torch.no_grad()
def filled(module, **values):
    """Return a module whose parameters of these names hold these numbers: one for all of them, or one for each."""
    for name, value in values.items():
        getattr(module, name).copy_(torch.as_tensor(value))
    return module


def initialised(encoding, seed=0):
    """Return an encoding with its parameters drawn with this seed."""
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding


def built(key, shape, params=None, seed=0):
    """Return an encoding of the registry with its parameters drawn with this seed."""
    return initialised(ENCODINGS[key].build(shape, params), seed)
