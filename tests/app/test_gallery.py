"""The gallery's page: what it says by default and at other lengths, its closer looks, its exercise, and bad links."""

import math
import re
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
import torch

from pe_core.chapters import gallery as chapter
from pe_core.chapters import gallery_papers
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import KEPT, KEPT_PROGRAM, SeedRun, read, standings
from pe_core.lab.results.larger import LARGER
from pe_core.lab.results.papers import TABLES, compare
from pe_core.lab.results.statistics import compared
from pe_core.measures.agreement import holm, p_value
from tests.app.opened import frames, opened, sentences

PAGE = "gallery"
# How many charts the page has with each look.
LOOKS = {
    "Loss by length": 2,
    "Repairs": 3,
    "All numbers": 2,
    "Exercise": 1,
    "Paper and ours": 2,
    "Another text": 2,
    "Larger models": 2,
}


@pytest.fixture(scope="module")
def gallery():
    return read(KEPT)


@pytest.fixture(scope="module")
def common(gallery):
    """The seeds that all encodings were trained with, which alone are ranked."""
    return sorted(set.intersection(*map(set, gallery.runs.values())))


def said(at):
    return "\n".join(element.value for element in [*at.markdown, *at.caption])


def sound(at):
    assert not at.exception
    assert not at.error
    assert len(frames(at)) == len(sentences(at)) == LOOKS[at.session_state["gal_look"]]
    for data in frames(at):
        assert not any(frame.isna().any(axis=None) for frame in data.values())
        assert not any(frame.empty for name, frame in data.items() if name != "joined")
    assert all(len(sentence) > 20 for sentence in sentences(at))
    assert "[[" not in said(at) + "".join(sentences(at))
    return at


@pytest.mark.parametrize("multiple", [2, 8])
def test_the_verdicts_are_counted_from_the_losses(gallery, common, multiple):
    at = sound(opened(PAGE, gal_measure="whole", **{} if multiple == 8 else {"gal_multiple": str(multiple)}))
    assert not at.warning
    counts = {"holds": 0, "degrades": 0, "breaks": 0, "not learned": 0}
    for by_seed in gallery.runs.values():
        losses = [by_seed[seed].losses for seed in common]
        start, end = (sum(one[place].loss for one in losses) for place in (0, MULTIPLES.index(multiple)))
        if start / len(losses) >= gallery.text.unigram_loss:
            counts["not learned"] += 1
        else:
            counts["holds" if end / start <= 1.1 else "degrades" if end / start < 1.5 else "breaks"] += 1
    assert f"of {len(ENCODINGS)} encodings **{counts['holds']} hold**" in said(at)
    tail = f"{counts['degrades']} degrade, {counts['breaks']} break and {counts['not learned']} have not learned"
    assert tail in said(at)
    assert f"**{multiple} times** the training length ({64 * multiple} characters)" in said(at)


def test_neighbours_are_counted_and_joined(gallery, common):
    at = sound(opened(PAGE, gal_look="All numbers"))
    rows = [one for one in standings(gallery, 8) if one.verdict != "not learned"]
    ratios = [torch.tensor([one.ratios[seed] for seed in common], dtype=torch.float64) for one in rows]
    told = [p < 0.05 for p in holm([p_value(one - other) for one, other in pairwise(ratios)])]
    n = len(told)
    assert f"All {len(ENCODINGS)} are compared over the same {len(common)} seeds." in said(at)
    assert f"Of {n} pairs of neighbours in the list that were tested, the seeds tell **{told.count(True)}" in said(at)
    assert f"Holm's correction for {n} tests; **{told.count(False)} are not distinguishable**" in said(at)
    assert len(frames(at)[1]["joined"]) == 2 * told.count(False)


def test_the_sample_sizes_versions_and_settings_stand_below(gallery, common):
    at, n = opened(PAGE, gal_look="All numbers"), sum(map(len, gallery.runs.values()))
    assert f"{n} runs (" in said(at)
    assert f"torch {gallery.versions['torch']}" in said(at)
    assert f"{gallery.settings['steps']} steps of {gallery.settings['batch_size']} texts" in said(at)
    labels = frames(at)[1]["rows"].set_index("name").label
    assert len(labels) == len(gallery.runs)
    assert all(label.endswith(f"n={len(common)}") for label in labels)


