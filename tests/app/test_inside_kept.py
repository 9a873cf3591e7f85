"""The choice of a kept run on the page Inside, in the link and in the lab, and runs that cannot be shown."""

import re
from dataclasses import replace

import pytest
import safetensors.torch

from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.storage.weights import to_bytes as weights_of
from pe_core.lab.storage.weights import unpacked
from tests.app.inside_runs import ALONE, KEPT, OWN, TINY, look_at, name, put, refused, seed_runs
from tests.app.opened import checked, frames, opened, said
from tests.cases import each
from ui.lab import jobs as lab
from ui.lab.kept import CHOSEN, SECTION, described

PAGE = "inside"


@pytest.fixture(scope="module")
def copying():
    return seed_runs(ALONE, TASKS["copy"])


# What cannot be shown.


def test_a_run_whose_weights_are_gone_is_refused(store, both_seeds):
    record = both_seeds[1].record
    store.put(record)
    assert refused(opened(PAGE, run=name(record), **OWN)) == (
        "run must still have its weights; the server keeps those of the newest runs, got none"
    )


def test_weights_that_are_damaged_or_of_an_older_version_are_refused(store, both_seeds):
    [run, _] = both_seeds
    kept = name(run.record)
    store.put(run.record, {(key, 0): b"garbage" for key in run.models})
    for link in ({"run": kept, **OWN}, {**KEPT, "ins_kept": kept}):
        assert refused(opened(PAGE, **link)).startswith("weights must be in the format of safetensors, got ")
    older = {}
    for key, model in run.models.items():
        tensors, facts = unpacked(weights_of(model, key, run.vocabulary))
        older[key, 0] = safetensors.torch.save(tensors, metadata={"encoding": facts["encoding"]})
    store.put(run.record, older)
    assert refused(opened(PAGE, **KEPT, ins_kept=kept)) == (
        "weights must hold their vocabulary, got weights of an older version, which kept none"
    )


def test_a_run_of_a_task_that_is_not_here_any_more_is_refused(store, copying):
    [run] = copying
    gone = replace(run.record, text=replace(run.record.text, name="Sort", sha256="0" * 64))
    kept = put(store, [replace(run, record=gone)], ALONE)
    assert refused(opened(PAGE, **KEPT, ins_kept=kept)) == ("run must be of a task that this version has, got Sort")


# The list of kept runs.


def test_the_newest_run_is_chosen_first_and_the_link_names_it(store, both_seeds, copying):
    older, newer = put(store, both_seeds, TINY), put(store, copying, ALONE)
    store.put(replace(copying[0].record, config=replace(ALONE, seed=7)))  # without weights
    at = opened(PAGE)
    assert not at.selectbox(key="ins_encoding").disabled  # the project's models, and nobody asks the store
    assert "ins_kept" not in at.query_params
    at.segmented_control(key="ins_models").set_value("of a kept run").run()
    assert at.query_params["ins_kept"] == newer
    assert "*Copy*, 50 steps" in said(checked(at, 2))
    runs = at.selectbox(key="ins_kept")
    first, *others = runs.options
    assert first == "none: the models of this project"
    assert [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d$", "when", one) for one in others] == [
        "Copy · RoPE, Learned table · train length 16, d model 16, n heads 1, n layers 1, steps 50 · when",
        "PyTorch documentation · RoPE, Learned table · "
        "train length 16, d model 16, n heads 1, n layers 1, steps 50, n seeds 2 · when",
    ]
    runs.set_value(older).run()
    assert at.query_params["ins_kept"] == older
    assert "*PyTorch documentation*, 50 steps" in said(checked(at, 2))
    other = look_at("Attention maps", **KEPT, ins_kept=older)
    assert frames(other)[0]["image"].url[0] == frames(at)[0]["image"].url[0]
    at.selectbox(key="ins_kept").set_value("").run()
    assert "ins_kept" not in at.query_params
    assert "**RoPE, as trained**" in said(checked(at, 2))


def test_a_run_of_another_version_says_so(store, kept_run):
    [run] = store.with_weights()
    assert not described(run).endswith("of another version")
    assert described(replace(run, versions={**run.versions, "code": "0"})).endswith(" · of another version")
    unknown = replace(run, settings={**run.settings, "encodings": ["rope", "gone"]})
    assert " · RoPE, gone · " in described(unknown)


@each("asked", ["0" * 64, "<b>" * 100])
def test_a_link_to_a_run_that_is_not_here_is_named(kept_run, asked):
    at = checked(opened(PAGE, **KEPT, ins_kept=asked), 2)
    (warning,) = at.warning
    shown = f"`{asked[:40]}`"
    assert warning.value.startswith(f"The kept run {shown} cannot be looked into here. It was removed, ")
    assert "**RoPE, as trained**" in said(at)
    assert "ins_kept" not in at.query_params
    at.selectbox(key="ins_kept").set_value(kept_run).run()
    assert not at.warning
    assert "*PyTorch documentation*, 50 steps" in said(checked(at, 2))


def test_a_run_that_another_visitor_removes_is_named_and_a_store_without_runs_says_so(kept_run):
    at = look_at("Attention maps", **KEPT, ins_kept=kept_run)
    lab.job_manager().remove(kept_run)
    checked(at.run(), 2)
    assert f"The kept run `{kept_run[:40]}` cannot be looked into here" in at.warning[0].value
    assert "This server keeps no run with its weights yet" in said(at)
    assert "**RoPE, as trained**" in said(at)
    assert "This server keeps no run" in said(checked(opened(PAGE, **KEPT), 2))


def test_a_store_that_cannot_be_read_is_named_once_it_is_asked(monkeypatch):
    monkeypatch.setenv(lab.STORE, "nonsense")
    lab.run_store.forget()
    assert not checked(opened(PAGE), 2).warning
    found = refused(opened(PAGE, **KEPT))
    assert found.startswith("runs must lie in a database that can be read and written, got ")


def test_the_list_of_runs_in_the_lab_leads_inside_where_there_are_weights(store, both_seeds, copying):
    kept, bare = put(store, both_seeds, TINY), copying[0].record
    store.put(bare)
    at = opened("lab", session={SECTION: True, CHOSEN: [kept]})
    [link] = [one.proto for one in at.get("page_link") if one.proto.label == "Look inside"]
    assert link.page == "inside"
    assert link.query_string == f"ins_models=of+a+kept+run&ins_kept={kept}"
    at.multiselect(key="lab_runs").set_value([name(bare)]).run()
    assert "Look inside" not in {one.proto.label for one in at.get("page_link")}
