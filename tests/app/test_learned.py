"""The page on learned tables: what it says of the kept run and before training, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import json

import numpy as np
import pytest

from pe_core.lab.inspection.learned_table import KEPT
from tests.app.opened import checked, frames, opened, said

PAGE = "learned"
RULES = {
    "lrn_step": "be one of 0, 10, 25, 50, 100, 200, 350, 500, 750, 1000",
    "lrn_look": "be one of Past the end, One row, Lengths, Movement, Data",
}


@pytest.fixture(scope="module")
def kept():
    with np.load(KEPT) as file:
        return {name: file[name].astype("float64") for name in ("tables", "losses")}


def sound(at):
    return checked(at, 3)


def neighbours(table):
    rows = table / np.linalg.norm(table, axis=1, keepdims=True)
    return (rows[1:] * rows[:-1]).sum(axis=1).mean()


def test_by_default_the_trained_table_is_shown_with_its_end_and_the_loss_of_every_way_past_it(kept):
    at = sound(opened(PAGE))
    assert not at.warning
    trained, never = neighbours(kept["tables"][-1, :64]), neighbours(kept["tables"][-1, 64:])
    assert trained > 0.8 > 0.1 > never
    assert "**After step 1,000** the model has read 1,024,000 characters, in texts of 64" in said(at)
    assert f"mean cosine of neighbouring rows is **{trained:.2f}**" in said(at)
    assert f"Among the other 64 rows it is {never:.2f}" in said(at)
    assert [chart["mark"].place.to_list() for chart in frames(at)[:2]] == [[63.5]] * 2
    assert frames(at)[2]["marks"].x.to_list() == [63.5]
    within, past = (kept["losses"][-1][:, part].mean(axis=1) for part in (slice(64), slice(64, None)))
    for number in (within[0], past[0], past[1], past[2], past[3], within[3]):
        assert f"{number:.2f}" in said(at)
    assert f"with the rows that were never trained, the loss is **{past[0]:.2f}**. That is worse" in said(at)
    assert "**The best is: interpolate.**" in said(at)
    assert len(frames(at)[2]["lines"]) == 4 * 128
    (origin,) = [text.value for text in at.markdown if "pe_core.lab.table" in text.value]
    assert "1,000 steps, seed 0" in origin
    assert "`pe_core/runs/learned_table.npz`" in origin
    (link,) = [link for link in at.get("page_link") if link.proto.query_string]
    assert link.proto.label == "Train a learned table yourself"
    assert link.proto.query_string == "encodings=learned&encodings=sinusoidal&encodings=rope&encodings=alibi"


def test_a_step_leaves_the_images_as_they_were_sent_and_before_training_nothing_is_claimed_of_it(kept):
    at = sound(opened(PAGE, lrn_step="200"))
    assert at.query_params["lrn_step"] == "200"
    before = [chart.proto.SerializeToString() for chart in at.get("vega_lite_chart")[:2]]
    assert [int(chart["now"].lrn_step.iloc[0]) for chart in frames(at)[:2]] == [5, 5]
    assert [len(chart["table"]) for chart in frames(at)[:2]] == [10, 10]
    sound(at.select_slider(key="lrn_step").set_value(0).run())
    assert [chart.proto.SerializeToString() for chart in at.get("vega_lite_chart")[:2]] == before
    told = [json.loads(one.proto.json) for one in at.get("bidi_component") if "played_of" in one.proto.id]
    assert [(one["name"], one["at"], len(one["choices"])) for one in told] == [("of_page_played_lrn_step", 0, 10)] * 2
    alike = neighbours(kept["tables"][0, :64])
    assert abs(alike) < 0.05
    assert f"Neighbouring rows have a mean cosine of {alike:.2f}" in said(at)
    assert "worse than a guess by the frequency" not in said(at)
    assert "cannot be hurt by it" in said(at)


def test_a_row_that_was_never_trained_is_called_so():
    at = sound(opened(PAGE, lrn_look="One row", lrn_row="63"))
    assert at.query_params["lrn_row"] == "63"
    assert "most like row **63** is row **" in said(at)
    assert "This row was never trained. Its cosines" not in said(at)
    sound(at.slider(key="lrn_row").set_value(64).run())
    assert "most like row **64** is row **" in said(at)
    assert "This row was never trained. Its cosines" in said(at)


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE)
    [wrong] = sound(at.number_input(key="lrn_guess").set_value(51).run()).warning
    assert not at.success
    [right] = sound(at.number_input(key="lrn_guess").set_value(50).run()).success
    assert not at.warning
    for answer in (wrong.value, right.value):
        assert f"{80 * 63 / 99:.3f}" in answer


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "1,000")))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(RULES)
    assert all(f"{name} must {rule}, got '1,000'" in warned for name, rule in RULES.items())
    assert "**After step 1,000**" in said(at)
