"""Words are as large as a room needs: 12 pixels in a telephone, 14 on a page, 18 and more on a whole screen."""

import re

import pytest
import torch
import vl_convert

from pe_core.figures.lines import Axes, lines
from pe_core.figures.looks.growth import CONFIG


@pytest.mark.parametrize(("width", "low", "high"), [(250, 12, 12), (350, 12, 12.2), (760, 13.9, 14.5), (1800, 18, 20)])
def test_words_grow_with_the_width_of_the_picture(width, low, high):
    figure = lines(torch.arange(3), {"a": torch.ones(3)}, Axes("x", "y"), marks=[("here", 1.0)])
    config = {**figure.spec["config"], **CONFIG}
    svg = vl_convert.vegalite_to_svg({**figure.standalone(), "width": width, "height": 200, "config": config})
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)', svg)]
    assert len(sizes) > 5
    assert low <= min(sizes) <= max(sizes) <= high


@pytest.mark.parametrize(("last", "anchor"), [(511, "end"), (540, "middle")])
def test_a_label_near_the_end_of_the_axis_does_not_stand_past_it(last, anchor):
    svg = lines(torch.tensor([0, last]), {"a": torch.ones(2)}, Axes("x", "y")).svg(width=360)
    assert re.search(r'<text text-anchor="(\w+)"[^>]*>500</text>', svg)[1] == anchor
