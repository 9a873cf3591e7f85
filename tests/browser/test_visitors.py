"""Visitors at the same time: their runs share the machine, and a run keeps nobody from looking at other pages."""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.looking import DEADLINE, picture, press, wait_for_other_picture
from tests.browser.training import TINY, button, train, words

pytestmark = pytest.mark.browser


def test_two_visitors_train_at_once_and_both_come_to_an_end(visit):
    first, second = visit(f"{TINY}&steps=80"), visit(f"{TINY}&steps=80&seed=1")
    seen = {first: set(), second: set()}
    for page in seen:
        button(page, "train").click()
    end = time.monotonic() + 2 * DEADLINE
    while not all("done" in "".join(seen[page]) for page in seen):
        assert time.monotonic() < end, seen
        for page in seen:
            seen[page].update(words(page).all_inner_texts())
        first.wait_for_timeout(100)
    for page in seen:
        under_way = [text for text in seen[page] if re.search(r"Step [1-9]", text) and "done" not in text]
        assert under_way
    assert any("place 2 in the queue" in text for page in seen for text in seen[page])


def test_a_run_keeps_nobody_from_moving_a_slider(visit, app):
    page, other = visit(f"{TINY}&steps=5000"), visit("/binary_vs_sinusoid")
    train(page)
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Binary against sinusoid").click()
    page.wait_for_url(f"{app}/binary_vs_sinusoid")
    for visitor in (page, other):
        shown = picture(visitor)
        press(visitor, "positions", "ArrowRight")
        wait_for_other_picture(visitor, shown)
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text(re.compile(r"Lab: Step [1-9]"))
    expect(other.get_by_test_id("stSidebar")).not_to_contain_text("Lab: Step")
    sidebar.get_by_role("link", name="See the run").click()
    button(page, "stop").click()
    expect(page.get_by_text(re.compile(r"^Stopped\."))).to_be_visible()
