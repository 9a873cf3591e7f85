"""What is shown where a picture is pointed at is made for people: every field has a title, and no mark shows all."""

import re

from tests.cases import each

FOR_VEGA = {"url", "left", "right", "top", "bottom", "numbers", "decimals", "digits", "order", "value2"}


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


@each(
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
