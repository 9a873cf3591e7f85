"""Binary against sinusoid: the bits of the positions beside the waves that do the same without jumps.

Of the code there are `n_bits` bits, lowest first; of the sinusoid `dim` channels, a sine and a cosine in turn.
"""

from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch

from pe_core.encodings import binary, sinusoidal
from pe_core.figures import scrubbed_table
from pe_core.figures.curves import across, along
from pe_core.figures.figure import Facts, Figure, built_once, chart_of, tips
from pe_core.figures.looks.palette import area, grown, inked
from pe_core.figures.scrubbed_table import COLOURS, KINDS
from pe_core.measures import jumps
from pe_core.parameters import Parameter
from pe_core.wrapping import spelt

POWERS = [2**power for power in range(24)]  # ticks: near each other, those of Vega's choice would round to one number
NAMED_STEP = 7  # from 0111 to 1000, which is given its numbers
MAX_FLIPS = 10_000  # that can be guessed

N_POSITIONS = Parameter("positions", "Number of positions", 32, "How many positions the table shows.", 8, 192, 8)
N_BITS = Parameter("bits", "Bits", 5, "Digits of the binary code, lowest first.", 1, 10)
DIM = Parameter(
    "bs_channels", "Number of channels", 16, "Width of the sinusoid: a sine and a cosine per pair.", 2, 32, 2
)
BASE = Parameter(
    "bs_base",
    "Base",
    256,
    "How fast the waves slow down from pair to pair: the larger, the faster.",
    choices=(1, 2, 5, 10, 32, 100, 256, 1_000, 10_000, 100_000, 1_000_000),
)
POSITION = Parameter(
    "overflow_position", "Position to write down", 300, "It may need more bits than there are.", 1, 1_000
)
TOO_FEW_BITS = Parameter("overflow_bits", "Bits to write it in", 8, "Higher bits than these are lost.", 1, 10)


def _slowing(dim: int, base: float) -> Facts:
    """Return the factor from one wavelength to the next, and the base at which it is 2, as it is for the bits."""
    return {"growth": jumps.wavelength_growth(dim, base), "doubling": jumps.doubling_base(dim)}


def twin_table(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return both codes of positions 0 .. n_positions - 1 side by side as one table."""
    positions = torch.arange(n_positions)
    vectors = sinusoidal.table(positions, dim, base=base)
    facts = {"last": n_positions - 1, **_slowing(dim, base)}
    figure = scrubbed_table.twin_table(binary.table(positions, n_bits), vectors, sinusoidal.frequencies(dim, base))
    return figure.with_facts(facts)


def lanes(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return each bit as a square wave over positions 0 .. n_positions - 1, above the sine nearest in period."""
    frequencies = sinusoidal.frequencies(dim, base)
    facts = {"last": n_positions - 1, "fastest": float(sinusoidal.wavelengths(frequencies)[0])}
    return scrubbed_table.lanes(n_positions, n_bits, frequencies).with_facts(facts)


def speeds(n_bits: int, dim: int, base: float) -> Figure:
    """Return after how many positions each bit and each pair repeats, on one logarithmic axis.

    The dots are the definitions, 2^(k+1) and 2 pi b^(2i/D); the rings are the steps in which a bit flips twice at the
    counted rate.
    """
    wavelengths = sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))
    rates = jumps.flip_rates(n_bits)
    bits = {"kind": KINDS[0], "index": np.arange(n_bits), "period": jumps.bit_periods(n_bits), "counted": 2 / rates}
    pairs = {"kind": KINDS[1], "index": np.arange(len(wavelengths)), "period": wavelengths}
    frame = pd.concat([pd.DataFrame(bits), pd.DataFrame(pairs)])
    return Figure(_speeds_spec(), {"speeds": frame}).with_facts(_slowing(dim, base))


def speed_table(n_bits: int, dim: int, base: float) -> list[dict[str, object]]:
    """Return one line per bit: its flips per step, counted and by definition, and the pair nearest to its period."""
    periods, rates = jumps.bit_periods(n_bits), jumps.flip_rates(n_bits).tolist()
    wavelengths = sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))
    pairs = jumps.nearest_pair(periods, wavelengths)
    return [
        {
            "bit k": bit,
            "flips per step, counted": f"{rates[bit]:.10g}",
            "1 / 2ᵏ": f"{2 / period:.10g}",
            "repeats every": int(period),
            "nearest pair i": int(pairs[bit]),
            "its wavelength": f"{wavelengths[pairs[bit]]:,.2f}",
        }
        for bit, period in enumerate(periods.tolist())
    ]


