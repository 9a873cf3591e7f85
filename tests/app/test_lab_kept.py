"""Kept runs on the page: known ones at once, links after a restart, the list, comparing, saving, removing."""

import json
import sqlite3
from dataclasses import replace

import pytest

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.queue import job
from pe_core.lab.queue.job import LIVE
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from tests.app.in_chinese import also_in_chinese
from tests.app.opened import OWNER, VISITOR, frames, opened, sentences
from tests.app.running import TINY, can_press, configured, press, reached, snapshot, standing
from tests.lab.seeded import one_seed
from ui.lab import jobs as lab
from ui.lab.kept import CHOSEN, SECTION

pytestmark = pytest.mark.usefixtures("store")


def never(config, encoding, text, device, glanced):
    raise AssertionError("trained again")
    yield


def record_of(config, loss=3.0, text=None):
    """A run that was not trained, with losses that fall with the length, and of a task right answers that do."""
    facts = text_facts(text or datasets.built_in())
    lengths = tuple(
        LengthLoss(
            length, loss / index, loss / 3, *([1 / (loss * index), 0.5 / (loss * index)] if facts.is_task else [])
        )
        for index, length in enumerate(config.lengths, 1)
    )
    outcome = Outcome(7, lengths, (loss,) * max(config.lengths))
    curve = tuple(loss + 1 / step for step in range(1, config.steps + 1))
    return one_seed(config, facts, dict.fromkeys(config.encodings, curve), dict.fromkeys(config.encodings, outcome))


OTHER = replace(TINY, encodings=("rope", "alibi"), train_length=32, mask="window")
OWN = datasets.from_text("to be or not to be " * 300, name="hamlet.txt")


@pytest.fixture(autouse=True)
def short(expects):
    """What a run takes is no question here: to measure it would take longer than the tests."""
    expects(1.0)


@pytest.fixture
def kept(store):
    """Two runs of the built-in text and one of another; returns their records, the oldest first."""
    records = [record_of(TINY), record_of(OTHER, 2.0), record_of(replace(TINY, seed=9), text=OWN)]
    for record in records:
        store.put(record, owner=OWNER)
    return records


def name(record):
    return run_hash(record.config, record.text)


def restart():
    """What a new process knows: nothing but the store."""
    lab.job_manager.forget()
    lab.run_store.forget()


def unfolded(*chosen, **link):
    """The page with the section open and runs chosen in it."""
    return opened("lab", session={SECTION: True, CHOSEN: [name(record) for record in chosen]}, **link)


def in_section(at):
    [section] = [expander for expander in at.expander if expander.label == "Kept runs"]
    return section


def words(at):
    """What is said in the section of kept runs."""
    return " ".join(element.value for element in in_section(at).markdown)


def test_a_finished_run_has_its_hash_in_the_link_and_is_there_after_a_restart_by_link_and_by_its_settings(monkeypatch):
    def drawn(at):
        return [{key: frame.to_dict() for key, frame in chart.items()} for chart in frames(at)]

    at = press(configured(), "train")
    run = reached(at, lambda: snapshot(at).kept).query_params["run"]
    assert run == name(snapshot(at).record)
    restart()
    monkeypatch.setattr(job, "run_encoding", never)
    by_settings = configured()
    assert "run" not in by_settings.query_params
    assert can_press(by_settings) == {"Train it again live"}
    for other in (opened("lab", run=run), by_settings):
        assert not other.warning
        assert standing(other) == "Step 100 of 100, 50 for each of 2 models · done, kept from before"
        assert drawn(other) == drawn(at)


def test_a_run_of_the_size_of_papers_opens_though_its_controls_are_smaller(shown):
    sizes = {"train_length": 512, "d_model": 512, "n_layers": 12, "batch_size": 64, "peak_learning_rate": 0.0003}
    at = shown(record_of(replace(TINY, **sizes)))
    assert not at.warning
    assert standing(at).endswith("done, kept from before")
    assert frames(at)[1]["lines"]["x"].max() == 4_096


