"""Home's story: the kept pictures are those that are computed, their numbers are right, and it takes two minutes."""

import math
import re
import subprocess
import sys

import pytest
import torch

from pe_core.chapters import home, story
from pe_core.chapters.course import COURSE
from pe_core.figures.moving import HEIGHT, WIDTH, between, drawn, shown_from
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
    for name, picture in MADE.items():
        assert near(kept[name], story.MovingPicture.from_kept(picture.kept()).kept()), name


def test_another_picture_would_be_noticed():
    kept, other = (story.kept()[name].kept() for name in ("order", "counting"))
    assert not near(kept, other)
    assert not near(1.0, 1.1)


def test_the_pictures_load_no_library_that_computes():
    program = (
        "import sys; from pe_core.chapters.story import kept; kept(); "
        "sys.exit(bool({'torch', 'pandas', 'altair'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_each_picture_leads_to_a_chapter():
    assert set(story.CHAPTERS.values()) <= set(COURSE)


def test_it_is_read_and_seen_in_two_minutes():
    text = cut((CONTENT / "en" / "home.md").read_text(encoding="utf-8"))
    told = [fill(text[f"story {name}"], picture.facts) for name, picture in MADE.items()]
    n_words = sum(len(sentence.split()) for sentence in told)
    moving = sum(picture.seconds for picture in MADE.values())
    print(f"{n_words} words, {moving} s in motion")
    assert 60 * n_words / READ + moving <= SECONDS


@pytest.mark.parametrize("name", MADE)
def test_every_mark_stays_on_the_sheet_and_some_move(name):
    marks = MADE[name].kept()["marks"]
    places = [
        (one, value) for mark in marks for one, value in {**mark.get("fixed", {}), **mark.get("moving", {})}.items()
    ]
    for which, ends in (("x", WIDTH), ("y", HEIGHT)):
        values = [value for one, value in places if re.fullmatch(rf"c?{which}[12]?", one)]
        flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
        assert flat
        assert 0 <= min(flat) <= max(flat) <= ends
    assert any(len(set(values)) > 1 for mark in marks for values in mark.get("moving", {}).values())


def test_without_positions_no_output_changes_and_with_them_all_do():
    assert (MADE["order"].facts["without"], MADE["order"].facts["with"]) == (0, 3)


def test_the_share_of_a_word_by_hand():
    """The mean of |x| / |x + m 1| over unit tokens is near 1 / (m sqrt(D)) for a large m."""
    assert MADE["counting"].facts["share"] == pytest.approx(100 / (63 * math.sqrt(64)), rel=0.01)


def test_bits_that_flip_by_hand():
    facts = MADE["binary"].facts
    assert (facts["most"], facts["next"]) == ((7 ^ 8).bit_count(), (8 ^ 9).bit_count())
    bars = [mark.words for mark in MADE["binary"].marks if mark.look == "number"]
    assert bars == [str((at ^ (at + 1)).bit_count()) for at in range(15)]


def test_every_step_of_the_waves_has_the_same_length():
    heights = [mark.fixed["height"] for mark in MADE["sinusoid"].marks if mark.look == "second"]
    assert len(heights) == story.WAVE_POSITIONS - 1
    assert max(heights) - min(heights) < 1e-9
    by_hand = math.sqrt(sum(4 * math.sin(0.5 / 2**pair) ** 2 for pair in range(4)))  # chords of angles 1, 1/2 ...
    assert MADE["sinusoid"].facts["step"] == pytest.approx(by_hand)


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


def test_a_line_is_drawn_by_its_length():
    line = drawn([0, 3, 3], [0, 4, 9], "first")
    assert line.moving["stroke-dashoffset"] == [1, 0.5, 0]


def test_a_mark_is_there_from_its_step_on():
    assert shown_from(story.Mark("rect", "first"), 2, 4).moving["opacity"] == [0, 0, 1, 1]


def test_ends_that_are_one_are_refused():
    with pytest.raises(ValueError, match=r"ends must differ, got \(2, 2\)"):
        between([1], (2, 2), (0, 10))
