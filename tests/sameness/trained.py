"""The lab with runs that are trained on the page, and what it and other pages then show of them."""

import os
import re
import tempfile
import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.sameness.shown import Item, items
from tests.sameness.walk import Origin, State, Walk, act, controls, opened

Link = dict[str, str | list[str]]

SMALL: Link = {"train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50"}
RUNS = {
    "text": SMALL | {"encodings": ["rope", "alibi", "learned"], "n_seeds": "2", "repairs": ["pi", "window"]},
    "task": SMALL | {"encodings": ["rope", "t5"], "task": "copy", "tune_steps": "50", "repairs": ["ntk"]},
}
# Whose models the page Inside shows, and the controls that are walked there beside those that are new.
MODELS = {"of your run": ("ins_look",), "of a kept run": ()}
FOLLOWING = ("home", "rope", "claims", "scorecard", "gallery")  # pages that a visitor with a run goes on to
MAX_SECONDS = 3_600  # of waiting for a run, on a machine that may be stopped for other work


def trained(root: Path) -> list[State]:
    """Train tiny runs in the lab and return the states that follow; the process keeps runs in a store of its own."""
    found: list[State] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PE_STORE"] = f"sqlite:///{folder}/lab.sqlite"
        runs = {}
        for name, link in RUNS.items():
            states: list[State] = []
            runs[name] = _train(root, name, link, states)
            walk = Walk(root, states.append)
            _lab(walk, name, runs[name])
            _inside(walk, name, runs[name])
            _kept(walk, name, runs[name])
            found += [_steady(state, runs) for state in states]
        states = []
        _two(Walk(root, states.append))
        found += [_steady(state, runs) for state in states]
    return found


def _train(root: Path, name: str, link: Link, states: list[State]) -> str:
    """Train a run on the page, go on to other pages, and return the name that the link has for it."""
    at = opened(root, Origin("lab", dict(link)))
    states.append(State(f"{name} ready", f"{name} ready", items(at)))
    act(at, "button", "train", True)
    end = time.monotonic() + MAX_SECONDS
    while not at.button(key="stop").disabled or not re.fullmatch(r"[0-9a-f]{64}", str(at.query_params.get("run"))):
        if time.monotonic() > end:
            raise RuntimeError(f"the run of a {name} has not ended")
        time.sleep(0.2)
        at.run()
    run = str(at.query_params["run"])
    states.append(State(f"{name} trained", f"{name} trained", items(at)))
    for page in FOLLOWING:
        at.switch_page(f"pages/{page}.py")
        at.query_params.clear()
        at.run()
        states.append(State(f"{name}, then {page}", f"{name}, then {page}", items(at)))
    return run


def _lab(walk: Walk, name: str, run: str) -> None:
    """The run as its link opens it, and the controls that came with it."""
    origin = Origin("lab", {"run": run})
    at = walk.open(f"{name} by link", f"{name} by link", origin)
    if at is not None:
        walk.beside(f"{name} by link", origin, at)
        _new_controls(walk, f"{name}: ", origin, at, opened(walk.root, Origin("lab")))


def _inside(walk: Walk, name: str, run: str) -> None:
    """The models of the run, in every look."""
    for models, also in MODELS.items():
        origin = Origin("inside", {"run": run, "ins_models": models, "ins_kept": run})
        title = f"{name}, inside {models}"
        at = walk.open(title, title, origin)
        if at is not None:
            _new_controls(walk, f"{title}: ", origin, at, opened(walk.root, Origin("inside")), also)


def _kept(walk: Walk, name: str, run: str) -> None:
    """What can be done with the newest run of those that are kept."""
    origin = Origin("lab", {}, (("expander", "lab_kept", True),))
    at = opened(walk.root, origin)
    label = next(one for one in at.multiselect(key="lab_runs").options if run[:8] in one)
    origin = replace(origin, actions=(*origin.actions, ("multiselect", "lab_runs", [label])))
    walk.open(f"{name} kept", f"{name} kept", origin)
    opens = replace(origin, actions=(*origin.actions, ("button", "lab_open", True)))
    walk.open(f"{name} kept, opened", f"{name} kept, opened", opens)


def _two(walk: Walk) -> None:
    """Two kept runs beside each other."""
    origin = Origin("lab", {}, (("expander", "lab_kept", True),))
    walk.control(origin, "kept: ", "lab_runs")


def _new_controls(
    walk: Walk, before: str, origin: Origin, at: AppTest, usual: AppTest, also: Collection[str] = ()
) -> None:
    """Walk the controls that this state has and the usual one lacks, and some more."""
    known = {one.key for one in controls(usual)} - set(also)
    for one in controls(at):
        if one.key not in known:
            walk.control(origin, before, one.key)


def _steady(state: State, runs: dict[str, str]) -> State:
    """Name the runs, whose hashes hold the source of the code, and the files made of them."""

    def named(text: str) -> str:
        for name, run in runs.items():
            text = text.replace(run, f"<{name}>").replace(run[:8], f"<{name}, short>")
        return re.sub(r"/mock/media/[0-9a-f]+", "/mock/media/…", text)

    found = [Item(named(item.kind), named(item.place), named(item.text)) for item in state.items]
    return State(named(state.name), named(state.title), found)
