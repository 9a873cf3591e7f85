"""Dials: hands that turn with a position, points on the circles of pairs, a query and a key turned in a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.looks import motion
from pe_core.figures.looks.palette import CATEGORICAL, GREY, GROWTH, area, grown, inked
from pe_core.measures.rotation import pair_scores

MAX_CLOCKS = 24
CLOCKS_A_ROW = 6  # at 390 px a dial is then still 45 px wide
LAST_POSITION = 511  # of the slider under the clocks; fixed, so that no other control resets it
AT = f"{motion.FLOWING}position"

# In pixels, so that a dial is round whatever the shape of the picture.
_ACROSS, _DOWN = "abs(scale('x', 1) - scale('x', 0))", "abs(scale('y', 1) - scale('y', 0))"
_CLOCK = f"0.36 * min({_ACROSS}, {_DOWN}, max(150, height / 2))"
_CIRCLE = f"min(0.33 * {_ACROSS}, 0.33 * {_DOWN}, {_DOWN} / 2 - 26 * {GROWTH})"  # below it is the next row's name

MAX_DIALS = 8
DIALS_A_ROW = 4  # at 390 px a dial is then still 70 px wide
QUERY, KEY = "query", "key"  # also the names, in links, of the page's controls for their positions
LAST = 99  # position of either
ON, LAST_ON = f"{motion.FLOWING}on", 100  # by how many positions both are moved on
COLOURS = {QUERY: CATEGORICAL[0], KEY: CATEGORICAL[4]}
TEXT = "The cat sat on the mat when the old dog had just run off to hide"
SENTENCE = TEXT.split()
# A part of the spec: no slider changes it. Where another language has no spaces, each character is a token.
_WORDS = f"split('{TEXT}', indexof('{TEXT}', ' ') < 0 ? '' : ' ')"

_PLACE = {who: f"{motion.OF_PAGE}{who}" for who in (QUERY, KEY)}  # the signals of their positions
# Rows of dials are 0 and 1. Above them stand the score, and the tokens between the names of query and key.
_TOP, _SCORE, _TOKENS, _NAMES = -1.38, -1.28, (-0.93, -0.7), {QUERY: -1.02, KEY: -0.6}
_NARROW = 440  # pixels of width below which the words under a dial are short
_N_TOKENS, _ROOM = len(SENTENCE), 34  # pixels of a box that has room for its word; a narrower one has its number
_BOX = DIALS_A_ROW / _N_TOKENS  # in columns of dials
# Below a dial there is room for its words.
_RADIUS, _RADIUS_ALONE = f"min(0.44 * {_ACROSS}, 0.36 * {_DOWN})", f"min(0.44 * {_ACROSS}, 0.42 * {_DOWN})"
_DISTANCE = f"({_PLACE[QUERY]} - {_PLACE[KEY]})"
_SHARE = f"datum.dot * cos({_DISTANCE} * datum.rate) + datum.cross * sin({_DISTANCE} * datum.rate)"


def clocks(frequencies: Tensor, pairs: list[int]) -> Figure:
    """Return a dial for each of `pairs` by its index in `frequencies` (P,); its hand turns clockwise from 12."""
    chosen = frequencies[pairs]
    place = np.arange(len(pairs))
    frame = pd.DataFrame({"pair": pairs, "frequency": chosen.numpy()})
    frame["wavelength"] = sinusoidal.wavelengths(chosen).numpy()
    frame["column"], frame["row"] = place % CLOCKS_A_ROW, place // CLOCKS_A_ROW
    edges = {"left": frame.column - 0.5, "right": frame.column + 0.5, "top": frame.row - 0.5, "bottom": frame.row + 0.5}
    return Figure(_clock_spec(), {"hands": frame.assign(**edges)})


@built_once
def _clock_spec() -> dict[str, Any]:
    hands = (
        chart_of("hands")
        .transform_calculate(
            rate="datum.frequency",
            angle=f"{AT} * datum.frequency",
            degrees="180 / PI * datum.angle",
            sine="sin(datum.angle)",
            cosine="cos(datum.angle)",
            turns=f"{AT} / datum.wavelength",
            label="replace('pair #', '#', datum.pair)",
        )
        .encode(**at("column", "row"))
    )
    size = {"expr": f"pow(2 * {_CLOCK}, 2)"}
    tooltip = tips(
        ("pair:Q", "Pair"),
        ("frequency:Q", "Frequency (rad per position)", ".6~g"),
        ("wavelength:Q", "Wavelength (positions)", ",.4~g"),
        ("angle:Q", "Angle (rad)", ".5f"),
        ("turns:Q", "Turns", ".4f"),
        ("sine:Q", "Sine", ".5f"),
        ("cosine:Q", "Cosine", ".5f"),
    )
    cells = hands.mark_rect(opacity=0, cursor="grab").encode(**cell(), tooltip=tooltip)
    dial = hands.mark_point(shape="circle", size=size, color=GREY, filled=False, strokeWidth=grown(1))
    hand = hands.mark_point(
        shape="M0,0L0,-1", size=size, color=CATEGORICAL[4], opacity=1, strokeWidth=grown(3), strokeCap="round"
    )
    label = hands.mark_text(dy={"expr": f"{_CLOCK} + 9 * {GROWTH}"}, **inked(12)).encode(text="label:N")
    layers = dial, hand.encode(angle=alt.Angle("degrees:Q").scale(None)), label, cells.properties(name="dial")
    spec = spec_of(alt.layer(*layers), framed=False)
    position = motion.signal(AT, "Position", last=LAST_POSITION, start=motion.START)
    return motion.with_signals(spec, *motion.by_hands("dial", "'all'", clockwise=True, moved={"all": position}))


def circles(tables: Sequence[Tensor], columns: Sequence[str], rows: Sequence[str]) -> Figure:
    """Return a grid of dials: one column for each of `tables` (T, 2 * rows), one row for each of its pairs."""
    points = [
        _pair_points(table[:, 2 * row : 2 * row + 2]).assign(column=column, row=row)
        for column, table in enumerate(tables)
        for row in range(len(rows))
    ]
    heads = [{"column": column, "row": -0.5, "label": label} for column, label in enumerate(columns)]
    sides = [{"column": -0.5, "row": row - 0.5, "label": label} for row, label in enumerate(rows)]
    dials = [{"column": column, "row": row} for column in range(len(columns)) for row in range(len(rows))]
    edges = pd.DataFrame(dials).assign(
        left=lambda cell: cell.column - 0.5,
        right=lambda cell: cell.column + 0.5,
        top=lambda cell: cell.row - 0.65,
        bottom=lambda cell: cell.row + 0.5,
    )
    frames = {
        "points": pd.concat(points, ignore_index=True),
        "heads": pd.DataFrame(heads),
        "sides": pd.DataFrame(sides),
    }
    return Figure(_circles_spec(), {**frames, "dials": edges})


def _pair_points(pair: Tensor) -> pd.DataFrame:
    """One line per position; `gap` is the distance to the point named before, since a name must not cover another."""
    frame = pd.DataFrame(pair.numpy(), columns=["sine", "cosine"]).assign(position=range(len(pair)))
    gap = (pair - pair.roll(1, dims=0)).norm(dim=-1)  # of the first, to the last: no name comes before it
    gap[0], gap[-1] = 2.0, (pair[-1] - pair[0]).norm()  # the last is named even where those between are not
    return frame.assign(gap=gap.numpy())


@built_once
def _circles_spec() -> dict[str, Any]:
    place = at("column", "row")
    cells = chart_of("dials").mark_rect(opacity=0).encode(**cell())
    size = {"expr": f"pow(2 * {_CIRCLE}, 2)"}
    dials = chart_of("dials").mark_point(shape="circle", size=size, color=GREY, filled=False, strokeWidth=grown(1))
    sideways, upwards = f"datum.sine * {_CIRCLE}", f"-datum.cosine * {_CIRCLE}"
    points = chart_of("points")
    dots = points.mark_circle(
        size=area(60), color=CATEGORICAL[4], opacity=1, xOffset={"expr": sideways}, yOffset={"expr": upwards}
    )
    outside = f"({_CIRCLE} + 11 * {GROWTH})"
    names = points.mark_text(
        **inked(12),
        xOffset={"expr": f"datum.sine * {outside}"},
        yOffset={"expr": f"-datum.cosine * {outside}"},
        opacity={"expr": f"datum.gap * {outside} > 7 * {GROWTH} ? 1 : 0"},
    ).encode(text="position:Q")
    heads = chart_of("heads").mark_text(baseline="bottom", dy=grown(-18), **inked(13, bold=True))
    sides = chart_of("sides").mark_text(align="left", baseline="middle", **inked(12))
    tooltip = tips(("position:Q", "Position"), ("sine:Q", "Sine", ".5f"), ("cosine:Q", "Cosine", ".5f"))
    layers = (
        cells,
        dials.encode(**place),
        names.encode(**place),
        dots.encode(**place, tooltip=tooltip),
        heads.encode(**place, text="label:N"),
        sides.encode(**place, text="label:N"),
    )
    return spec_of(alt.layer(*layers), framed=False)


def at(x: str, y: str, across: Any = alt.Undefined, down: Any = alt.Undefined) -> dict[str, Any]:
    """Return the place of a mark among the dials, the first row on top, without axes."""
    return {
        "x": alt.X(f"{x}:Q").scale(domain=across, nice=False, zero=False).axis(None),
        "y": alt.Y(f"{y}:Q").scale(domain=down, nice=False, zero=False, reverse=True).axis(None),
    }


def cell(across: Any = alt.Undefined, down: Any = alt.Undefined) -> dict[str, Any]:
    """Return the place of a mark that fills what its datum says, from `left` to `right` and `top` to `bottom`."""
    return {**at("left", "top", across, down), "x2": "right", "y2": "bottom"}


def turned(
    q: Tensor,
    k: Tensor,
    query: int,
    key: int,
    frequencies: Tensor,
    pairs: Sequence[int],
    *,
    shift: int = 0,
    alone: bool = False,
) -> Figure:
    """Return one dial for each of `pairs`: the pair of `q` and of `k` (d,), as they are and turned to their positions.

    The first channel of a pair points to the right, the second upwards, so that a turn goes against the clock. Query
    and key stand at `query` and `key` until they are dragged, and the slider that moves both on begins at `shift`. A
    pair `alone` has the whole picture, its angle in degrees under it, and is not dragged.
    """
    dials, hands = [], []
    scores = pair_scores(q, k, query - key, frequencies)
    # A share is dot cos + cross sin of its angle, so that angles of 0 and of a quarter turn tell both.
    dots, crosses = (pair_scores(q, k, 1, torch.full_like(frequencies, angle)) for angle in (0.0, np.pi / 2))
    longest = float(torch.stack([q, k]).view(2, -1, 2).norm(dim=-1).max())
    told = {"query": query, "key": key}
    vectors: list[tuple[str, str, Tensor]] = []
    for who, x in ((QUERY, q), (KEY, k)):
        after = rotary.rotate(x[None], torch.tensor([told[who]]), frequencies)[0]
        vectors += [(who, "before", x), (who, "after", after)]
    for number, pair in enumerate(pairs):
        column, row, rate = number % DIALS_A_ROW, number // DIALS_A_ROW, float(frequencies[pair])
        place = {"column": column, "row": row, "pair": pair, **told}
        for who, when, vector in vectors:
            first, second = vector[2 * pair : 2 * pair + 2].tolist()
            hand = {"length": np.hypot(first, second) / longest, "degrees": np.degrees(np.arctan2(first, second))}
            said = {"who": who, "when": when, "first": first, "second": second}
            hands.append({**place, **hand, **said, "rate": rate if when == "after" else 0.0})
        ends = [np.pi / 2 - np.radians(hand["degrees"]) for hand in hands[-4:] if hand["when"] == "after"]
        between = np.remainder(ends[1] - ends[0] + np.pi, 2 * np.pi) - np.pi  # the shorter way from query to key
        turn = {"query_end": ends[0], "key_end": ends[1], "rate": rate, "angle": np.degrees(np.abs(between))}
        content = {"dot": float(dots[pair]), "cross": float(crosses[pair]), "share": float(scores[pair])}
        edges = {"left": column - 0.5, "right": column + 0.5, "top": row - 0.5, "bottom": row + 0.5}
        dials.append({**place, **turn, **content, **edges})
    frames = {"dials": pd.DataFrame(dials), "hands": pd.DataFrame(hands)}
    if not alone:
        names = [{"who": who, "y": y, **told} for who, y in _NAMES.items()]
        shares = pd.DataFrame({"dot": dots.numpy(), "cross": crosses.numpy(), "rate": frequencies.numpy()})
        frames |= {"names": pd.DataFrame(names), "pairs": shares}
    return Figure(_turned_spec(alone, shift), frames)


@built_once
def _turned_spec(alone: bool, shift: int) -> dict[str, Any]:
    domains = ([-0.5, 0.5],) * 2 if alone else ([-0.5, DIALS_A_ROW - 0.5], [_TOP, MAX_DIALS // DIALS_A_ROW - 0.5])
    radius, place = (_RADIUS_ALONE if alone else _RADIUS), at("column", "row", *domains)
    # By how many positions each has moved since the server was told.
    by = {who: ON if alone else f"({ON} + {signal} - datum.{who})" for who, signal in _PLACE.items()}
    dials = chart_of("dials").encode(**place)
    size = {"expr": f"pow(2 * {radius}, 2)"}
    face = dials.mark_point(shape="circle", size=size, color=GREY, filled=False, strokeWidth=grown(1))
    share, degrees = ("datum.share", " + ', angle ' + format(datum.angle, '.1f') + '°'") if alone else (_SHARE, "")
    said = f"replace(replace('pair #: @', '@', format({share}, '+.3f')), '#', datum.pair){degrees}"
    # Words of narrow dials would run together; two lines would stand on the dials below where a screen is low.
    short = f"datum.pair + ': ' + format({share}, '+.3f')"
    words = dials.transform_calculate(words=said, short=said if alone else short)
    label = words.mark_text(
        text={"expr": f"width < {_NARROW} ? datum.short : datum.words"},
        dy={"expr": f"{radius} + 12 * {GROWTH}"},
        **inked(12),
    )
    layers = [face, _arc(radius, by).encode(**place), _hands(radius, by, legend=alone).encode(**place), label]
    both = motion.signal(ON, "Move both by", last=LAST_ON, start=shift)
    if alone:
        return motion.with_signals(spec_of(alt.layer(*layers), framed=False), both)
    pointed_at = {"expr": f"datum.pair === {motion.POINTED} ? 0.2 : 0"}
    cells = dials.transform_calculate(share=_SHARE).mark_rect(color=GREY, opacity=pointed_at, cursor="grab")
    tooltip = tips(
        ("pair:Q", "Pair"), ("rate:Q", "Frequency (rad per position)", ".6~g"), ("share:Q", "Adds to the score", "+.5f")
    )
    cells = cells.encode(**cell(*domains), tooltip=tooltip)
    spec = spec_of(alt.layer(*layers, *_sentence(domains), cells.properties(name="dial")), framed=False)
    return motion.with_signals(spec, both, *_signals())


def _arc(radius: str, by: Mapping[str, str]) -> alt.Chart:
    """Return the angle between query and key, the shorter way; an arc is measured with the clock from the top."""
    query, key = (f"(PI / 2 - datum.{who}_end - datum.rate * {by[who]})" for who in (QUERY, KEY))
    arc: alt.Chart = chart_of("dials").mark_arc(
        theta={"expr": query},
        theta2={"expr": f"{query} + atan2(sin({key} - {query}), cos({key} - {query}))"},
        radius={"expr": f"0.36 * {radius}"},
        radius2={"expr": f"0.27 * {radius}"},
        color=GREY,
    )
    return arc


def _hands(radius: str, by: Mapping[str, str], *, legend: bool) -> alt.Chart:
    turn = f"(datum.rate * (datum.who === '{QUERY}' ? {by[QUERY]} : {by[KEY]}))"
    moved = chart_of("hands").transform_calculate(
        clockwise=f"datum.degrees - 180 / PI * {turn}",
        across=f"datum.first * cos({turn}) - datum.second * sin({turn})",
        up=f"datum.first * sin({turn}) + datum.second * cos({turn})",
    )
    hands: alt.Chart = moved.mark_point(
        shape="M0,0L0,-1",
        size={"expr": f"pow(2 * {radius} * datum.length, 2)"},
        filled=False,
        strokeCap="round",
        opacity=1,
        strokeWidth={"expr": f"(datum.when === 'after' ? 3.5 : 2) * {GROWTH}"},
        strokeDash={"expr": "datum.when === 'after' ? [] : [2, 4]"},
    )
    colour = alt.Color("who:N").title(None).scale(domain=list(COLOURS), range=list(COLOURS.values()))
    key = alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=4) if legend else None
    tooltip = tips(
        ("who:N", "Vector"), ("when:N", "Turn"), ("across:Q", "First channel", ".4f"), ("up:Q", "Second channel", ".4f")
    )
    return hands.encode(angle=alt.Angle("clockwise:Q").scale(None), color=colour.legend(key), tooltip=tooltip)


def _sentence(domains: Sequence[list[float]]) -> list[alt.Chart]:
    """Return the score of all pairs, the tokens in their boxes, and the names of query and key where they stand."""
    place = {who: f"round({signal})" for who, signal in _PLACE.items()}
    which = "datum.token === {0} ? {1} : datum.token === {2} ? {3} : {4}"
    query_first = which.format(place[QUERY], f"'{COLOURS[QUERY]}'", place[KEY], f"'{COLOURS[KEY]}'", "'transparent'")
    key_first = which.format(place[KEY], f"'{COLOURS[KEY]}'", place[QUERY], f"'{COLOURS[QUERY]}'", f"'{GREY}'")
    tokens = alt.Chart(alt.sequence(0, _N_TOKENS, as_="token")).transform_calculate(
        word=f"{_WORDS}[datum.token]",
        left=f"datum.token * {_BOX} - 0.5",
        middle=f"(datum.token + 0.5) * {_BOX} - 0.5",
        right=f"(datum.token + 1) * {_BOX} - 0.5",
        top=f"{_TOKENS[0]}",
        bottom=f"{_TOKENS[1]}",
        y=f"{sum(_TOKENS) / 2}",
    )
    boxes = tokens.mark_rect(
        fill={"expr": query_first},
        fillOpacity=0.3,
        stroke={"expr": key_first},
        strokeWidth={"expr": f"({which.format(place[KEY], 3, place[QUERY], 3, 1)}) * {GROWTH}"},
        cursor="ew-resize",
    ).encode(**cell(*domains))
    words = tokens.mark_text(
        **inked(12), text={"expr": f"width / {_N_TOKENS} < {_ROOM} * {GROWTH} ? datum.token : datum.word"}
    ).encode(**at("middle", "y", *domains))
    named = chart_of("names").transform_calculate(
        position=f"datum.who === '{QUERY}' ? {place[QUERY]} : {place[KEY]}",
        middle=f"(min(datum.position, {_N_TOKENS - 1}) + 0.5) * {_BOX} - 0.5",
        on=f"round({ON})",
        label=f"datum.who + ' ' + datum.position + (datum.on ? ' + ' + datum.on : '')"
        f" + (datum.position >= {_N_TOKENS} ? ' →' : '')",
    )
    names = named.mark_text(
        **inked(12, bold=True),
        align={"expr": f"datum.position < 2 ? 'left' : datum.position > {_N_TOKENS - 3} ? 'right' : 'center'"},
        dx={"expr": f"(datum.position < 2 ? -0.5 : datum.position > {_N_TOKENS - 3} ? 0.5 : 0) * width / {_N_TOKENS}"},
    ).encode(text="label:N", **at("middle", "y", *domains))
    shares = chart_of("pairs").transform_calculate(share=_SHARE)
    total = shares.transform_aggregate(total="sum(share)", n="count()").transform_calculate(
        left="-0.5",
        top=f"{_SCORE}",
        words=f"'Score at distance ' + format(round({_DISTANCE}), ',') + ': ' + format(datum.total, '+.4f')"
        " + (datum.n > 1 ? ', all ' + datum.n + ' pairs together' : '')",
    )
    score = total.mark_text(**inked(13, bold=True), align="left").encode(text="words:N", **at("left", "top", *domains))
    return [score, words, boxes.properties(name="token"), names]


def _signals() -> list[dict[str, Any]]:
    """Return the signals of query and key, by tokens and by hands, of both by the slider, and the pair pointed at."""
    here = f"clamp(floor({_N_TOKENS} * x() / width), 0, {_N_TOKENS - 1})"
    far = {who: f"abs({here} - min({signal}, {_N_TOKENS - 1}))" for who, signal in _PLACE.items()}
    down, drag = "@token_marks:pointerdown", "[@token_marks:pointerdown, window:pointerup] > window:pointermove"
    nearer = f"{far[QUERY]} <= {far[KEY]} ? '{QUERY}' : '{KEY}'"
    held: dict[str, Any] = {"name": "held_token", "value": "", "on": [{"events": down, "update": nearer}]}
    brings, moved = [], {}
    for who, signal in _PLACE.items():
        told, control = motion.of_page(who, last=LAST, told="names")
        by_token = {"events": f"{down}, {drag}", "update": f"held_token === '{who}' ? {here} : {signal}"}
        brings.append(told)
        moved[who] = {**control, "on": [*control["on"], by_token]}
    angles = {who: f"(datum.{who}_end + datum.rate * ({ON} + {_PLACE[who]} - datum.{who}))" for who in (QUERY, KEY)}
    off = {who: f"cos(pointer_angle - {angle})" for who, angle in angles.items()}
    by_hands = motion.by_hands(
        "dial", f"{off[QUERY]} >= {off[KEY]} ? '{QUERY}' : '{KEY}'", clockwise=False, moved=moved
    )
    return [held, *brings, *by_hands, motion.pointed("dial", "pair", last=LAST)]