def test_the_page_says_which_measure_it_shows_and_whose_verdict_is_another_by_the_other(monkeypatch):
    """The kept gallery with an end that is made up: six tenths more than within the training length, at any length."""

    def ended(losses):
        within = losses[0].loss
        more = [replace(one, end=1.6 * within, within=within, blocks=(0.6 * within,) * 4) for one in losses[1:]]
        return (replace(losses[0], end=within, within=within), *more)

    kept = read(KEPT)
    runs = {
        key: {
            seed: SeedRun(1, ended(one.losses), {name: ended(losses) for name, losses in one.repaired.items()})
            for seed, one in by_seed.items()
        }
        for key, by_seed in kept.runs.items()
    }
    ended_later = replace(kept, runs=runs)
    for module in (chapter, gallery_papers):
        monkeypatch.setattr(module, "gallery_of", lambda file="": ended_later)
    monkeypatch.setattr(chapter, "order", lambda multiple, measure, file="": standings(ended_later, multiple, measure))
    end, whole = (said(sound(opened(PAGE, gal_look="All numbers", gal_measure=one))) for one in ("end", "whole"))
    assert "**At the end of the window.** The last 32 characters of each long window have at least 480" in end
    assert "lies within the training length: 12.5% of the window" in end
    assert f"**0 hold** (best kept: none), 0 degrade, {len(kept.runs)} break" in end
    assert "**As in Press et al.**: the mean loss over whole windows" in whole
    assert re.search(r"\*breaks\* by the one and \*(holds|degrades)\* by the other", end)
    assert re.search(r"\*breaks\* by the one and \*(holds|degrades)\* by the other", whole)
    sound(opened(PAGE, gal_look="Paper and ours"))


def test_losses_in_the_text_are_those_of_the_file(gallery, common):
    at = sound(opened(PAGE, gal_encodings=["rope", "fire"]))
    for key in ("rope", "fire"):
        losses = [gallery.runs[key][seed].losses for seed in common]
        start, end = (sum(one[place].loss for one in losses) / len(losses) for place in (0, -1))
        assert f"{ENCODINGS[key].title} {start:.3f} and {end:.3f} (n={len(losses)})" in said(at)
    assert set(frames(at)[1]["lines"].name.str.replace(r" \(n=\d\)", "", regex=True)) == {"RoPE", "FIRE"}


def test_the_lab_opens_with_what_is_shown():
    links = opened(PAGE, gal_encodings=["rope", "fire"]).get("page_link")
    (link,) = [link for link in links if link.proto.query_string]
    assert link.proto.query_string.replace("&", " ").split() == ["encodings=rope", "encodings=fire"]


def test_nothing_chosen_and_too_much_chosen():
    none = opened(PAGE, gal_encodings=[""])
    assert not none.exception
    assert "Choose at least one encoding." in said(none)
    many = sound(opened(PAGE, gal_encodings=list(ENCODINGS)))
    assert [element.value for element in many.warning] == [
        "A picture shows at most 8 encodings, so that they can be told apart. "
        f"Of the {len(ENCODINGS)} chosen the first 8 are shown."
    ]
    assert frames(many)[1]["lines"].name.nunique() == 8


@pytest.mark.parametrize(("key", "multiple", "nearest"), [("press_1024", 2, 2), ("kazemnejad", 8, 3), ("haviv", 8, 1)])
def test_papers_and_ours(gallery, key, multiple, nearest):
    at = sound(opened(PAGE, gal_look="Paper and ours", gal_table=key, gal_multiple=str(multiple)))
    found = compare(TABLES[key], gallery, nearest)
    verdict = "The orders agree" if found.tau == 1 else "The orders differ"
    assert f"**{verdict}**: Kendall's tau is {found.tau:.2f}" in said(at)
    assert f"Taken alone, {found.n_same} of {len(found.by_seed)} seeds give" in said(at)
    assert TABLES[key].link in said(at)


def test_press_et_al_at_twice_the_length_is_answered_seed_by_seed(gallery):
    at = sound(opened(PAGE, gal_look="Paper and ours"))
    seeds = set.intersection(*(set(gallery.runs[key]) for key in ("alibi", "t5", "rope", "sinusoidal")))
    agreeing = 0
    for seed in seeds:
        grown = []
        for key in ("alibi", "t5", "rope", "sinusoidal"):  # the paper's order
            within, end = compared(gallery.runs[key][seed].losses[:2])
            grown.append(math.exp(end - within))
        agreeing += grown == sorted(grown)
    if agreeing == len(seeds):
        assert f"agrees with Press et al.** with all {len(seeds)} seeds." in said(at)
    else:
        assert f"With {agreeing} of {len(seeds)} seeds it does" in said(at)
        assert re.search(r"in the other order: .*T5 bias and RoPE", said(at))


def test_repairs_are_compared_with_those_of_su(gallery):
    at = sound(opened(PAGE, gal_look="Repairs", gal_measure="whole"))
    by_seed = gallery.runs["rope"].values()
    plain = sum(one.losses[-1].loss for one in by_seed) / sum(one.losses[0].loss for one in by_seed)
    assert f"8 times its training length, has **{plain:.2f}** times the loss (n={len(by_seed)})" in said(at)
    found = compare(TABLES["su"], gallery, 8, "whole")
    assert f"Kendall's tau is {found.tau:.2f}" in said(at)
    rows = frames(at)[1]["rows"]
    assert len(rows) == 1 + len(next(iter(by_seed)).repaired)
    assert rows.group.value_counts()["as trained"] == 1


