"""How much of the circle each pair turns through in training, and what of it is new in a longer text."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks.growth import grown
from pe_core.figures.looks.palette import CATEGORICAL, GREY, INK

KEPT, PARTLY, FULLY, NEW = "met, not slowed", "met, slowed in part", "met, slowed fully", "new angles"
PALE = "#A6D3EE"
_TOP, _BOTTOM = 0.48, 0.98  # of a row, between which its bars stand; its name stands above them
_ROUNDING = 1e-6  # of a slowdown
_HALF = 0.42  # of a bar's width, so that neighbours are apart


def circle_bars(met: Tensor, rules: Mapping[str, tuple[Tensor, Tensor]], factor: float) -> Figure:
    """Return a row for each rule with a bar for each pair: what is met of its circle, and above it what is new.

    `met` (P,) is the share of a full turn met in training. A rule has the share that is new to each pair (P,), with
    `met` at most 1, and how many times it slows the pair (P,), where `factor` is that of the longer text.
    """
    bars, rows = [], []
    for place, (name, (added, slowed)) in enumerate(rules.items()):
        for pair, (known, more, times) in enumerate(zip(met.tolist(), added.tolist(), slowed.tolist(), strict=True)):
            of_rule = {"rule": name, "pair": pair, "met": known, "new": more, "slowed": times}
            edges = {"left": pair - _HALF, "right": pair + _HALF}
            for kind, start, end in ((_kind(times, factor), 0.0, known), (NEW, known, known + more)):
                if end > start:
                    top, bottom = (place + _BOTTOM - (_BOTTOM - _TOP) * share for share in (end, start))
                    bars.append({**of_rule, "kind": kind, **edges, "top": top, "bottom": bottom})
        count = f"new angles in {int((added > 0).sum())} of {len(added)} pairs"
        box = {"name_top": place, "full": place + _TOP, "none": place + _BOTTOM, "last": len(added) - 0.5}
        rows.append({"name": name, "note": count, "first": -0.5, **box})
    return Figure(_spec(), {"bars": pd.DataFrame(bars), "rows": pd.DataFrame(rows)})


def _kind(times: float, factor: float) -> str:
    if times <= 1 + _ROUNDING:
        return KEPT
    return FULLY if times >= factor - _ROUNDING else PARTLY


def _down(field: str) -> alt.Y:
    return alt.Y(f"{field}:Q").title(None).scale(nice=False, zero=False, reverse=True).axis(None)


@built_once
def _spec() -> dict[str, Any]:
    x = alt.X("left:Q").title("Pair, from fast to slow").scale(nice=False, zero=False)
    x = x.axis(grid=False, tickMinStep=1, format="d")
    tooltip = [
        alt.Tooltip("rule:N").title("Rule"),
        alt.Tooltip("pair:Q").title("Pair"),
        alt.Tooltip("met:Q").title("Share of the circle met in training").format(".1%"),
        alt.Tooltip("new:Q").title("New in the longer text").format(".1%"),
        alt.Tooltip("slowed:Q").title("Slowed by (times)").format(".4~g"),
    ]
    colours = [CATEGORICAL[0], CATEGORICAL[5], PALE, CATEGORICAL[4]]
    colour = alt.Color("kind:N").title(None).scale(domain=[KEPT, PARTLY, FULLY, NEW], range=colours)
    colour = colour.legend(orient="top", columns=2, labelLimit=grown(300))
    rows = alt.Chart(alt.NamedData("rows"))
    words: dict[str, Any] = {"baseline": "top", "dy": 0, "color": alt.ExprRef(INK)}
    box = rows.mark_rect(color=GREY, opacity=0.18)
    bars = alt.Chart(alt.NamedData("bars")).mark_rect(opacity=1)
    name = rows.mark_text(align="left", fontSize=grown(12), fontWeight="bold", **words)
    note = rows.mark_text(align="right", fontSize=grown(12), **words)
    layers = (
        box.encode(x="first:Q", x2="last:Q", y=_down("full"), y2="none:Q"),
        bars.encode(x=x, x2="right:Q", y=_down("top"), y2="bottom:Q", color=colour, tooltip=tooltip),
        name.encode(x=alt.value(0), y=_down("name_top"), text="name:N"),
        note.encode(x=alt.value("width"), y=_down("name_top"), text="note:N"),
    )
    spec: dict[str, Any] = alt.layer(*layers).configure(aria=False).configure_view(stroke=None).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}  # hundreds of bars to be pointed at
