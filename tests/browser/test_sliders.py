"""A slider moved with the keyboard draws the picture anew and moves the link along."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture, press, value, wait_for_other_picture
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

SLIDERS = [("width", "64", "65"), ("base", "10000", "20000")]  # of the page of the sinusoid


def test_an_arrow_key_draws_the_picture_anew(visit):
    page = visit("/sinusoidal")
    for control, before, after in SLIDERS:
        shown = picture(page)
        assert value(page, control) == before
        press(page, control, "ArrowRight")
        wait_for_other_picture(page, shown)
        assert value(page, control) == after
        expect(page).to_have_url(re.compile(rf"/sinusoidal\?{control}={after}$"))
        press(page, control, "ArrowLeft")
        assert value(page, control) == before
        expect(page).to_have_url(re.compile(r"/sinusoidal$"))


def test_a_click_on_a_patch_moves_the_sliders_and_the_link_again_and_again(visit):
    page = visit("/images")

    def clicked(x, y):
        shown = picture(page)
        page.locator('[data-testid="stVegaLiteChart"] canvas').first.click(position={"x": x, "y": y})
        wait_for_other_picture(page, shown)
        wait_until_idle(page)
        row, column = (value(page, f"img_{name}_of_14") for name in ("row", "column"))
        expect(page).to_have_url(re.compile(rf"img_row_of_14={row}(&|$)"))
        expect(page).to_have_url(re.compile(rf"img_column_of_14={column}(&|$)"))
        return row, column

    first, second = clicked(40, 120), clicked(260, 150)
    assert first != second
    assert clicked(40, 120) == first
    press(page, "img_row_of_14", "ArrowRight")
    assert clicked(40, 120) == first
