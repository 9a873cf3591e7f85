"""Two galleries beside each other, larger models or another text: kept files, and what is said of both by hand."""

import hashlib
from functools import partial

import pytest

from pe_core.chapters.gallery_beside import early, large_repairs, sizes, two_texts
from pe_core.encodings import ENCODINGS
from pe_core.lab import transfer
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import MULTIPLES, RunConfig
from pe_core.lab.results.gallery import (
    EARLY,
    KEPT,
    KEPT_PROGRAM,
    LARGER,
    TUNED,
    WHOLE,
    from_json,
    read,
    repaired,
    standings,
    to_json,
)
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.results.record_file import versions
from tests.cases import each
from tests.lab import galleries
from tests.lab.galleries import TEXT, made, rising, written_to

KEYS = {"none", "sinusoidal", "learned", "rope", "alibi", "t5", "kerple_log", "fire"}
SETTINGS = {**galleries.SETTINGS, "batch_size": 16}
REPAIRS = {"pi", "ntk", "dynamic_ntk", "yarn"}
# Of the files as they were made on the GPU, which nothing here can make again.
HASHES = {
    "larger.json": "f50e7321f154c8b5c900c7e0e63fb112ad4f708e970199eae523050943c89e19",
    "larger_early.json": "4127e0ea99b101706434e348d789d1433d339ead94c747e0172894ce00eb8ff0",
    "larger_tuned.json": "886b1f183b399c3953e553072f1e80c588252ccf8472d9e1c171080375ae7dc0",
}


@pytest.fixture
def written(tmp_path):
    """Writes galleries of the ratio at the longest text by encoding, or of a ratio for each seed; the files."""
    return partial(written_to, tmp_path, SETTINGS)


@each("name", HASHES)
def test_kept_files_are_as_they_were_made(name):
    path = LARGER.with_name(name)
    content = path.read_bytes()
    assert hashlib.sha256(content).hexdigest() == HASHES[name]
    assert to_json(read(path)).encode() == content


@each(("path", "steps", "seeds"), [(LARGER, 500, 1), (EARLY, 100, 3)])
def test_kept_models_have_their_encodings_steps_and_seeds(path, steps, seeds):
    found = read(path)
    assert set(found.runs) == KEYS
    assert (found.settings["steps"], found.train_length, len(found.seeds)) == (steps, 512, seeds)


def test_ranks_verdicts_and_what_moved_by_hand(written):
    first = written(none=1.0, alibi=1.05, rope=1.3, sinusoidal=1.6)
    figure = sizes(8, WHOLE, first, written(none=1.2, sinusoidal=1.3, alibi=1.35, rope=2.0))
    facts = figure.facts
    assert facts["rho"] == pytest.approx(1 - 6 * (1 + 1 + 4) / (4 * 15))
    assert (facts["n"], facts["places"], facts["moved"]) == (4, 2, "Sinusoidal from place 4 to 2")
    assert facts["changed"] == "; ".join(
        [
            "None (NoPE) *holds* in the small and *degrades* in the larger",
            "ALiBi *holds* in the small and *degrades* in the larger",
            "RoPE *degrades* in the small and *breaks* in the larger",
            "Sinusoidal *breaks* in the small and *degrades* in the larger",
        ]
    )
    assert (facts["same"], facts["worse"], facts["seeds"], facts["large-seeds"]) == (0, 3, 1, "1 seed")
    assert (facts["seeds-low"], facts["seeds-high"]) == pytest.approx((facts["rho"], facts["rho"]))  # nothing to draw
    assert facts["low"] < facts["rho"] < facts["high"] == 1
    labels = figure.frames["points"].set_index("name").label
    assert labels[labels != ""].to_dict() == {"Sinusoidal": "Sinusoidal"}


def test_where_nothing_moved_nothing_is_named_and_two_encodings_are_too_few(written):
    first = written(none=1.0, alibi=1.05, rope=1.3)
    facts = sizes(8, WHOLE, first, first).facts
    assert (facts["rho"], facts["moved"], facts["changed"]) == (pytest.approx(1), "none", "none")
    with pytest.raises(ValueError, match=r"^second must be a gallery with three encodings of "):
        sizes(8, WHOLE, first, written(none=1.0, alibi=1.05))


@each("measure", ["end", WHOLE])
def test_tables_have_the_numbers_of_the_files(measure):
    sides = [{one.key: one for one in standings(read(path), 4, measure)} for path in (KEPT_PROGRAM, LARGER)]
    facts = early(4, measure)
    assert len(facts["rows"].splitlines()) == facts["n"] == 8
    for key in KEYS:
        [row] = [row for row in facts["rows"].splitlines() if f"| {sides[0][key].title} |" in row]
        numbers = [number for side in sides for number in (side[key].trained, side[key].mean)]
        assert row.split(" | ")[1:5] == [f"{number:.2f}" for number in numbers]
    tuned = {one.key: one for one in repaired(read(TUNED), "rope", 4, measure)}
    found = large_repairs(4, measure)
    table = found["rows"].splitlines()
    assert found["section"] == "larger-repairs-early"
    assert sorted(row.split(" | ")[-1] for row in table) == sorted(f"{one.mean:.2f} |" for one in tuned.values())