def test_a_run_that_cannot_be_kept_goes_on_and_says_so(monkeypatch):
    monkeypatch.setenv(lab.STORE, "nonsense")
    restart()
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).state not in LIVE)
    assert standing(at).startswith("Step 100 of 100")
    [warning] = at.warning
    assert warning.value == (
        "This run is shown, but not kept for later: runs must lie in a database that can be read and written, "
        "got Could not parse SQLAlchemy URL from given URL string."
    )
    assert snapshot(at).kept == ""


def test_a_broken_store_is_said_and_the_page_goes_on(tmp_path):
    (tmp_path / "lab.sqlite").write_bytes(b"garbage " * 1_000)
    [warning] = opened("lab", run="0" * 64).warning
    assert "is not here any more: runs must lie in a database" in warning.value
    at = unfolded()
    [error] = in_section(at).error
    assert error.value == (
        "The kept runs cannot be shown: runs must lie in a database that can be read and written, "
        "got file is not a database."
    )
    assert len(frames(at)) == 5


def test_the_list_is_asked_for_when_it_is_open_and_is_not_there_without_a_store(monkeypatch):
    assert "No run has been kept yet." in words(unfolded())
    monkeypatch.setattr(RunStore, "listing", None)
    assert in_section(opened("lab")).children == {}
    monkeypatch.setenv(lab.STORE, " ")
    restart()
    assert "Kept runs" not in {expander.label for expander in opened("lab").expander}


def test_the_list_says_what_each_run_was(kept, store, tmp_path):
    store.begin(replace(TINY, seed=5), kept[0].text, OWNER)
    at = unfolded(visitor=VISITOR)
    unfinished, own, other, tiny = in_section(at).dataframe[0].value.to_dict("records")
    assert [unfinished["State"], own["State"]] == ["not finished", "finished"]
    assert unfinished["Encodings and ratios"] == "None (NoPE), ALiBi"
    assert tiny["Settings"] == "train length 16, d model 16, n heads 1, n layers 1, steps 50, seed 3"
    assert "mask: window" in other["Settings"]
    assert other["Encodings and ratios"] == f"RoPE {1 / 6:.2f}, ALiBi {1 / 6:.2f}"
    assert own["Text"] == "hamlet.txt, 5,700 characters"
    assert tiny["Run"] == name(kept[0])[:8]
    assert tiny["Version"] == "this one"
    also_in_chinese(at)
    connection = sqlite3.connect(tmp_path / "lab.sqlite")
    connection.execute("UPDATE runs SET versions = ?", [json.dumps({"code": "old", "torch": "1.0"})])
    connection.commit()
    connection.close()
    assert set(in_section(unfolded()).dataframe[0].value["Version"]) == {"another one"}


def test_a_run_of_an_own_text_is_listed_for_nobody_else(kept):
    at = unfolded()
    rows = in_section(at).dataframe[0].value.to_dict("records")
    assert [row["Run"] for row in rows] == [name(kept[1])[:8], name(kept[0])[:8]]
    assert "hamlet" not in str(rows)
    assert name(kept[2]) not in at.multiselect(key="lab_runs").options
    at.session_state["lab_runs"] = [name(kept[2])]  # as a hand-written client would ask for it
    at.run()
    assert at.multiselect(key="lab_runs").value == []


def test_a_kept_run_is_opened_and_taken_away_as_files(kept):
    at = unfolded(kept[1])
    assert "is not kept. To repeat the run" not in words(at)
    press(at, "lab_open")
    assert at.query_params["run"] == at.session_state["run"] == name(kept[1])
    assert standing(at).startswith("Step 100 of 100")
    assert set(frames(at)[0]["lines"]["name"]) == {"RoPE", "ALiBi"}
    at = unfolded(kept[2], visitor=VISITOR)
    files = {one.proto.label: one.proto.url.rsplit(".", 1)[-1] for one in at.get("download_button")}
    assert {"JSON": "json", "CSV": "csv", "Python": "py"}.items() <= files.items()
    assert "save the text as `text.txt` beside the script" in words(at)
    also_in_chinese(at)


