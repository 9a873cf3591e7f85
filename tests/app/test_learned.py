"""The page on learned tables: what it says of the kept run, at every step, in every look, and for bad links."""

import json

import numpy as np
import pytest

from pe_core.lab.inspection.learned_table import KEPT
from tests.app.opened import checked, frames, opened, said

PAGE = "learned"
LOOKS = ("Past the end", "One row", "Lengths", "Movement")
STEPS = (0, 10, 25, 50, 100, 200, 350, 500, 750, 1000)
RULES = {
    "lrn_step": f"be one of {', '.join(map(str, STEPS))}",
    "lrn_row": "be a whole number from 0 to 127",
    "lrn_look": f"be one of {', '.join(LOOKS)}, Data",
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


def test_by_default_the_trained_table_is_shown_with_its_end(kept):
    at = sound(opened(PAGE))
    assert not at.warning
    trained, never = neighbours(kept["tables"][-1, :64]), neighbours(kept["tables"][-1, 64:])
    assert trained > 0.8 > 0.1 > never
    assert "**After step 1,000** the model has read 1,024,000 characters, in texts of 64" in said(at)
    assert f"mean cosine of neighbouring rows is **{trained:.2f}**" in said(at)
    assert f"Among the other 64 rows it is {never:.2f}" in said(at)
    assert [chart["mark"].place.to_list() for chart in frames(at)[:2]] == [[63.5]] * 2
    assert frames(at)[2]["marks"].x.to_list() == [63.5]


def test_a_step_leaves_the_images_as_they_were_sent_and_tells_where_the_page_stands(kept):
    at = sound(opened(PAGE, lrn_step="200"))
    before = [chart.proto.SerializeToString() for chart in at.get("vega_lite_chart")[:2]]
    assert [int(chart["now"].lrn_step.iloc[0]) for chart in frames(at)[:2]] == [5, 5]
    assert [len(chart["table"]) for chart in frames(at)[:2]] == [10, 10]
    at.select_slider(key="lrn_step").set_value(750).run()
    assert [chart.proto.SerializeToString() for chart in at.get("vega_lite_chart")[:2]] == before
    told = [json.loads(one.proto.json) for one in at.get("bidi_component") if "played_of" in one.proto.id]
    assert [(one["name"], one["at"], len(one["choices"])) for one in told] == [("of_page_played_lrn_step", 8, 10)] * 2


def test_by_default_the_loss_past_the_end_is_told_for_every_way(kept):
    at = sound(opened(PAGE))
    within, past = (kept["losses"][-1][:, part].mean(axis=1) for part in (slice(64), slice(64, None)))
    for number in (within[0], past[0], past[1], past[2], past[3], within[3]):
        assert f"{number:.2f}" in said(at)
    assert f"with the rows that were never trained, the loss is **{past[0]:.2f}**. That is worse" in said(at)
    assert past.argmin() == 3
    assert "**The best is: interpolate.**" in said(at)
    assert len(frames(at)[2]["lines"]) == 4 * 128


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("step", [0, 10, 500])
def test_every_look_at_every_step(look, step):
    assert not sound(opened(PAGE, lrn_look=look, lrn_step=str(step))).warning


def test_before_training_nothing_is_claimed_of_it(kept):
    text = said(sound(opened(PAGE, lrn_step="0")))
    alike = neighbours(kept["tables"][0, :64])
    assert abs(alike) < 0.05
    assert f"Neighbouring rows have a mean cosine of {alike:.2f}" in text
    assert "worse than a guess by the frequency" not in text
    assert "cannot be hurt by it" in text


@pytest.mark.parametrize(("row", "step"), [("0", "1000"), ("63", "0"), ("64", "1000"), ("127", "0")])
def test_any_row_is_compared_with_all(kept, row, step):
    at = sound(opened(PAGE, lrn_look="One row", lrn_row=row, lrn_step=step))
    table = kept["tables"][STEPS.index(int(step))]
    rows = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = rows @ rows[int(row)]
    assert frames(at)[2]["lines"].y.to_numpy() == pytest.approx(cosines, abs=1e-9)
    cosines[int(row)] = -2
    best = cosines.argmax()
    assert f"most like row **{row}** is row **{best}**, {abs(best - int(row))} away" in said(at)
    never = f"{cosines[best]:.2f}. This row was never trained. Its cosines"
    assert (never in said(at)) == (int(row) >= 64)


def test_rows_without_a_text_have_shrunk_as_weight_decay_says(kept):
    text = said(sound(opened(PAGE, lrn_look="Movement")))
    shrunk = np.linalg.norm(kept["tables"][-1, 64:], axis=1) / np.linalg.norm(kept["tables"][0, 64:], axis=1)
    assert f"their length is {shrunk.mean():.6f} of the initial one" in text
    assert np.ptp(shrunk) < 5e-6
    rates = [*np.linspace(0.01 / 25, 0.01, 300), *np.linspace(0.01, 0.01 / 25 / 10_000, 701)[1:]]
    assert f"predict {np.prod(1 - 0.01 * np.array(rates)):.6f}" in text  # each step takes rate * weight decay


@pytest.mark.parametrize("value", ["", "7.5", "<b>1</b>"])
def test_bad_links_are_named_and_the_defaults_shown(value):
    at = sound(opened(PAGE, lrn_look="One row", lrn_step=value, lrn_row=value))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == 2
    assert all(f"{key} must {RULES[key]}, got {value!r}" in warned for key in ("lrn_step", "lrn_row"))
    assert "**After step 1,000**" in said(at)


@pytest.mark.parametrize(("key", "value"), [("lrn_look", "Nothing"), ("lrn_step", "999"), ("lrn_step", "1,000")])
def test_a_value_that_is_no_choice_is_named(key, value):
    at = sound(opened(PAGE, **{key: value}))
    assert [f"{key} must {RULES[key]}, got {value!r}" in warning.value for warning in at.warning] == [True]


@pytest.mark.parametrize(("guess", "right"), [(50, True), (51, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE)
    at.number_input(key="lrn_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    assert len(at.warning) == (not right)
    assert f"{80 * 63 / 99:.3f}" in (at.success or at.warning)[0].value


def test_the_origin_of_the_numbers_is_named():
    (origin,) = [text.value for text in sound(opened(PAGE)).markdown if "pe_core.lab.table" in text.value]
    assert "1,000 steps, seed 0" in origin
    assert "`pe_core/runs/learned_table.npz`" in origin


def test_a_table_can_be_trained_in_the_lab():
    (link,) = [link for link in sound(opened(PAGE)).get("page_link") if link.proto.query_string]
    assert link.proto.label == "Train a learned table yourself"
    assert link.proto.query_string == "encodings=learned&encodings=sinusoidal&encodings=rope&encodings=alibi"


def test_the_data_of_a_table_are_counted():
    text = said(checked(opened(PAGE, lrn_look="Data"), 3))
    assert "the 1,024,000 characters of this run trained each row 16,000 times" in text
    assert "512 rows of 768 channels are only 393,216 of some 110 million parameters" in text