def record(steps=50, **outcomes):
    config = RunConfig(tuple(outcomes), steps=steps, repairs=("pi",) if "rope" in outcomes else (), tune_steps=50)
    return RunRecord(config, TEXT, {}, {key: {0: one} for key, one in outcomes.items()})


def outcome(*, tuned):
    losses = [tuple(LengthLoss(64 * one, 1.0, level) for one in MULTIPLES) for level in (2.0, 3.0, 4.0, 5.0)]
    own, under, after, after_under = (Measurement(one, (1.0,)) for one in losses)
    further = {"as_trained": after, "pi": after_under} if tuned else {}
    return Outcome(7, own.lengths, own.positions, {"pi": under} if tuned else {}, further)


def test_runs_of_the_lab_become_one_gallery():
    runs = record(rope=outcome(tuned=True)), record(alibi=outcome(tuned=False))
    found = transfer.of_runs(runs)
    assert to_json(from_json(to_json(found))) == to_json(found)
    assert (list(found.runs), dict(found.versions), found.text) == (["rope", "alibi"], versions(), TEXT)
    own = found.runs["rope"][0]
    assert [own.lengths[0].last_quarter, own.repaired["pi"].lengths[0].last_quarter] == [2.0, 3.0]
    after = transfer.of_runs(runs[:1], tuned=True)
    own = after.runs["rope"][0]
    assert [own.lengths[0].last_quarter, own.repaired["pi"].lengths[0].last_quarter] == [4.0, 5.0]
    assert after.settings["tune_steps"] == 50
    assert list(transfer.of_runs(runs, tuned=True).runs) == ["rope"]


def test_both_kept_galleries_have_the_same_runs_of_two_texts():
    first, second = read(KEPT), read(KEPT_PROGRAM)
    assert first.text == text_facts(built_in())
    assert second.text == text_facts(built_in("program"))
    assert (first.settings, first.versions) == (second.settings, second.versions)
    assert list(first.runs) == list(second.runs) == list(ENCODINGS)
    for key, by_seed in first.runs.items():
        assert by_seed.keys() == second.runs[key].keys()
        assert all(one.repaired.keys() == second.runs[key][seed].repaired.keys() for seed, one in by_seed.items())


@each("multiple", [2, 8])
def test_each_point_has_the_ratios_of_both_files(multiple):
    figure = two_texts(multiple)
    points = figure.frames["points"].set_index("name")
    for path, column, verdict in ((KEPT, "first", "verdict"), (KEPT_PROGRAM, "second", "other")):
        for one in standings(read(path), multiple):
            assert points[column][one.title] == one.mean
            assert points[verdict][one.title] == one.verdict
    assert figure.facts["same"] == (points.verdict == points.other).sum()
    assert figure.facts["n"] == len(ENCODINGS)


def test_orders_verdicts_and_the_furthest_by_hand(written):
    first = written(none=1.0, alibi=1.05, rope=1.3, sinusoidal=1.6)
    second = written(none=1.02, rope=1.08, alibi=1.2, sinusoidal=1.7)
    facts = two_texts(8, WHOLE, first, second).facts
    assert facts["tau"] == pytest.approx(4 / 6)  # of six pairs one is in the other order
    assert (facts["n"], facts["same"], facts["seeds"]) == (4, 2, 1)
    assert facts["changed"] == "ALiBi *holds* on the first and *degrades* on the second; " + (
        "RoPE *degrades* on the first and *holds* on the second"
    )
    assert (facts["far"], facts["far-first"], facts["far-second"]) == ("RoPE", pytest.approx(1.3), pytest.approx(1.08))
    assert (facts["apart"], facts["kept"], facts["lost"]) == (0, 0, "none")  # a single seed tells nothing apart


def test_pairs_that_the_seeds_tell_apart_are_looked_for_on_the_second_text(written):
    first = written(none=[1.0, 1.001, 1.002], alibi=[1.1, 1.102, 1.101], rope=[1.4, 1.402, 1.405])
    facts = two_texts(8, WHOLE, first, written(none=1.3, alibi=1.2, rope=1.4)).facts
    assert (facts["apart"], facts["kept"], facts["lost"]) == (2, 1, "None (NoPE) and ALiBi")
    assert two_texts(8, WHOLE, first, first).facts["kept"] == 2


def test_what_has_not_learned_one_of_the_texts_or_is_in_one_file_only_is_left_out(written, tmp_path):
    first = written(none=1.0, alibi=1.05, rope=1.3)
    runs = {"none": {0: rising(1.5, 1.0)}, "alibi": {0: rising(2.95, 1.0)}, "rope": {0: rising(1.5, 1.2)}}
    second = tmp_path / "second.json"
    second.write_text(to_json(made({**runs, "learned": {0: rising(1.5, 1.1)}})), encoding="utf-8")
    assert two_texts(8, WHOLE, first, str(second)).frames["points"].name.tolist() == ["None (NoPE)", "RoPE"]
    with pytest.raises(ValueError, match=r"^second must be a gallery with two encodings of "):
        two_texts(8, WHOLE, first, written(none=1.0))
