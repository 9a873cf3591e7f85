"""The gallery's page: its table of all numbers, and whose verdict is another one by the other measure."""

import math
import re
from dataclasses import replace

import pytest

from pe_core.chapters import gallery as chapter
from pe_core.chapters import gallery_papers
from pe_core.encodings import ENCODINGS
from pe_core.lab.results.gallery import KEPT, SeedRun, read, standings
from tests.app.opened import opened, spaced
from tests.app.walking import sound

PAGE = "gallery"


@pytest.fixture(scope="module")
def gallery():
    return read(KEPT)


def said(at):
    return spaced("\n".join(element.value for element in [*at.markdown, *at.caption]))


def test_the_page_says_which_measure_it_shows_and_whose_verdict_is_another_by_the_other(gallery, monkeypatch):
    """The kept gallery with an end that is made up: six tenths more than within the training length, at any length."""

    def ended(losses):
        within = losses[0].loss
        more = [replace(one, end=1.6 * within, within=within, blocks=(0.6 * within,) * 4) for one in losses[1:]]
        return (replace(losses[0], end=within, within=within), *more)

    runs = {
        key: {
            seed: SeedRun(1, ended(one.losses), {name: ended(losses) for name, losses in one.repaired.items()})
            for seed, one in by_seed.items()
        }
        for key, by_seed in gallery.runs.items()
    }
    ended_later = replace(gallery, runs=runs)
    for module in (chapter, gallery_papers):
        monkeypatch.setattr(module, "gallery_of", lambda file="": ended_later)
    monkeypatch.setattr(chapter, "order", lambda multiple, measure, file="": standings(ended_later, multiple, measure))
    end, whole = (said(sound(opened(PAGE, gal_look="All numbers", gal_measure=one))) for one in ("end", "whole"))
    assert "lies within the training length: 12.5% of the window" in end
    assert f"**0 hold** (best kept: none), 0 degrade, {len(gallery.runs)} break" in end
    for words in (end, whole):
        assert re.search(r"\*breaks\* by the one and \*(holds|degrades)\* by the other", words)
    sound(opened(PAGE, gal_look="Paper and ours"))


def test_all_numbers_can_be_sorted(gallery):
    common = sorted(set.intersection(*map(set, gallery.runs.values())))  # the seeds of all encodings are ranked
    at = sound(opened(PAGE, gal_look="All numbers", gal_multiple="4", gal_measure="whole"))
    assert f"All {len(ENCODINGS)} are compared over the same {len(common)} seeds." in said(at)
    assert f"torch {gallery.versions['torch']}" in said(at)
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
