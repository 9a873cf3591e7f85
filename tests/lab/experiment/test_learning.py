"""The schedule of the learning rate, and what one step does to a weight: both by hand."""

import math

import pytest
import torch

from pe_core.lab.experiment.training import scheduled

WARMUP, FALL = 25, 10_000  # torch's: the rate starts at 1 / 25 of its peak, and ends at 1 / 10,000 of its start


def test_the_rate_goes_up_in_a_straight_line_for_three_tenths_of_the_steps_and_down_in_one():
    optimiser, schedule = scheduled([torch.nn.Parameter(torch.zeros(1))], 0.05, 10)
    rates = []
    for _ in range(10):
        rates.append(schedule.get_last_lr()[0])
        optimiser.step()
        schedule.step()
    start, end = 0.05 / WARMUP, 0.05 / WARMUP / FALL
    up = [start, (start + 0.05) / 2, 0.05]
    down = [0.05 + (end - 0.05) * step / 7 for step in range(1, 8)]
    assert rates == pytest.approx([*up, *down], rel=1e-12)


def test_a_squared_gradient_is_forgotten_by_a_fiftieth_at_each_step():
    weight = torch.nn.Parameter(torch.tensor([2.0], dtype=torch.float64))
    optimiser, _ = scheduled([weight], 0.05, 10)
    expected, squares, mean = 2.0, 0.0, 0.0
    rate, momentum = 0.05 / WARMUP, optimiser.param_groups[0]["betas"][0]
    for step, gradient in enumerate((1.0, -3.0, 0.5), start=1):
        weight.grad = torch.tensor([gradient], dtype=torch.float64)
        optimiser.step()
        mean = momentum * mean + (1 - momentum) * gradient
        squares = 0.98 * squares + 0.02 * gradient**2
        expected -= rate * 0.01 * expected  # weight decay
        expected -= rate * (mean / (1 - momentum**step)) / (math.sqrt(squares / (1 - 0.98**step)) + 1e-8)
        assert weight.item() == pytest.approx(expected, rel=1e-12)
