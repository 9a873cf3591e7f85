"""Several seeds on the page: bands, the table with its spread, and two encodings compared seed by seed."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.results.table import pair_of, rows
from pe_core.lab.storage.run_hash import run_hash
from tests.app.in_chinese import also_in_chinese
from tests.app.opened import checked, frames, opened, said, sentences, spaced
from tests.app.running import LINK, press, reached, refusal, snapshot, standing
from tests.cases import each
from tests.lab.seeded import CONFIG, by_seed, seeded
from ui.lab.kept import lines
from ui.widgets.charts import with_legend

pytestmark = pytest.mark.usefixtures("store")

FACTS = replace(text_facts(datasets.built_in()), unigram_loss=2.5)


def curves(config):
    """Losses that fall by a fiftieth a step, from 3.0 with the first seed and a tenth more with each further one."""
    falling = [tuple(3.0 + seed / 10 - step / 50 for step in range(config.steps)) for seed in range(config.n_seeds)]
    return [dict.fromkeys(config.encodings, curve) for curve in falling]


def made(ends, **changes):
    """A run of a text with these losses at both ends of each encoding, for one seed after another."""
    config = replace(CONFIG, **changes)
    return seeded(ends, curves(config), config, FACTS)


ENDS = [
    {"rope": (2.0, 3.00), "alibi": (2.0, 2.10), "none": (2.0, 2.20)},
    {"rope": (2.0, 3.10), "alibi": (2.0, 2.11), "none": (2.0, 2.00)},
    {"rope": (2.0, 3.25), "alibi": (2.0, 2.12), "none": (2.0, 2.15)},
]
RECORD = made(ENDS)
ONE = made(ENDS[:1], n_seeds=1)
OTHERS = made([{"t5": (2.0, 2.2), "shaw": (2.0, 2.5)}] * 2, encodings=("t5", "shaw"), n_seeds=2)


def marked(first, last):
    """An outcome with these right answers at the ends, 0.9 in between, and half as many whole examples."""
    pairs = zip(CONFIG.lengths, (first, *[0.9] * 4, last), strict=True)
    return Outcome(7, tuple(LengthLoss(length, 1.0, 1.0, share, share / 2) for length, share in pairs), (1.0,))


EACH = [{"rope": marked(1.0, last), "alibi": marked(0.98, 0.95)} for last in (0.5, 0.52, 0.51)]
RIGHT = RunRecord(CONFIG, text_facts(TASKS["copy"]), by_seed(CONFIG, curves(CONFIG)), by_seed(CONFIG, EACH))


def verdict(at):
    """The sentence of the comparison, which begins with what comes of it."""
    begins = ("**Told apart", "**Not disting", "**One run says", "**No seed", "Choose two different")
    [sentence] = [spaced(element.value) for element in at.markdown if element.value.startswith(begins)]
    return sentence


def bands(at, place):
    """The mean, the least and the greatest of the last points of RoPE in a picture of three seeds."""
    shown = frames(at)[place]["lines"]
    assert set(shown["n"]) == {3}
    return shown.groupby("name").last().loc["RoPE", ["y", "min", "max"]].tolist()


def unsorted(table):
    """The columns of a table that are no numbers, so that they sort by their letters."""
    return {name for name in table if not pd.api.types.is_numeric_dtype(table[name])}


def sorted_by_numbers(at, decides):
    """Check that all columns but three hold numbers, and that those stand first that put the rows in order."""
    results, *others = at.dataframe
    assert unsorted(results.value) == {"Encoding", "Verdict", "Told apart from the next"}
    assert [unsorted(element.value) for element in others] == [set()]
    seen, config = list(results.proto.column_order), json.loads(results.proto.columns)
    numbers = [decides.format(ending) for ending in ("", ", least", ", greatest")]
    assert seen[:5] == ["Encoding", "n", *numbers]
    assert sorted(seen) == sorted(results.value)
    assert [config[name]["label"] for name in numbers] == [numbers[0], "Smallest", "Largest"]
    assert config[numbers[1]]["help"] == f"{numbers[0]}: the smallest of the runs"
    assert config["Encoding"]["pinned"]
    assert config["Verdict"]["pinned"]


def test_curves_and_losses_have_bands_the_table_its_spread_and_the_first_two_are_compared(shown):
    at = checked(shown(RECORD), 4)
    assert standing(at) == "Step 450 of 450, 50 for each of 9 models · done, kept from before"
    assert bands(at, 2) == pytest.approx([9.35 / 3, 3.0, 3.25])
    for chart in frames(at)[:2]:
        assert set(chart["lines"]["n"]) == {3}
    table = at.dataframe[0].value.reset_index(drop=True)
    pd.testing.assert_frame_equal(table, pd.DataFrame(rows(RECORD)))
    assert table["Encoding"].tolist() == ["ALiBi", "None (NoPE)", "RoPE"]
    captions = " ".join(caption.value for caption in at.caption)
    assert "the mean of 3 runs of an encoding, with seeds 3 to 5" in captions
    assert "this row and the one below it differ in a paired t-test" in captions
    assert "RoPE 2.12 (2.02 to 2.22, n=3)" in sentences(at)[0]
    losses = "RoPE: loss 2.00 (2.00 to 2.00, n=3) at the training length of 16, 3.12 (3.00 to 3.25, n=3)"
    assert losses in sentences(at)[1]
    answer = "**RoPE**: at 8 times the training length its loss is 1.56 times as high."
    assert at.expander[-1].markdown[0].value == answer
    pair = pair_of(RECORD, "rope", "alibi", "ratio")  # the first two are compared
    mean = f"{sum(pair.differences) / 3:+.4f}"
    assert verdict(at).startswith(f"**Told apart.** *Ratio of the losses*, RoPE less ALiBi: {mean} in the mean of 3")
    assert f"p = {pair.p:.3f}" in verdict(at)
    assert sentences(at)[-1].endswith(f"paired t-test: p = {pair.p:.3f}.")
    assert at.dataframe[1].value["Difference"].tolist() == list(pair.differences)
    assert list(at.query_params) == ["run"]
    sorted_by_numbers(at, "Ratio{}")
    also_in_chinese(at)


def test_the_list_of_runs_goes_by_the_means():
    means = {"RoPE": 9.35 / 3, "ALiBi": 2.11, "None (NoPE)": 6.35 / 3}
    assert [(title, losses[-1]) for title, losses in lines(RECORD)] == [
        (title, (128, pytest.approx(mean))) for title, mean in means.items()
    ]


def test_a_task_shows_and_compares_what_is_right(shown):
    at = checked(shown(RIGHT), 4)
    assert verdict(at).startswith(
        "**Told apart.** *Right at 128*, RoPE less ALiBi: \N{MINUS SIGN}44.0 points in the mean of 3 seeds "
        "(each: \N{MINUS SIGN}45.0, \N{MINUS SIGN}43.0, \N{MINUS SIGN}44.0). A paired t-test gives p < 0.001"
    )
    table = at.dataframe[0].value.set_index("Encoding")
    assert table.index.tolist() == ["ALiBi", "RoPE"]
    numbers = [f"Right at 128{ending} (%)" for ending in ("", ", least", ", greatest")]
    assert table.loc["RoPE", numbers].tolist() == pytest.approx([51.0, 50.0, 52.0])
    assert table.loc["RoPE", ["n", "Trainings of that verdict", "Told apart from the next"]].tolist() == [3, 3, ""]
    assert table.loc["ALiBi", "Told apart from the next"] == "yes"
    assert table["All right at 16 (%)"].tolist() == pytest.approx([49.0, 50.0])
    pair = at.dataframe[1].value
    assert pair["RoPE (%)"].tolist() == pytest.approx([50.0, 52.0, 51.0])
    assert pair["Difference (points)"].tolist() == pytest.approx([-45.0, -43.0, -44.0])
    assert bands(at, 1) == pytest.approx([0.51, 0.5, 0.52])
    assert bands(at, 2) == pytest.approx([0.255, 0.25, 0.26])
    right, whole = sentences(at)[1:3]
    assert "RoPE: 100% (100% to 100%, n=3) at the training length of 16, 51% (50% to 52%, n=3) at 128" in right
    assert "RoPE: 50% (50% to 50%, n=3) at the training length of 16, 26% (25% to 26%, n=3) at 128" in whole
    sorted_by_numbers(at, "Right at 128{} (%)")


def test_a_choice_is_followed_by_the_link_a_link_by_the_choice_and_the_next_run_forgets_what_it_does_not_have(
    shown, store
):
    at = shown(RECORD)
    at.selectbox(key="pair_first").set_value("none").run()
    at.selectbox(key="pair_by").set_value("8").run()
    assert verdict(at).startswith("**Not distinguishable.** *Loss at 128*, None (NoPE) less ALiBi: +0.0067 in the mean")
    assert [at.query_params[name] for name in ("pair_first", "pair_by")] == ["none", "8"]
    again = shown(RECORD, pair_first="none", pair_by="8")
    assert verdict(again) == verdict(at)
    store.put(OTHERS)
    again.query_params["run"] = run_hash(OTHERS.config, OTHERS.text)
    again.run()
    assert not again.warning
    assert [again.selectbox(key=f"pair_{name}").value for name in ("first", "second", "by")] == ["t5", "shaw", "8"]
    assert "pair_first" not in again.query_params


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


def test_an_encoding_beside_itself_one_seed_and_a_single_encoding_are_not_compared(shown):
    at = shown(RECORD, pair_second="rope")
    assert verdict(at) == "Choose two different encodings."
    assert len(frames(at)) == 3
    at = shown(ONE)
    assert verdict(at).startswith("**One run says nothing.** *Ratio of the losses*, RoPE less ALiBi: +0.4500 with")
    [table] = at.dataframe
    assert unsorted(table.value) == {"Encoding", "Verdict", "Told apart from the next"}
    assert set(table.value["Told apart from the next"]) == {"one run says nothing"}
    assert len(frames(at)) == 3
    assert "runs of an encoding" not in " ".join(caption.value for caption in at.caption)
    assert "n=1" not in "".join(sentences(at))
    also_in_chinese(at)
    at = shown(made([{"rope": (2.0, 3.0)}] * 3, encodings=("rope",)))
    assert "Two encodings, seed by seed" not in [header.value for header in at.subheader]
    assert "[[" not in said(at)


@each(("n_lines", "height"), [(1, 380), (2, 380), (3, 398), (4, 398), (8, 434)])
def test_a_picture_grows_with_the_rows_of_its_legend(n_lines, height):
    assert with_legend(380, n_lines) == height


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
    at.slider(key="n_seeds").set_value(10).run()
    assert asked[-1].n_seeds == 10
    refused = opened("lab", n_seeds="3", seed="9999")
    assert refusal(refused) == "seed must be a whole number from 0 to 9,999, got 10001"
