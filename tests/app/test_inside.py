"""The page on the inside of models: what it says of the kept ones, own text, bad links, and the models of a run."""

import re
from dataclasses import replace

import pytest
import torch

from pe_core.lab.corpus import built_in, from_text
from pe_core.lab.inside import Reading, attention, entropies, written
from pe_core.lab.trained_file import trained
from pe_core.lab.trained_run import excerpt, from_bytes, read, to_bytes
from pe_core.lab.training import RunConfig
from pe_core.lab.weights import to_bytes as weights_of
from pe_core.pictures import inside as pictures
from tests.app.opened import checked, frames, opened, said
from ui.inside_written import marked
from ui.take_away import MODELS_FILE, python

PAGE = "inside"
LOOKS = {"Attention maps": 2, "Entropy": 1, "What they write": 1}
TINY = RunConfig(("rope", "learned"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, n_seeds=2)
RULES = {
    "ins_length_of_256": "be a whole number from 16 to 256 in steps of 16",
    "ins_layer_of_2": "be one of 1, 2",
    "ins_head_of_4": "be one of 1, 2, 3, 4",
    "ins_look": f"be one of {', '.join(LOOKS)}",
}

pytestmark = pytest.mark.usefixtures("own_line")


@pytest.fixture(scope="module")
def run():
    return read()


@pytest.fixture(scope="module")
def trainings():
    """A run of the lab on the built-in text, both of its seeds."""
    found = []
    for seed in TINY.seeds:
        *_, last = trained(TINY.of_seed(seed), built_in())
        found.append(last)
    return found


@pytest.fixture
def kept_run(store, trainings):
    """The same run, kept in the store of the page; returns its hash."""
    first, second = trainings
    record = replace(first.record, config=TINY, again=(second.record,))
    store.put(
        record,
        {
            (key, one.record.config.seed): weights_of(model, key)
            for one in trainings
            for key, model in one.models.items()
        },
    )
    [listed] = store.listing()
    return listed.hash


@pytest.mark.parametrize("look", LOOKS)
def test_every_look_shows_something_without_a_click(look):
    at = checked(opened(PAGE, ins_look=look), LOOKS[look])
    assert not at.warning


def test_the_maps_are_those_of_the_model_as_trained_and_with_a_repair(run):
    at = checked(opened(PAGE, ins_encoding="rope", ins_layer_of_2="2", ins_head_of_4="3"), 2)
    read = excerpt(run, 128)
    found = attention(Reading(run.models["rope"], run.record.config), run.tokens(read)[None])[1, 0, 2]
    keys = entropies(found).exp()
    assert f"a query attends to **{float(keys[:64].mean()):.1f}** keys" in said(at)
    assert f"past it to **{float(keys[64:].mean()):.1f}**" in said(at)
    best = int(found[-1].argmax())
    assert f"at place {best}, with {float(found[-1, best]):.2f}" in said(at)
    assert [list(chart["mark"].place) for chart in frames(at)] == [[63.5]] * 2
    images = [chart["image"].url[0] for chart in frames(at)]
    assert images[0] != images[1]


def test_within_the_training_length_nothing_is_claimed_to_break():
    at = checked(opened(PAGE, ins_length_of_256="64"), 2)
    assert "no more than in training (64)" in said(at)
    assert "Nothing is amiss yet" in said(at)
    assert all("mark" not in chart for chart in frames(at))


def test_an_own_text_is_read():
    at = checked(opened(PAGE, ins_text="hello, world. this is it", ins_length_of_256="16"), 2)
    assert not at.warning
    assert "layer 1, head 1, 16 characters" in said(at)
    at = checked(opened(PAGE, ins_text="hi"), 2)
    assert "layer 1, head 1, 2 characters" in said(at)


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("naïve Übung", "text must be made of the 103 characters that the models have learned, got 'ï', 'Ü'"),
        ("e", "text must have at least 2 characters, got 1"),
    ],
)
def test_an_own_text_that_cannot_be_read_gives_way_to_held_out_text(text, got):
    for look in ("Attention maps", "What they write"):
        at = checked(opened(PAGE, ins_text=text, ins_look=look), LOOKS[look])
        assert [got in warning.value for warning in at.warning] == [True]
    assert "128 characters" in said(opened(PAGE, ins_text=text))


def test_the_entropy_names_who_spreads_most():
    text = said(checked(opened(PAGE, ins_look="Entropy"), 1))
    ends = re.findall(r"([^,]*?) ([\d.]+) → ([\d.]+)(?:, )?", text.partition(" and at 256: ")[2].partition(". From")[0])
    growth = {name: float(after) / float(before) for name, before, after in ends}
    assert growth.keys() == {"None (NoPE)", "Sinusoidal", "RoPE", "ALiBi"}
    assert f"**{max(growth, key=growth.get)} has grown most" in text
    assert f"{min(growth, key=growth.get)} least" in text


def test_what_they_write_is_what_the_models_write_with_the_training_length_marked(run):
    link = {"ins_look": "What they write", "ins_written_past_64": "80", "ins_draw": "5"}
    at = checked(opened(PAGE, **link), 1)
    start = run.tokens(excerpt(run, 32))
    shown = [element.value for element in at.get("html")]
    for key, model in run.models.items():
        own = torch.tensor(list(written(Reading(model, run.record.config), start, 80, temperature=0.7, seed=5)))
        whole = run.text(start) + run.text(own)
        assert sum(marked(whole, 64) in html for html in shown) == 1, key
        loss = run.record.outcomes[key].lengths
        assert f"Loss {loss[0].loss:.2f} at 64 characters, {loss[1].loss:.2f} at 128" in said(at)


