"""The gallery: its facts are counted and compared by hand."""

import json
import math
from itertools import combinations

import pytest
import torch

from pe_core.chapters import gallery as chapter
from pe_core.chapters import gallery_beside
from pe_core.encodings import ENCODINGS
from pe_core.files import KEPT_RUNS
from pe_core.lab.results.gallery import END, KEPT, WHOLE, read, standings, to_json
from pe_core.lab.results.statistics import compared
from pe_core.measures.uncertainty import holm, p_value
from tests.cases import each, refuses
from tests.chapters.offered import alike
from tests.lab.galleries import made, paying, rising

PICTURES = {
    chapter.by_family: ({"multiple": 8}, {"multiple": 2}),
    chapter.ranking: ({"multiple": 8}, {"multiple": 2}),
    chapter.by_length: ({"encodings": ("rope", "alibi")}, {"encodings": ("rope",)}),
    chapter.repairs: ({"encoding": "rope", "multiple": 8}, {"encoding": "learned", "multiple": 2}),
    gallery_beside.orders: ({"table": "press_512", "multiple": 8}, {"table": "kazemnejad", "multiple": 2}),
    gallery_beside.two_texts: ({"multiple": 8}, {"multiple": 2}),
    gallery_beside.sizes: ({"multiple": 8}, {"multiple": 2}),
}
NEW_SPEC = {(chapter.by_length, "encodings"), (gallery_beside.orders, "table")}  # names and colours of the lines


@pytest.fixture
def other_file(tmp_path):
    """Five encodings with a seed each: two hold, one degrades, one breaks, one has not learned."""
    losses = {
        "none": {0: rising(1.5, 1.0)},
        "learned": {0: rising(1.2, 1.7)},
        "sinusoidal": {0: rising(1.5, 1.05, 1.2)},
        "rope": {0: rising(1.4, 1.08)},
        "alibi": {0: rising(2.95, 1.01)},
    }
    gallery = made(losses, {"rope": {0: {"pi": rising(1.4, 2.0), "ntk": rising(1.4, 1.02)}}})
    path = tmp_path / "other.json"
    path.write_text(to_json(gallery), encoding="utf-8")
    return str(path)


@each("draw", [chapter.by_family, chapter.ranking, chapter.by_length, chapter.repairs])
def test_another_file_gives_another_picture(draw, other_file):
    first, _ = PICTURES[draw]
    arguments = first if draw is not chapter.by_length else {"encodings": ("rope",)}
    assert not alike(draw(**arguments), draw(**arguments, file=other_file))


def test_what_is_missing_in_a_file_is_named(other_file):
    message = "encodings must be among none, learned, sinusoidal, rope, alibi, got t5"
    refuses(lambda: chapter.by_length(("t5",), other_file), message)
    with pytest.raises(ValueError, match="file must have every system of Press, Smith & Lewis 2021, Table 2"):
        gallery_beside.orders("press_512", 2, file=other_file)


def test_the_kept_run_of_the_lab_has_fewer_steps_and_one_seed_as_the_intro_says():
    gallery, run = read(KEPT), json.loads((KEPT_RUNS / "default.json").read_text(encoding="utf-8"))["settings"]
    assert run["steps"] < gallery.settings["steps"]
    assert run["n_seeds"] == 1 < min(map(len, gallery.runs.values()))


def test_the_ranking_says_who_holds_and_who_is_best(other_file):
    facts = chapter.ranking(8, file=other_file).facts
    assert [facts[name] for name in ("n", "holds", "degrades", "breaks", "not-learned")] == [5, 2, 1, 1, 1]
    assert facts["holding"] == "None (NoPE); RoPE"
    assert facts["length"] == 512
    assert (facts["first"], facts["first-ratio"]) == ("None (NoPE)", pytest.approx(1.0))
    assert (facts["last"], facts["last-ratio"]) == ("ALiBi", pytest.approx(1.01))  # has not learned: it stands below
    assert (facts["best"], facts["best-loss"]) == ("None (NoPE)", pytest.approx(1.5))
    assert (facts["pairs"], facts["untold"]) == (0, 3)  # with one seed nothing can be told apart
    kept = chapter.ranking(2).facts
    assert kept["holds"] > 4 == len(kept["holding"].split("; "))  # no more are named


def test_the_origin_counts_runs_and_seeds():
    facts, gallery = chapter.origin(), read(KEPT)
    counts = [len(by_seed) for by_seed in gallery.runs.values()]
    assert facts["runs"] == sum(counts)
    groups = [f"{counts.count(n)} encodings with {n} seeds" for n in sorted(set(counts), reverse=True)]
    assert facts["samples"] == ", ".join(groups)
    assert facts["sha"] == gallery.text.sha256[:12]
    assert (facts["guess"], facts["d_model"]) == (gallery.text.unigram_loss, gallery.settings["d_model"])


