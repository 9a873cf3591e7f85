"""Every operation of formulas against torch, and against Python's own numbers."""

import math
import operator

import pytest
import torch

from pe_core.expression import evaluate, parse
from pe_core.expression.tree import OPERATIONS
from tests.cases import each

M = torch.tensor([0.25, 1.0, 2.5, -3.0, 7.0], dtype=torch.float64)
N = torch.tensor([2.0, 1.0, -0.5, 4.0, 7.0], dtype=torch.float64)
# Every operation as a formula of m and n, and as Python computes it.
BY_HAND = {
    "sin": ("sin(m)", lambda m, n: math.sin(m)),
    "cos": ("cos(m)", lambda m, n: math.cos(m)),
    "exp": ("exp(m)", lambda m, n: math.exp(m)),
    "log": ("log(m)", lambda m, n: math.log(m) if m > 0 else math.nan),
    "sqrt": ("sqrt(m)", lambda m, n: math.sqrt(m) if m >= 0 else math.nan),
    "abs": ("abs(m)", lambda m, n: abs(m)),
    "floor": ("floor(m)", lambda m, n: math.floor(m)),
    "min": ("min(m, n)", min),
    "max": ("max(m, n)", max),
    "negative": ("-m", lambda m, n: -m),
    "where": ("where(m > 1, m, n)", lambda m, n: m if m > 1 else n),
    "and": ("where(m > 0 and n > 0, 1, 0)", lambda m, n: m > 0 and n > 0),
    "or": ("where(m > 0 or n > 0, 1, 0)", lambda m, n: m > 0 or n > 0),
    "not": ("where(not m > 0, 1, 0)", lambda m, n: not m > 0),
}
ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow"}
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
BY_HAND |= {key: (f"m {key} n", getattr(operator, name)) for key, name in ARITHMETIC.items()}
BY_HAND |= {key: (f"where(m {key} n, 1, 0)", getattr(operator, name)) for key, name in COMPARISONS.items()}


def value(text, **values):
    return evaluate(parse(text, values, "a test"), values)


@each("operation", OPERATIONS)
def test_an_operation_is_what_python_computes(operation):
    text, compute = BY_HAND[operation]
    got = value(text, m=M, n=N)
    expected = [float(compute(m, n)) for m, n in zip(M.tolist(), N.tolist(), strict=True)]
    assert got.dtype == torch.float64
    assert got.tolist() == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_shapes_broadcast_as_in_torch():
    m, n = torch.arange(3.0).double()[:, None], torch.arange(2.0).double()
    assert torch.equal(value("m*10+n", m=m, n=n), m * 10 + n)
    assert value("2+1", m=m).shape == ()


def test_what_has_no_value_is_infinite_or_no_number():
    nothing = torch.zeros(1, dtype=torch.float64)
    assert value("1/m", m=nothing).item() == math.inf
    assert value("-1/m", m=nothing).item() == -math.inf
    assert math.isnan(value("m/m", m=nothing).item())
    assert value("9**9**9", m=nothing).item() == math.inf  # of 64 bits, where Python would write 370 million digits


def test_learned_numbers_have_their_slopes():
    a = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    value("a**2*m", a=a, m=torch.tensor(3.0, dtype=torch.float64)).backward()
    assert a.grad.item() == 12
