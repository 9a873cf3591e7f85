"""The page Inside: models that come with the project, and runs of the lab, of texts and tasks, kept and refused."""

import re
from dataclasses import replace

import pytest
import torch

from pe_core.chapters import inside as pictures
from pe_core.chapters.script import MODELS_FILE, python
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import built_in, from_text
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection import trained_run
from pe_core.lab.inspection.inside import InspectedModel, answered, written
from pe_core.lab.inspection.sample_input import question, sample_input
from pe_core.lab.inspection.trained_run import KEPT_COPY, from_bytes, to_bytes
from tests.app.in_chinese import also_in_chinese, read
from tests.app.inside_runs import ALONE, KEPT, LOOKS, OWN, TINY, look_at, name, put, refused, seed_runs
from tests.app.opened import OWNER, VISITOR, checked, frames, opened, said
from tests.cases import each
from tests.lab.running import ended, until
from ui.inside.looks import judged, marked
from ui.lab import jobs as lab
from ui.lab.kept import CHOSEN, SECTION, described

PAGE = "inside"
ENGLISH = from_text("to be or not to be, that is the question. " * 200, name="hamlet.txt")
RUSSIAN = from_text("мороз и солнце день чудесный " * 300, name="пушкин.txt")


@pytest.fixture(scope="module")
def own():
    """The models that come with the project."""
    return trained_run.read()


def test_the_maps_are_those_of_the_model_as_trained_and_with_a_repair(own):
    link = {"ins_layer_of_2_from_2": "1", "ins_head_of_4_from_3": "2", "ins_length_of_256": "128"}
    at = checked(opened(PAGE, **link), 2)
    for chart, repair in zip(frames(at), ("as_trained", "window"), strict=True):
        expected = pictures.attention(own, "rope", repair, 1, 2, sample_input(own, 128).text)
        assert chart["image"].url[0] == expected.frames["image"].url[0]
        assert list(chart["mark"].place) == [63.5]
    facts = pictures.attention(own, "rope", "as_trained", 1, 2, sample_input(own, 128).text).facts
    assert f"a query attends to **{facts['keys']:.1f}** keys" in said(at)
    assert f"past it to **{facts['keys-past']:.1f}**" in said(at)
    assert f"at position {facts['place']}, with {facts['fraction']:.2f}" in said(at)
    assert "`pe_core/runs/inside.safetensors`" in said(at)


def test_the_entropy_names_who_spreads_most():
    text = said(checked(opened(PAGE, ins_look="Entropy"), 1))
    ends = re.findall(r"([^,]*?) ([\d.]+) → ([\d.]+)(?:, )?", text.partition(" and at 256: ")[2].partition(". From")[0])
    growth = {name: float(after) / float(before) for name, before, after in ends}
    assert growth.keys() == {"None (NoPE)", "Sinusoidal", "RoPE", "ALiBi"}
    assert f"**{max(growth, key=growth.get)} has grown most" in text
    assert f"{min(growth, key=growth.get)} least" in text


def test_what_they_write_is_what_the_models_write_with_the_training_length_marked(own):
    link = {"ins_look": "What they write", "ins_written_past_64": "80", "ins_draw": "5"}
    at = checked(opened(PAGE, **link), 1)
    start = own.tokens(sample_input(own, 32).text)
    shown = [element.value for element in at.get("html")]
    for key, model in own.models.items():
        inspected = InspectedModel(model, own.record.config)
        added = torch.tensor(list(written(inspected, start, 80, temperature=0.7, seed=5)))
        assert sum(marked(own.text(start) + own.text(added), 64) in html for html in shown) == 1, key
        loss = own.record.mean(key).lengths
        assert f"Loss {loss[0].loss:.2f} at 64 characters, {loss[1].loss:.2f} at 128" in said(at)


def test_texts_are_escaped_and_cut_at_the_training_length():
    assert ">ab&lt;<mark" in marked("ab<c>\n", 3)
    assert ">c&gt;\n</mark>" in marked("ab<c>\n", 3)
    assert "<mark" not in marked("abc", 3)


# Runs of the lab.


@pytest.fixture(scope="module")
def texts():
    """One run of each own text, by its name."""
    return {text.name: seed_runs(ALONE, text) for text in (ENGLISH, RUSSIAN)}


@pytest.fixture(scope="module")
def tasks():
    """One run of each of two tasks, by key."""
    return {key: seed_runs(ALONE, TASKS[key]) for key in ("copy", "addition")}


