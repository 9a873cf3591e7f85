"""A cell of an image that is pointed at, or touched, says its row, its column and the number of pe_core."""

import re

import pytest
import torch
from playwright.sync_api import expect

from pe_core.encodings import sinusoidal
from tests.app.opened import opened
from tests.browser.looking import in_the_middle, picture, press, value, wait_for_other_picture
from tests.browser.serving import wait_until_idle
from tests.waiting import until

pytestmark = pytest.mark.browser


def chart(page):
    """The chart with the first image of the page, at rest in the middle of the window."""
    picture(page)
    found = page.locator('[data-testid="stVegaLiteChart"]', has=page.locator("svg.marks image")).first
    in_the_middle(found)
    return found


def place_of(found, row, column, shape):
    """Where the middle of a cell is on the page."""
    box = found.locator("image").first.bounding_box()  # of one that is played, all looks have the same place
    return box["x"] + (column + 0.5) / shape[1] * box["width"], box["y"] + (row + 0.5) / shape[0] * box["height"]


def said(page, found):
    """What stands in the box, line by line, once the page is at rest; nothing where there is no box."""
    wait_until_idle(page)
    return [line.replace("−", "-") for line in found.locator(".said_marks tspan").all_text_contents()]


def says(page, found, *lines):
    """Wait until the box says these lines, and maybe more."""
    until(lambda: said(page, found)[: len(lines)] == [*lines], lambda: f"{lines}, but: {said(page, found)}")


def pointed(page, found, row, column, shape):
    page.mouse.move(*place_of(found, row, column, shape))
    return said(page, found)


def test_the_sinusoid_says_the_number_of_the_cell_wherever_it_is(visit):
    length, width = 512, 768
    page = visit(f"/sinusoidal?length={length}&width={width}")
    found, values = chart(page), sinusoidal.table(torch.arange(length), width)
    plot = found.locator("image").bounding_box()
    for row, column in ((0, 0), (0, width - 1), (length - 1, 0), (length - 1, width - 1), (17, 5), (length // 2, 33)):
        number = f"{float(values[row, column]):.5f}"
        assert pointed(page, found, row, column, (length, width)) == [
            f"Position {row}",
            f"Channel {column}",
            f"Value {number}",
        ]
        for line in found.locator(".said_marks text").all():  # inside of the plot
            box = line.bounding_box()
            assert plot["x"] <= box["x"] <= box["x"] + box["width"] <= plot["x"] + plot["width"]
            assert plot["y"] <= box["y"] <= box["y"] + box["height"] <= plot["y"] + plot["height"]
    page.mouse.move(1, 1)
    assert said(page, found) == []
    assert page.locator("#vg-tooltip-element.visible").count() == 0


def test_a_table_that_changes_under_the_pointer_says_its_new_number_and_a_drag_chooses_a_part(visit):
    page = visit("/sinusoidal")
    found = chart(page)
    assert pointed(page, found, 3, 4, (64, 64))[2] == f"Value {float(sinusoidal.table(torch.arange(4), 64)[3, 4]):.5f}"
    page.locator(".st-key-base").get_by_role("slider").press("ArrowRight")
    number = float(sinusoidal.table(torch.arange(4), 64, base=20_000)[3, 4])
    says(page, found, "Position 3", "Channel 4", f"Value {number:.5f}")
    assert len(said(page, found)) == 3
    page.mouse.move(*place_of(found, 40, 20, (64, 64)))
    page.mouse.down()
    page.mouse.move(*place_of(found, 50, 30, (64, 64)), steps=5)
    page.mouse.up()
    page.wait_for_url(re.compile("topic=Detail"))
    wait_until_idle(page)
    assert (value(page, "detail_position"), value(page, "detail_channel")) == ("45", "25")


def test_inside_says_the_probability(visit, monkeypatch):
    monkeypatch.setenv("PE_STORE", "")
    drawn = opened("inside").session_state["_pictures"]["ins_own"].picture()
    cells = drawn.tables()["image"].pivot(index="Query", columns="Key", values="Attention").to_numpy()
    page = visit("/inside")
    found, last = chart(page), len(cells) - 1
    for row, column in ((0, 0), (last, 0), (last, last), (last // 2, last // 4)):
        lines = pointed(page, found, row, column, cells.shape)
        assert lines == [f"Query {row}", f"Key {column}", f"Attention {cells[row, column]:.5f}"]
    assert pointed(page, found, 0, last, cells.shape) == ["Query 0", f"Key {last}", "Attention not seen"]


def test_windows_says_what_a_cell_means_and_marks_the_place_in_the_picture_beside_it(visit):
    page = visit("/windows")
    found = chart(page)
    shape = (64, 64)
    assert pointed(page, found, 63, 63, shape) == ["Query 63", "Key 63", "seen directly"]
    assert pointed(page, found, 63, 25, shape) == ["Query 63", "Key 25", "through layers"]
    assert pointed(page, found, 63, 0, shape) == ["Query 63", "Key 0", "never"]
    assert pointed(page, found, 0, 63, shape) == ["Query 0", "Key 63", "lies ahead, not seen"]
    places = page.locator("input[name=pointed_at]")
    for number, other in ((0, 1), (1, 0)):
        box = page.get_by_test_id("stVegaLiteChart").nth(number).bounding_box()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"], steps=10)
        expect(places.nth(number)).not_to_have_value("-1")
        expect(places.nth(other)).to_have_value(places.nth(number).input_value())
    page.mouse.move(1, 1)
    for place in places.all():
        expect(place).to_have_value("-1")


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
