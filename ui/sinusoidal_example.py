"""The worked example of the sinusoidal page, digit by digit, and its exercises."""

from collections.abc import Mapping

import streamlit as st
import torch

from pe_core.measures.similarity import complete_pairs, dot_products, first_rise
from pe_core.measures.worked import Step, steps
from pe_core.parameters import Parameter
from ui.sinusoidal_table import Chosen
from ui.widgets.controls import control
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

FARTHEST_GUESS = 512
APPROXIMATELY = r"\approx"


def draw_example(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Build one row of a small table number by number."""
    left, right = st.columns(2)
    with left:
        position = int(control(Parameter("example_position", "Position m", 1, text["example-position-help"], 0, 511)))
    with right:
        width = int(control(Parameter("example_width", "Width D", 4, text["example-width-help"], 1, 8)))
    row = steps(position, width, chosen.base)
    write("\n".join(_line(step, position, width, chosen.base) for step in row))
    write(text["example-result"])
    for place, values in ((0, steps(0, width, chosen.base)), (position, row)):
        sign = "=" if all(_is_whole(step) for step in values) else APPROXIMATELY
        write(f"$P_{{{place}}} {sign}$ `[{', '.join(_value(step) for step in values)}]`")


def _line(step: Step, position: int, width: int, base: int) -> str:
    pair, factor, angle = step.channel.pair, _digits(step.channel.frequency), _digits(step.angle)
    wave = r"\cos" if step.channel.wave == "cosine" else r"\sin"
    formulas = (
        rf"\omega_{{{pair}}} = {base}^{{-{step.numerator}/{width}}} {_equals(step.channel.frequency)} {factor}",
        rf"{position} \times {factor} {_equals(step.angle)} {angle}",
        rf"{wave} {angle} {'=' if _is_whole(step) else APPROXIMATELY} \mathbf{{{_value(step)}}}",
    )
    return f"{step.channel.index}. {'&ensp;→&ensp;'.join(f'${formula}$' for formula in formulas)}"


def _digits(value: float) -> str:
    mantissa, _, power = f"{value:.6g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if power else mantissa


def _equals(value: float) -> str:
    """The sign before six digits: they are either all there are, or an approximation."""
    return "=" if float(f"{value:.6g}") == value else APPROXIMATELY


def _is_whole(step: Step) -> bool:
    return step.value == round(step.value)


def _value(step: Step) -> str:
    return f"{step.value:.0f}" if _is_whole(step) else f"{step.value:.5f}"


def draw_exercise(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Ask where the similarity rises again, and answer once there is a guess."""
    pairs = complete_pairs(chosen.width, chosen.base, variant=chosen.layout)
    first = first_rise(pairs)
    if first is None:
        st.info(text["exercise-none"])
        return
    question = fill(text["exercise"], {"base": chosen.base, "width": chosen.width})
    guess = ask({**text, "exercise": question}, "guess", 1, FARTHEST_GUESS)
    if guess is None:
        return
    shares = dot_products(torch.arange(FARTHEST_GUESS + 1), pairs) / len(pairs)
    facts = {"first": first, "nearer": first - 1, "before": f"{shares[first - 1]:.4f}", "after": f"{shares[first]:.4f}"}
    facts |= {"guess": guess, "guess-nearer": guess - 1}
    facts |= {"guess-before": f"{shares[guess - 1]:.4f}", "guess-after": f"{shares[guess]:.4f}"}
    judge(text, guess == first, facts)


def draw_writing(text: Mapping[str, str]) -> None:
    """Ask for the module as code, with a row to check it by, and show one way to write it when it is asked for."""
    write(text["write"], {"row": f"[{', '.join(f'{step.value:.5f}' for step in steps(1, 4, 10_000))}]"})
    solution = st.expander(text["write-title"], icon=":material/code:", key="write_solution", on_change="rerun")
    if solution.open:
        with solution:
            write(text["write-solution"])
