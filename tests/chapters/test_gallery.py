"""The gallery: its pictures have the numbers of the file, and the facts are counted and compared by hand."""

from itertools import combinations

import pytest
import torch

from pe_core.chapters import gallery as chapter
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import KEPT, read, to_json
from pe_core.measures.agreement import distinguishable
from tests.chapters.offered import alike
from tests.lab.galleries import made, rising

PICTURES = {
    chapter.ranking: ({"multiple": 8}, {"multiple": 2}),
    chapter.by_length: ({"encodings": ("rope", "alibi")}, {"encodings": ("rope",)}),
    chapter.repairs: ({"encoding": "rope", "multiple": 8}, {"encoding": "learned", "multiple": 2}),
    chapter.orders: ({"table": "press_512", "multiple": 8}, {"table": "kazemnejad", "multiple": 2}),
}
NEW_SPEC = {(chapter.by_length, "encodings")}  # the names of its lines


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


@pytest.mark.parametrize("draw", [chapter.ranking, chapter.by_length, chapter.repairs])
def test_another_file_gives_another_picture(draw, other_file):
    first, _ = PICTURES[draw]
    arguments = first if draw is not chapter.by_length else {"encodings": ("rope",)}
    assert not alike(draw(**arguments), draw(**arguments, file=other_file))


@pytest.mark.parametrize("multiple", MULTIPLES[1:])
def test_the_ranking_has_every_encoding_with_the_ratio_of_its_mean_losses(multiple):
    rows, gallery = chapter.ranking(multiple).frames["rows"].set_index("name"), read(KEPT)
    assert set(rows.index) == {spec.title for spec in ENCODINGS.values()}
    for key in ENCODINGS:
        losses = [one.losses for one in gallery.runs[key].values()]
        expected = sum(one[MULTIPLES.index(multiple)].loss for one in losses) / sum(one[0].loss for one in losses)
        row = rows.loc[ENCODINGS[key].title]
        assert row["mean"] == pytest.approx(expected, rel=1e-12)
        assert row["min"] <= row["mean"] <= row["max"]
        assert row.n == len(losses)
    assert rows[rows.learned]["mean"].is_monotonic_increasing


def test_what_is_missing_in_a_file_is_named(other_file):
    with pytest.raises(ValueError, match=r"^encodings must be among none, learned, sinusoidal, rope, alibi, got t5$"):
        chapter.by_length(("t5",), other_file)
    with pytest.raises(ValueError, match="file must have every system of Press, Smith & Lewis 2021, Table 2"):
        chapter.orders("press_512", 2, other_file)


def test_the_ranking_says_who_holds_and_who_is_best(other_file):
    facts = chapter.ranking(8, other_file).facts
    assert {name: facts[name] for name in ("n", "holds", "degrades", "breaks", "not-learned")} == {
        "n": 5,
        "holds": 2,
        "degrades": 1,
        "breaks": 1,
        "not-learned": 1,
    }
    assert facts["holding"] == "None (NoPE); RoPE"
    assert (facts["multiple"], facts["length"]) == (8, 512)
    assert (facts["first"], facts["first-ratio"]) == ("None (NoPE)", pytest.approx(1.0))
    assert (facts["last"], facts["last-ratio"]) == ("ALiBi", pytest.approx(1.01))  # has not learned: it stands below
    assert (facts["best"], facts["best-loss"]) == ("None (NoPE)", pytest.approx(1.5))
    assert (facts["pairs"], facts["untold"]) == (3, 3)  # with one seed nothing can be told apart
    assert facts["mixed"] == "none"


def test_the_best_has_the_lowest_loss_and_need_not_be_the_first(other_file):
    facts = chapter.ranking(2, other_file).facts
    assert facts["first"] == "None (NoPE)"
    assert (facts["best"], facts["best-loss"]) == ("None (NoPE)", pytest.approx(1.5))
    whole = chapter.ranking(8).facts
    losses = {
        key: sum(one.losses[-1].loss for one in by_seed.values()) / len(by_seed)
        for key, by_seed in read(KEPT).runs.items()
    }
    best = min(losses, key=losses.__getitem__)
    assert (whole["best"], whole["best-loss"]) == (ENCODINGS[best].title, pytest.approx(losses[best]))


def test_at_most_four_that_hold_are_named():
    facts = chapter.ranking(2).facts
    assert facts["holds"] > 4
    assert len(facts["holding"].split("; ")) == 4


def test_the_origin_counts_runs_and_seeds():
    facts, gallery = chapter.origin(), read(KEPT)
    counts = [len(by_seed) for by_seed in gallery.runs.values()]
    assert facts["runs"] == sum(counts)
    assert facts["samples"] == ", ".join(
        f"{counts.count(n)} encodings with {n} seeds" for n in sorted(set(counts), reverse=True)
    )
    assert facts["sha"] == gallery.text.sha256[:12]
    assert (facts["guess"], facts["d_model"]) == (gallery.text.unigram_loss, gallery.settings["d_model"])


