"""Derivations one step at a time: Back and Next, the step in the link, its picture, and links that ask wrong."""

import pytest

from tests.app.opened import checked, frames, opened, said
from ui.widgets.prose import fill, sections

LOOK = {"topic": "Derivation"}


def title(page, name, step):
    """The bold words with which the text of a step begins."""
    return fill(sections(page)[f"step {name} {step}"], {}).split("**")[1]


def test_next_and_back_go_from_step_to_step_and_the_link_follows():
    at = opened("sinusoidal", **LOOK)
    assert title("sinusoidal", "sinusoid", 1) in said(at)
    assert at.button(key="sinusoid_step_back").disabled
    n_charts = len(frames(at))
    for step in range(2, 9):
        at = at.button(key="sinusoid_step_next").click().run()
        checked(at, n_charts + (step in (4, 5, 7)))
        assert title("sinusoidal", "sinusoid", step) in said(at)
        assert title("sinusoidal", "sinusoid", step - 1) not in said(at)
        assert at.query_params["sinusoid_step"] in ([str(step)], str(step))
    assert at.button(key="sinusoid_step_next").disabled
    at = at.button(key="sinusoid_step_back").click().run()
    assert at.slider(key="sinusoid_step").value == 7
    assert title("sinusoidal", "sinusoid", 7) in said(at)


@pytest.mark.parametrize(
    ("page", "link", "name", "step", "charts"),
    [
        ("sinusoidal", {**LOOK, "sinusoid_step": "8", "width": "2"}, "sinusoid", 8, 1),
        ("rope", {"rope_look": "Derivation", "rope_step": "7"}, "rope", 7, 2),
        ("rope", {"rope_look": "One dial, then eight", "rope_dial_step": "3"}, "dial", 3, 2),
        ("rope", {"rope_look": "Four steps of attention", "rope_attention_step": "4"}, "attention", 4, 2),
    ],
)
def test_a_link_opens_a_step_with_its_picture(page, link, name, step, charts):
    at = checked(opened(page, **link), charts)
    assert not at.warning
    assert title(page, name, step) in said(at)


def test_a_step_that_is_not_there_is_named():
    at = opened("sinusoidal", **LOOK, sinusoid_step="9")
    assert len(at.warning) == 1
    assert "sinusoid_step must be a whole number from 1 to 8" in at.warning[0].value
    assert title("sinusoidal", "sinusoid", 1) in said(at)


def test_an_odd_width_has_no_derivation_and_says_so():
    at = checked(opened("sinusoidal", **LOOK, width="7"), 1)
    assert "even" in at.info[0].value


def test_a_sentence_that_is_too_short_is_named_and_the_first_stands_in():
    at = checked(opened("sinusoidal", topic="E + P", sum_sentence="word"), 4)
    assert "sentence must have 2 to 12 words" in at.warning[0].value
    assert '"the" stands at positions 0 and 3' in said(at)
