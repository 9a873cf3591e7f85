"""A sine of the lanes is drawn through its highest and lowest points, and looks like a sine."""

import numpy as np
import pytest
import torch

from pe_core.figures.scrubbed_table import AT_ENDS, sine_wave
from tests.cases import each

FREQUENCIES = (1.0, 0.5, 0.11, 0.01, 0.001, 1e-9)


def monotone(x, y, every):
    """The curve of Vega's "monotone" through the points x, y, read at `every`: Steffen's cubics (1990), as d3 has them.

    It rises or falls from each point to the next, and is level where it turns.
    """
    across, secant = np.diff(x), np.diff(y) / np.diff(x)
    mean = (secant[:-1] * across[1:] + secant[1:] * across[:-1]) / (across[:-1] + across[1:])
    least = np.minimum(np.minimum(abs(secant[:-1]), abs(secant[1:])), abs(mean) / 2)
    inner = (np.sign(secant[:-1]) + np.sign(secant[1:])) * least
    slope = np.concatenate([[(3 * secant[0] - inner[0]) / 2], inner, [(3 * secant[-1] - inner[-1]) / 2]])
    place = np.clip(np.searchsorted(x, every, side="right") - 1, 0, len(across) - 1)
    h, t = across[place], (every - x[place]) / across[place]
    of_values = (1 + 2 * t) * (1 - t) ** 2 * y[place] + t**2 * (3 - 2 * t) * y[place + 1]
    return of_values + h * (t * (1 - t) ** 2 * slope[place] - t**2 * (1 - t) * slope[place + 1])


@each("n_positions", [8, 512])
@each("frequency", FREQUENCIES)
def test_a_line_that_turns_only_at_its_points_is_a_sine_within_a_pixel(n_positions, frequency):
    where, values = (column.numpy() for column in sine_wave(n_positions, frequency))
    assert [where[0], where[-1]] == pytest.approx([0, n_positions - 1])
    assert (np.diff(where) > 0).all()
    assert values == pytest.approx(np.sin(where * frequency), abs=1e-6)
    every = np.linspace(0, n_positions - 1, 40 * n_positions)
    away = np.abs(monotone(where, values, every) - np.sin(every * frequency)).max()
    assert away < 0.08  # a wave is some 12 pixels high, from -1 to 1


@each("frequency", FREQUENCIES)
def test_a_wave_has_two_points_a_turn(frequency):
    where, values = sine_wave(512, frequency)
    n_turning = int(511 * frequency / torch.pi + 0.5)
    assert int((values.abs() > 1 - 1e-9).sum()) == n_turning
    assert len(where) <= n_turning + 2 * AT_ENDS
