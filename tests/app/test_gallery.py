"""The gallery's page: what it says by default and at other lengths, its closer looks, its exercise, and bad links."""

import math
import re
from itertools import pairwise

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import KEPT, read, standings
from pe_core.lab.results.papers import TABLES, compare
from pe_core.measures.agreement import distinguishable
from tests.app.opened import frames, opened, sentences

PAGE = "gallery"
# How many charts the page has with each look.
LOOKS = {"Loss by length": 2, "Paper and ours": 2, "Repairs": 3, "All numbers": 1, "Exercise": 1}


@pytest.fixture(scope="module")
def gallery():
    return read(KEPT)


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


@pytest.mark.parametrize("multiple", MULTIPLES[1:])
def test_the_verdicts_are_counted_from_the_losses(gallery, multiple):
    at = sound(opened(PAGE, **{} if multiple == 8 else {"gal_multiple": str(multiple)}))
    assert not at.warning
    counts = {"holds": 0, "degrades": 0, "breaks": 0, "not learned": 0}
    for by_seed in gallery.runs.values():
        losses = [training.losses for training in by_seed.values()]
        start, end = (sum(one[place].loss for one in losses) for place in (0, MULTIPLES.index(multiple)))
        if start / len(losses) >= gallery.text.unigram_loss:
            counts["not learned"] += 1
        else:
            counts["holds" if end / start <= 1.1 else "degrades" if end / start < 1.5 else "breaks"] += 1
    assert f"of {len(ENCODINGS)} encodings **{counts['holds']} hold**" in said(at)
    tail = f"{counts['degrades']} degrade, {counts['breaks']} break and {counts['not learned']} have not learned"
    assert tail in said(at)
    assert f"**{multiple} times** the training length ({64 * multiple} characters)" in said(at)


def test_neighbours_are_counted_and_joined(gallery):
    at = sound(opened(PAGE))
    rows = [one for one in standings(gallery, 8) if one.verdict != "not learned"]
    told = []
    for one, other in pairwise(rows):
        common = sorted(set(one.ratios) & set(other.ratios))
        pair = [torch.tensor([each.ratios[seed] for seed in common]) for each in (one, other)]
        told.append(distinguishable(*pair))
    assert f"Of {len(told)} neighbours in the list, **{told.count(False)} are not distinguishable**" in said(at)
    assert len(frames(at)[0]["joined"]) == 2 * told.count(False)


def test_the_sample_sizes_versions_and_settings_stand_below(gallery):
    at, n = opened(PAGE), sum(map(len, gallery.runs.values()))
    assert f"{n} runs (" in said(at)
    assert f"torch {gallery.versions['torch']}" in said(at)
    assert f"{gallery.settings['steps']} steps of {gallery.settings['batch_size']} texts" in said(at)
    labels = frames(at)[0]["rows"].set_index("name").label
    for key, by_seed in gallery.runs.items():
        assert labels[ENCODINGS[key].title].endswith(f"n={len(by_seed)}")


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("multiple", ["2", "8"])
def test_every_look_at_both_ends(look, multiple):
    assert not sound(opened(PAGE, gal_look=look, gal_multiple=multiple)).warning


def test_losses_in_the_text_are_those_of_the_file(gallery):
    at = sound(opened(PAGE, gal_encodings=["rope", "fire"]))
    for key in ("rope", "fire"):
        losses = [training.losses for training in gallery.runs[key].values()]
        start, end = (sum(one[place].loss for one in losses) / len(losses) for place in (0, -1))
        assert f"{ENCODINGS[key].title} {start:.3f} and {end:.3f} (n={len(losses)})" in said(at)
    assert set(frames(at)[1]["lines"].name.str.replace(r" \(n=\d\)", "", regex=True)) == {"RoPE", "FIRE"}


def test_the_lab_opens_with_what_is_shown():
    (link,) = opened(PAGE, gal_encodings=["rope", "fire"]).get("page_link")
    assert link.proto.query_string.replace("&", " ").split() == ["encodings=rope", "encodings=fire"]


def test_nothing_chosen_and_too_much_chosen():
    none = opened(PAGE, gal_encodings=[""])
    assert not none.exception
    assert "Choose at least one encoding." in said(none)
    many = sound(opened(PAGE, gal_encodings=list(ENCODINGS)))
    assert [element.value for element in many.warning] == [
        f"At most 8 encodings can be told apart in one picture; of the {len(ENCODINGS)} chosen the first 8 are shown."
    ]
    assert frames(many)[1]["lines"].name.nunique() == 8