def steps(n_positions: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return how far each of `n_positions` positions is from the next: bits that flip, and Euclidean distance."""
    positions, start = torch.arange(n_positions + 1), NAMED_STEP
    flips = jumps.hamming_steps(binary.table(positions, n_bits))
    lengths = jumps.euclidean_steps(sinusoidal.table(positions, dim, base=base, dtype=torch.float64))
    low, high, difference = subtracted(n_bits)
    facts = {
        "from": start,
        "to": start + 1,
        "low": low,
        "high": high,
        "difference": difference,
        "flips": int(flips[start]),
        "min": int(flips.min()),
        "max": int(flips.max()),
        "step": float(lengths[start]),
        "spread": float(lengths.max() - lengths.min()),
    }
    place = np.arange(n_positions)
    frame = pd.DataFrame({"start": place, "end": place + 1, "flips": flips, "length": lengths, "floor": 0})
    frame = frame.assign(left=place - 0.4, right=place + 0.4, named=place == start)
    named = frame[frame.named]
    words = [f"{row.start} → {row.end}: {row.flips} flip" for row in named.itertuples(index=False)]
    side = "right" if n_positions < 2 * start else "left"  # so that the words stay inside a short table
    frames = {"steps": frame, "named": named.assign(words=words, side=side)}
    return Figure(_steps_spec(), frames).with_facts(facts)


def earlier(position: int, n_bits: int, dim: int, base: float) -> Figure:
    """Return how far each earlier position is from `position`, in both codes."""
    found = jumps.overflow(position, n_bits, dim, base)
    away = float(found.wave_distance[found.nearest])
    lost, held = found.written
    facts = {
        "written": "overflow-hit" if found.twins else "overflow-none",
        "bits": "1 bit" if n_bits == 1 else f"{n_bits} bits",
        "codes": 2**n_bits,
        "top": 2**n_bits - 1,
        "needed": len(lost) + len(held),
        "lost": lost,
        "held": held,
        "kept": found.kept,
        "twins": len(found.twins),
        "nearest": found.nearest,
        "away": away,
        "slowest": float(sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))[-1]),
    }
    before = np.arange(position)
    bits = {"kind": KINDS[0], "position": before, "distance": found.bit_distance}
    waves = {"kind": KINDS[1], "position": before, "distance": found.wave_distance}
    twins = pd.DataFrame({"position": list(found.twins), "distance": 0.0, "kind": KINDS[0], "words": ""})
    twins.loc[:0, "words"] = [f"{twin}: the same bits" for twin in found.twins[:1]]  # one stands for all of them
    nearest = {"position": found.nearest, "distance": away, "kind": KINDS[1], "words": f"{found.nearest}: nearest wave"}
    named = pd.concat([twins, pd.DataFrame([nearest])])
    right = 2 * named.position > position  # so that the words stay inside the picture
    frames = {
        "distances": pd.concat([pd.DataFrame(bits), pd.DataFrame(waves)]),
        "named": named.assign(side=right.map({True: "right", False: "left"})),
    }
    return Figure(_earlier_spec(), frames).with_facts(facts)


def memory(n_positions: int, dim: int) -> Facts:
    """Return the bytes that one position takes: as bits, with a float32 for each bit, and as sinusoids."""
    n_bits, each = binary.bits_for(n_positions), torch.float32.itemsize
    return {"needed": n_bits, "packed": -(-n_bits // 8), "as-floats": n_bits * each, "as-waves": dim * each}


def a_round(n_bits: int) -> Facts:
    """Return how many steps it takes until a code starts again, and its last position before."""
    return {"steps": 2**n_bits, "last": 2**n_bits - 1}


def flips_of_a_round(n_bits: int, guess: int) -> tuple[bool, Facts]:
    """Return whether as many bits as guessed flip until the code starts again."""
    rate = float(jumps.flip_rates(n_bits).sum())
    flips = round(rate * 2**n_bits)
    return guess == flips, {"flips": flips, "rate": rate}


def subtracted(n_bits: int) -> tuple[str, str, str]:
    """Return two codes, lower first, and their difference bit by bit, all with the highest bit first, unbroken."""
    low, high = binary.table(torch.tensor([NAMED_STEP, NAMED_STEP + 1]), n_bits).int().flip(-1)
    difference = "\u00a0".join(spelt(bit, "") for bit in (high - low).tolist())
    return "".join(map(str, low.tolist())), "".join(map(str, high.tolist())), difference


@built_once
def _speeds_spec() -> dict[str, Any]:
    x = along(across("Bit k, pair i"), "index").scale(nice=False, padding=14)
    scale = alt.Scale(type="log", base=2, nice=False, padding=14)
    y = alt.Y("period:Q").title("Positions until it repeats").axis(format=",.0f", values=POWERS).scale(scale)
    tooltip = tips(
        ("kind:N", "code"),
        ("index:Q", "number"),
        ("period:Q", "repeats every", ",.2f"),
        ("counted:Q", "counted", ",.2f"),
    )
    both = chart_of("speeds").encode(x=x, y=y, color=_colour(), tooltip=tooltip)
    counted = both.transform_filter("isValid(datum.counted)").mark_point(size=area(220), strokeWidth=2)
    rings = counted.encode(y=alt.Y("counted:Q").scale(scale))
    return alt.layer(both.mark_line(strokeWidth=grown(2)), both.mark_circle(size=area(70), opacity=1), rings).to_dict()


@built_once
def _steps_spec() -> dict[str, Any]:
    data, x, up = chart_of("steps"), across("Step from position"), "Distance to the next"
    start, flips = along(x, "start"), _y("flips:Q", up)
    tooltip = tips(
        ("start:Q", "First position"),
        ("end:Q", "Next position"),
        ("flips:Q", "bits that flip"),
        ("length:Q", "sinusoid", ".6f"),
    )
    bars = data.transform_calculate(kind=f"'{KINDS[0]}'").mark_rect()
    bars = bars.encode(x=along(x, "left"), x2="right:Q", y=flips, y2="floor:Q", color=_colour(), tooltip=tooltip)
    bars = bars.encode(opacity=alt.condition("datum.named", alt.value(1), alt.value(0.55)))
    level = data.transform_calculate(kind=f"'{KINDS[1]}'").mark_line(strokeWidth=grown(3))
    words = chart_of("named").mark_text(
        align=alt.ExprRef("datum.side"), baseline="bottom", dy=-3, **inked(13, bold=True)
    )
    return alt.layer(
        bars,
        level.encode(x=start, y=_y("length:Q", up), color=_colour()),
        words.encode(x=start, y=flips, text="words:N"),
    ).to_dict()


@built_once
def _earlier_spec() -> dict[str, Any]:
    x, y = along(across("Earlier position"), "position"), _y("distance:Q", "Distance from the position")
    tooltip = tips(("position:Q", "earlier position"), ("kind:N", "code"), ("distance:Q", "distance", ".4f"))
    data = chart_of("distances").encode(x=x, y=y, color=_colour(), tooltip=tooltip)
    bits = data.transform_filter(f"datum.kind == '{KINDS[0]}'").mark_circle(size=area(22), opacity=0.6)
    waves = data.transform_filter(f"datum.kind == '{KINDS[1]}'").mark_line(strokeWidth=grown(2))
    named = chart_of("named").encode(x=x, y=y)
    rings = named.mark_point(size=area(140), strokeWidth=3).encode(color=_colour(), tooltip=tooltip)
    words = named.mark_text(align=alt.ExprRef("datum.side"), baseline="top", dy=10, **inked(13, bold=True))
    return alt.layer(bits, waves, rings, words.encode(text="words:N")).to_dict()


def _y(field: str, title: str) -> alt.Y:
    axis = alt.Axis(tickMinStep=1, labelExpr="datum.value < 0 ? '' : datum.label")
    return alt.Y(field).title(title).axis(axis).scale(nice=False, padding=28)  # room for the words


def _colour() -> alt.Color:
    legend = alt.Legend(orient="bottom", symbolOpacity=1)
    return alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=list(COLOURS)).legend(legend)
