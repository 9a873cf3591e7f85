"""Own encodings and patterns of layers in the lab: by a link, typed, and what is said of a wrong one."""

from dataclasses import replace

import pytest

from tests.app.opened import opened
from tests.cases import each
from ui.lab.setup import FIRST_RUN

OWN = "own:bias:-2**(-8*(h+1)/heads)*distance"


@pytest.fixture(autouse=True)
def asked(expects):
    """The configurations whose time the page asked for."""
    return expects(1.0)


def test_a_link_brings_an_own_encoding_beside_others(asked):
    at = opened("lab", encodings=[OWN, "alibi"])
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


def test_a_pattern_is_typed_and_or_linked_and_reaches_the_run(asked):
    at = opened("lab", encodings="rope", n_layers="6", layers="5 local : 1 global")
    assert not at.warning
    assert asked[-1] == replace(FIRST_RUN, encodings=("rope",), n_layers=6, layers="5 local : 1 global")
    at.text_input(key="layers").set_value("local : none").run()
    assert asked[-1].layers == "local : none"
    at.slider(key="n_layers").set_value(1).run()
    assert [error.value for error in at.error] == [
        "This cannot be trained: `layers must fit into the models, whose n_layers is 1, got a pattern of 2`."
    ]
    assert at.button(key="train").disabled


@each("by_link", [True, False])
def test_a_wrong_part_is_named_and_layers_are_alike(asked, by_link):
    at = opened("lab", **({"layers": "5 locally : global"} if by_link else {}))
    if not by_link:
        at.text_input(key="layers").set_value("5 locally : global").run()
    [warning] = at.warning
    assert "layers must name local, global, " in warning.value
    assert "got 'locally'" in warning.value
    assert warning.value.endswith("Shown instead: nothing.")
    assert asked[-1] == FIRST_RUN
