"""Find layers in the spec of a figure."""

from pe_core.figures.figure import Figure


def layers(figure: Figure, data: str, mark: str = "") -> list[dict]:
    """The layers that draw the data of this name, with one kind of mark or with any."""
    shared = figure.spec.get("data", {})  # where all layers have the same
    named = [one for one in figure.spec["layer"] if one.get("data", shared).get("name") == data]
    return [one for one in named if mark in ("", one["mark"]["type"])]


def lines_of(figure: Figure) -> dict:
    """The layer that draws the lines of a figure."""
    return layers(figure, "lines", "line")[-1]


def told_of(figure: Figure) -> list:
    """What a tooltip says of a point on a line."""
    return layers(figure, "lines", "circle")[-1]["encoding"]["tooltip"]
