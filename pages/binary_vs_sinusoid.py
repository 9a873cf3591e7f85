"""Binary against sinusoid: the bits of the positions beside the waves that do the same without jumps."""

import streamlit as st

from pe_core.encodings import binary, sinusoidal
from pe_core.figures.counting import twin_table
from pe_core.figures.counting_steps import NAMED_STEP, earlier, speed_table, speeds, steps
from pe_core.figures.counting_waves import lanes
from pe_core.measures import jumps
from pe_core.parameters import Parameter
from ui.charts import show
from ui.controls import control
from ui.prose import sections, write
from ui.shell import ensure_shell
from ui.source import show_source

ensure_shell()
TEXT = sections("binary_vs_sinusoid")

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
ASKED = Parameter("overflow_position", "Position", 300, "The position that is to be written down.", 1, 1_000)
HELD = Parameter("overflow_bits", "Bits to write it in", 8, "Higher bits than these are lost.", 1, 10)

st.title("Binary against sinusoid")
write(TEXT["intro"])


@st.fragment
def overflow(dim: int, base: float) -> None:
    """Draw whom a position meets when it has too few bits, with controls of its own."""
    write(TEXT["overflow"])
    left, right = st.columns(2)
    with left:
        position = int(control(ASKED))
    with right:
        n_bits = int(control(HELD))
    found = jumps.overflow(position, n_bits, dim, base)
    lost, held = found.written
    values = {
        "position": position,
        "bits": n_bits,
        "lost": lost,
        "held": held,
        "kept": found.kept,
        "codes": 2**n_bits,
        "twins": len(found.twins),
        "nearest": found.nearest,
        "away": f"{float(found.wave_distance[found.nearest]):.4g}",
        "slowest": f"{float(sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))[-1]):,.1f}",
    }
    write(TEXT["overflow_hit" if found.twins else "overflow_none"], values)
    seen = f"Distance of position {position} to all earlier ones: {len(found.twins)} have the same {n_bits} bits"
    nearest = f"the nearest sinusoid, that of {found.nearest}, is {values['away']} away"
    show(earlier(found), key="bs_earlier", alternative=f"{seen}; {nearest}.", height=360)
    write(TEXT["overflow_wave"], values)


@st.fragment
def chapter() -> None:
    """Draw the controls, the two codes side by side, and the one of four closer looks that is open."""
    places = st.columns(4)
    with places[0]:
        n_positions = int(control(POSITIONS))
    with places[1]:
        n_bits = int(control(BITS))
    with places[2]:
        dim = int(control(CHANNELS))
    with places[3]:
        base = float(control(BASE))
    growth, doubling = f"{jumps.wavelength_growth(dim, base):.4g}", f"{jumps.doubling_base(dim):,.0f}"
    asked = f"positions 0 to {n_positions - 1}, {n_bits} bits on the left, {dim} sinusoid channels on the right"
    slowing = f"The periods of the bits grow by 2 from one to the next, the wavelengths of the pairs by {growth}."
    picture = twin_table(n_positions, n_bits, dim, base)
    show(picture, key="bs_table", alternative=f"Table of {asked}. {slowing}", height=580)
    write(TEXT["look"], {"growth": growth, "doubling": doubling, "channels": dim, "base": f"{base:,.0f}"})

    tabs = st.tabs(["Wave by wave", "Rates", "Jumps", "Overflow"], key="bs_look", bind="query-params")
    if tabs[0].open:
        with tabs[0]:
            write(TEXT["lanes"], {"fastest": f"{float(sinusoidal.wavelengths(sinusoidal.frequencies(2))[0]):.2f}"})
            picture = lanes(n_positions, n_bits, dim, base)
            pairs = f"{n_bits} bits as square waves, each above the sine of the pair nearest to its period"
            show(
                picture, key="bs_lanes", alternative=f"{pairs}, over {n_positions} positions.", height=560
            )
    if tabs[1].open:
        with tabs[1]:
            write(TEXT["rates"], {"growth": growth, "doubling": doubling, "channels": dim})
            show(speeds(n_bits, dim, base), key="bs_speeds", alternative=slowing, height=360)
            st.dataframe(speed_table(n_bits, dim, base), hide_index=True)
    if tabs[2].open:
        with tabs[2]:
            found = jumps.steps(n_positions, n_bits, dim, base)
            values = {
                "from": NAMED_STEP,
                "to": NAMED_STEP + 1,
                "flips": int(found.flips[NAMED_STEP]),
                "fewest": int(found.flips.min()),
                "most": int(found.flips.max()),
                "step": f"{float(found.lengths[NAMED_STEP]):.4f}",
                "spread": f"{float(found.lengths.max() - found.lengths.min()):.1g}",
            }
            write(TEXT["jumps"], values)
            flips = f"From {values['from']} to {values['to']}, {values['flips']} bits flip, at most {values['most']}"
            sinusoid = f"each step of the sinusoid is {values['step']} long"
            show(steps(found), key="bs_steps", alternative=f"{flips}; {sinusoid}.", height=360)
    if tabs[3].open:
        with tabs[3]:
            overflow(dim, base)

    write(TEXT["mathematics"])
    show_source(binary.table, sinusoidal.table, jumps.hamming_steps, jumps.euclidean_steps)
    write(TEXT["exercise"], {"bits": n_bits})
    with st.expander("Answer", icon=":material/lightbulb:"):
        write(TEXT["answer"], {"bits": n_bits, "rate": f"{float(jumps.flip_rates(n_bits).sum()):.6g}"})


chapter()
