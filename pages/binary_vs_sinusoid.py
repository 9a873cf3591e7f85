"""Binary against sinusoid: the bits of the positions beside the waves that do the same without jumps."""

import streamlit as st

from pe_core.encodings import binary, sinusoidal
from pe_core.figures.counting import MOST_ROWS, twin_table
from pe_core.figures.counting_steps import NAMED_STEP, earlier, speed_table, speeds, steps
from pe_core.figures.counting_waves import lanes
from pe_core.measures import jumps
from pe_core.parameters import Parameter
from ui.charts import show
from ui.controls import control, reject_bad_link
from ui.prose import fill, sections, write
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
ASKED = Parameter("overflow_position", "Position to write down", 300, "It may need more bits than there are.", 1, 1_000)
HELD = Parameter("overflow_bits", "Bits to write it in", 8, "Higher bits than these are lost.", 1, 10)
LOOKS = ("Wave by wave", "Rates", "Jumps", "Overflow")
LOOK = Parameter("bs_look", "Closer look", LOOKS[0], "What is shown below the table.", choices=LOOKS)

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
        "bits": "1 bit" if n_bits == 1 else f"{n_bits} bits",
        "lost": lost,
        "held": held,
        "kept": found.kept,
        "codes": 2**n_bits,
        "twins": len(found.twins),
        "nearest": found.nearest,
        "away": f"{float(found.wave_distance[found.nearest]):.4g}",
        "slowest": f"{float(sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))[-1]):,.1f}",
    }
    write(TEXT["overflow-hit" if found.twins else "overflow-none"], values)
    show(earlier(found), key="bs_earlier", alternative=fill(TEXT["overflow-alternative"], values), height=360)
    write(TEXT["overflow-wave"], values)


def wave_by_wave(n_positions: int, n_bits: int, dim: int, base: float) -> None:
    """Draw each bit above the sine that is nearest to it."""
    write(TEXT["lanes"], {"fastest": f"{float(sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))[0]):.2f}"})
    seen = fill(TEXT["lanes-alternative"], {"bits": n_bits, "last": n_positions - 1})
    show(lanes(n_positions, n_bits, dim, base), key="bs_lanes", alternative=seen, height=620)


def rates(n_bits: int, dim: int, base: float, facts: dict[str, object]) -> None:
    """Draw how fast bits and pairs repeat."""
    write(TEXT["rates"], facts)
    show(speeds(n_bits, dim, base), key="bs_speeds", alternative=fill(TEXT["slowing"], facts), height=360)
    st.dataframe(speed_table(n_bits, dim, base), hide_index=True)


def step_by_step(n_positions: int, n_bits: int, dim: int, base: float) -> None:
    """Draw how far it is from each position to the next."""
    found = jumps.steps(n_positions, n_bits, dim, base)
    values = {
        "from": NAMED_STEP,
        "to": NAMED_STEP + 1,
        "bits": n_bits,
        "flips": int(found.flips[NAMED_STEP]),
        "fewest": int(found.flips.min()),
        "most": int(found.flips.max()),
        "step": f"{float(found.lengths[NAMED_STEP]):.4f}",
        "spread": f"{float(found.lengths.max() - found.lengths.min()):.1g}",
    }
    write(TEXT["jumps"], values)
    show(steps(found), key="bs_steps", alternative=fill(TEXT["jumps-alternative"], values), height=360)


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
    facts: dict[str, object] = {
        "last": n_positions - 1,
        "bits": n_bits,
        "channels": dim,
        "base": f"{base:,.0f}",
        "growth": f"{jumps.wavelength_growth(dim, base):.4g}",
        "doubling": f"{jumps.doubling_base(dim):,.0f}",
    }
    seen = fill(TEXT["table-alternative"] + " " + TEXT["slowing"], facts)
    show(twin_table(n_positions, n_bits, dim, base), key="bs_table", alternative=seen, height=580)
    write(TEXT["look"], facts)
    if n_positions > MOST_ROWS:
        write(TEXT["averaged"], {"rows": MOST_ROWS})

    reject_bad_link(LOOK)
    waves, speed, jump, full = st.tabs(LOOKS, key=LOOK.name, on_change="rerun", bind="query-params")
    with waves:
        if waves.open:
            wave_by_wave(n_positions, n_bits, dim, base)
    with speed:
        if speed.open:
            rates(n_bits, dim, base, facts)
    with jump:
        if jump.open:
            step_by_step(n_positions, n_bits, dim, base)
    with full:
        if full.open:
            overflow(dim, base)

    write(TEXT["mathematics"])
    show_source(binary.table, sinusoidal.table, jumps.hamming_steps, jumps.euclidean_steps)
    write(TEXT["exercise"], facts)
    with st.expander("Answer", icon=":material/lightbulb:"):
        write(TEXT["answer"], {"bits": n_bits, "rate": f"{float(jumps.flip_rates(n_bits).sum()):.6g}"})


chapter()
