"""Links to the lab: what it does not have is named with the rule; own encodings, patterns of layers, repairs, tasks."""

import re
from dataclasses import replace
from itertools import product

import pytest

from pe_core.chapters.lab import TITLES, repaired
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.settings import FOR_TASKS, PARAMETERS, RunConfig
from pe_core.lab.experiment.tasks import TASKS, own_defaults
from pe_core.lab.results import record_file
from tests.app.in_chinese import CHINESE, also_in_chinese, read
from tests.app.opened import ROOT, checked, frames, opened, said, sentences
from tests.app.running import LINK, TINY, finished, press, refusal, snapshot
from tests.app.test_lab_kept import name, record_of
from tests.cases import each
from tests.chapters.test_repaired_runs import SEVERAL
from tests.lab.task_answers import suited
from ui.lab.kept import CHOSEN, SECTION, row
from ui.lab.setup import FIRST_RUN, parameters_of, spelled
from ui.widgets.prose import sections

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

ROPE_ALONE = {**LINK, "encodings": ["rope"]}


def test_a_run_draws_its_model_as_trained_repaired_and_fine_tuned_under_each_reading():
    at = opened("lab", **ROPE_ALONE, repairs=["ntk"], repairs_together=["pi", "sinks"], tune_steps="50")
    press(at, "train")
    finished(at)
    record = snapshot(at).record
    assert record.config.repairs == ("ntk", "pi+sinks")
    assert list(record.mean("rope").tuned) == ["as_trained", "ntk", "pi+sinks"]
    drawn = [chart["lines"] for chart in frames(at) if "As trained" in set(chart["lines"].name)]
    assert len(drawn) == 4
    for tuned, lines in zip((False, True), drawn[1::2], strict=True):
        assert lines.y.tolist() == repaired(record, "rope", tuned=tuned).frames["lines"].y.tolist()
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
        assert lines.equals(repaired(record, "rope", share, tuned=kind == "tuned").frames["lines"])
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
    assert refusal(opened("lab", **{**ROPE_ALONE, **link})) == message


def values(at):
    return {one.key: one.value for one in (*at.slider, *at.select_slider) if one.key in FOR_TASKS}


@each("key", TASKS)
def test_a_task_by_link_brings_its_defaults_and_shows_two_examples_of_any_length(key, asked):
    task, trained = TASKS[key], own_defaults(key)["train_length"]
    at = opened("lab", task=key)
    assert not at.warning
    assert not at.error
    assert at.selectbox(key="task").value == key
    assert values(at) == suited(key)
    assert asked[-1] == RunConfig(FIRST_RUN.encodings, **suited(key))
    assert [one.key for one in at.segmented_control] == ["language"]
    for length in (trained, 2 * trained):
        assert f"Length {length}: {spelled(task, length)}" in said(at)
    assert f"right on average once in {task.n_answers} times" in said(at)
    assert task.summary in [caption.value for caption in at.caption]
    assert not at.button(key="train").disabled
    assert at.query_params == {"task": key}
    at = opened("lab", task=key, train_length="256")
    assert not at.error
    assert f"Length 512: {spelled(TASKS[key], 512)}" in said(at)


def test_what_is_asked_is_bold():
    task = TASKS["copy"]
    question, answer = re.fullmatch(r"(\d+)=:gray-background\[\*\*(\d+)\*\*\]", spelled(task, 16)).groups()
    assert question == answer
    assert len(question) == task.size(16)


def test_another_task_brings_its_defaults_a_text_brings_back_its_own_and_a_link_wins(asked):
    at = opened("lab")
    assert at.segmented_control(key="text").value == "built-in"
    for key in ("recall", "addition", "text"):
        at.selectbox(key="task").select(key).run()
        assert values(at) == {name: parameters_of(TASKS.get(key))[name].default for name in FOR_TASKS}
        assert {name: getattr(asked[-1], name) for name in FOR_TASKS} == values(at)
    assert values(at) == {name: parameters_of(None)[name].default for name in FOR_TASKS}
    assert at.segmented_control(key="text").value == "built-in"
    at = opened("lab", task="copy", steps="400", train_length="64")
    assert (asked[-1].steps, asked[-1].train_length) == (400, 64)
    assert f"Length 128: {spelled(TASKS['copy'], 128)}" in said(at)


