"""Home shows the length cliff with no click, and every number of it is that of the kept run."""

import json
import statistics

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.results import record_file
from tests.app.opened import ROOT, frames, opened, said, sentences

KEPT = (ROOT / "pe_core" / "runs" / "default.json").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def home():
    return opened("home")


@pytest.fixture(scope="module")
def kept():
    """The file as it stands there, read by no code of ours."""
    return json.loads(KEPT)


def ends(kept, key):
    lengths = kept["outcomes"][key]["lengths"]
    return lengths[0]["loss"], lengths[-1]["loss"]


def compared(kept, key):
    """The two losses of the verdict: of the same characters, or in files from before that was measured of windows."""
    last = kept["outcomes"][key]["lengths"][-1]
    return (last["within"], last["end"]) if "end" in last else ends(kept, key)


def test_one_number_per_encoding_and_each_is_that_of_the_run(home, kept):
    record = record_file.from_json(KEPT)
    assert [metric.label for metric in home.metric] == [ENCODINGS[key].title for key in kept["outcomes"]]
    for metric, key in zip(home.metric, kept["outcomes"], strict=True):
        at_training_length, at_max_length = compared(kept, key)
        assert metric.value == f"× {at_max_length / at_training_length:.2f}"
        assert metric.delta == f"{record.verdict(key)}: {at_training_length:.2f} → {at_max_length:.2f}"


def test_the_colour_of_a_number_says_whether_the_encoding_survives(home, kept):
    colours = {metric.label: metric.proto.MetricColor.Name(metric.proto.color) for metric in home.metric}
    expected = {"holds": "GREEN", "degrades": "ORANGE", "breaks": "RED", "not learned": "GRAY"}
    verdicts = {ENCODINGS[key].title: outcome["verdict"] for key, outcome in kept["outcomes"].items()}
    assert colours == {title: expected[verdict] for title, verdict in verdicts.items()}


def test_the_kept_run_shows_a_cliff_and_an_encoding_without_one(kept):
    """What the page promises: otherwise it teaches nothing without a click."""
    verdicts = {outcome["verdict"] for outcome in kept["outcomes"].values()}
    assert {"holds", "breaks"} <= verdicts


def test_both_pictures_carry_the_losses_of_the_run(home, kept):
    by_position, by_length, _ = frames(home)
    for key in kept["outcomes"]:
        losses = [loss["loss"] for loss in kept["outcomes"][key]["lengths"]]
        lines = by_length["lines"][by_length["lines"]["name"] == ENCODINGS[key].title]
        assert lines["y"].tolist() == losses
        positions = by_position["lines"][by_position["lines"]["name"] == ENCODINGS[key].title]
        assert positions["x"].max() == kept["settings"]["train_length"] * 8
        assert positions["y"].mean() == pytest.approx(losses[-1], abs=1e-4)
    for chart in (by_position, by_length):
        assert chart["marks"]["x"].tolist() == [kept["settings"]["train_length"]]
        assert chart["end"]["x"].tolist() == [kept["settings"]["train_length"] * 8]
        assert chart["guesses"]["y"].tolist() == [kept["text"]["unigram_loss"], kept["text"]["chance_loss"]]


def test_the_pictures_are_said_in_words(home, kept):
    for sentence in sentences(home)[:2]:
        for key in kept["outcomes"]:
            first, last = ends(kept, key)
            said = f"{ENCODINGS[key].title}: loss {first:.2f} at the training length of 64, {last:.2f} at 512; "
            assert said + kept["outcomes"][key]["verdict"] in sentence


def test_the_last_picture_has_every_seed_of_the_gallery(home):
    """The losses of the file, read by no code of ours."""
    gallery = json.loads((ROOT / "pe_core" / "runs" / "gallery.json").read_text(encoding="utf-8"))
    *_, chart = frames(home)
    own = [row for row in gallery["trainings"] if not row["repair"]]
    common = set.intersection(*({row["seed"] for row in own if row["encoding"] == key} for key in ENCODINGS))
    for key in ("none", "sinusoidal", "rope", "t5", "alibi"):
        rows = [row for row in gallery["trainings"] if (row["encoding"], row["repair"]) == (key, "")]
        assert len(rows) >= 3
        lines = chart["lines"][chart["lines"]["name"] == f"{ENCODINGS[key].title} (n={len(rows)})"]
        means = [statistics.fmean(losses) for losses in zip(*(row["loss"] for row in rows), strict=True)]
        assert lines["y"].tolist() == pytest.approx(means, rel=1e-9)
        ranked = [row for row in rows if row["seed"] in common]
        if "end" in rows[0]:
            ratio = sum(row["end"][-1] for row in ranked) / sum(row["within"][-1] for row in ranked)
        else:
            ratio = sum(row["loss"][-1] for row in ranked) / sum(row["loss"][0] for row in ranked)
        assert f"{ENCODINGS[key].title} × {ratio:.2f} (n={len(ranked)}, " in said(home)


def test_the_texts_name_the_lengths_and_the_run(home, kept):
    text = " ".join(paragraph.value for paragraph in home.markdown)
    settings = kept["settings"]
    assert f"**{settings['train_length']} characters**" in text
    assert f"**{settings['train_length'] * 8}**" in text
    weights = [outcome["n_weights"] for outcome in kept["outcomes"].values()]
    assert f"{weights[0]:,} parameters, {settings['steps']} steps on *{kept['text']['name']}*, seed 0" in text


def test_every_chapter_and_the_lab_have_a_way_in(home):
    pages = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
    assert {link.proto.page or "home" for link in home.page_link} | {"home"} == set(pages)


def test_the_way_in_counts_the_encodings_of_the_registry(home):
    assert any(text.value.startswith(f"{len(ENCODINGS)} encodings") for text in home.markdown)
