"""The gallery on two texts: the same encodings, runs and settings, and what is said of both by hand."""

from functools import partial

import pytest

from pe_core.chapters.gallery import two_texts
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.results.gallery import KEPT, KEPT_PROGRAM, WHOLE, read, standings, to_json
from pe_core.lab.results.record import text_facts
from tests.cases import each
from tests.lab.galleries import made, rising, written_to


@pytest.fixture
def written(tmp_path):
    """Writes galleries of the ratio at the longest text by encoding, or of a ratio for each seed; the files."""
    return partial(written_to, tmp_path)


def test_both_kept_galleries_have_the_same_runs_of_two_texts():
    first, second = read(KEPT), read(KEPT_PROGRAM)
    assert first.text == text_facts(built_in())
    assert second.text == text_facts(built_in("program"))
    assert (first.settings, first.versions) == (second.settings, second.versions)
    assert list(first.runs) == list(second.runs) == list(ENCODINGS)
    assert second.has_ends
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
