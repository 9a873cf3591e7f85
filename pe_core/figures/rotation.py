"""RoPE as hands on dials, one per pair, for a query and a key before and after the turn; and scores by distance."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import rotary
from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL, INK
from pe_core.measures.rotation import pair_scores

MAX_DIALS = 8
DIALS_A_ROW = 4  # at 390 px a dial is then still 70 px wide
QUERY, KEY = "query", "key"
COLOURS = (CATEGORICAL[0], CATEGORICAL[4])

# In pixels, so that a dial is round whatever the shape of the picture; below each there is room for its words.
_RADIUS = "min(0.44 * abs(scale('x', 1) - scale('x', 0)), 0.36 * min(abs(scale('y', 1) - scale('y', 0)), 190))"


def dials(q: Tensor, k: Tensor, query: int, key: int, frequencies: Tensor, pairs: Sequence[int]) -> Figure:
    """Return one dial for each of `pairs`: the pair of `q` and of `k` (d,), as they are and turned to their positions.

    The first channel of a pair points to the right, the second upwards, so that a turn goes against the clock. The
    longest hand of the picture is as long as a dial is wide. Under each dial stands what its pair adds to the score.
    """
    places, hands = [], []
    shares = pair_scores(q, k, query - key, frequencies)
    longest = float(torch.stack([q, k]).view(2, -1, 2).norm(dim=-1).max())
    for number, pair in enumerate(pairs):
        place = {"column": number % DIALS_A_ROW, "row": number // DIALS_A_ROW}
        places.append({**place, "pair": pair, "share": float(shares[pair])})
        for who, x, position in ((QUERY, q, query), (KEY, k, key)):
            turned = rotary.rotate(x[None], torch.tensor([position]), frequencies)[0]
            for when, vector in (("before", x), ("after", turned)):
                first, second = vector[2 * pair : 2 * pair + 2].tolist()
                hand = {"length": np.hypot(first, second) / longest, "degrees": np.degrees(np.arctan2(first, second))}
                hands.append({**place, **hand, "who": who, "when": when, "first": first, "second": second})
    return Figure(_dials_spec(), {"dials": pd.DataFrame(places), "hands": pd.DataFrame(hands)})


def distance_curves(distances: Tensor, curves: Mapping[str, Tensor], at: int) -> Figure:
    """Return named curves (N,) over whole `distances` (N,), with a line at the distance `at`."""
    frames = [
        pd.DataFrame({"distance": distances.numpy(), "score": values.numpy(), "name": name, "order": place})
        for place, (name, values) in enumerate(curves.items())
    ]
    return Figure(_curves_spec(), {"curves": pd.concat(frames), "at": pd.DataFrame([{"distance": at}])})


@cache
def _dials_spec() -> dict[str, Any]:
    x, y = _x("column"), _y("row")
    dials = alt.Chart(alt.NamedData("dials")).encode(x=x, y=y)
    size = {"expr": f"pow(2 * {_RADIUS}, 2)"}
    face = dials.mark_point(shape="circle", size=size, color=CATEGORICAL[7], filled=False, strokeWidth=1)
    words = dials.transform_calculate(words="'pair ' + datum.pair + ':  ' + format(datum.share, '+.3f')")
    label = words.mark_text(dy={"expr": f"{_RADIUS} + 12"}, fontSize=12, color={"expr": INK}).encode(text="words:N")
    tooltip = [
        alt.Tooltip("who:N").title("Vector"),
        alt.Tooltip("when:N").title("Turn"),
        alt.Tooltip("first:Q").title("First channel").format(".4f"),
        alt.Tooltip("second:Q").title("Second channel").format(".4f"),
    ]
    hands = alt.Chart(alt.NamedData("hands")).mark_point(
        shape="M0,0L0,-1",
        size={"expr": f"pow(2 * {_RADIUS} * datum.length, 2)"},
        filled=False,
        strokeCap="round",
        opacity=1,
        strokeWidth={"expr": "datum.when == 'after' ? 3.5 : 2"},
        strokeDash={"expr": "datum.when == 'after' ? [1, 0] : [2, 4]"},
    )
    colour = alt.Color("who:N").title(None).scale(domain=[QUERY, KEY], range=list(COLOURS))
    hand = hands.encode(
        x=x,
        y=y,
        angle=alt.Angle("degrees:Q").scale(None),
        color=colour.legend(orient="top", symbolType="stroke", symbolStrokeWidth=4),
        tooltip=tooltip,
    )
    spec: dict[str, Any] = alt.layer(face, hand, label).configure(aria=False).configure_view(stroke=None).to_dict()
    return spec


def _x(field: str) -> alt.X:
    return alt.X(f"{field}:Q").scale(domain=[-0.5, DIALS_A_ROW - 0.5], nice=False, zero=False).axis(None)


def _y(field: str) -> alt.Y:
    last = MAX_DIALS // DIALS_A_ROW - 0.5
    return alt.Y(f"{field}:Q").scale(domain=[-0.5, last], nice=False, zero=False, reverse=True).axis(None)


@cache
def _curves_spec() -> dict[str, Any]:
    x = alt.X("distance:Q").title("Distance between query and key").scale(nice=False)
    x = x.axis(tickMinStep=1, format="d", grid=False)
    colour = alt.Color("name:N").title(None).sort(field="order", op="min")
    colour = colour.scale(range=[CATEGORICAL[0], CATEGORICAL[1], CATEGORICAL[7]])
    tooltip = [
        alt.Tooltip("name:N").title("Curve"),
        alt.Tooltip("distance:Q").title("Distance"),
        alt.Tooltip("score:Q").title("Score").format(".4f"),
    ]
    lines = alt.Chart(alt.NamedData("curves")).mark_line(strokeWidth=2)
    lines = lines.encode(
        x=x,
        y=alt.Y("score:Q").title("Score"),
        color=colour.legend(orient="top", symbolStrokeWidth=4, labelLimit=320, columns=1),
        tooltip=tooltip,
    )
    rule = alt.Chart(alt.NamedData("at")).mark_rule(strokeDash=[4, 4], color=CATEGORICAL[7]).encode(x="distance:Q")
    spec: dict[str, Any] = alt.layer(rule, lines).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
