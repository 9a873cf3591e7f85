"""Attention of a trained model as one image, with the training length marked in texts that are longer."""

from functools import cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures import image
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import cell_frame
from pe_core.figures.palette import CATEGORICAL, DIVERGING, INK
from pe_core.figures.raster import data_uri

TRAINED = "training length"
COLOURS = DIVERGING[4:]  # light to dark
MOST_NAMED = 20  # symbols beside an axis: more of them would touch
SIGNS = {" ": "␣", "\n": "↵"}


def attention_map(probabilities: Tensor, train_length: int, unit: str, text: str) -> Figure:
    """Return the image of how much each query attends to each key, (T, T), each a `unit`; what is not seen is empty.

    Colours follow the root of the attention, so that a key which gets a hundredth can be told from one which gets none.
    A line lies across and down at the training length, where the text is longer. Of a short text the axes name the
    symbols, else their places.
    """
    length = len(probabilities)
    seen = probabilities.where(probabilities > 0, float("nan"))
    frames = {"image": image.frame(seen, data_uri(2 * seen.sqrt() - 1, 1.0, colours=COLOURS))}
    longer = length > train_length
    if longer:
        frames["mark"] = pd.DataFrame([{"place": train_length - 0.5, "right": length - 0.5, "label": TRAINED}])
    named = length <= MOST_NAMED
    if named:
        shown = [SIGNS.get(symbol, symbol) for symbol in text]
        frames["symbols"] = pd.DataFrame({"place": range(length), "symbol": shown})
    return Figure(_spec(longer, unit, named), frames, behind={"image": lambda: cell_frame(probabilities)})


@cache
def _spec(marked: bool, unit: str, named: bool) -> dict[str, Any]:
    axis = alt.Axis(grid=False, labels=False, ticks=False, titlePadding=28) if named else image.WHOLE
    place = image.place(f"Query ({unit} that looks)", f"Key ({unit} looked at)", axis)
    colour = alt.Color("value:Q").title("Attention").scale(type="sqrt", domain=[0, 1], range=list(COLOURS), clamp=True)
    colour = colour.legend(
        orient="top",
        titleOrient="left",
        gradientLength=130,
        gradientThickness=10,
        values=[0, 0.1, 0.5, 1],
        format="~g",
    )
    scale_bearer = alt.Chart(alt.NamedData("image")).mark_point(opacity=0)
    layers = [scale_bearer.encode(x=place["x"], y=place["y"], color=colour)]
    if marked:  # the label stands where no query sees a key: right above the diagonal
        mark = alt.Chart(alt.NamedData("mark"))
        rule = mark.mark_rule(strokeDash=[6, 3], strokeWidth=1.5, color=CATEGORICAL[7])
        label = mark.mark_text(align="right", baseline="bottom", dx=-4, dy=-4, fontSize=12, color=alt.ExprRef(INK))
        layers += [rule.encode(x="place:Q"), rule.encode(y="place:Q")]
        layers.append(label.encode(x="right:Q", y="place:Q", text="label:N"))
    if named:
        symbols = alt.Chart(alt.NamedData("symbols")).encode(text="symbol:N")
        below = symbols.mark_text(y={"expr": "height + 12"}, font="monospace", fontSize=12, color=alt.ExprRef(INK))
        beside = symbols.mark_text(x=-12, font="monospace", fontSize=12, color=alt.ExprRef(INK))
        layers += [below.encode(x="place:Q"), beside.encode(y="place:Q")]
    return image.spec("image", place, image.Words("Query", "Key", "Attention", none="not seen"), layers)
