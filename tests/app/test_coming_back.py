"""What was set on a page is there again when one comes back, in its controls and in the link: on every page."""

import pytest

from tests.app.opened import ROOT, opened

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
KINDS = ("slider", "number_input", "select_slider", "segmented_control", "selectbox", "multiselect")
TYPED = {
    "sentence": "one two three",
    "img_parts": "text 2, image 2x2",
    "ins_text": "the king",
    "own_text": "-7",
    "pasted": "A text of one's own. " * 100,
}
LOOKS = ("_look", "topic")  # how the names of choices end that bring other controls

pytestmark = pytest.mark.usefixtures("own_queue")


def controls(at):
    """All controls of the page that hold a value, by key."""
    found = [control for kind in (*KINDS, "text_input", "text_area") for control in getattr(at, kind)]
    assert all(control.key for control in found)
    return {control.key: control for control in found}


def values(at):
    return {key: control.value for key, control in controls(at).items()}


def another(control):
    """A value that the control may have and does not have now."""
    if control.type in ("slider", "number_input"):
        return control.min if control.value != control.min else control.max
    if control.type in ("text_input", "text_area"):
        return TYPED.get(control.key, "7")
    if control.type == "multiselect":
        return control.value[1:] if len(control.value) > 1 else control.options[:2]
    return next(option for option in control.options if option != str(control.value))


def set_all(at, done):
    """Set every control but those that are done to another value, at once, and then those that came with them."""
    while left := [control for key, control in controls(at).items() if key not in done]:
        for control in left:
            control.set_value(another(control))
        at.run()
        assert not at.exception
        done = [*done, *(control.key for control in left)]
    return at


def in_link(key):
    """Whether the link names the value of a control."""
    return "guess" not in key and not key.endswith(("_answer", "pasted"))


def walk(at, *pages, **link):
    """Go to pages as the sidebar does, with nothing in the link, to the last one with a link."""
    for page in pages:
        at.switch_page(f"pages/{page}.py")
        at.query_params.clear()
        at.query_params.update(link if page == pages[-1] else {})
        at.run()
        assert not at.exception
    return at


@pytest.mark.parametrize("page", PAGES)
def test_what_was_set_is_there_again(page):
    """Under each closer look; only answers to a question and long texts are no part of the link."""
    at = opened(page)
    looks = [one for one in at.segmented_control if one.key.endswith(LOOKS)]
    for link in [{one.key: option} for one in looks for option in one.options] or [{}]:
        at = set_all(opened(page, **link), list(link))
        before = values(at)
        walk(at, "home" if page != "home" else "rope", page)
        assert values(at) == before
        assert not at.exception
        again = values(opened(page, **at.query_params))
        assert {key: again[key] for key in before if in_link(key)} == {
            key: value for key, value in before.items() if in_link(key)
        }


def test_a_control_that_comes_back_in_a_smaller_range_is_put_into_it():
    at = opened("sinusoidal", topic="Detail", length="500", width="500", detail_position="400", detail_channel="400")
    walk(at, "home", "sinusoidal", length="100", width="90")
    assert at.slider(key="detail_position").value == 99
    assert at.slider(key="detail_channel").value == 89
    assert not at.warning


def test_a_link_followed_within_a_session_sets_what_it_names_and_leaves_the_rest():
    at = opened("rope", rope_width="16", rope_look="Turns")
    walk(at, "home", "rope", rope_width="8", query="7")
    assert at.slider(key="rope_width").value == 8
    assert at.slider(key="query").value == 7
    assert at.segmented_control(key="rope_look").value == "Turns"
    assert at.query_params == {"rope_width": "8", "query": "7", "rope_look": "Turns"}


def test_a_new_session_with_a_bare_link_has_the_defaults():
    walk(opened("rope", rope_width="16"), "home", "rope")
    assert opened("rope").slider(key="rope_width").value == 32


@pytest.mark.parametrize(
    ("page", "name", "good", "bad", "default"),
    [
        ("rope", "rope_width", "16", "7", 32),
        ("rope", "rope_look", "Turns", "nope", "Distance"),
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