@pytest.mark.parametrize("key", [key for key, table in TABLES.items() if table.repairs_of is None])
@pytest.mark.parametrize("multiple", [2, 8])
def test_papers_and_ours(gallery, key, multiple):
    at = sound(opened(PAGE, gal_look="Paper and ours", gal_table=key, gal_multiple=str(multiple)))
    nearest = {"kazemnejad": {2: 2, 8: 3}, "haviv": {2: 1, 8: 1}}.get(key, {2: 2, 8: 8})[multiple]
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
            losses = gallery.runs[key][seed].losses
            grown.append(math.exp(losses[1].loss - losses[0].loss))
        agreeing += grown == sorted(grown)
    if agreeing == len(seeds):
        assert f"agrees with Press et al.** with all {len(seeds)} seeds." in said(at)
    else:
        assert f"With {agreeing} of {len(seeds)} seeds it does" in said(at)
        assert re.search(r"the other way round: .*T5 bias and RoPE", said(at))


def test_repairs_are_compared_with_those_of_su(gallery):
    at = sound(opened(PAGE, gal_look="Repairs"))
    by_seed = gallery.runs["rope"].values()
    plain = sum(one.losses[-1].loss for one in by_seed) / sum(one.losses[0].loss for one in by_seed)
    assert f"8 times its training length, has **{plain:.2f}** times the loss (n={len(by_seed)})" in said(at)
    found = compare(TABLES["su"], gallery, 8)
    assert f"Kendall's tau is {found.tau:.2f}" in said(at)
    rows = frames(at)[1]["rows"]
    assert len(rows) == 1 + len(next(iter(by_seed)).repaired)
    assert rows.group.value_counts()["as trained"] == 1


def test_all_numbers_can_be_sorted(gallery):
    table = sound(opened(PAGE, gal_look="All numbers", gal_multiple="4")).dataframe[0].value
    assert len(table) == len(ENCODINGS)
    rope = table.set_index("Encoding").loc["RoPE"]
    losses = [training.losses for training in gallery.runs["rope"].values()]
    assert rope["Loss at 256"] == pytest.approx(sum(one[3].loss for one in losses) / len(losses), abs=5e-4)
    assert rope["n"] == len(losses)
    assert rope["Parameters"] == gallery.runs["rope"][0].n_parameters
    assert rope["Least"] <= rope["Ratio"] <= rope["Greatest"]


def pairs_apart(gallery):
    ratios = {
        key: {seed: one.losses[1].loss / one.losses[0].loss for seed, one in gallery.runs[key].items()}
        for key in ("sinusoidal", "rope", "alibi")
    }
    count = 0
    for one, other in (("sinusoidal", "rope"), ("sinusoidal", "alibi"), ("rope", "alibi")):
        common = sorted(set(ratios[one]) & set(ratios[other]))
        count += distinguishable(*(torch.tensor([ratios[key][seed] for seed in common]) for key in (one, other)))
    return count


@pytest.mark.parametrize("right", [True, False])
def test_the_exercise_is_answered_by_the_test(gallery, right):
    at, count = opened(PAGE, gal_look="Exercise"), pairs_apart(gallery)
    guess = count if right else (count + 1) % 4
    at.number_input(key="gal_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    message = (at.success or at.warning)[0].value
    assert re.match(rf"Right: {count} " if right else rf"Not {guess} but {count} ", message)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("gal_multiple", "1", "be one of 2, 3, 4, 6, 8"),
        ("gal_multiple", "5", "be one of 2, 3, 4, 6, 8"),
        ("gal_multiple", "1e99", "be one of 2, 3, 4, 6, 8"),
        ("gal_multiple", "nan", "be one of 2, 3, 4, 6, 8"),
        ("gal_look", "<script>alert(1)</script>", f"be one of {', '.join(LOOKS)}"),
    ],
)
def test_bad_links_are_named_and_the_default_stands_in(name, value, rule):
    at = sound(opened(PAGE, **{name: value}))
    assert [element.value for element in at.warning] == [
        f"The link asks for something else than this page has: `{name} must {rule}, got '{value}'`. "
        f"Shown instead: {'8' if name == 'gal_multiple' else 'Loss by length'}."
    ]


def test_bad_encodings_and_tables_are_named():
    encodings = sound(opened(PAGE, gal_encodings=["nope", "rope"]))
    assert "gal_encodings must be among" in encodings.warning[0].value
    assert "got nope`. Shown instead: rope." in encodings.warning[0].value
    table = sound(opened(PAGE, gal_look="Paper and ours", gal_table="su"))  # a table of repairs stands elsewhere
    assert "gal_table must be one of press_512, press_1024, kazemnejad, haviv, got 'su'" in table.warning[0].value
