"""After some steps a page shows what it shows when its link is opened: no step leaves anything out or behind."""

import re

import pytest

from tests.browser.looking import picture, press, slider
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

# One changes a picture and a sentence, others take sentences away and bring them back.
STEPS = [("bias_head", "ArrowRight"), ("bias_length", "ArrowRight"), ("bias_row", "Home"), ("bias_head", "Home")]


def words(page):
    """The words of a page, those for who cannot see its pictures too, and how many pictures there are, at rest."""
    wait_until_idle(page)
    picture(page)
    return page.get_by_test_id("stMain").inner_text(), page.get_by_test_id("stVegaLiteChart").count()


def first_picture(page):
    """The first picture of a page, at rest; Vega counts gradients as long as the page is open."""
    return re.sub(r"gradient_\d+", "gradient", picture(page))


def test_a_page_after_steps_says_what_the_page_of_its_link_says(visit, app):
    page = visit("/biases")
    for control, key in STEPS:
        before = page.url
        press(page, control, key)
        page.wait_for_url(lambda url, before=before: url != before)
    said = words(page)
    assert said == words(visit(page.url.removeprefix(app)))


def test_steps_that_follow_each_other_at_once_end_as_the_last_one(visit, app):
    page = visit("/binary_vs_sinusoid")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight", "ArrowRight"):
        slider(page, "positions").press(key)
    page.wait_for_url("**positions=56**")
    said, shown = words(page), first_picture(page)
    fresh = visit(page.url.removeprefix(app))
    assert said == words(fresh)
    assert shown == first_picture(fresh)
