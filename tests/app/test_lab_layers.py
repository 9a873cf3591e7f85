"""A pattern of layers on the page of the lab: typed, from a link, and wrong."""

from dataclasses import replace

import pytest

from tests.app.opened import opened
from ui.lab.setup import FIRST_RUN

pytestmark = pytest.mark.usefixtures("own_queue")


def test_a_pattern_is_typed_and_or_linked_and_reaches_the_run(expects):
    asked = expects(1.0)
    at = opened("lab", encodings="rope", n_layers="6", layers="5 local : 1 global")
    assert not at.exception
    assert not at.warning
    assert asked[-1] == replace(FIRST_RUN, encodings=("rope",), n_layers=6, layers="5 local : 1 global")
    at.text_input(key="layers").set_value("local : none").run()
    assert asked[-1].layers == "local : none"
    at.slider(key="n_layers").set_value(1).run()
    assert [error.value for error in at.error] == [
        "This cannot be trained: `layers must fit into the models, whose n_layers is 1, got a pattern of 2`."
    ]
    assert at.button(key="train").disabled


@pytest.mark.parametrize("by_link", [True, False], ids=["in the link", "typed"])
def test_a_wrong_part_is_named_and_layers_are_alike(expects, by_link):
    asked = expects(1.0)
    at = opened("lab", **({"layers": "5 locally : global"} if by_link else {}))
    if not by_link:
        at.text_input(key="layers").set_value("5 locally : global").run()
    assert not at.exception
    [warning] = at.warning
    assert "layers must name local, global, " in warning.value
    assert "got 'locally'" in warning.value
    assert warning.value.endswith("Shown instead: nothing.")
    assert asked[-1] == FIRST_RUN