def test_two_runs_are_compared(kept):
    at = unfolded(kept[0], kept[1])
    section = in_section(at)
    changed = section.dataframe[1].value.set_index("Setting")
    assert changed.loc["train length"].tolist() == ["16", "32"]
    assert changed.loc["mask"].tolist() == ["causal", "window"]
    assert "steps" not in changed.index
    lines = frames(at)[-1]["lines"]
    assert sorted(set(lines["x"])) == [1, 2, 3, 4, 6, 8]
    alibi = lines[(lines["name"] == "ALiBi") & (lines["run"] == "second run")]
    assert alibi["y"].tolist() == [2 / index for index in range(1, 7)]
    table = section.dataframe[2].value
    assert table["Ratio"].tolist() == pytest.approx([1 / 6] * 4)
    assert table["Loss at 128"].tolist() == pytest.approx([0.5, 0.5, 2 / 4, 2 / 4])
    first = "The first run: None (NoPE): loss 3.00 at the training length of 16, 0.50 at 128; "
    assert first in sentences(at)[-1]
    assert "[[" not in words(at)
    also_in_chinese(at)


def test_a_run_of_sixteen_training_lengths_is_shown_whole_and_compared_to_eight(kept, shown):
    longer = record_of(replace(TINY, max_multiple=16))
    at = shown(longer)
    assert not at.warning
    assert sorted(set(frames(at)[1]["lines"]["x"])) == [16 * one for one in (1, 2, 3, 4, 6, 8, 16)]
    section = in_section(unfolded(kept[0], longer))
    table = section.dataframe[-1].value
    assert table["Ratio"].tolist() == pytest.approx([1 / 6] * 4)
    assert table["Loss at 128"].tolist() == pytest.approx([0.5] * 4)
    assert "Loss at 256" not in table


def test_an_unfinished_run_is_not_compared_and_one_of_another_text_needs_it(kept, store):
    unfinished = [record_of(replace(TINY, seed=5)), record_of(replace(TINY, seed=6), text=OWN)]
    for record in unfinished:
        store.begin(record.config, record.text, OWNER)
    at = unfolded(kept[0], unfinished[0], visitor=VISITOR)
    assert "One of these runs was not finished, so there is nothing to compare." in words(at)
    at = unfolded(unfinished[1], visitor=VISITOR)
    assert "give its text again" in words(at)
    assert not [button for button in at.button if button.key == "lab_again"]
    also_in_chinese(at)


def test_a_run_is_removed_by_its_owner_and_is_no_longer_chosen_by_others_who_cannot(kept, store):
    other = unfolded(kept[0], kept[1])
    assert "lab_remove" not in [button.key for button in other.button]
    at = press(unfolded(kept[0], run=name(kept[0]), visitor=VISITOR), "lab_remove")
    assert other.run().multiselect(key="lab_runs").value == [name(kept[1])]
    assert "run" not in at.query_params
    assert store.get(name(kept[0])) is None
    assert len(in_section(at).dataframe[0].value) == 2
    assert at.multiselect(key="lab_runs").value == []
    assert "is not here any more" in opened("lab", run=name(kept[0])).warning[0].value


def test_a_run_that_cannot_be_removed(kept, monkeypatch):
    def full(store, run):
        raise lab.StoreError("the disk is full")

    monkeypatch.setattr(lab.RunStore, "remove", full)
    at = press(unfolded(kept[0], visitor=VISITOR), "lab_remove")
    assert [error.value for error in in_section(at).error] == ["Not removed: the disk is full."]


def test_an_unfinished_run_is_trained_again(store, endless):
    config = replace(TINY, seed=5)
    store.begin(config, text_facts(datasets.built_in()), OWNER)
    at = press(unfolded(record_of(config), visitor=VISITOR), "lab_again")
    assert snapshot(at).record.config == config
    assert at.button(key="lab_again").disabled
    assert can_press(at) >= {"Pause", "Stop"}
