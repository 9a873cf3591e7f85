"""A job queue for each test alone, and stand-ins for what takes long."""

import itertools
import threading
import time
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job, jobs, trainer
from pe_core.lab.queue.estimate import Need
from pe_core.lab.queue.process import Here
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.storage.run_hash import run_hash
from tests.app.inside_runs import TINY, put, seed_runs
from tests.app.opened import opened
from tests.waiting import PATIENCE
from ui import poll, start
from ui.lab import jobs as lab
from ui.widgets import remembered


@pytest.fixture
def threads():
    """Starts threads, each with a function, and waits for all of them in the end."""
    started = []

    def start(function):
        started.append(threading.Thread(target=function))
        started[-1].start()
        return started[-1]

    yield start
    for thread in started:
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture(scope="session", autouse=True)
def unprepared():
    """Has an app prepare nothing of the lab by itself: few tests need that, and a thread computes for seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "prepare_lab", lambda: None)
        yield


@pytest.fixture(autouse=True)
def own_memory(request):
    """What a test puts in the place of a function is remembered by it alone; other tests share their pictures."""
    patches = "monkeypatch" in request.fixturenames
    if patches:
        remembered.forget()
    yield
    if patches:
        remembered.forget()


@pytest.fixture(autouse=True)
def own_queue():
    """No job queue yet, default limits, no store; a trainer in this process, which is closed after the test."""
    opened = []

    def open_pool():
        opened.append(Here(Trainer(max_live=lab.limit(lab.MAX_RUNS), store=lab.run_store())))
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab, "pool", open_pool)
        patch.setattr(jobs, "FRESH", 0.0)  # each look is a new one
        patch.setattr(trainer, "NICENESS", 0)  # a test that waits for a run waits no longer where the machine is busy
        for limit in ("SECONDS", "RUNS", "MEMORY", "OWN_RUNS"):
            patch.delenv(f"PE_MAX_{limit}", raising=False)
        patch.setenv(lab.STORE, "")
        lab.job_manager.forget()
        lab.run_store.forget()
        yield
    lab.job_manager.forget()
    lab.run_store.forget()
    for pool in opened:
        pool.close()


@pytest.fixture
def store(own_queue, monkeypatch, tmp_path):
    """The store of the page, in a file of its own."""
    monkeypatch.setenv(lab.STORE, f"sqlite:///{tmp_path / 'lab.sqlite'}")
    return lab.run_store()


@pytest.fixture
def expects(monkeypatch):
    """Puts a number in the place of the seconds that a run is expected to take; returns whom it was asked for."""

    def use(seconds):
        asked = []
        monkeypatch.setattr(lab, "least", lambda config, dataset: Need(0.0, 0))
        monkeypatch.setattr(lab, "need", lambda config, dataset: asked.append(config) or Need(seconds, 2**20))
        return asked

    return use


@pytest.fixture
def shown(store, expects):
    """Opens the lab with a run that is put into the store."""
    expects(1.0)

    def show(record, **link):
        store.put(record)
        return opened("lab", run=run_hash(record.config, record.text), **link)

    return show


@pytest.fixture(scope="session")
def both_seeds():
    """The models of a tiny run of the built-in text, one for each of its two seeds."""
    return seed_runs(TINY, built_in())


@pytest.fixture
def kept_run(store, both_seeds):
    """The run of the built-in text in the store of the page; returns its hash."""
    return put(store, both_seeds, TINY)


@pytest.fixture
def endless(monkeypatch, expects):
    """Training that never ends, a slice each step; returns the encodings of all steps so far."""
    log = []

    def train(config, encoding, text, device, glanced):
        for step in itertools.count(1):
            time.sleep(0.002)  # leaves the core to the page
            log.append(encoding)
            yield TrainStep(encoding, step, 1.0 + 1.0 / step)

    expects(1.0)
    monkeypatch.setattr(trainer, "SLICE", 0.001)
    monkeypatch.setattr(job, "run_encoding", train)
    return log


@pytest.fixture
def ballots(monkeypatch):
    """Puts Streamlit's buttons in the place of ballots, which only a browser draws; returns what each was told.

    Every vote comes from the device "somebody".
    """
    told = []

    def say(choice, then):
        st.session_state[poll._KEY] = SimpleNamespace(vote={"device": "somebody", "choice": choice})
        then()

    def draw(*, key, data, on_vote_change, on_device_change):
        told.append(data)
        for choice, title in data["choices"]:
            st.button(title, key=f"choice_{choice}", on_click=say, args=(choice, on_vote_change))

    monkeypatch.setattr(poll, "_BALLOT", draw)
    return told


@pytest.fixture
def messages():
    """What the last run sent to the browser beside the elements of the page."""
    sent = []
    forward_msgs = LocalScriptRunner.forward_msgs

    def keep(runner):
        sent[:] = forward_msgs(runner)
        return sent

    with pytest.MonkeyPatch.context() as patch:  # not the fixture, by which all that is remembered is forgotten
        patch.setattr(LocalScriptRunner, "forward_msgs", keep)
        yield sent
