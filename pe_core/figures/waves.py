"""Waves over the position, and what all of them make of a distance, with the places where it rises again."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.figures.curves import across, along, upwards
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.looks import motion
from pe_core.figures.looks.in_order import in_order
from pe_core.figures.looks.palette import CATEGORICAL, GREY, GROWTH, INK, SOLID, area, grown, on_ground
from pe_core.measures.channels import Channel
from pe_core.measures.similarity import dot_products, rises

MAX_WAVES = 6
AT = f"{motion.FLOWING}position"
MAX_DOTS = 64  # positions that are marked on the waves; more would run together
ROW = 18  # pixels from one number to the next at least, in a narrow picture
SAMPLES = 12  # of a wave, per turn; the line between them is rounded
MAX_SAMPLES = 2000  # of a wave, over the whole length: more than there are pixels
MAX_VALUE = 1.05  # where the axis of the waves ends, on both sides
RISES = "rises outwards, first at the dashed line"


def waves(channels: Sequence[Channel], length: int) -> Figure:
    """Return the waves of `channels` over positions 0 .. length - 1, with a dot where a position reads them."""
    indices: dict[int, list[str]] = {}  # of the channels of each pair
    for channel in channels:
        indices.setdefault(channel.pair, []).append(str(channel.index))
    pairs = {pair: f"{pair}: channel{'s' * (len(both) > 1)} {', '.join(both)}" for pair, both in indices.items()}
    read = pd.DataFrame(
        {
            "channel": str(channel.index),
            "pair": pairs[channel.pair],
            "wave": channel.wave,
            "order": list(pairs).index(channel.pair),
            "rate": channel.frequency,
            "ahead": channel.ahead,
            "last": length - 1,
        }
        for channel in channels
    )
    whole = torch.arange(length) if length <= MAX_DOTS else torch.tensor([0, length - 1])  # the ends, else a crowd
    between = [_between(channel, length) for channel in channels]
    looks = read[["channel", "pair", "wave", "order"]]
    curves, dots = _wave_frame(channels, looks, between), _wave_frame(channels, looks, [whole] * len(channels))
    return Figure(_waves_spec(motion.last_of_scrubber(length)), {"curves": curves, "dots": dots, "read": read})


def similarity(frequencies: Tensor, length: int) -> Figure:
    """Return the similarity at the distances 1 - length .. length - 1, as a share of that at distance 0.

    `frequencies` (P,) are those of the complete pairs, one at least; `length` is at least 2.
    """
    ahead = (dot_products(torch.arange(length), frequencies) / len(frequencies)).numpy()
    both = np.arange(1 - length, length)
    far = rises(torch.from_numpy(ahead)).numpy()
    steps = pd.DataFrame({"distance": far, "nearer": far - 1, "similarity": ahead[far], "before": ahead[far - 1]})
    mirrored = steps.assign(distance=-steps.distance, nearer=-steps.nearer)
    # Where nothing rises a segment of no length stands in: an empty frame makes the browser warn of its extent.
    none = pd.DataFrame([{"distance": 0, "nearer": 0, "similarity": ahead[0], "before": ahead[0]}])
    rising = pd.concat([mirrored, steps]) if len(far) else none
    first = rising[rising.distance.abs() == rising.distance.abs().min()]
    frames = {
        "curve": pd.DataFrame({"distance": both, "similarity": ahead[np.abs(both)]}),
        "rising": rising,
        "first": first.assign(low=min(ahead) if len(far) else ahead[0], high=ahead[0]),
    }
    return Figure(_similarity_spec(), frames)


_COLUMNS = alt.ExprRef("width < 500 ? 1 : 3")


def _between(channel: Channel, length: int) -> Tensor:
    """Return the positions at which a wave is drawn, whole ones or not."""
    n_samples = min(MAX_SAMPLES, 2 + int(SAMPLES * length / min(channel.wavelength, length)))
    return torch.linspace(0, length - 1, n_samples, dtype=torch.float64)


def _wave_frame(channels: Sequence[Channel], looks: pd.DataFrame, positions: Sequence[Tensor]) -> pd.DataFrame:
    """Return each channel's values at its positions, beside its row of `looks`."""
    # In one go: a frame for each channel, and all of them put together, took seven times as long.
    frame = looks.take(np.repeat(np.arange(len(channels)), [len(one) for one in positions]))
    values = [channel.values(one) for channel, one in zip(channels, positions, strict=True)]
    numbers = pd.DataFrame({"position": torch.cat(list(positions)).numpy(), "value": torch.cat(values).numpy()})
    return pd.concat([numbers, frame.reset_index(drop=True)], axis=1)


