"""A task on the lab's page: its choice, its examples, the defaults it brings, and what a run of it shows."""

import re
from dataclasses import replace

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import FOR_TASKS, RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results import record_file
from tests.app.opened import ROOT, checked, frames, opened, said, sentences
from tests.app.running import LINK, TINY, finished, press, snapshot
from tests.app.test_lab_kept import name, record_of
from tests.cases import each
from tests.lab.task_answers import suited
from ui.lab.kept import CHOSEN, SECTION, row
from ui.lab.setup import FIRST_RUN, parameters_of, spelled
from ui.widgets.prose import sections


@pytest.fixture(autouse=True)
def asked(expects):
    """The configurations whose time the page asked for."""
    return expects(1.0)


def values(at):
    return {one.key: one.value for one in (*at.slider, *at.select_slider) if one.key in FOR_TASKS}


@each("key", TASKS)
def test_a_task_by_link_brings_its_defaults_and_shows_two_examples_of_any_length(key, asked):
    task, trained = TASKS[key], TASKS[key].own_settings["train_length"]
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
