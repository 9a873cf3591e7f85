"""Runs in Chinese: under way, refused, ended, kept and removed, with own texts and the models that they leave."""

from dataclasses import replace

import pytest

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job, trainer
from pe_core.lab.queue.messages import LIVE
from pe_core.lab.results.record import text_facts
from tests.app.in_chinese import in_chinese, pressed, read
from tests.app.inside_runs import ALONE, KEPT, LOOKS, TINY, put, seed_runs
from tests.app.inside_runs import OWN as OF_YOUR_RUN
from tests.app.opened import OWNER, VISITOR, opened
from tests.app.running import LINK, at_rest, finished, press, reached, snapshot
from tests.app.seeded_runs import ONE, RECORD
from tests.app.test_lab_kept import OTHER, OWN, name, record_of
from tests.app.told import CHINESE
from tests.cases import each
from ui.frame import visitor
from ui.lab import jobs as lab
from ui.lab.kept import SECTION


def lab_page(**link):
    """The lab with a tiny run of two encodings chosen."""
    return read("lab", **LINK, **{"encodings": ["none", "alibi"], **link})


def test_a_run_under_way(endless):
    at = pressed(lab_page(), "train")
    in_chinese(reached(at, lambda: snapshot(at).steps > 10))
    other = read("lab", run=at.session_state["run"])
    assert any(CHINESE.search(caption.value) for caption in other.main.caption)
    at.switch_page("pages/home.py")
    in_chinese(at.run())
    at.switch_page("pages/lab.py")
    pressed(at.run(), "pause")
    at_rest(lambda: snapshot(at).steps)
    in_chinese(at.run())
    pressed(at, "stop")


def test_a_run_that_waits_and_one_for_which_there_is_no_room(endless, monkeypatch):
    monkeypatch.setattr(trainer, "TURN", 1_000.0)
    press(lab_page(), "train")
    pressed(lab_page(), "train")
    monkeypatch.setenv("PE_MAX_RUNS", "1")
    lab.job_manager.forget()
    press(lab_page(), "train")
    assert CHINESE.search(pressed(lab_page(), "train").error[0].value)


def test_a_run_to_its_end(expects):
    expects(1.0)
    at = press(lab_page(), "train")
    in_chinese(finished(at))


def test_a_run_that_fails(monkeypatch, expects):
    def fail(config, encoding, text, device, glanced):
        yield TrainStep(encoding, 1, 4.5)
        raise ValueError("width must be a whole number from 2 to 512, got 7.5")

    expects(1.0)
    monkeypatch.setattr(job, "run_encoding", fail)
    at = press(lab_page(), "train")
    ended = reached(at, lambda: snapshot(at).state not in LIVE)
    assert CHINESE.search(in_chinese(ended).error[0].value)


def test_what_cannot_be_trained(expects):
    expects(1e6)
    at = lab_page()
    assert CHINESE.search(at.error[0].value)
    assert at.button(key="train").disabled
    read("lab", encodings="own:embedding:exp(m)")
    refused = opened("lab", lang="zh", encodings=["own:bias:m+", "rope"])  # says what a link may have, in English
    assert len(refused.warning) == 2
    assert all(CHINESE.search(warning.value) for warning in refused.warning)
    read("lab", run="0" * 64)


def test_own_texts(expects):
    expects(1.0)
    at = lab_page(text="paste")
    for text in ("短", "从前有座山，山里有座庙。" * 300, "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))):
        in_chinese(at.text_area(key="pasted").set_value(text).run())
    at = lab_page(text="upload")
    for content in ("从前有座山，山里有座庙。".encode() * 300, b"\xff\xfe\xff" * 2000):
        in_chinese(at.file_uploader(key="uploaded").upload("text.txt", content).run())


@each("record", [RECORD, ONE])
def test_a_run_that_is_kept(record, shown):
    in_chinese(shown(record, lang="zh"))


@pytest.fixture
def kept(store):
    """Two runs of the built-in text, one of another and an unfinished one, all of this visitor; the finished ones."""
    records = [record_of(replace(TINY, n_seeds=1)), record_of(OTHER, 2.0), record_of(replace(OTHER, seed=9), text=OWN)]
    for record in records:
        store.put(record, owner=OWNER)
    store.begin(replace(OTHER, seed=5), text_facts(datasets.built_in()), OWNER)
    return records


def test_kept_runs(kept):
    at = read("lab", visitor=VISITOR, session={SECTION: True})
    for chosen in ([kept[0]], [kept[2]], kept[:2], [record_of(replace(OTHER, seed=5))]):
        in_chinese(at.multiselect(key="lab_runs").set_value([name(record) for record in chosen]).run())


# Trained models.


@each("task", ["", "copy"])
def test_the_models_of_a_run(task, store):
    [run] = seed_runs(ALONE, TASKS[task] if task else datasets.built_in())
    whose = put(store, [run], ALONE, OWNER)
    for look in LOOKS:
        read("inside", ins_look=look, **KEPT, ins_kept=whose, visitor=VISITOR)
    read("inside", run=whose, **OF_YOUR_RUN, ins_text="¿", visitor=VISITOR)
    read("inside", **KEPT, ins_kept="0" * 64)


def test_models_that_cannot_be_shown(endless):
    at = press(lab_page(), "train")
    read("inside", run=at.session_state["run"], **OF_YOUR_RUN)


def test_the_page_privacy_with_runs(kept, monkeypatch):
    monkeypatch.setenv(visitor.OPERATOR_KEY, "open sesame")
    at = read("privacy", visitor=VISITOR)
    for shown in ("guess", "open sesame"):
        in_chinese(at.text_input(key="operator_key").set_value(shown).run())
    pressed(at, "privacy_remove")
    pressed(at, "privacy_forget")
