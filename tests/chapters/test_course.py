"""The course: every chapter once, what comes before stands before, and a short path of 45 minutes."""

import pytest

from pe_core.chapters import course, learned, requirements
from pe_core.chapters.course import COURSE, SHORT
from pe_core.measures.requirements import REQUIREMENTS
from tests.cases import each


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
