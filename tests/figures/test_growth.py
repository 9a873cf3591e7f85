"""Words are as large as a room needs: 12 pixels in a telephone, 14 on a page, 18 and more on a whole screen."""

import re
from itertools import pairwise

import pytest
import torch
import vl_convert

from pe_core.figures.curves import across, lines, marks, upwards
from pe_core.figures.looks.growth import CONFIG
from tests.cases import each


@each(("width", "low", "high"), [(250, 12, 12), (760, 13.9, 14.5), (1800, 18, 20)])
def test_words_grow_with_the_width_of_the_picture(width, low, high):
    figure = lines(torch.arange(3), {"a": torch.ones(3)}, across("x"), upwards("y"), marks([("here", 1.0)]))
    config = {**figure.spec["config"], **CONFIG}
    svg = vl_convert.vegalite_to_svg({**figure.standalone(), "width": width, "height": 200, "config": config})
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)', svg)]
    assert len(sizes) > 5
    assert low <= min(sizes) <= max(sizes) <= high


@each(("last", "width"), [(500, 300), (511, 360), (540, 300), (511, 900)])
def test_labels_stand_at_the_middle_of_their_ticks_and_within_the_picture(last, width):
    svg = lines(torch.tensor([0, last]), {"a": torch.ones(2)}, across("x"), upwards("y")).svg(width=width)
    seen = r'<text text-anchor="(\w+)" transform="translate\(([\d.]+),[\d.]+\)"[^>]*opacity="1">(\d+)</text>'
    anchors, places, numbers = zip(*re.findall(seen, svg), strict=True)
    assert {*anchors} == {"middle"}
    per_unit = [
        (float(there) - float(here)) / (int(to) - int(at))
        for (here, at), (there, to) in pairwise(zip(places, numbers, strict=True))
    ]
    assert len(per_unit) >= 4
    assert per_unit == pytest.approx([per_unit[0]] * len(per_unit), rel=0.02)
    start = float(re.search(r'stroke-miterlimit="10" transform="translate\((\d+),', svg)[1])  # of the plot
    assert start + float(places[-1]) + 10 < width  # "500" is 20 pixels wide and more
