"""What was set on a page is there again when one comes back, where ranges shrink and links are followed on the way."""

import pytest

from tests.app.opened import opened
from tests.app.walking import walk

pytestmark = pytest.mark.usefixtures("own_queue")


def test_a_control_that_comes_back_in_a_smaller_range_is_put_into_it():
    at = opened("sinusoidal", topic="Detail", length="500", width="500", detail_position="400", detail_channel="400")
    walk(at, "home", "sinusoidal", length="100", width="90")
    assert at.slider(key="detail_position").value == 99
    assert at.slider(key="detail_channel").value == 89
    assert not at.warning


def test_a_link_followed_within_a_session_sets_what_it_names_and_leaves_the_rest():
    at = opened("rope", rope_width="16", rope_look="Layouts")
    walk(at, "home", "rope", rope_width="8", query="7")
    assert at.slider(key="rope_width").value == 8
    assert at.slider(key="query").value == 7
    assert at.segmented_control(key="rope_look").value == "Layouts"
    assert at.query_params == {"rope_width": "8", "query": "7", "rope_look": "Layouts"}


def test_a_new_session_with_a_bare_link_has_the_defaults():
    walk(opened("rope", rope_width="16"), "home", "rope")
    assert opened("rope").slider(key="rope_width").value == 32


@pytest.mark.parametrize(
    ("page", "name", "good", "bad", "default"),
    [
        ("rope", "rope_width", "16", "7", 32),
        ("rope", "rope_look", "Layouts", "nope", "Turns"),
        ("selftest", "self_seed", "5", "99999999", 1),
        ("selftest", "self_base", "10", "7", 10_000),
        ("lab", "train_length", "32", "40", 64),
    ],
)
def test_a_bad_value_of_a_link_followed_within_a_session_is_named_once_and_replaced(page, name, good, bad, default):
    at = walk(opened(page, **{name: good}), "home", page, **{name: bad})
    [warning] = at.warning
    assert name in warning.value
    assert not at.error
    assert at.session_state[name] == default
    assert name not in at.query_params
    assert not at.run().warning
    assert not at.exception
    walk(at, "home", page)
    assert not at.warning
    assert at.session_state[name] == default
