"""The welcome page and its course: every chapter once, what comes before stands before, and a short path."""

import json
import math
import subprocess
import sys

import pytest
import torch

from pe_core.chapters import course, home, learned, requirements, story
from pe_core.chapters.course import COURSE, SHORT
from pe_core.encodings import ENCODINGS
from pe_core.figures.looks.palette import PINNED, colour_of
from pe_core.lab.experiment.datasets import built_in
from pe_core.measures.requirements import REQUIREMENTS
from pe_core.translation import CONTENT
from tests.cases import each
from ui.widgets.prose import cut, fill

PICTURES = {home.past_training: [{"encodings": ("sinusoidal", "rope", "alibi")}, {"encodings": ("none", "rope")}]}
NEW_SPEC = {(home.past_training, "encodings")}
KEPT = json.loads(home.KEPT.read_text(encoding="utf-8"))
RUN = json.loads(home.RUN.read_text(encoding="utf-8"))


def test_the_lines_are_means_of_the_last_losses_of_the_file():
    frame = home.past_training().frames["lines"]
    for key in home.SHOWN:
        losses, drawn = KEPT["readers"][key]["losses"], frame[frame["name"] == ENCODINGS[key].title].set_index("x")["y"]
        assert len(drawn) == len(losses) == len(KEPT["text"]) == 512
        for place in (1, 2, 31, 32, 33, 64, 300, 512):
            last = losses[max(0, place - 32) : place]
            assert drawn[place] == pytest.approx(sum(last) / len(last))


def test_the_file_has_the_models_of_the_run_and_its_text():
    """Another machine may round otherwise, so that losses differ by some thousandths."""
    assert list(KEPT["readers"]) == list(RUN["outcomes"])
    for key, reader in KEPT["readers"].items():
        last = RUN["outcomes"][key]["lengths"][-1]
        assert [reader["within"], reader["end"]] == pytest.approx([last["within"], last["end"]], 0.01)
        assert reader["verdict"] == RUN["outcomes"][key]["verdict"]
        assert reader["title"] == ENCODINGS[key].title
        assert PINNED[key] == colour_of(reader["title"])
    corpus = built_in()
    assert corpus.name == KEPT["name"]
    assert "".join(corpus.vocabulary[token] for token in corpus.held_out[:512].tolist()) == KEPT["text"]


def test_losses_rise_behind_the_line_where_the_run_says_that_the_encoding_breaks():
    """What the picture promises: otherwise it teaches nothing."""
    for reader in KEPT["readers"].values():
        within, beyond = reader["losses"][32:64], reader["losses"][128:]
        rises = sum(beyond) / len(beyond) > 1.5 * sum(within) / len(within)
        assert rises == (reader["verdict"] == "breaks")


def test_a_loss_is_told_as_a_number_of_characters():
    facts = home.facts()
    reader = KEPT["readers"]["rope"]
    assert facts["rope-many"] == pytest.approx(math.e ** reader["end"])
    row = next(line for line in str(facts["table"]).splitlines() if line.startswith("| RoPE "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1] == f"{reader['within']:.2f} → {reader['end']:.2f}"
    assert cells[3] == f"× {reader['end'] / reader['within']:.2f}, breaks"


def test_an_encoding_that_was_not_trained_is_refused():
    with pytest.raises(ValueError, match="encodings must be among none, sinusoidal, rope, alibi, got fire"):
        home.past_training(("fire",))


def test_the_picture_that_is_kept_is_the_one_that_is_computed():
    assert json.loads(home.past_training().kept().to_json()) == json.loads(home.PICTURE.read_text(encoding="utf-8"))
    assert home.kept_picture().table_names() == home.past_training().table_names()
    assert home.from_json(home.to_json(home.kept())) == home.kept()


def test_kept_pictures_load_no_library_that_computes():
    program = (
        "import sys; from pe_core.chapters.home import facts, kept_picture, memory; "
        "from pe_core.chapters.story import kept; kept(), kept_picture(), facts(), memory(); "
        "sys.exit(bool({'torch', 'pandas', 'altair'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


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
    kept, made = json.loads(story.KEPT.read_text(encoding="utf-8")), json.loads(story.to_json(MADE))
    assert list(kept) == list(made) == list(story.kept()) == list(story.CHAPTERS)
    assert set(story.CHAPTERS.values()) <= set(COURSE)
    for name, picture in made.items():
        assert near(kept[name], picture), name


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
    hands = [mark["moving"] for mark in MADE["rotation"].marks if mark["tag"] == "line"]
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
    assert story.drawn([0, 3, 3], [0, 4, 9], "first")["moving"]["stroke-dashoffset"] == [1, 0.5, 0]
    assert story.shown_from(story.mark("rect", "first"), 2, 4)["moving"]["opacity"] == [0, 0, 1, 1]


@each("page", COURSE)
def test_what_to_know_before_comes_before(page):
    numbers = [course.number(before) for before in COURSE[page].before]
    assert all(number < course.number(page) for number in numbers)
    assert numbers or course.number(page) == 1


def test_the_short_path_takes_45_minutes_and_keeps_the_order():
    assert sum(stop.minutes for stop in SHORT) == 45
    shown = [page for stop in SHORT for page in stop.pages]
    assert (shown[0], shown[-1]) == ("home", "home")
    numbers = [course.number(page) for page in shown[1:-1]]
    assert numbers == sorted(numbers)


@each("page", COURSE)
def test_a_chapter_ticks_off_what_its_encoding_meets(page):
    chapter = COURSE[page]
    assert set(chapter.ticks) <= set(REQUIREMENTS)
    if chapter.encoding:
        verdicts = {key: requirements.verdict(key, chapter.encoding) for key in REQUIREMENTS}
        if page == "learned":  # its picture shows a table after training
            verdicts = {key: REQUIREMENTS[key].meets(number) for key, number in learned.numbers(1_000).items()}
        assert list(chapter.ticks) == [key for key, verdict in verdicts.items() if verdict]
        assert list(chapter.unjudged) == [key for key, verdict in verdicts.items() if verdict is None]


def test_numbers_and_the_way_on():
    assert (course.number("why_position"), course.number("gallery"), course.number("lab")) == (1, 12, None)
    assert course.following("why_position") == "requirements"
    assert course.following("gallery") == "selftest"
    with pytest.raises(ValueError, match="lab"):
        course.following("lab")
