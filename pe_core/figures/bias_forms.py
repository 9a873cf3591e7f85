"""ALiBi's slopes for any number of heads, and what rounding does to the two forms of its bias."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import altair as alt
import pandas as pd
from torch import Tensor

from pe_core.figures.bias_rows import colours_of, compared_lines, tooltip_of
from pe_core.figures.figure import MOST_SPECS, Figure
from pe_core.figures.palette import CATEGORICAL

OWN, FILLED, NAIVE = "of the power of two", "filled up", "2^(−8h/H), the slip"


def slopes(found: Tensor, n_own: int, naive: Tensor) -> Figure:
    """Return the slope of each head, `found` (H,), the first `n_own` of which belong to the power of two below H.

    `naive` (H,) are those of the formula that is right for powers of two only.
    """
    heads = list(range(1, len(found) + 1))
    own = pd.DataFrame({"head": heads, "slope": found.numpy()})
    own["what"] = [OWN if head <= n_own else FILLED for head in heads]
    frame = pd.concat([pd.DataFrame({"head": heads, "slope": naive.numpy(), "what": NAIVE}), own])
    return Figure(_slopes_spec(), {"slopes": frame})


def rounded(distances: Tensor, lines: Mapping[str, Tensor]) -> Figure:
    """Return each of `lines` (K,) over `distances` (K,): the bias, less that of the query's own key."""
    frames = [
        pd.DataFrame({"distance": distances.numpy(), "bias": values.numpy(), "name": name})
        for name, values in lines.items()
    ]
    return Figure(_rounded_spec(tuple(lines)), {"lines": pd.concat(frames, ignore_index=True)})


@cache
def _slopes_spec() -> dict[str, Any]:
    x = alt.X("head:Q").title("Head h").scale(nice=False, zero=False, padding=10)
    x = x.axis(grid=False, tickMinStep=1, format="d")
    y = alt.Y("slope:Q").title("Slope").scale(type="log", base=2, domain=[2**-8.5, 1], nice=False)
    fraction = "datum.value < 1 ? '1/' + round(1 / datum.value) : '1'"
    y = y.axis(values=[2.0**-power for power in range(9)], labelExpr=fraction)
    kinds, colours = [OWN, FILLED, NAIVE], [CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[7]]
    colour = alt.Color("what:N").title(None).scale(domain=kinds, range=colours)
    shape = alt.Shape("what:N").title(None).scale(domain=kinds, range=["circle", "diamond", "cross"])
    points = alt.Chart(alt.NamedData("slopes")).mark_point(filled=True, size=80, opacity=1)
    tooltip = [*tooltip_of("Head", "head:Q", "Slope", "slope:Q")[1:], alt.Tooltip("what:N").title("Slope")]
    chart = points.encode(x=x, y=y, color=colour.legend(orient="top", columns=2), shape=shape, tooltip=tooltip)
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return spec


@lru_cache(MOST_SPECS)
def _rounded_spec(names: tuple[str, ...]) -> dict[str, Any]:
    x = alt.X("distance:Q").title("Distance m − n, query minus key").scale(nice=False)
    y = alt.Y("bias:Q").title("Bias, less that of the own key")
    colour = colours_of(names, (CATEGORICAL[7], CATEGORICAL[0], CATEGORICAL[4])[: len(names)])
    tooltip = tooltip_of("Distance", "distance:Q", "Bias", "bias:Q")
    x = x.axis(grid=False, tickMinStep=1, format="d")
    chart = compared_lines(names, "step").encode(x=x, y=y, color=colour, tooltip=tooltip)
    spec: dict[str, Any] = chart.configure(aria=False).to_dict()
    return spec