def test_losses_are_means_over_the_seeds():
    runs = read(KEPT).runs
    losses = [runs["fire"][seed].lengths for seed in set.intersection(*map(set, runs.values()))]
    start, end = (sum(one[place].loss for one in losses) / len(losses) for place in (0, 3))
    facts = chapter.losses(("fire",), 4)
    assert facts == {"trained": 64, "length": 256, "losses": f"FIRE, n={len(losses)}: {start:.3f} and {end:.3f}"}


def test_repairs_are_beside_what_was_trained(other_file):
    facts = chapter.repairs("rope", 8, file=other_file).facts
    assert (facts["title"], facts["plain"], facts["n"]) == ("RoPE", pytest.approx(1.08), 1)
    assert facts["best-ratio"] == pytest.approx(1.02, abs=1e-4)
    assert "NTK" in facts["best"]
    assert facts["worse"].startswith("Position interpolation")
    assert ";" not in facts["worse"]


@each(("table", "multiple", "at"), [("kazemnejad", 8, 3), ("haviv", 8, 1), ("press_512", 2, 2)])
def test_orders_are_compared_at_the_nearest_multiple(table, multiple, at):
    figure = gallery_beside.orders(table, multiple)
    facts, ranks = figure.facts, figure.frames["ranks"]
    assert facts["at"] == at
    for side, name in (("paper", "paper-order"), ("here", "our-order")):
        own = ranks[ranks.side == side].sort_values("value")
        assert facts[name] == " < ".join(own.name)
    paper, ours = (facts[name].split(" < ") for name in ("paper-order", "our-order"))
    turned = [f"{a} and {b}" for a, b in combinations(paper, 2) if ours.index(a) > ours.index(b)]
    assert facts["swapped"] == (", ".join(turned) or "none")
    pairs = len(paper) * (len(paper) - 1) / 2
    assert facts["tau"] == pytest.approx(1 - 2 * len(turned) / pairs)
    assert facts["verdict"] == ("other" if turned else "same")
    assert facts["papers"] == ("papers-within" if table == "haviv" else "papers")
    assert 0 <= facts["n-same"] <= facts["seeds"]


def test_only_one_table_is_looked_through_seed_by_seed():
    facts, gallery = gallery_beside.seed_by_seed("press_512"), read(KEPT)
    order = ("alibi", "t5", "rope", "sinusoidal")  # the paper's
    seeds = set.intersection(*(set(gallery.runs[key]) for key in order))
    grown = {
        seed: [end - within for within, end in (compared(gallery.runs[key][seed].lengths[:2]) for key in order)]
        for seed in seeds
    }
    same = sum(own == sorted(own) for own in grown.values())
    assert (facts["asked-same"], facts["asked-seeds"]) == (same, len(seeds))
    assert facts["asked"] == ("asked-all" if same == len(seeds) else "asked-not")
    assert (facts["exchanged"] == "none") == (same == len(seeds))
    assert gallery_beside.seed_by_seed("haviv") == {"asked": ""}


def test_the_exercise_counts_the_pairs_that_seeds_tell_apart():
    runs = read(KEPT).runs
    seeds = sorted(set.intersection(*map(set, runs.values())))
    ratios = {}
    for key in ("sinusoidal", "rope", "alibi"):
        two = [compared(runs[key][seed].lengths[:2]) for seed in seeds]
        ratios[key] = torch.tensor([end / within for within, end in two], dtype=torch.float64)
    count = sum(p < 0.05 for p in holm([p_value(one - other) for one, other in combinations(ratios.values(), 2)]))
    for guess in range(4):
        right, facts = chapter.pairs_apart(guess)
        assert right == (guess == count)
        assert facts["count"] == count
    assert len([name for name in facts["told"].split("; ") if " and " in name]) == count
    assert facts["n"] == len(seeds)


def test_one_encoding_has_its_own_sentence(monkeypatch):
    facts = chapter.one_encoding("alibi")
    runs = read(KEPT).runs
    seeds = set.intersection(*map(set, runs.values()))
    two = [compared(runs["alibi"][seed].lengths) for seed in seeds]
    ratios = [end / within for within, end in two]
    assert facts["section"] == "elsewhere-one"
    assert facts["ratio"] == pytest.approx(sum(end for _, end in two) / sum(within for within, _ in two))
    assert (facts["min"], facts["max"]) == (pytest.approx(min(ratios)), pytest.approx(max(ratios)))
    monkeypatch.setattr(chapter, "trained", dict)
    assert chapter.one_encoding("alibi") == {"section": "elsewhere-none", "title": "ALiBi"}


def test_several_encodings_are_named_in_their_order():
    facts = chapter.several(("rope", "alibi"))
    assert [part.partition(" × ")[0] for part in facts["names"].split("; ")] == ["RoPE", "ALiBi"]
    assert (facts["all"], facts["holds"]) == (len(ENCODINGS), chapter.ranking(8).facts["holds"])
    assert (facts["multiple"], facts["length"]) == (8, 512)


