"""The gallery's page: its table of all numbers."""

import math

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.results.gallery import KEPT, read
from tests.app.opened import followed
from tests.app.test_page_texts import all_of
from tests.app.walking import sound


def test_all_numbers_can_be_sorted():
    gallery = read(KEPT)
    common = sorted(set.intersection(*map(set, gallery.runs.values())))  # the seeds of all encodings are ranked
    at = sound(followed("gallery?gal_look=All numbers&gal_multiple=4&gal_measure=whole"))
    assert f"All {len(ENCODINGS)} are compared over the same {len(common)} seeds." in all_of(at)
    assert f"torch {gallery.versions['torch']}" in all_of(at)
    table = at.dataframe[0].value
    assert len(table) == len(ENCODINGS)
    rope = table.set_index("Encoding").loc["RoPE"]
    losses = [gallery.runs["rope"][seed].losses for seed in common]
    start, end = (sum(one[place].loss for one in losses) / len(losses) for place in (0, 3))
    assert rope["Bits more"] == pytest.approx((end - start) / math.log(2), abs=5e-4)
    assert rope["Bits more from"] <= rope["Bits more"] <= rope["Bits more to"]
    assert rope["Loss at 256"] == pytest.approx(end, abs=5e-4)
    assert rope["n"] == len(losses)
    assert rope["Parameters"] == gallery.runs["rope"][0].n_parameters
    assert rope["Minimum"] <= rope["Ratio"] <= rope["Maximum"]