@built_once
def _waves_spec(last: int) -> dict[str, Any]:
    return motion.with_signals(_layers(), motion.dragged(AT, "Position", last=last, start=min(motion.START, last)))


@built_once
def _layers() -> dict[str, Any]:
    x = along(across("Position"), "position")
    y = along(upwards("Value", ends=(-MAX_VALUE, MAX_VALUE), ticks=(-1, -0.5, 0, 0.5, 1)), "value")
    colour = alt.Color("pair:N").title("Pair").sort(field="order", op="min")
    colour = colour.scale(range=list(CATEGORICAL[:MAX_WAVES]))
    colour = colour.legend(orient="top", columns=_COLUMNS, symbolType="stroke", symbolStrokeWidth=3)
    dash = alt.StrokeDash("wave:N").title(None).scale(domain=["sine", "cosine"], range=[list(SOLID), [6, 3]])
    dash = dash.legend(orient="top", symbolType="stroke", symbolStrokeWidth=2, symbolStrokeColor=GREY, symbolSize=400)
    lines = (
        in_order("curves")
        .mark_line(strokeWidth=grown(2), strokeJoin="round", interpolate="natural", order=False)
        .encode(x=x, y=y, color=colour, strokeDash=dash, detail="channel:N")
    )
    dots = chart_of("dots").mark_circle(size=area(36), opacity=1)
    layers = lines, dots.encode(x=x, y=y, color=colour), *_read_layers(x, y, colour)
    return spec_of(alt.layer(*layers), canvas=True)


def _read_layers(x: alt.X, y: alt.Y, colour: alt.Color) -> list[alt.Chart]:
    """Return a line at the position, and on it each wave's dot and value, the values a row apart where dots are near.

    From the highest down, each value stands beside its dot, or a row below the one before; then, from the axis up, each
    stands no lower than the ones below it leave room for.
    """
    read = chart_of("read").transform_calculate(
        position=f"min({AT}, datum.last)",
        value="sin(datum.position * datum.rate + datum.ahead)",
        left="2 * datum.position > datum.last",
    )
    at = read.encode(x=x, y=y)
    row = f"{ROW} * {GROWTH}"
    rows = (
        read.transform_window(row="row_number()", sort=[alt.SortField("value", order="descending")], frame=[None, None])
        .transform_calculate(free=f"({MAX_VALUE} - datum.value) / {2 * MAX_VALUE} * height - datum.row * {row}")
        .transform_window(pushed="max(free)", sort=[alt.SortField("row")], frame=[None, 0])
        .transform_joinaggregate(of="count()")
        .transform_calculate(down=f"min(datum.pushed + datum.row * {row}, height - (datum.of - datum.row) * {row})")
    )
    words: Any = {
        "y": {"expr": "datum.down"},
        "align": {"expr": "datum.left ? 'right' : 'left'"},
        "dx": {"expr": "datum.left ? -9 : 9"},
        "fontSize": grown(13),
        "fontWeight": "bold",
    }
    number = rows.encode(x=x, text=alt.Text("value:Q").format("+.3f"))
    return [
        read.mark_rule(color=GREY).encode(x=x),
        number.mark_text(**words, **on_ground(grown(5))),
        number.mark_text(**words, color=alt.ExprRef(INK)),
        at.mark_circle(size=area(130), opacity=1).encode(color=colour),
    ]


@built_once
def _similarity_spec() -> dict[str, Any]:
    x = along(across("Offset m − n"), "distance")
    y = alt.Y("similarity:Q").title("Similarity, 1 at distance 0").scale(nice=False, zero=False)
    tooltip = tips(("distance:Q", "Offset"), ("similarity:Q", "Similarity", ".5f"))
    key = alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=grown(4), labelLimit=grown(420))
    told = alt.Color("told:N").scale(domain=[RISES], range=[CATEGORICAL[4]]).legend(key)
    curve = chart_of("curve").mark_line(strokeWidth=grown(2), color=CATEGORICAL[0], point={"size": 12})
    rising = chart_of("rising").transform_calculate(told=f"'{RISES}'").mark_rule(strokeWidth=grown(4))
    first = chart_of("first").mark_rule(strokeDash=[4, 4], strokeWidth=grown(1.5), color=CATEGORICAL[4])
    layers = (
        first.encode(x="distance:Q", y="low:Q", y2="high"),
        curve.encode(x=x, y=y, tooltip=tooltip),
        rising.encode(x=x, x2="nearer", y=y, y2="before", color=told, tooltip=tooltip),
    )
    return spec_of(alt.layer(*layers))
