"""Find a layer in the spec of a figure."""

from pe_core.figures.figure import Figure


def lines_of(figure: Figure) -> dict:
    """The layer that draws the lines of a figure over lengths; a name of a guess may stand over it."""
    return [layer for layer in figure.spec["layer"] if layer["data"]["name"] == "lines"][-1]
