"""What is shown where a picture is pointed at is made for people: every field has a title, and no mark shows all."""

import json
import re

import pytest

from tests.app.opened import ROOT, opened

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
FOR_VEGA = {"url", "left", "right", "top", "bottom", "numbers", "decimals", "digits", "order", "value2"}

pytestmark = pytest.mark.usefixtures("own_queue")


def looks(at):
    """The closer looks of a page: the name of the control, and what can be chosen."""
    kinds = ("radio", "selectbox", "button_group")
    found = [widget for kind in kinds for widget in at.get(kind) if widget.label == "Closer look"]
    return [(widget.key, option) for widget in found for option in widget.options]


def specs(page):
    """The specs of all charts of a page, with each closer look opened in turn."""
    at = opened(page)
    pages = [at, *(opened(page, **{name: option}) for name, option in looks(at)[1:])]
    assert not any(one.exception for one in pages)
    return [json.loads(chart.proto.spec) for one in pages for chart in one.get("vega_lite_chart")]


def within(part):
    """The part of a spec itself and all parts within it."""
    yield part
    for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from within(child)


def tooltips(spec):
    """Every field of every tooltip, and every tooltip of a mark that is no field."""
    for part in within(spec):
        if isinstance(part, dict) and isinstance(part.get("encoding"), dict) and "tooltip" in part["encoding"]:
            found = part["encoding"]["tooltip"]
            yield from found if isinstance(found, list) else [found]
        if isinstance(part, dict) and isinstance(part.get("mark"), dict) and part["mark"].get("tooltip") is not None:
            yield part["mark"]["tooltip"]


def is_for_people(tooltip):
    """Whether a tooltip is a sentence of the data, nothing, or a field with a title that is no name out of the data."""
    if set(tooltip) == {"expr"}:
        return re.fullmatch(r"datum\.\w+|''", tooltip["expr"]) is not None
    title = tooltip.get("title", "")
    return bool(title) and "_" not in title and tooltip["field"] not in FOR_VEGA


@pytest.mark.parametrize("page", PAGES)
def test_every_tooltip_has_titles_for_people_and_there_is_none_that_nobody_wrote(page):
    for spec in specs(page):
        assert spec["config"]["mark"]["tooltip"] is None
        assert [tooltip for tooltip in tooltips(spec) if not is_for_people(tooltip)] == []


@pytest.mark.parametrize(
    ("tooltip", "expected"),
    [
        ({"field": "value", "title": "Value", "type": "quantitative"}, True),
        ({"field": "value", "type": "quantitative"}, False),
        ({"field": "url", "title": "Picture", "type": "nominal"}, False),
        ({"expr": "datum.heading"}, True),
        ({"content": "data"}, False),
    ],
)
def test_what_is_for_people_can_be_told(tooltip, expected):
    assert is_for_people(tooltip) == expected
