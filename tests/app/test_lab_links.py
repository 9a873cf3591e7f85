"""Links to the lab that ask for what it does not have: a sentence names value and rule, and the page goes on."""

import re

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import PARAMETERS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.parameters import Words
from tests.app.opened import frames, opened
from tests.cases import each
from ui.lab.setup import FIRST_RUN

CHOSEN = {name: parameter for name, parameter in PARAMETERS.items() if not isinstance(parameter, Words)}
RULES = {
    **{name: parameter.rule for name, parameter in CHOSEN.items()},
    "text": "be one of built-in, program, paste, upload",
    "task": f"be one of text, {', '.join(TASKS)}",
}
DEFAULTS = {**{name: parameter.default for name, parameter in CHOSEN.items()}, "text": "built-in", "task": "text"}
DEFAULTS["steps"] = FIRST_RUN.steps
KEYS = ", ".join(ENCODINGS)


@pytest.fixture(autouse=True)
def asked(expects):
    """The configurations whose time the page asked for."""
    return expects(1.0)


def widget_values(at):
    widgets = [*at.slider, *at.select_slider, *at.number_input, *at.segmented_control, *at.selectbox]
    return {widget.key: widget.value for widget in widgets if widget.key in RULES}


def warnings(at):
    """The warnings as they are read: what marks a text for Markdown taken away."""
    return [re.sub(r"`|\\(?=[!-/:-@\[-`{-~])", "", warning.value) for warning in at.warning]


def apology(problem, instead):
    return f"This page cannot show what the link asks for: {problem}. Shown instead: {instead}."


@each("value", ["abc", "17", "", "\x00", "x" * 30_000])  # `test_parameters.py` has others
def test_a_value_that_no_control_has(asked, value):
    names = [name for name in RULES if not (name == "seed" and value == "17")]
    at = opened("lab", **dict.fromkeys(names, value))
    assert not at.error
    shown = repr(value) if len(value) <= 40 else repr("x" * 40) + " and more"
    expected = [apology(f"{name} must {RULES[name]}, got {shown}", DEFAULTS[name]) for name in names]
    assert sorted(warnings(at)) == sorted(expected)
    assert widget_values(at) == {**DEFAULTS, **({} if "seed" in names else {"seed": 0})}
    assert asked[-1] == FIRST_RUN
    assert not at.button(key="train").disabled


@each("value", ["17", ""])
def test_a_refused_value_does_not_come_back_with_the_next_look(value):
    at = opened("lab", train_length=value, text="paste").run()
    assert not at.warning
    assert at.slider(key="train_length").value == 64
    assert at.segmented_control(key="text").value == "paste"


def test_an_off_step_value_between_good_ones_is_the_only_one_refused():
    at = opened("lab", train_length="32", d_model="40", seed="3")
    [warning] = warnings(at)
    assert warning == apology(f"d_model must {RULES['d_model']}, got '40'", 64)
    assert widget_values(at) == {**DEFAULTS, "train_length": 32, "seed": 3}


@each(
    ("link", "chosen"),
    [("learned", ["learned"]), (["rope", "alibi"], ["rope", "alibi"]), (["rope", "rope"], ["rope"]), ("", [])],
)
def test_encodings_by_their_keys(link, chosen):
    at = opened("lab", encodings=link, nonsense="1", bits="7")  # what the page does not know changes nothing
    assert not at.warning
    assert at.multiselect(key="encodings").value == chosen
    assert at.button(key="train").disabled == (not chosen)
    problem = "This cannot be trained: `encodings must name at least one, got an empty list`."
    assert [error.value for error in at.error] == ([] if chosen else [problem])


def test_an_encoding_that_does_not_exist_beside_one_that_does():
    at = opened("lab", encodings=["rope", "nope"])
    [warning] = warnings(at)
    assert f"encodings must be among {KEYS}, got nope." in warning
    assert at.multiselect(key="encodings").value == ["rope"]


@each("value", ["x" * 100_000, "none,rope"])
def test_only_encodings_that_do_not_exist(value):
    at = opened("lab", encodings=value)
    [warning] = warnings(at)
    assert f"encodings must be among {KEYS}, got {value[:40]}." in warning
    assert at.multiselect(key="encodings").value == list(FIRST_RUN.encodings)
    assert not at.button(key="train").disabled


def test_the_link_follows_the_chosen_encodings():
    at = opened("lab", n_layers="1")
    for chosen, linked in [(["rope"], "rope"), (["rope", "alibi"], ["rope", "alibi"]), ([], "")]:
        at.multiselect(key="encodings").set_value(chosen).run()
        assert at.query_params == {"n_layers": "1", "encodings": linked}
    at.multiselect(key="encodings").set_value(list(FIRST_RUN.encodings)).run()
    assert at.query_params == {"n_layers": "1"}


def test_the_chosen_encodings_outlive_a_look_at_another_page():
    at = opened("lab", encodings=["rope", "alibi"])
    at.switch_page("pages/home.py").run()
    at.query_params.clear()
    at.switch_page("pages/lab.py").run()
    assert at.multiselect(key="encodings").value == ["rope", "alibi"]
    assert at.query_params["encodings"] == ["rope", "alibi"]


@each("run", ["x" * 100_000, "\x00"])
def test_a_run_that_is_not_here(run):
    at = opened("lab", run=run, steps="100")
    [warning] = warnings(at)
    assert warning.startswith(f"The run {run[:40]} is not here any more: ")
    assert "; press Train to repeat it. With the same versions, on the same kind of processor, the result" in warning
    assert "run" not in at.query_params
    assert at.slider(key="steps").value == 100
    assert len(frames(at)) == 5
    assert not at.run().warning


def test_a_link_followed_within_a_session_wins_over_what_was_chosen_before():
    at = opened("lab", encodings=["rope"], mask="window")
    at.multiselect(key="encodings").set_value(["rope", "t5"]).run()
    assert at.multiselect(key="encodings").value == ["rope", "t5"]
    at.query_params["encodings"] = ["alibi", "none"]
    at.query_params["mask"] = "sinks"
    at.run()
    assert at.multiselect(key="encodings").value == ["alibi", "none"]
    assert at.selectbox(key="mask").value == "sinks"
    del at.query_params["encodings"]  # a link without a word on it leaves the choice as it is
    at.run()
    assert at.multiselect(key="encodings").value == ["alibi", "none"]
