"""Home's story: the kept pictures are those that are computed, and it takes two minutes."""

import math

import pytest
import torch

from pe_core.chapters import home, story
from pe_core.chapters.course import COURSE
from pe_core.translation import CONTENT
from ui.widgets.prose import cut, fill

MADE = story.made()
READ = 200  # words a minute
SECONDS = 120


def near(one, other):
    """Whether two parts of pictures are the same but for rounding, which may differ between machines."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(near(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(near, one, other))
    return one == pytest.approx(other, abs=0.02) if isinstance(one, float) else one == other


def test_the_pictures_that_are_kept_are_those_that_are_computed():
    kept = {name: picture.kept() for name, picture in story.kept().items()}
    assert list(kept) == list(MADE) == list(story.CHAPTERS)
    assert set(story.CHAPTERS.values()) <= set(COURSE)
    for name, picture in MADE.items():
        assert near(kept[name], story.MovingPicture.from_kept(picture.kept()).kept()), name


def test_it_is_read_and_seen_in_two_minutes():
    text = cut((CONTENT / "en" / "home.md").read_text(encoding="utf-8"))
    told = [fill(text[f"story {name}"], picture.facts) for name, picture in MADE.items()]
    n_words = sum(len(sentence.split()) for sentence in told)
    moving = sum(picture.seconds for picture in MADE.values())
    assert 60 * n_words / READ + moving <= SECONDS


def test_without_positions_no_output_changes_and_with_them_all_do():
    assert (MADE["order"].facts["without"], MADE["order"].facts["with"]) == (0, 3)


def test_the_score_and_the_angle_between_hands_stay():
    facts = MADE["rotation"].facts
    assert facts["highest"] - facts["lowest"] < 1e-9
    hands = [mark.moving for mark in MADE["rotation"].marks if mark.tag == "line"]
    for pair in range(3):
        query, key = (
            torch.atan2(90 - torch.tensor(one["y2"]), torch.tensor(one["x2"]) - story._centre(pair))
            for one in (hands[pair], hands[3 + pair])
        )
        angle = (query - key).remainder(2 * torch.pi)
        assert (angle - angle[0]).sin().abs().max() < 1e-5
        assert (query.cos() - query[0].cos()).abs().max() > 0.1


def test_losses_are_those_that_are_drawn():
    facts, found = MADE["longer"].facts, home.kept()
    for key in ("rope", "alibi"):
        losses = found.readers[key].losses
        assert facts[f"{key}-trained"] == pytest.approx(sum(losses[32:64]) / 32)
        assert facts[f"{key}-end"] == pytest.approx(sum(losses[-32:]) / 32)
    assert facts["angle"] == pytest.approx(math.degrees(63 * 10_000 ** (-8 / 16)))
    assert facts["rope-end"] > 1.5 * facts["rope-trained"]  # what the sentence says
    assert facts["alibi-end"] < 1.5 * facts["alibi-trained"]


def test_a_line_is_drawn_by_its_length_and_a_mark_is_there_from_its_step_on():
    assert story.drawn([0, 3, 3], [0, 4, 9], "first").moving["stroke-dashoffset"] == [1, 0.5, 0]
    assert story.shown_from(story.Mark("rect", "first"), 2, 4).moving["opacity"] == [0, 0, 1, 1]