def test_losses_are_means_over_the_seeds():
    losses = [training.losses for training in read(KEPT).runs["fire"].values()]
    start, end = (sum(one[place].loss for one in losses) / len(losses) for place in (0, 3))
    facts = chapter.losses(("fire",), 4)
    assert facts == {"trained": 64, "length": 256, "losses": f"FIRE {start:.3f} and {end:.3f} (n={len(losses)})"}
    assert chapter.none_chosen(()) == "lengths-none"
    assert chapter.none_chosen(("fire",)) == ""


def test_repairs_are_beside_what_was_trained(other_file):
    facts = chapter.repairs("rope", 8, other_file).facts
    assert (facts["title"], facts["plain"], facts["n"]) == ("RoPE", pytest.approx(1.08), 1)
    assert facts["best-ratio"] == pytest.approx(1.02, abs=1e-4)
    assert "NTK" in facts["best"]
    assert "interpolation" in facts["worse"].lower()
    assert ";" not in facts["worse"]


@pytest.mark.parametrize(("table", "multiple", "at"), [("kazemnejad", 8, 3), ("haviv", 8, 1), ("press_512", 2, 2)])
def test_orders_are_compared_at_the_nearest_multiple(table, multiple, at):
    figure = chapter.orders(table, multiple)
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


def test_every_length_of_a_paper_has_a_row():
    rows = chapter.orders("press_512", 8).facts["rows"].splitlines()
    assert [row.split(" | ")[0] for row in rows] == [f"| {multiple} ×" for multiple in MULTIPLES[1:]]
    assert rows[0].startswith("| 2 × | 1.98 × | ")  # 1,012 of 512 tokens


def test_only_one_table_is_looked_through_seed_by_seed():
    facts, gallery = chapter.seed_by_seed("press_512"), read(KEPT)
    order = ("alibi", "t5", "rope", "sinusoidal")  # the paper's
    seeds = set.intersection(*(set(gallery.runs[key]) for key in order))
    grown = {
        seed: [losses[1].loss - losses[0].loss for losses in (gallery.runs[key][seed].losses for key in order)]
        for seed in seeds
    }
    same = sum(own == sorted(own) for own in grown.values())
    assert (facts["asked-same"], facts["asked-seeds"]) == (same, len(seeds))
    assert facts["asked"] == ("asked-all" if same == len(seeds) else "asked-not")
    assert (facts["exchanged"] == "none") == (same == len(seeds))
    assert chapter.seed_by_seed("haviv") == {"asked": ""}


def test_the_exercise_counts_the_pairs_that_seeds_tell_apart():
    ratios = {
        key: {s: one.losses[1].loss / one.losses[0].loss for s, one in read(KEPT).runs[key].items()}
        for key in ("sinusoidal", "rope", "alibi")
    }
    count = 0
    for one, other in combinations(ratios.values(), 2):
        common = sorted(set(one) & set(other))
        count += distinguishable(*(torch.tensor([each[seed] for seed in common]) for each in (one, other)))
    for guess in range(4):
        right, facts = chapter.pairs_apart(guess)
        assert right == (guess == count)
        assert facts["count"] == count
    assert len([name for name in facts["told"].split("; ") if " and " in name]) == count
    assert facts["n"] == min(map(len, ratios.values()))


def test_one_encoding_has_its_own_sentence(monkeypatch):
    facts = chapter.one_encoding("alibi")
    losses = [training.losses for training in read(KEPT).runs["alibi"].values()]
    ratios = [one[-1].loss / one[0].loss for one in losses]
    assert facts["section"] == "elsewhere-one"
    assert facts["ratio"] == pytest.approx(sum(one[-1].loss for one in losses) / sum(one[0].loss for one in losses))
    assert (facts["min"], facts["max"]) == (pytest.approx(min(ratios)), pytest.approx(max(ratios)))
    monkeypatch.setattr(chapter, "trained", dict)
    assert chapter.one_encoding("alibi") == {"section": "elsewhere-none", "title": "ALiBi"}


def test_several_encodings_are_named_in_their_order():
    facts = chapter.several(("rope", "alibi"))
    assert facts["names"].startswith("RoPE × ")
    assert "; ALiBi × " in facts["names"]
    assert facts["all"] == len(ENCODINGS)
    assert facts["holds"] == chapter.ranking(8).facts["holds"]
    assert (facts["multiple"], facts["length"]) == (8, 512)


def test_a_gallery_that_is_made_anew_is_read_anew(other_file):
    first = chapter.ranking(8, other_file)
    losses = {key: {0: rising(1.5, ratio)} for key, ratio in (("none", 1.1), ("rope", 1.3))}
    with open(other_file, "w", encoding="utf-8") as file:
        file.write(to_json(made(losses)))
    assert len(chapter.ranking(8, other_file).frames["rows"]) == 2 < len(first.frames["rows"])


def test_heights_leave_room_for_every_row():
    assert chapter.ranking_height() == 130 + 21 * len(ENCODINGS)
    assert chapter.repairs_height("rope") == 130 + 21 * len(chapter.repairs("rope", 8).frames["rows"])
    assert chapter.orders_height("kazemnejad") == 90 + 62 * 3
