"""A run of several seeds on the page: bands, the table with its spread, and two encodings compared seed by seed."""

import pandas as pd
import pytest

from pe_core.lab.results.table import pair_of, rows
from pe_core.lab.storage.run_hash import run_hash
from tests.app.opened import checked, frames, opened, said, sentences
from tests.app.running import LINK, press, reached, snapshot, standing
from tests.app.seeded_runs import ONE, OTHERS, RECORD, made, verdict
from tests.cases import each
from ui.lab.kept import lines

pytestmark = pytest.mark.usefixtures("store")


def test_curves_and_losses_have_bands_and_the_table_its_spread(shown):
    at = checked(shown(RECORD), 4)
    assert standing(at) == "Step 450 of 450, 50 for each of 9 models · done, kept from before"
    training, by_position, by_length, _ = frames(at)
    for chart in (training, by_position, by_length):
        assert set(chart["lines"]["n"]) == {3}
    last = by_length["lines"].groupby("name").last()
    assert last.loc["RoPE", ["y", "min", "max"]].tolist() == pytest.approx([9.35 / 3, 3.0, 3.25])
    table = at.dataframe[0].value.reset_index(drop=True)
    pd.testing.assert_frame_equal(table, pd.DataFrame(rows(RECORD)))
    assert table["Encoding"].tolist() == ["ALiBi", "None (NoPE)", "RoPE"]
    captions = " ".join(caption.value for caption in at.caption)
    assert "the mean of 3 runs of an encoding, with seeds 3 to 5" in captions
    assert "this row and the one below it differ in a paired t-test" in captions
    assert "RoPE 2.12 (2.02 to 2.22, n=3)" in sentences(at)[0]
    assert (
        "RoPE: loss 2.00 (2.00 to 2.00, n=3) at the training length of 16, 3.12 (3.00 to 3.25, n=3)" in sentences(at)[1]
    )


def test_the_first_two_are_compared_by_the_ratio(shown):
    at = shown(RECORD)
    found = pair_of(RECORD, "rope", "alibi", "ratio")
    assert found.told == "yes"
    mean = sum(found.differences) / 3
    assert verdict(at).startswith(
        f"**Told apart.** *Ratio of the losses*, RoPE less ALiBi: {mean:+.4f} in the mean of 3"
    )
    assert f"p = {found.p:.3f}" in verdict(at)
    assert sentences(at)[-1].endswith(f"paired t-test: p = {found.p:.3f}.")
    assert at.dataframe[1].value["Difference"].tolist() == list(found.differences)
    assert dict(at.query_params).keys() == {"run"}


def test_a_choice_is_followed_by_the_link_and_a_link_by_the_choice(shown):
    at = shown(RECORD)
    at.selectbox(key="pair_first").set_value("none").run()
    at.selectbox(key="pair_by").set_value("8").run()
    assert verdict(at).startswith("**Not distinguishable.** *Loss at 128*, None (NoPE) less ALiBi: +0.0067 in the mean")
    assert [at.query_params[name] for name in ("pair_first", "pair_by")] == ["none", "8"]
    again = shown(RECORD, pair_first="none", pair_by="8")
    assert verdict(again) == verdict(at)


def test_the_exercise_and_the_list_of_runs_go_by_the_means(shown):
    answer = shown(RECORD).expander[-1].markdown[0].value
    assert answer == "**RoPE**: at 8 times the training length its loss is 1.56 times as high."
    assert [(title, losses[-1]) for title, losses in lines(RECORD)] == [
        ("RoPE", (128, pytest.approx(9.35 / 3))),
        ("ALiBi", (128, pytest.approx(2.11))),
        ("None (NoPE)", (128, pytest.approx(6.35 / 3))),
    ]


def test_an_encoding_beside_itself(shown):
    at = shown(RECORD, pair_second="rope")
    assert verdict(at) == "Choose two different encodings."
    assert len(frames(at)) == 3


@each(
    ("name", "value", "allowed", "instead"),
    [
        ("pair_first", "t5", "rope, alibi, none", "rope"),
        ("pair_second", "x" * 9_000, "rope, alibi, none", "alibi"),
        ("pair_by", "7", "ratio, 8, 6, 4, 3, 2, 1", "ratio"),
    ],
)
def test_a_link_that_asks_for_what_the_run_does_not_have(shown, name, value, allowed, instead):
    at = shown(RECORD, **{name: value})
    [warning] = at.warning
    assert f"{name} must be one of {allowed}, got '{value[:40]}'" in warning.value
    assert warning.value.endswith(f"Shown instead: {instead}.")
    assert at.selectbox(key=name).value == instead


def test_a_choice_that_the_next_run_does_not_have_is_forgotten(shown, store):
    at = shown(RECORD, pair_first="none", pair_by="8")
    store.put(OTHERS)
    at.query_params["run"] = run_hash(OTHERS.config, OTHERS.text)
    at.run()
    assert not at.warning
    assert [at.selectbox(key=key).value for key in ("pair_first", "pair_second", "pair_by")] == ["t5", "shaw", "8"]
    assert "pair_first" not in at.query_params


def test_one_training_says_nothing(shown):
    at = shown(ONE)
    assert verdict(at).startswith("**One run says nothing.** *Ratio of the losses*, RoPE less ALiBi: +0.4500 with")
    assert set(at.dataframe[0].value["Told apart from the next"]) == {"one run says nothing"}
    assert len(frames(at)) == 3
    assert "runs of an encoding" not in " ".join(caption.value for caption in at.caption)
    assert "n=1" not in "".join(sentences(at))


def test_a_single_encoding_is_not_compared(shown):
    at = shown(made([{"rope": (2.0, 3.0)}] * 3, encodings=("rope",)))
    assert "Two encodings, seed by seed" not in [header.value for header in at.subheader]
    assert "[[" not in said(at)


def test_a_run_under_way_counts_the_steps_of_all_seeds(endless):
    at = opened("lab", **LINK, n_seeds="2", encodings=["none", "alibi"])
    press(at, "train")
    reached(at, lambda: snapshot(at).steps > 8)
    assert snapshot(at).record.config.seeds == (3, 4)
    assert " of 200, 50 for each of 4 models · " in standing(at)
    assert set(frames(at)[0]["lines"]["n"]) == {2}
    assert "None (NoPE) 1." in sentences(at)[0]
    assert ", n=2)" in sentences(at)[0]
    press(at, "stop")


def test_a_number_of_trainings_that_cannot_be_is_refused(expects):
    asked = expects(1.0)
    at = opened("lab", n_seeds="11")
    assert "n_seeds must be a whole number from 1 to 10, got '11'" in at.warning[0].value
    assert asked[-1].n_seeds == 1
    slider = at.slider(key="n_seeds")
    assert (slider.min, slider.max) == (1, 10)
    slider.set_value(10).run()
    assert asked[-1].n_seeds == 10
    at = opened("lab", n_seeds="3", seed="9999")
    assert [error.value for error in at.error] == [
        "This cannot be trained: `seed must be a whole number from 0 to 9,999, got 10001`."
    ]
    assert at.button(key="train").disabled