def test_a_kept_run_of_the_link_is_offered_and_shown(kept_run):
    at = checked(opened(PAGE, run=kept_run), 2)
    assert "**RoPE, as trained**" in said(at)
    at, *others = [look_at(look, run=kept_run, **OWN) for look in LOOKS]
    for other in others:
        also_in_chinese(other)
    assert "RoPE, layer 1, head 1, 48 characters" in said(at)
    assert "These models were trained in the lab: *PyTorch documentation*" in said(at)
    assert "The text of this run is not kept" not in said(at)
    second = opened(PAGE, run=kept_run, **OWN, **{f"ins_seed_of_{kept_run[:8]}": "1"})
    assert "seed 1, 1 layers of 16 channels" in said(checked(second, 2))
    assert frames(second)[0]["image"].url[0] != frames(at)[0]["image"].url[0]
    also_in_chinese(second)


def test_the_models_of_a_run_are_taken_away_as_a_file(kept_run, both_seeds, tmp_path, monkeypatch):
    at = opened(PAGE, run=kept_run, **OWN, ins_look="Entropy")
    (shown,) = at.session_state["_pictures"].values()
    script = python(shown.picture)
    assert f'run=read("{MODELS_FILE}")' in script
    (tmp_path / MODELS_FILE).write_bytes(to_bytes(shown.picture.keywords["run"]))
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(script, "taken away", "exec"), names)
    assert names["figure"].frames["lines"].equals(pictures.entropy(both_seeds[0], 1, 0, False).frames["lines"])
    at.button(key="take_away").click().run()
    assert [button.label for button in at.download_button] == ["PNG", "SVG", "CSV", "Notebook", "Models"]
    assert from_bytes((tmp_path / MODELS_FILE).read_bytes()).record.config == TINY.of_seed(0)


def test_without_a_run_and_a_store_only_the_projects_are_offered_and_a_run_that_is_gone_is_named_once():
    assert opened(PAGE).segmented_control(key="ins_models").options == ["of this project", "of this project, copying"]
    [unknown] = checked(opened(PAGE, **OWN), 2).warning
    assert "got 'of your run'`. Shown instead: of this project." in unknown.value
    at = checked(opened(PAGE, run="bogus", **OWN), 2)
    [gone] = at.warning
    assert gone.value.startswith("The run `bogus` is not here any more: ")
    assert ". Shown instead: the models chosen below." in gone.value
    assert at.segmented_control(key="ins_models").value == "of this project"
    assert not at.query_params
    assert not checked(at.run(), 2).warning


def test_the_project_has_models_that_copy():
    link = {"ins_models": "of this project, copying"}
    pages = {look: look_at(look, **link) for look in LOOKS}
    assert [look for look, at in pages.items() if "a stripe parallel to the diagonal" in said(at)] == ["Attention maps"]
    run, example = trained_run.read(KEPT_COPY), question(TASKS["copy"], 16)
    at = pages["Attention maps"]
    layer, head = pictures.first_head(run, "rope")
    shown = f"RoPE, layer {layer}, head {head}, {len(example.read)} symbols: no more than in training (16)"
    assert shown in said(at)
    assert "`pe_core/runs/inside_copy.safetensors`" in said(at)
    assert [list(chart["symbols"].symbol) for chart in frames(at)] == [list(example.read)] * 2
    (picture,) = frames(pages["Entropy"])
    titles = [ENCODINGS[key].title for key in run.models]
    assert list(dict.fromkeys(picture["lines"]["name"])) == [*titles, "even attention"]


def test_a_run_that_is_not_kept_is_looked_into_while_the_server_has_it(texts):
    job_id = lab.job_manager().submit(ALONE, ENGLISH, OWNER)
    ended(lab.job_manager(), job_id)
    at = look_at("Attention maps", run=job_id, **OWN, visitor=VISITOR)
    assert "*hamlet.txt*, 50 steps" in said(at)
    [run] = texts["hamlet.txt"]
    expected = pictures.attention(run, "rope", "as_trained", 1, 1, sample_input(run, 48).text)
    assert frames(at)[0]["image"].url[0] == expected.frames["image"].url[0]


