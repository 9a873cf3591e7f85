"""Own encodings in the lab: a link brings them, and says what is wrong with one that is none."""

from dataclasses import replace

import pytest

from tests.app.opened import opened
from ui.lab.setup import FIRST_RUN

pytestmark = pytest.mark.usefixtures("own_queue")

OWN = "own:bias:-2**(-8*(h+1)/heads)*distance"


@pytest.fixture(autouse=True)
def asked(expects):
    """The configurations whose time the page asked for."""
    return expects(1.0)


def test_a_link_brings_an_own_encoding_beside_others(asked):
    at = opened("lab", encodings=[OWN, "alibi"])
    assert not at.exception
    assert not at.warning
    chosen = at.multiselect(key="encodings")
    assert chosen.value == [OWN, "alibi"]
    assert "Own bias: -2^(-8·(h+1)/heads)·distance" in chosen.options
    assert asked[-1].encodings == (OWN, "alibi")
    assert at.query_params["encodings"] == [OWN, "alibi"]
    chosen.set_value(["alibi"]).run()
    at.multiselect(key="encodings").set_value(["alibi", OWN]).run()  # it can still be chosen
    assert asked[-1].encodings == ("alibi", OWN)


def test_a_wrong_one_is_said(asked):
    at = opened("lab", encodings=["own:bias:m+", "rope"])
    assert not at.exception
    assert (
        "This is no encoding: `formula must have a number, a name or a bracket here, got the end in column 3 of 'm+'`."
    ) in [warning.value for warning in at.warning]
    assert at.multiselect(key="encodings").value == ["rope"]
    assert asked[-1] == replace(FIRST_RUN, encodings=("rope",))


def test_one_that_explodes_is_refused_before_it_is_trained():
    at = opened("lab", encodings="own:embedding:exp(m)")
    assert [error.value for error in at.error] == [
        "This cannot be trained: `own embedding must be finite, got inf at m = 127, channel = 0 in 'exp(m)'`."
    ]
    assert at.button(key="train").disabled
