import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.pope import Polar, frequencies, polar
from tests.cases import refuses
from tests.encodings.loops import of_pairs, scores
from tests.strategies import bases, normal, real_positions, seeds, widths

F64 = torch.float64


def encoding_of(phases, base=10_000.0):
    encoding = Polar(len(phases), frequencies(phases.shape[-1], base)).double()
    with torch.no_grad():
        encoding.phases.copy_(phases)
    return encoding.requires_grad_(False)


def test_no_content_by_hand():
    """Softplus of 0 is ln 2, so a score is half of ln(2) squared times the sum of four cosines."""
    nothing = torch.zeros(1, 1, 4, 4, dtype=F64)
    found = scores(encoding_of(torch.zeros(1, 4)), nothing, nothing, torch.arange(4))[0, 0]
    assert float(found[0, 0]) == pytest.approx(2 * math.log(2) ** 2)
    cosines = math.cos(3) + math.cos(0.3) + math.cos(0.03) + math.cos(0.003)
    assert float(found[3, 0]) == pytest.approx(math.log(2) ** 2 / 2 * cosines)


@given(seeds, widths, bases, real_positions, st.integers(1, 3))
def test_scores_equal_the_definition(seed, dim, base, positions, heads):
    q, k = normal(seed, 2, 1, heads, len(positions), dim)
    phases, places = -normal(seed + 1, heads, dim).abs(), positions.tolist()

    def value(row, column, head):
        total = 0.0
        for c in range(dim):
            query, key = (math.log1p(math.exp(float(x[c]))) for x in (q[0, head, row], k[0, head, column]))
            omega = base ** (-c / dim)
            total += query * key * math.cos(places[row] * omega - places[column] * omega - float(phases[head, c]))
        return total / math.sqrt(dim)

    expected = of_pairs(torch.arange(len(places)), value, [(head,) for head in range(heads)])
    assert_close(scores(encoding_of(phases, base), q, k, positions)[0], expected, atol=1e-9, rtol=0)


def test_phases_are_used_between_a_whole_turn_and_0():
    q, positions = normal(1, 1, 1, 5, 3), torch.arange(5)

    def found(phase):
        return scores(encoding_of(torch.full((1, 3), phase)), q, q, positions)

    assert torch.equal(found(1.0), found(0.0))
    assert torch.equal(found(-9.0), found(-2 * math.pi))
    assert not torch.allclose(found(-1.0), found(0.0))


def test_errors():
    channels = "x must have twice as many channels as frequencies (2), got 8"
    refuses(lambda: frequencies(4, 0.5), "base must be at least 1, got 0.5")
    refuses(lambda: polar(torch.zeros(1, 3, 4), torch.arange(3), frequencies(2)), channels)