def test_a_gallery_that_is_made_anew_is_read_anew(other_file):
    first = chapter.ranking(8, file=other_file)
    losses = {key: {0: rising(1.5, ratio)} for key, ratio in (("none", 1.1), ("rope", 1.3))}
    with open(other_file, "w", encoding="utf-8") as file:
        file.write(to_json(made(losses)))
    assert len(chapter.ranking(8, file=other_file).frames["rows"]) == 2 < len(first.frames["rows"])


@pytest.fixture
def both(tmp_path):
    """Three encodings with five seeds: RoPE on some layers holds over whole windows, and degrades at their end."""

    def seeds(whole, step, *more):
        return {seed: paying(rising(1.5, whole), 1.5, tuple(step * seed + each for each in more)) for seed in range(5)}

    losses = {
        "rope_layers": seeds(1.08, 0.01, 0.2, 0.3),
        "rope": seeds(1.6, 0.02, 0.9, 0.95),
        "alibi": seeds(1.0, 0.0, -0.01, -0.04),
    }
    repairs = {seed: {"ntk": one} for seed, one in seeds(1.2, 0.01, 0.1).items()}
    path = tmp_path / "both.json"
    path.write_text(to_json(made(losses, {"rope": repairs})), encoding="utf-8")
    return str(path)


def test_the_page_says_whose_verdict_is_another_by_the_other_measure(both):
    end, whole = (chapter.both_measures(8, measure, both) for measure in (END, WHOLE))
    other = "RoPE on some layers *degrades* by the one and *holds* by the other"
    assert (end["by"], whole["by"]) == ("by-end", "by-whole")
    for facts in (end, whole):
        assert (facts["n-other"], facts["other"]) == (1, other)
        assert (facts["inside"], facts["half"], facts["before"]) == (1 / 8, 32, 480)
    end, whole = (chapter.ranking(8, measure, both).facts for measure in (END, WHOLE))
    assert (end["holds"], end["degrades"], whole["holds"], whole["degrades"]) == (1, 1, 2, 0)
    assert (end["pairs"], end["apart"], end["untold"]) == (2, 2, 0)


def test_the_difference_in_bits_has_its_interval_in_picture_and_table(both, monkeypatch):
    gallery = read(both)
    monkeypatch.setattr(chapter, "gallery_of", lambda file="": gallery)
    monkeypatch.setattr(chapter, "order", lambda file, multiple, measure: standings(gallery, multiple, measure))
    rows = chapter.ranking(8).frames["rows"].set_index("name")
    table = {row["Encoding"]: row for row in chapter.numbers(8)}
    for name, row in table.items():
        assert row["Bits more from"] <= row["Bits more"] <= row["Bits more to"]
        assert rows.interval[name] == f"{row['Bits more from']:+.3f} to {row['Bits more to']:+.3f}".replace("-", "−")
        assert rows.bits[name] == f"{row['Bits more']:+.3f}".replace("-", "−")
    # 0.27 nats in the mean of the seeds and blocks
    assert table["RoPE on some layers"]["Bits more"] == pytest.approx(0.27 / math.log(2), abs=1e-3)
    assert table["RoPE on some layers"]["Loss within"] == 1.5
    facts = chapter.repairs("rope", 8).facts
    assert facts["best-bits"] == pytest.approx((0.965 - 0.12) / math.log(2), abs=1e-3)


def test_what_the_first_words_of_pages_say_of_the_kept_runs_is_so():
    """Biases, Catalogue and Gallery: who holds and who breaks at 8 times the training length."""
    found = chapter.trained(8)
    assert {found[key].verdict for key in ("alibi", "kerple_log", "kerple_power")} == {"holds"}
    assert found["rope"].verdict == "breaks"
    for group, verdict in (("bias", "holds"), ("rotary", "breaks")):
        verdicts = [one.verdict for one in found.values() if one.group == group]
        assert verdicts.count(verdict) > len(verdicts) / 2


def test_heights_leave_room_for_every_row():
    assert chapter.ranking(8).height == 130 + 21 * len(ENCODINGS)
    assert gallery_beside.orders("kazemnejad", 8).height == 90 + 62 * 3


def test_losses_of_whole_texts_are_means_over_seeds():
    facts = chapter.whole_texts(("rope", "none"))
    kept = chapter.gallery_of(chapter.KEPT_FILE)
    for key in ("rope", "none"):
        runs = kept.runs[key].values()
        first, last = (sum(run.lengths[place].loss for run in runs) / len(runs) for place in (0, -1))
        assert (facts[f"{key}-trained"], facts[f"{key}-read"]) == pytest.approx((first, last))
    assert (facts["multiple"], facts["train-length"], facts["seeds"]) == (8, 64, 5)
