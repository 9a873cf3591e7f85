"""The page for one's own formula: starts, what is typed, links, and what is said of a wrong one."""

import pytest

from pe_core.chapters.own import STARTS
from tests.app.in_chinese import also_in_chinese
from tests.app.opened import checked, frames, opened

PAGE = "own"


def field(at):
    return at.text_input(key="own_text")


def shown(at):
    """The values of the heatmap."""
    return frames(at)[0]["table"].value.to_list()


def test_a_start_fills_all_controls_and_its_link_does_the_same():
    at = opened(PAGE)
    for start, chosen in STARTS.items():
        at.selectbox(key="own_start").set_value(start).run()
        pages = [at, opened(PAGE, own_start=start)] if chosen.learned else [at]
        for page in pages:
            checked(page, 2)
            assert not page.warning, start
            assert field(page).value == chosen.text
            assert page.segmented_control(key="own_kind").value == chosen.kind
            numbers = {one.key.removeprefix("own_"): one.value for one in page.slider if one.key in ("own_a", "own_b")}
            assert numbers == chosen.learned
        assert shown(pages[0]) == shown(pages[-1])


def test_a_link_carries_what_was_typed():
    at = checked(opened(PAGE, own_kind="embedding", own_text="a*m/100", own_a="2.5"), 2)
    assert field(at).value == "a*m/100"
    assert max(shown(at)) == pytest.approx(2.5 * 63 / 100)
    at.slider(key="own_a").set_value(5.0).run()
    assert max(shown(at)) == pytest.approx(5 * 63 / 100)


def test_what_is_wrong_is_said_and_the_last_picture_stays():
    at = opened(PAGE)
    field(at).set_value("-sqrt(distance)").run()
    before = shown(at)
    field(at).set_value("-sqrt(distance").run()
    assert [warning.value for warning in at.warning] == [
        "This formula cannot be drawn: `formula must close the bracket that opens in column 6, got the end in column "
        "15 of '-sqrt(distance'`. Shown instead: `-sqrt(distance)`."
    ]
    assert shown(at) == before
    field(at).set_value("1/distance").run()
    assert "got inf at m = 0, n = 0, h = 0 in '1/distance'" in at.warning[0].value
    for text in ("-sqrt(distance", "1/distance", "x", "9**9**9", "'a'", "m" * 300):
        field(at).set_value(text)
        also_in_chinese(at)
    field(at).set_value("-distance").run()
    assert not at.warning
    assert shown(at) != before
