"""T5's buckets against the distance, and the bias of a table for them."""

from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from torch import Tensor

from pe_core.figures.biases import distance_axis, length_layers
from pe_core.figures.figure import Figure
from pe_core.figures.palette import CATEGORICAL

MET, UNMET = "met in training", "never met in training"
TARGET, TABLE, UNTRAINED = "ALiBi's line", "T5, bucket met in training", "T5, bucket never met"


def buckets(distances: Tensor, found: Tensor, met: Tensor, train_length: int) -> Figure:
    """Return the bucket of each distance, `found` (K,), coloured by whether it is `met` (n_buckets,) in training."""
    frame = pd.DataFrame({"distance": distances.numpy(), "bucket": found.numpy()})
    frame["training"] = np.where(met[found].numpy(), MET, UNMET)
    length = pd.DataFrame([{"distance": train_length, "label": "training length"}])
    return Figure(_buckets_spec(), {"buckets": frame, "length": length})


def table(distances: Tensor, target: Tensor, looked_up: Tensor, trained: Tensor, train_length: int) -> Figure:
    """Return the bias of a table, `looked_up` (K,), beside the `target` (K,) that it should follow.

    `trained` (K,) says of each distance whether its bucket was met in training.
    """
    wanted = pd.DataFrame({"distance": distances.numpy(), "bias": target.numpy()}).assign(what=TARGET)
    what = np.where(trained.numpy(), TABLE, UNTRAINED)
    got = pd.DataFrame({"distance": distances.numpy(), "bias": looked_up.numpy(), "what": what})
    length = pd.DataFrame([{"distance": train_length, "label": "training length"}])
    return Figure(_table_spec(), {"wanted": wanted, "got": got, "length": length})


@cache
def _buckets_spec() -> dict[str, Any]:
    x = distance_axis()
    y = alt.Y("bucket:Q").title("Bucket").scale(nice=False).axis(tickMinStep=1, format="d")
    colour = alt.Color("training:N").title(None).scale(domain=[MET, UNMET], range=[CATEGORICAL[0], CATEGORICAL[4]])
    shape = alt.Shape("training:N").title(None).scale(domain=[MET, UNMET], range=["circle", "square"])
    tooltip = [
        alt.Tooltip("distance:Q").title("Distance"),
        alt.Tooltip("bucket:Q").title("Bucket"),
        alt.Tooltip("training:N").title("Bucket"),
    ]
    points = alt.Chart(alt.NamedData("buckets")).mark_point(filled=True, size=24, opacity=1)
    dots = points.encode(x=x, y=y, color=colour.legend(orient="top"), shape=shape, tooltip=tooltip)
    spec: dict[str, Any] = alt.layer(*length_layers(x), dots).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}


@cache
def _table_spec() -> dict[str, Any]:
    x = distance_axis()
    y = alt.Y("bias:Q").title("Bias").scale(zero=False)
    kinds, colours = [TARGET, TABLE, UNTRAINED], [CATEGORICAL[7], CATEGORICAL[0], CATEGORICAL[4]]
    colour = alt.Color("what:N").title(None).scale(domain=kinds, range=colours)
    colour = colour.legend(orient="top", columns=1, symbolType="circle", symbolOpacity=1, labelLimit=220)
    tooltip = [
        alt.Tooltip("what:N").title("Of"),
        alt.Tooltip("distance:Q").title("Distance"),
        alt.Tooltip("bias:Q").title("Bias").format(".4~g"),
    ]
    wanted = alt.Chart(alt.NamedData("wanted")).mark_line(strokeWidth=1.5, strokeDash=[6, 4])
    got = alt.Chart(alt.NamedData("got")).mark_circle(size=16, opacity=1)
    layers = wanted.encode(x=x, y=y, color=colour), got.encode(x=x, y=y, color=colour, tooltip=tooltip)
    spec: dict[str, Any] = alt.layer(*length_layers(x), *layers).configure(aria=False).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}}