def test_a_run_of_a_task_shows_what_is_right_and_not_what_is_lost():
    at = press(opened("lab", **LINK, task="parity", encodings="none"), "train")
    checked(finished(at), 3)
    record = snapshot(at).record
    assert record.text.name == TASKS["parity"].title
    shown = [chart["lines"]["y"].tolist() for chart in frames(at)[1:]]
    marks = record.mean("none").lengths
    assert shown == [[mark.accuracy for mark in marks], [mark.exact for mark in marks]]
    table = at.dataframe[0].value
    assert table["Right at 16 (%)"].tolist() == [100 * marks[0].accuracy]
    assert not [name for name in table if name.startswith(("Loss", "Ratio"))]
    assert sentences(at)[1].startswith("Right answers. ")
    assert f"{ENCODINGS['none'].title}: {marks[0].accuracy:.0%} at the training length of 16" in sentences(at)[1]
    assert "n=" not in "".join(sentences(at))
    assert "loses most of them" in said(at)
    assert any("A guess has 50% of the answers right" in caption.value for caption in at.caption)


def test_kept_runs_of_a_task_are_listed_without_ratios_and_compared_by_what_is_right(store):
    records = [record_of(replace(TINY, seed=seed), loss, TASKS["parity"]) for seed, loss in ((3, 2.0), (4, 3.0))]
    hashes = [put(store, record) for record in records]
    titles = ", ".join(ENCODINGS[key].title for key in TINY.encodings)
    assert {tuple(row(run)[name] for name in ("Text", "Encodings and ratios")) for run in store.listing()} == {
        (TASKS["parity"].title, titles)
    }
    at = opened("lab", session={SECTION: True, CHOSEN: hashes})
    table = at.dataframe[-1].value
    assert {"Right at 16 (%)", "Right at 128 (%)", "Verdict"} <= set(table)
    assert not [name for name in table if name.startswith(("Loss", "Ratio"))]
    runs = [record.mean(key).lengths for record in records for key in TINY.encodings]
    drawn = next(chart["lines"] for chart in frames(at) if "run" in chart["lines"])
    assert sorted(drawn["y"]) == sorted(one.accuracy for lengths in runs for one in lengths)
    assert table["Right at 128 (%)"].tolist() == [100 * lengths[-1].accuracy for lengths in runs]
    last = f", {runs[0][-1].accuracy:.0%} at 128; "
    assert any(sentence.startswith("What two runs show ") and last in sentence for sentence in sentences(at))


def test_a_text_and_a_task_are_not_put_into_one_picture(store):
    hashes = [put(store, record_of(replace(TINY, encodings=("none",)), text=text)) for text in (TASKS["parity"], None)]
    at = opened("lab", session={SECTION: True, CHOSEN: hashes})
    assert sections("lab")["kept-unlike"] in said(at)
    assert not [chart for chart in frames(at) if "run" in chart["lines"]]
    table = at.dataframe[-1].value
    assert {"Right at 128 (%)", "Ratio"} <= set(table)
    assert sorted(table["Ratio"].isna()) == sorted(table["Right at 128 (%)"].isna()) == [False, True]


def put(store, record):
    """Keep a run; returns its hash."""
    store.put(record)
    return name(record)


def test_before_anything_is_trained_a_task_shows_the_kept_run_of_a_task_without_a_word_of_texts():
    record = record_file.from_json((ROOT / "pe_core" / "runs" / "copy.json").read_text(encoding="utf-8"))
    record = record.of_encodings(FIRST_RUN.encodings)
    assert record.text.is_task
    at = opened("lab", task="reverse")
    assert "an earlier run of *Copy*" in " ".join(caption.value for caption in at.caption)
    assert at.dataframe[0].value["Encoding"].tolist() == [ENCODINGS[key].title for key in record.outcomes]
    shares = frames(at)[1]["lines"]
    assert sorted(shares["y"]) == sorted(one.accuracy for key in record.done for one in record.mean(key).lengths)
    specs = [chart.proto.spec for chart in at.get("vega_lite_chart")]
    assert "Loss (nats per answer)" in specs[0]
    assert len(specs) == 3
    words = [*specs, *sentences(at), *at.dataframe[0].value]
    assert not [word for word in words if "character" in word or "guess by frequency" in word]
    assert sentences(at)[0].startswith("Training loss over steps. Latest loss in nats per answer: ")
