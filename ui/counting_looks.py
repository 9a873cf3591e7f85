"""The closer looks of the page binary against sinusoid: each draws one picture of what the visitor has chosen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pe_core.chapters import binary_vs_sinusoid as pictures
from pe_core.chapters.binary_vs_sinusoid import NAMED_STEP, speed_table, subtracted
from pe_core.encodings import sinusoidal
from pe_core.figures.figure import Figure
from pe_core.figures.scrubbed_table import MAX_ROWS
from pe_core.measures import jumps
from pe_core.parameters import Parameter
from ui.frame.turns import fragment
from ui.widgets.charts import Picture, show
from ui.widgets.controls import side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

POSITIONS = Parameter("positions", "Positions", 32, "How many positions the table shows.", 8, 512, 8)
BITS = Parameter("bits", "Bits", 5, "Digits of the binary code, lowest first.", 1, 10)
CHANNELS = Parameter("bs_channels", "Channels", 16, "Width of the sinusoid: a sine and a cosine per pair.", 2, 32, 2)
BASE = Parameter(
    "bs_base",
    "Base",
    256,
    "How fast the waves slow down from pair to pair: the larger, the faster.",
    choices=(1, 2, 5, 10, 32, 100, 256, 1_000, 10_000, 100_000, 1_000_000),
)
ASKED = Parameter("overflow_position", "Position to write down", 300, "It may need more bits than there are.", 1, 1_000)
MOST_FLIPS = 10_000  # that can be guessed
HELD = Parameter("overflow_bits", "Bits to write it in", 8, "Higher bits than these are lost.", 1, 10)


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen with the controls that all pictures share."""

    n_positions: int
    n_bits: int
    dim: int
    base: float

    def over_positions(self, draw: Callable[[int, int, int, float], Figure]) -> Picture:
        """Return the call of a picture that shows both codes at all positions."""
        codes = {"n_positions": self.n_positions, "n_bits": self.n_bits, "dim": self.dim, "base": self.base}
        return partial(draw, **codes)

    @property
    def facts(self) -> dict[str, object]:
        """What follows from it, as the texts of the page name it."""
        return {
            "last": self.n_positions - 1,
            "bits": self.n_bits,
            "channels": self.dim,
            "base": f"{self.base:,.0f}",
            "growth": f"{jumps.wavelength_growth(self.dim, self.base):.4g}",
            "doubling": f"{jumps.doubling_base(self.dim):,.0f}",
        }


def choose() -> Chosen:
    """Draw the four shared controls and return what they say."""
    n_positions, n_bits, dim, base = map(int, side_by_side(POSITIONS, BITS, CHANNELS, BASE))
    return Chosen(n_positions, n_bits, dim, float(base))


def draw_table(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the two codes side by side."""
    facts = chosen.facts
    seen = fill(text["table-alternative"] + " " + text["slowing"], facts)
    show(chosen.over_positions(pictures.twin_table), key="bs_table", alternative=seen, height=580)
    write(text["look"], facts)
    if chosen.n_positions > MAX_ROWS:
        write(text["averaged"], {"rows": MAX_ROWS})


def draw_lanes(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw each bit above the sine that is nearest to it."""
    fastest = sinusoidal.wavelengths(sinusoidal.frequencies(chosen.dim, chosen.base))[0]
    write(text["lanes"], {"fastest": f"{float(fastest):.2f}"})
    seen = fill(text["lanes-alternative"], chosen.facts)
    show(chosen.over_positions(pictures.lanes), key="bs_lanes", alternative=seen, height=620)


def draw_rates(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how fast bits and pairs repeat."""
    write(text["rates"], chosen.facts)
    picture = partial(pictures.speeds, n_bits=chosen.n_bits, dim=chosen.dim, base=chosen.base)
    show(picture, key="bs_speeds", alternative=fill(text["slowing"], chosen.facts), height=360)
    frequencies = sinusoidal.frequencies(chosen.dim, chosen.base)
    st.dataframe(speed_table(chosen.n_bits, frequencies), hide_index=True)


def draw_jumps(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how far it is from each position to the next."""
    found = jumps.steps(chosen.n_positions, chosen.n_bits, chosen.dim, chosen.base)
    low, high, difference = subtracted(chosen.n_bits)
    values = {
        "low": low,
        "high": high,
        "difference": difference,
        "from": NAMED_STEP,
        "to": NAMED_STEP + 1,
        "bits": chosen.n_bits,
        "flips": int(found.flips[NAMED_STEP]),
        "fewest": int(found.flips.min()),
        "most": int(found.flips.max()),
        "step": f"{float(found.lengths[NAMED_STEP]):.4f}",
        "spread": f"{float(found.lengths.max() - found.lengths.min()):.1g}",
    }
    write(text["jumps"], values)
    picture = chosen.over_positions(pictures.steps)
    show(picture, key="bs_steps", alternative=fill(text["jumps-alternative"], values), height=360)


@fragment
def draw_overflow(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw whom a position meets when it has too few bits, with controls of its own."""
    write(text["overflow"])
    position, n_bits = map(int, side_by_side(ASKED, HELD))
    found = jumps.overflow(position, n_bits, chosen.dim, chosen.base)
    lost, held = found.written
    frequencies = sinusoidal.frequencies(chosen.dim, chosen.base)
    values = {
        "position": position,
        "bits": "1 bit" if n_bits == 1 else f"{n_bits} bits",
        "top": 2**n_bits - 1,
        "needed": len(lost) + len(held),
        "lost": lost,
        "held": held,
        "kept": found.kept,
        "codes": 2**n_bits,
        "twins": len(found.twins),
        "nearest": found.nearest,
        "away": f"{float(found.wave_distance[found.nearest]):.4g}",
        "slowest": f"{float(sinusoidal.wavelengths(frequencies)[-1]):,.1f}",
    }
    write(text["overflow-hit" if found.twins else "overflow-none"], values)
    picture = partial(pictures.earlier, position=position, n_bits=n_bits, dim=chosen.dim, base=chosen.base)
    show(picture, key="bs_earlier", alternative=fill(text["overflow-alternative"], values), height=360)
    write(text["overflow-wave"], values)


def draw_exercise(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Ask how many bits flip until the code starts again, and count them."""
    steps = 2**chosen.n_bits
    facts: dict[str, object] = {"bits": chosen.n_bits, "steps": steps, "last": steps - 1}
    guess = ask({**text, "exercise": fill(text["exercise"], facts)}, "bs_guess", 0, MOST_FLIPS)
    if guess is None:
        return
    rate = float(jumps.flip_rates(chosen.n_bits).sum())
    flips = round(rate * steps)
    judge(text, guess == flips, {**facts, "guess": guess, "flips": flips, "rate": f"{rate:.6g}"})