@pytest.mark.parametrize("multiple", [2, 8])
def test_larger_models_are_beside_the_small_ones(multiple):
    at = sound(opened(PAGE, gal_look="Larger models", gal_multiple=str(multiple)))
    small, large = ({one.key: one for one in standings(read(path), multiple)} for path in (KEPT_PROGRAM, LARGER))
    points = frames(at)[1]["points"].set_index("name")
    assert len(points) == len(large) == 8
    for key, one in large.items():
        assert (points["first"][one.title], points.second[one.title]) == (small[key].mean, one.mean)
        assert f"| {one.title} | {small[key].trained:.2f} | {small[key].mean:.2f} | {one.trained:.2f} |" in said(at)
    places = [sorted(large, key=lambda key: side[key].mean) for side in (small, large)]
    moves = {key: abs(places[0].index(key) - places[1].index(key)) for key in large}
    rho = 1 - 6 * sum(move**2 for move in moves.values()) / (8 * 63)
    assert f"rank correlation of the two orders is **{rho:.2f}**" in said(at)
    [words] = re.findall(r"Most places moved \((\d), among these 8\): (.*?)\. How", said(at))
    assert int(words[0]) == max(moves.values())
    assert words[1].split("; ") == [
        f"{large[key].title} from {places[0].index(key) + 1} to {places[1].index(key) + 1}"
        for key in places[0]
        if moves[key] == max(moves.values())
    ]
    assert "**1 seed**, 500 steps of 64 texts, with PyTorch 2.11.0+cu130." in said(at)
    assert "after only 100 steps, with 3 seeds" in said(at)


def test_all_numbers_can_be_sorted(gallery, common):
    table = sound(opened(PAGE, gal_look="All numbers", gal_multiple="4", gal_measure="whole")).dataframe[0].value
    assert len(table) == len(ENCODINGS)
    rope = table.set_index("Encoding").loc["RoPE"]
    losses = [gallery.runs["rope"][seed].losses for seed in common]
    start, end = (sum(one[place].loss for one in losses) / len(losses) for place in (0, 3))
    assert rope["Bits more"] == pytest.approx((end - start) / math.log(2), abs=5e-4)
    assert rope["Bits more from"] <= rope["Bits more"] <= rope["Bits more to"]
    assert rope["Loss at 256"] == pytest.approx(sum(one[3].loss for one in losses) / len(losses), abs=5e-4)
    assert rope["n"] == len(losses)
    assert rope["Parameters"] == gallery.runs["rope"][0].n_parameters
    assert rope["Minimum"] <= rope["Ratio"] <= rope["Maximum"]


def pairs_apart(gallery, common):
    ratios = {}
    for key in ("sinusoidal", "rope", "alibi"):
        two = [compared(gallery.runs[key][seed].losses[:2]) for seed in common]
        ratios[key] = torch.tensor([end / within for within, end in two], dtype=torch.float64)
    return sum(p < 0.05 for p in holm([p_value(one - other) for one, other in combinations(ratios.values(), 2)]))


def test_the_exercise_is_answered_by_the_test(gallery, common):
    at, count = opened(PAGE, gal_look="Exercise"), pairs_apart(gallery, common)
    for guess in (count, (count + 1) % 4):
        right = guess == count
        at.number_input(key="gal_guess").set_value(guess).run()
        assert len(sound(at).success) == right
        message = (at.success or at.warning)[0].value
        assert re.match(rf"Right: {count} " if right else rf"Not {guess} but {count} ", message)


def test_bad_links_are_named_and_the_default_stands_in():
    at = sound(opened(PAGE, gal_multiple="5", gal_look="<script>alert(1)</script>", gal_encodings=["nope", "rope"]))
    warned = sorted(element.value for element in at.warning)
    encodings, *others = warned
    asked = "This page cannot show what the link asks for: "
    assert encodings.startswith(f"{asked}`gal_encodings must be among")
    assert encodings.endswith("got nope`. Shown instead: rope.")
    assert others == [
        f"{asked}`gal_look must be one of {', '.join(LOOKS)}, got '<script>alert(1)</script>'`. "
        "Shown instead: Loss by length.",
        f"{asked}`gal_multiple must be one of 2, 3, 4, 6, 8, got '5'`. Shown instead: 8.",
    ]
    table = sound(opened(PAGE, gal_look="Paper and ours", gal_table="su"))  # a table of repairs stands elsewhere
    assert "gal_table must be one of press_512, press_1024, kazemnejad, haviv, got 'su'" in table.warning[0].value
