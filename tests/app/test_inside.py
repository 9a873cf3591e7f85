"""The page on the inside of models: what it says of those that come with the project, and own text."""

import re

import pytest
import torch

from pe_core.chapters import inside as chapter
from pe_core.lab.inspection.inside import InspectedModel, written
from pe_core.lab.inspection.sample_input import sample_input
from pe_core.lab.inspection.trained_run import read
from tests.app.opened import checked, frames, opened, said
from ui.inside.written import marked

PAGE = "inside"


@pytest.fixture(scope="module")
def run():
    return read()


def test_the_maps_are_those_of_the_model_as_trained_and_with_a_repair(run):
    link = {"ins_layer_of_2_from_2": "1", "ins_head_of_4_from_3": "2", "ins_length_of_256": "128"}
    at = checked(opened(PAGE, **link), 2)
    for chart, repair in zip(frames(at), ("as_trained", "window"), strict=True):
        expected = chapter.attention(run, "rope", repair, 1, 2, sample_input(run, 128).text)
        assert chart["image"].url[0] == expected.frames["image"].url[0]
        assert list(chart["mark"].place) == [63.5]
    facts = chapter.attention(run, "rope", "as_trained", 1, 2, sample_input(run, 128).text).facts
    assert f"a query attends to **{facts['keys']:.1f}** keys" in said(at)
    assert f"past it to **{facts['keys-past']:.1f}**" in said(at)
    assert f"at position {facts['place']}, with {facts['fraction']:.2f}" in said(at)
    assert "`pe_core/runs/inside.safetensors`" in said(at)


def test_the_page_opens_with_what_the_window_changes_most_and_says_so(run):
    """That this head looks farthest is shown in `tests/chapters/test_inside.py`."""
    at = checked(opened(PAGE), 2)
    assert chapter.first_head(run, "rope") == (2, 3)
    far = chapter.attention(run, "rope", "as_trained", 2, 3, sample_input(run, 192).text).facts["far"]
    assert f"**RoPE, as trained**: {far:.0f} % of attention at new distances" in said(at)
    assert "**RoPE, Window**: 0 % of attention at new distances" in said(at)
    assert "RoPE, layer 2, head 3, 192 characters" in said(at)


def test_within_the_training_length_nothing_is_said_to_break():
    at = checked(opened(PAGE, ins_length_of_256="64"), 2)
    assert "no more than in training (64)" in said(at)
    assert "**Move the length past the training length**" in said(at)
    assert all("mark" not in chart for chart in frames(at))


def test_an_own_text_that_cannot_be_read_gives_way_to_held_out_text():
    """One that is too short has its sentence in `test_links.py`."""
    got = "text must be made of the 97 characters that the models have learned, got 'ï', 'Ü'"
    for look, n_charts in (("What they write", 1), ("Attention maps", 2)):
        at = checked(opened(PAGE, ins_text="naïve Übung", ins_look=look), n_charts)
        assert [got in warning.value for warning in at.warning] == [True]
    assert "192 characters" in said(at)


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
    start = run.tokens(sample_input(run, 32).text)
    shown = [element.value for element in at.get("html")]
    for key, model in run.models.items():
        own = torch.tensor(list(written(InspectedModel(model, run.record.config), start, 80, temperature=0.7, seed=5)))
        whole = run.text(start) + run.text(own)
        assert sum(marked(whole, 64) in html for html in shown) == 1, key
        loss = run.record.mean(key).lengths
        assert f"Loss {loss[0].loss:.2f} at 64 characters, {loss[1].loss:.2f} at 128" in said(at)


def test_texts_are_escaped_and_cut_at_the_training_length():
    assert ">ab&lt;<mark" in marked("ab<c>\n", 3)
    assert ">c&gt;\n</mark>" in marked("ab<c>\n", 3)
    assert "<mark" not in marked("abc", 3)
