"""What moves in a picture, in the browser: a parameter with a slider under the picture, which the page can play."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

# These begin the names of parameters. Names in links are without the first one.
FLOWING = "flowing_"  # of one whose values between two steps mean something too
AT_ONCE = f"{FLOWING}at_once_"  # of one that starts at its end, and that a page plays once without being asked


def slider(name: str, words: str, *, last: int, start: int) -> "alt.Parameter":
    """Return the parameter `name` with a slider from 0 to `last` under the picture, called `words`.

    Two sliders with the same words on a page move together.
    """
    import altair as alt  # not for the frame of a page, which asks for the name only

    return alt.param(name=name, value=start, bind=alt.binding_range(min=0, max=last, step=1, name=f"{words} "))


def dragged(name: str, words: str, *, last: int, start: int) -> dict[str, Any]:
    """Return the signal `name` with the same slider, which is also moved by a press or a drag along the x axis.

    It is one of the `signals` in the config of a spec whose x axis counts from 0.
    """
    drag = "pointerdown, [pointerdown, window:pointerup] > window:pointermove"
    return {
        "name": name,
        "value": start,
        "bind": {"input": "range", "min": 0, "max": last, "step": 1, "name": f"{words} "},
        "on": [{"events": drag, "update": f"clamp(round(invert('x', x())), 0, {last})"}],
    }