def test_a_run_that_goes_on_is_not_looked_into_yet(endless):
    job_id = lab.job_manager().submit(ALONE, ENGLISH, OWNER)
    until(lambda: lab.job_manager().snapshot(job_id).state == "running")
    assert refused(opened(PAGE, run=job_id, **OWN, visitor=VISITOR)) == (
        "run must have ended, so that its models are trained, got running"
    )
    read(PAGE, run=job_id, **OWN, visitor=VISITOR)


# Own texts.


def test_a_run_of_an_own_text_reads_other_text_in_its_characters(store, texts):
    [run] = texts["hamlet.txt"]
    kept = put(store, [run], ALONE, OWNER)
    at, *_ = [look_at(look, run=kept, **OWN, visitor=VISITOR) for look in LOOKS]
    assert "The text of this run is not kept. Its models read held-out text of this project" in said(at)
    facts = pictures.attention(run, "rope", "as_trained", 1, 1, sample_input(run, 48).text).facts
    assert f"at position {facts['place']}, with {facts['fraction']:.2f}" in said(at)
    at = look_at("Attention maps", run=kept, **OWN, visitor=VISITOR, ins_text="to be, that is")
    assert "14 characters" in said(at)
    assert "The text of this run is not kept" not in said(at)
    at = opened(PAGE, run=kept, **OWN, visitor=VISITOR, ins_text="TO BE")
    assert f"made of the {len(run.vocabulary)} characters that the models have learned, got 'T'" in at.warning[0].value
    also_in_chinese(at)


def test_a_run_that_knows_few_characters_of_other_texts_reads_what_it_has_written(store, texts):
    [run] = texts["пушкин.txt"]
    kept = put(store, [run], ALONE, OWNER)
    for look in LOOKS:
        at = look_at(look, run=kept, **OWN, visitor=VISITOR)
        assert "They read what the first of them has written" in said(at)
    look_at("What they write", run=kept, **OWN, visitor=VISITOR, ins_text="мороз")


def test_a_lone_encoding_is_not_compared_with_itself(store):
    alone = replace(ALONE, encodings=("rope",))
    text = said(look_at("Entropy", **KEPT, ins_kept=put(store, seed_runs(alone, built_in()), alone)))
    assert re.search(r"\*\*RoPE has grown to [\d.]+ times its number\.\*\*", text)
    assert " least, " not in text


# Tasks.


@each("key", ["copy", "addition"])
def test_a_run_of_a_task_reads_and_answers_an_example_of_its_training_length(store, tasks, key):
    [run] = tasks[key]
    kept = put(store, [run], ALONE, OWNER)
    pages = {look: look_at(look, **KEPT, ins_kept=kept) for look in LOOKS}
    for at in pages.values():
        assert "character" not in said(at).partition("What to look for")[0].partition("Closer")[2]
    at = pages["Attention maps"]
    example = question(TASKS[key], 16)
    assert f"RoPE, layer 1, head 1, {len(example.read)} symbols: no more than in training (16)" in said(at)
    assert [list(chart["symbols"].symbol) for chart in frames(at)] == [list(example.read)] * 2
    every = pictures.probabilities(run, "rope", "as_trained", example.read)
    share = pictures.attention_figure(run, every, 1, 1, example.read, example).facts["answers"]
    assert f"this head gives {share:.0f}% of its attention to symbols that are the right answer" in said(at)
    are_answers_of(run, key, pages["What they write"])
    for at in pages.values():
        also_in_chinese(at)


def test_a_task_is_asked_and_answered_at_the_length_of_the_link(store, tasks):
    kept = put(store, tasks["copy"], ALONE, OWNER)
    at = look_at("Attention maps", **KEPT, ins_kept=kept, ins_question_of_128="32")
    assert f"RoPE, layer 1, head 1, {len(question(TASKS['copy'], 32).read)} symbols. Up to" in said(at)
    at = look_at("What they write", **KEPT, ins_kept=kept, ins_text="12", ins_answers_of_128="16")
    assert "Each model continues your symbols up to 16 of them" in said(at)


def test_an_own_example_of_a_task_is_read_and_one_that_cannot_be_is_named(store, tasks):
    kept = put(store, tasks["copy"], ALONE, OWNER)
    at = look_at("Attention maps", **KEPT, ins_kept=kept, ins_text="407=407")
    assert "RoPE, layer 1, head 1, 7 symbols" in said(at)
    assert "**Where it answers**" not in said(at)
    for look in ("Attention maps", "What they write"):
        at = checked(opened(PAGE, **KEPT, ins_kept=kept, ins_text="4", ins_look=look), LOOKS[look])
        [warning] = at.warning
        assert "text must have at least 2 symbols, got 1" in warning.value
        assert "Shown instead: an example of the task." in warning.value


