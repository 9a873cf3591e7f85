"""Links to the lab: what it does not have is named with the rule, and own encodings, patterns of layers and repairs."""

import re
from dataclasses import replace
from itertools import product

import pytest

from pe_core.chapters.lab import TITLES, by_length, right_by_length
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.settings import PARAMETERS
from tests.app.in_chinese import CHINESE, also_in_chinese, read
from tests.app.opened import checked, frames, opened, said, sentences
from tests.app.running import finished, press, refusal, snapshot
from tests.cases import each
from tests.chapters.test_repaired_runs import SEVERAL
from ui.lab.setup import FIRST_RUN

KEYS = ", ".join(ENCODINGS)


@pytest.fixture(autouse=True)
def asked(expects):
    """The configurations whose time the page asked for."""
    return expects(1.0)


def warnings(at):
    """The warnings as they are read: what marks a text for Markdown taken away."""
    return [re.sub(r"`|\\(?=[!-/:-@\[-`{-~])", "", warning.value) for warning in at.warning]


def test_a_value_off_step_between_good_ones_is_the_only_one_refused_and_does_not_come_back(asked):
    at = opened("lab", train_length="32", d_model="40", seed="3")
    problem = f"d_model must {PARAMETERS['d_model'].rule}, got '40'"
    assert warnings(at) == [f"This cannot be shown: {problem}. Shown instead: 64."]
    assert not at.run().warning
    assert asked[-1] == replace(FIRST_RUN, train_length=32, seed=3)
    assert not at.button(key="train").disabled


@each(
    ("link", "chosen"),
    [("learned", ["learned"]), (["rope", "alibi"], ["rope", "alibi"]), (["rope", "rope"], ["rope"]), ("", [])],
)
def test_encodings_by_their_keys(link, chosen):
    at = opened("lab", encodings=link, nonsense="1", bits="7")  # what the page does not know changes nothing
    assert not at.warning
    assert at.multiselect(key="encodings").value == chosen
    assert at.button(key="train").disabled == (not chosen)
    if not chosen:
        assert refusal(at) == "encodings must name at least one, got an empty list"


@each(
    ("link", "named", "chosen"),
    [
        (["rope", "nope"], "nope", ["rope"]),
        ("none,rope", "none,rope", list(FIRST_RUN.encodings)),
        ("x" * 100_000, "x" * 40, list(FIRST_RUN.encodings)),
    ],
)
def test_encodings_that_do_not_exist_are_named(link, named, chosen):
    at = opened("lab", encodings=link)
    [warning] = warnings(at)
    assert f"encodings must be among {KEYS}, got {named}." in warning
    assert at.multiselect(key="encodings").value == chosen
    assert not at.button(key="train").disabled


def test_the_link_follows_the_chosen_encodings():
    at = opened("lab", n_layers="1")
    for chosen, linked in [(["rope"], "rope"), ([], ""), (["rope", "alibi"], ["rope", "alibi"])]:
        at.multiselect(key="encodings").set_value(chosen).run()
        assert at.query_params == {"n_layers": "1", "encodings": linked}
        assert bool(at.error) == (not chosen)
    at.multiselect(key="encodings").set_value(list(FIRST_RUN.encodings)).run()
    assert at.query_params == {"n_layers": "1"}


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
    read("lab", run="0" * 64)


# Own encodings and patterns of layers.

OWN = "own:bias:-2**(-8*(h+1)/heads)*distance"


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
    rule = "formula must have a number, a name or a bracket here, got the end in column 3 of 'm+'"
    assert f"This is no encoding: `{rule}`." in [warning.value for warning in at.warning]
    assert at.multiselect(key="encodings").value == ["rope"]
    assert asked[-1] == replace(FIRST_RUN, encodings=("rope",))
    refused = opened("lab", lang="zh", encodings=["own:bias:m+", "rope"])  # says what a link may have, in English
    assert len(refused.warning) == 2
    assert all(CHINESE.search(warning.value) for warning in refused.warning)


def test_one_that_explodes_is_refused_before_it_is_trained():
    at = opened("lab", encodings="own:embedding:exp(m)")
    assert refusal(at) == "own embedding must be finite, got inf at m = 127, channel = 0 in 'exp(m)'"
    also_in_chinese(at)


def test_a_pattern_is_typed_and_or_linked_and_reaches_the_run(asked):
    at = opened("lab", encodings="rope", n_layers="6", layers="5 local : 1 global")
    assert not at.warning
    assert asked[-1] == replace(FIRST_RUN, encodings=("rope",), n_layers=6, layers="5 local : 1 global")
    at.text_input(key="layers").set_value("local : none").run()
    assert asked[-1].layers == "local : none"
    at.slider(key="n_layers").set_value(1).run()
    assert refusal(at) == "layers must fit into the models, whose n_layers is 1, got a pattern of 2"


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


# Repairs.

TINY = {"train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50", "encodings": ["rope"]}


def test_a_run_draws_its_model_as_trained_repaired_and_fine_tuned_under_each_reading():
    at = opened("lab", **TINY, repairs=["ntk"], repairs_together=["pi", "sinks"], tune_steps="50")
    press(at, "train")
    finished(at)
    record = snapshot(at).record
    assert record.config.repairs == ("ntk", "pi+sinks")
    assert list(record.mean("rope").tuned) == ["as_trained", "ntk", "pi+sinks"]
    drawn = [chart["lines"] for chart in frames(at) if "As trained" in set(chart["lines"].name)]
    assert len(drawn) == 4
    for tuned, lines in zip((False, True), drawn[1::2], strict=True):
        assert lines.y.tolist() == by_length(record, "rope", tuned=tuned).frames["lines"].y.tolist()
    rows = at.dataframe[0].value["Encoding"].tolist()
    titles = [f"RoPE, {named(name).title}" for name in record.config.repairs]
    tuned = [f"{title}, fine-tuned" for title in ("RoPE, As trained", *titles)]
    assert rows == ["RoPE", *titles, *tuned]
    assert any("after 50 more steps at 128 characters" in sentence for sentence in sentences(at))


def test_a_run_of_a_task_draws_what_is_right_under_each_reading(shown):
    curves = {"rope": dict.fromkeys(SEVERAL.config.seeds, (1.0,) * SEVERAL.config.steps)}
    record = replace(SEVERAL, config=replace(SEVERAL.config, encodings=("rope",)), curves=curves)
    at = checked(shown(record), 7)
    for kind, share in product(("repaired", "tuned"), TITLES):
        picture = at.session_state["_pictures"][f"lab_{kind}_{share}_rope"]
        lines = picture.picture().frames["lines"]
        assert lines.equals(right_by_length(record, "rope", share, tuned=kind == "tuned").frames["lines"])
        assert any(chart["lines"].equals(lines) for chart in frames(at))
        assert f"{TITLES[share]} of RoPE at 128 symbols, mean of 2 runs: As trained " in picture.alternative
        for title, last in lines.groupby("name").y.last().items():
            assert f"{title} {last:.0%}" in picture.alternative
    assert "**RoPE, as trained and repaired**, mean of 2 runs" in said(at)
    assert "**RoPE, after 50 more steps at 128 symbols under each**, mean of 2 runs" in said(at)


@each(
    ("link", "message"),
    [
        ({"encodings": "none", "repairs": "ntk"}, "repairs must suit an encoding of the run (none), got ntk"),
        ({"repairs_together": ["ntk", "pi"]}, "repairs together must change the encoding only once, got ntk+pi"),
    ],
)
def test_repairs_that_do_not_fit_are_refused_before_training(link, message):
    assert refusal(opened("lab", **{**TINY, **link})) == message