def test_texts_are_escaped_and_cut_at_the_training_length():
    assert ">ab&lt;<mark" in marked("ab<c>\n", 3)
    assert ">c&gt;\n</mark>" in marked("ab<c>\n", 3)
    assert "<mark" not in marked("abc", 3)


@pytest.mark.parametrize("value", ["", "abc", "-3", "0", "9", "7.5", "<b>1</b>"])
def test_bad_links_are_named_and_the_defaults_shown(value):
    names = [name for name in RULES if name != "ins_look"]
    at = checked(opened(PAGE, **dict.fromkeys(names, value)), 2)
    warned = " ".join(warning.value for warning in at.warning)
    assert all(f"{name} must {RULES[name]}, got {value!r}" in warned for name in names)
    assert "Sinusoidal, layer 1, head 1, 128 characters" in said(at)


def test_an_encoding_or_a_repair_that_does_not_fit_is_named():
    at = checked(opened(PAGE, ins_encoding="t5", ins_repair_sinusoidal="ntk"), 2)
    assert len(at.warning) == 2
    assert "**Sinusoidal, Window**" in said(at)


@pytest.mark.parametrize(("guess", "right"), [(28, True), (27, False), (0, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE)
    at.number_input(key="ins_guess").set_value(guess).run()
    assert len(checked(at, 2).success) == right
    assert len(at.warning) == (not right)
    assert "27.63" in (at.success or at.warning)[0].value


def test_the_origin_of_the_models_is_named():
    assert "`content/runs/inside.safetensors`" in said(opened(PAGE))


# Models of a run of the lab.


def test_a_kept_run_of_the_link_is_offered_and_shown(kept_run, trainings):
    at = checked(opened(PAGE, run=kept_run), 2)
    assert "**Sinusoidal, as trained**" in said(at)
    at = checked(opened(PAGE, run=kept_run, ins_models="of your run"), 2)
    assert not at.warning
    assert "RoPE, layer 1, head 1, 32 characters" in said(at)
    assert "These models are those of your run" in said(at)
    second = opened(PAGE, run=kept_run, ins_models="of your run", **{f"ins_seed_of_{kept_run[:8]}": "1"})
    assert "seed 1, 1 layers of 16 channels" in said(checked(second, 2))
    assert frames(second)[0]["image"].url[0] != frames(at)[0]["image"].url[0]
    for look in LOOKS:
        checked(opened(PAGE, run=kept_run, ins_models="of your run", ins_look=look), LOOKS[look])


def test_the_models_of_a_run_are_taken_away_as_a_file(kept_run, trainings, tmp_path, monkeypatch):
    at = opened(PAGE, run=kept_run, ins_models="of your run", ins_look="Entropy")
    (shown,) = at.session_state["_pictures"].values()
    script = python(shown.picture)
    assert f'run=read("{MODELS_FILE}")' in script
    (tmp_path / MODELS_FILE).write_bytes(to_bytes(shown.picture.keywords["run"]))
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(script, "taken away", "exec"), names)
    assert names["figure"].frames["lines"].equals(pictures.entropy(trainings[0], 1, 0, False).frames["lines"])
    at.button(key="take_away").click().run()
    assert [button.label for button in at.download_button] == ["PNG", "SVG", "CSV", "Models"]
    assert from_bytes((tmp_path / MODELS_FILE).read_bytes()).record.config == TINY.of_seed(0)


def test_without_a_run_there_is_no_choice_and_a_bad_one_is_named():
    assert "of your run" not in str(opened(PAGE).get("button_group"))
    at = checked(opened(PAGE, run="bogus", ins_models="of your run"), 2)
    assert len(at.warning) == 1
    assert "The run `bogus` is not here any more" in at.warning[0].value


def refused(at):
    checked(at, 2)
    (warning,) = at.warning
    assert "**Sinusoidal, as trained**" in said(at)
    return re.fullmatch(
        r"The models of the run in the link cannot be shown: `(.*)`. Shown instead: those of this project.",
        warning.value,
    )[1]


def test_a_run_whose_weights_are_gone_or_whose_text_is_not_kept_is_refused(store, trainings):
    store.put(trainings[1].record)
    [listed] = store.listing()
    assert refused(opened(PAGE, run=listed.hash, ins_models="of your run")) == (
        "run must still have its weights; the server keeps those of the newest runs, got none"
    )
    other = replace(trainings[1].record.text, sha256=from_text("to be or not " * 500).sha256, name="hamlet.txt")
    store.remove(listed.hash)
    store.put(replace(trainings[1].record, text=other))
    [listed] = store.listing()
    assert refused(opened(PAGE, run=listed.hash, ins_models="of your run")) == (
        "run must be of the built-in text, since no other is kept, got hamlet.txt"
    )


def test_weights_that_are_damaged_are_refused(store, trainings):
    record = trainings[0].record
    store.put(record, {(key, 0): b"garbage" for key in record.outcomes})
    [listed] = store.listing()
    found = refused(opened(PAGE, run=listed.hash, ins_models="of your run"))
    assert found.startswith("weights must be in the format of safetensors, got ")