def are_answers_of(run, key, at):
    """Check that the answers on a page are those of the models, with mistakes marked."""
    asked = question(TASKS[key], 32)
    assert f"`{asked.text}`" in said(at)
    shown = [element.value for element in at.get("html")]
    for encoding, model in run.models.items():
        own = list(answered(InspectedModel(model, run.record.config), run.tokens(asked.text), asked.asked))
        html = judged(asked, run.text(torch.tensor(own)), 16)
        assert html in shown
        pairs = zip(run.text(torch.tensor(own)), asked.text, asked.asked.tolist(), strict=True)
        marks = [given == right for given, right, is_asked in pairs if is_asked]
        assert f"<p>{sum(marks)} of {len(marks)} answers right.</p>" in html
        first, second = run.record.mean(encoding).lengths[:2]
        right = [f"{100 * one.accuracy:.0f}%" for one in (first, second)]
        assert f"{right[0]} right at 16 symbols, {right[1]} at 32." in said(at)


def test_answers_are_bold_and_wrong_ones_underlined():
    asked = question(TASKS["copy"], 16)  # eight digits, a sign, eight digits
    right, wrong = asked.text, asked.text[:-1] + ("0" if asked.text[-1] != "0" else "1")
    assert f"{right[:9]}<b>{right[9:]}</b></p><p>8 of 8 answers right." in judged(asked, right, 16)
    assert "wavy" not in judged(asked, right, 16)
    assert "<mark" not in judged(asked, right, 16)  # as long as in training
    html = judged(asked, wrong, 16)
    assert f'<b>{right[9:-1]}</b><b style="text-decoration:underline wavy #D55E00 2px">{wrong[-1]}</b></p>' in html
    assert "<p>7 of 8 answers right.</p>" in html
    assert judged(asked, right[:9], 16).endswith("<p>0 of 0 answers right.</p>")  # before the first answer
    assert "<mark" in judged(asked, right, 8)


# What cannot be shown.


def test_weights_that_are_gone_or_damaged_are_refused(store, both_seeds):
    [run, other] = both_seeds
    store.put(other.record)
    assert refused(opened(PAGE, run=name(other.record), **OWN)) == (
        "run must still have its weights; the server keeps those of the newest runs, got none"
    )
    store.put(run.record, {(key, 0): b"garbage" for key in run.models})
    for link in ({"run": name(run.record), **OWN}, {**KEPT, "ins_kept": name(run.record)}):
        assert refused(opened(PAGE, **link)).startswith("weights must be in the format of safetensors, got ")


# The list of kept runs.


def test_the_newest_run_is_chosen_first_and_the_link_names_it(store, both_seeds, tasks):
    older, newer = put(store, both_seeds, TINY), put(store, tasks["copy"], ALONE)
    store.put(replace(tasks["copy"][0].record, config=replace(ALONE, seed=7)))  # without weights
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
    settings = {**run.settings, "encodings": ["rope", "gone"]}
    assert " · RoPE, gone · " in described(replace(run, settings=settings))


@each("asked", ["0" * 64, "<b>" * 100])
def test_a_link_to_a_run_that_is_not_here_is_named(kept_run, asked):
    read(PAGE, **KEPT, ins_kept=asked)
    at = checked(opened(PAGE, **KEPT, ins_kept=asked), 2)
    [warning] = at.warning
    assert warning.value.startswith(f"The kept run `{asked[:40]}` cannot be looked into here. It was removed, ")
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


def test_the_list_of_runs_in_the_lab_leads_inside_where_there_are_weights(store, both_seeds, tasks):
    kept, bare = put(store, both_seeds, TINY), tasks["copy"][0].record
    store.put(bare)
    at = opened("lab", session={SECTION: True, CHOSEN: [kept]})
    [link] = [one.proto for one in at.get("page_link") if one.proto.label == "Look inside"]
    assert link.page == "inside"
    assert link.query_string == f"ins_models=of+a+kept+run&ins_kept={kept}"
    at.multiselect(key="lab_runs").set_value([name(bare)]).run()
    assert "Look inside" not in {one.proto.label for one in at.get("page_link")}
