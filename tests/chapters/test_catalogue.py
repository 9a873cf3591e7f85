"""The catalogue: pictures of any entry, by hand and loops, the Python that makes them, and the walls of all entries."""

import base64
import io
import math
from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image

from pe_core.chapters import catalogue as pictures
from pe_core.chapters import wall
from pe_core.chapters.wall import HEAD, Tile, drawn, with_chosen
from pe_core.encodings import ENCODINGS
from pe_core.figures.looks.palette import SHADES, lookup_table
from pe_core.positions import REMAPS
from tests.cases import each
from tests.chapters.offered import alike, offered

SCORED = {"encoding": "t5", "parameters": {}, "length": 64, "train_length": 32, "head_dim": 32, "n_heads": 4}
ADDED = {"encoding": "learned", "parameters": {}, "length": 64, "train_length": 32, "d_model": 64}
SCALED = {"scaling": "yarn", "parameters": {}, "factor": 4, "train_length": 2_048, "head_dim": 128, "base": 10_000}
MASKED = {"mask": "sinks", "parameters": {}, "length": 64, "train_length": 32}
TOLD = {"remap": "randomised", "parameters": {}, "length": 64, "train_length": 32, "max_length": 256}
FIRST = {
    pictures.table: ADDED,
    pictures.similarity_by_distance: ADDED,
    pictures.scores: {**SCORED, "head": 1, "layer": 0},
    pictures.scores_by_distance: {**SCORED, "layer": 0},
    pictures.scaled_wavelengths: SCALED,
    pictures.may_attend: MASKED,
    pictures.positions_told: TOLD,
}
OF_TABLE = {"encoding": "sinusoidal", "parameters": {"std": 0.5}, "length": 96, "train_length": 16, "d_model": 8}
OF_HEADS = {"head_dim": 8, "n_heads": 1, "layer": 1}
OF_SCORES = {"encoding": "alibi", "parameters": {"n_buckets": 8}, "length": 80, "train_length": 200, **OF_HEADS}
OF_PAIRS = {"train_length": 64, "head_dim": 16, "base": 500}
CHANGED = {  # every argument has another value
    pictures.table: OF_TABLE,
    pictures.similarity_by_distance: OF_TABLE,
    pictures.scores: {**OF_SCORES, "head": 3},
    pictures.scores_by_distance: OF_SCORES,
    pictures.scaled_wavelengths: {"scaling": "pi", "parameters": {"beta_slow": 2.0}, "factor": 16, **OF_PAIRS},
    pictures.may_attend: {"mask": "causal", "parameters": {"n_sinks": 0}, "length": 80, "train_length": 16},
    pictures.positions_told: {"remap": "consecutive", "length": 16, "train_length": 16, "max_length": 1_024},
}
BEFORE = {  # what else has to be changed, so that it makes a difference
    (pictures.table, "train_length"): {"parameters": {"beyond": "clamp"}},
    (pictures.similarity_by_distance, "train_length"): {"parameters": {"beyond": "clamp"}},
    (pictures.scores, "layer"): {"encoding": "rope_layers"},
    (pictures.scores_by_distance, "layer"): {"encoding": "rope_layers"},
}


@each("draw", FIRST)
def test_every_argument_changes_the_picture_and_the_offered_python_makes_it(draw, tmp_path):
    no_remap_has_any = {"parameters"} if not any(spec.parameters for spec in REMAPS.values()) else set()
    assert set(CHANGED[draw]) == set(FIRST[draw]) - (no_remap_has_any if "remap" in FIRST[draw] else set())
    first = draw(**FIRST[draw])
    assert alike(offered(partial(draw, **FIRST[draw]), tmp_path), first)
    for name, value in CHANGED[draw].items():
        beside = BEFORE.get((draw, name), {})
        call = {**FIRST[draw], **beside}
        changed = draw(**{**call, name: value})
        assert not alike(draw(**call) if beside else first, changed), name
        if name == "parameters" or beside:
            assert alike(offered(partial(draw, **{**call, name: value}), tmp_path), changed), name


def numbers(figure):
    """The numbers behind the image of a table, as its file has them: without the index of the rows."""
    return figure.tables()["table"].to_numpy()[:, 1:]


@each("key", ENCODINGS)
def test_every_encoding_has_its_pictures(key):
    call = {**SCORED, "encoding": key, "length": 24, "train_length": 64, "layer": 1}  # shorter than any window
    assert np.isfinite(numbers(pictures.scores(**call, head=2))).sum() >= 24 * 25 // 2
    assert len(pictures.scores_by_distance(**call).frames["lines"]) >= 24
    assert numbers(pictures.table(**{**ADDED, "encoding": key, "length": 24})).shape == (24, 64)


def test_a_layer_shows_the_keys_that_its_own_mask_lets_it_see():
    call = {**SCORED, "encoding": "gemma3", "parameters": {"window": 0.25}, "length": 24, "head": 1}  # 8 keys
    local, full = (pictures.scores(**call, layer=layer) for layer in range(2))
    assert (local.facts["hidden"], full.facts["hidden"]) == (24 * 24 - (24 * 8 - 8 * 7 // 2), 0)


def test_the_ends_of_a_table_and_of_its_dot_products():
    call = {"encoding": "sinusoidal", "parameters": {}, "length": 2, "train_length": 32, "d_model": 4}
    facts = pictures.table(**call).facts
    assert (facts["channels"], facts["last"], facts["finite"]) == (4, 1, True)
    assert (facts["lowest"], facts["highest"]) == (0.0, 1.0)
    facts = pictures.similarity_by_distance(**call).facts
    assert facts["how"] == "relative"
    assert facts["spread"] == "no more than rounding"
    assert (facts["near"], facts["far"]) == (pytest.approx(2), pytest.approx(math.cos(1) + math.cos(0.01)))
    assert facts["distance"] == 1


def test_what_scores_depend_on():
    for key, how in (("none", "constant"), ("rope", "relative"), ("alibi", "relative")):
        assert pictures.scores_by_distance(**{**SCORED, "encoding": key}, layer=0).facts["how"] == how
    facts = pictures.similarity_by_distance(**ADDED).facts  # a learned table: nothing ties its rows to a distance
    assert facts["how"] == "absolute"
    values = pictures.vectors(**ADDED)
    products = values @ values.T
    spreads = [products.diagonal(-one).max() - products.diagonal(-one).min() for one in range(64)]
    assert facts["spread"] == f"up to {float(max(spreads)):.4g}"
    assert facts["near"] == pytest.approx(float(products.diagonal().mean()))
    assert facts["far"] == pytest.approx(float(products[63, 0]))


def test_the_scores_of_a_head_have_its_ends_and_what_it_hides():
    call = {**SCORED, "encoding": "alibi", "length": 5, "n_heads": 2}
    facts = pictures.scores(**call, head=2, layer=0).facts
    content = 1 / math.sqrt(32)
    assert (facts["last"], facts["hidden"]) == (4, 10)
    assert (facts["lowest"], facts["highest"]) == (pytest.approx(content - 4 * 2.0**-8), pytest.approx(content))
    facts = pictures.scores_by_distance(**call, layer=0).facts
    assert (facts["groups"], facts["finite"], facts["distance"]) == (2, True, 4)
    assert facts["far"] == pytest.approx(content - 4 * 2.0**-4)  # of the first head
    assert pictures.scores_by_distance(**{**call, "encoding": "rope"}, layer=0).facts["groups"] == 1


def test_what_is_learned_is_counted():
    learned = pictures.of_encoding("learned", {}, 32, 16, 1)
    assert learned == {"answer": 256 * 16, "sizes": "table 256 × 16", "seed": 0, "layers-differ": False}
    alibi = pictures.of_encoding("alibi", {}, 32, 64, 4)
    assert (alibi["answer"], alibi["sizes"]) == (0, "")
    assert pictures.of_encoding("rope_layers", {}, 32, 64, 2)["layers-differ"]


@pytest.mark.parametrize(("scaling", "factor"), [("pi", 4), ("plain", 4), ("yarn", 8)])
def test_a_rule_is_counted_pair_by_pair(scaling, factor):
    call = {**SCALED, "scaling": scaling, "factor": factor}
    figure = pictures.scaled_wavelengths(**call)
    facts, pairs = figure.facts, figure.frames["points"]
    old, new = (group.y.to_numpy() for _, group in pairs.groupby("kind", sort=False))
    assert (facts["trained"], facts["target"], facts["pairs"]) == (2_048, 2_048 * factor, 64)
    assert facts["changed"] == sum(abs(new / old - 1) > 1e-8)
    assert facts["unfinished-before"] == sum(old > 2_048)
    assert facts["unfinished-after"] == sum(new > 2_048 * factor)
    assert (facts["slowest-before"], facts["slowest-after"]) == (pytest.approx(old[-1]), pytest.approx(new[-1]))
    assert (facts["pair"], facts["answer"]) == (32, round(100 * new[32] / old[32]))
    assert facts["slower"] == pytest.approx(new[32] / old[32])
    assert facts["stopped"] == 0
    assert facts["of-temperature"] == ("temperature" if scaling == "yarn" else "temperature-none")


def test_a_mask_is_counted_row_by_row():
    facts = pictures.may_attend(**{**MASKED, "mask": "window", "parameters": {"window": 0.25}, "length": 20}).facts
    seen = [min(m + 1, 8) for m in range(20)]
    counted = {"min": 1, "max": 8, "last": 8, "query": 10, "answer": 8}
    assert facts == {"percent": pytest.approx(100 * sum(seen) / 400), **counted}


def test_positions_told_have_ends_and_are_counted():
    facts = pictures.positions_told(**{**TOLD, "remap": "clipped", "length": 40}).facts
    assert facts["trained"] == 32
    assert (facts["training-lowest"], facts["training-highest"]) == (0, 31)
    assert (facts["evaluation-lowest"], facts["evaluation-highest"]) == (0, 31)
    assert facts["answer"] == 32


TILES = {kind: wall.tiles(kind) for kind in wall.REGISTRIES}


def colours_of(tile):
    """The colours and the opacity of a small picture, as a browser decodes it: (rows, columns, 4)."""
    encoded = base64.b64decode(tile.url.removeprefix("data:image/png;base64,"))
    return np.array(Image.open(io.BytesIO(encoded)).convert("RGBA"))


def shown(values):
    return colours_of(Tile("x", "g", "X", "x", values))


@each("kind", wall.REGISTRIES)
def test_every_entry_of_a_registry_is_there_once_and_by_its_group(kind):
    entries = wall.REGISTRIES[kind]
    assert sorted(tile.key for tile in TILES[kind]) == sorted(entries)
    for tile in TILES[kind]:
        entry = entries[tile.key]
        family = getattr(entry, "family", None)
        group = wall.UNNAMED if family == "none" else family or wall.GROUPS[kind]
        assert (tile.title, tile.summary, tile.group) == (entry.title, entry.summary, group)
    groups = [tile.group for tile in TILES[kind]]
    assert groups == sorted(groups, key=groups.index)  # nothing of a group stands apart from it
    assert groups[0] == ("absolute" if kind == "encoding" else wall.GROUPS[kind])


def test_a_new_encoding_appears_by_itself(monkeypatch):
    new = type(ENCODINGS["alibi"])(**{**vars(ENCODINGS["alibi"]), "key": "made_up", "title": "Made up"})
    monkeypatch.setitem(ENCODINGS, "made_up", new)
    assert [tile.group for tile in wall.tiles("encoding") if tile.title == "Made up"] == ["bias"]


def test_a_tile_has_the_table_of_the_catalogue_or_the_scores_of_the_first_head():
    drawn = {key: pictures.table(key, {}, 64, 32, 64) for key in ("sinusoidal", "learned")}
    drawn |= {key: pictures.scores(key, {}, 64, 32, 32, 4, 1, 0) for key in ("alibi", "gemma3", "none")}
    for key, figure in drawn.items():
        assert wall.encoding(key).tolist() == figure.tables()["table"].to_numpy()[:, 1:].tolist()


@each("key", ["pi", "yarn"])
def test_a_rule_shows_how_many_times_slower_each_pair_turns(key):
    for row, factor in zip(wall.scaling(key), wall.FACTORS, strict=True):
        waves = pictures.scaled_wavelengths(key, {}, factor, 2_048, 128, 10_000).frames["points"]
        before, after = (waves[waves.kind == kind].y.to_numpy() for kind in ("as trained", "after the rule"))
        assert 2.0 ** row.numpy() == pytest.approx(after / before, rel=1e-12)


def test_a_mask_and_a_remap_by_hand():
    assert bool((wall.mask("causal") == torch.ones(64, 64).tril().bool()).all())
    line = wall.remap("consecutive")
    assert line.sum() == 64
    assert all(bool(line[63 - token, token]) for token in range(64))
    clipped = wall.remap("clipped")  # from the training length on, all are told its last position
    assert [int(clipped[:, token].nonzero()) for token in (0, 31, 32, 63)] == [63, 32, 32, 32]


def test_every_small_picture_has_a_pixel_for_each_number_and_none_for_what_is_not_finite():
    for kind, tile in ((kind, tile) for kind, tiles in TILES.items() for tile in tiles):
        seen = colours_of(tile)
        assert seen.shape[:2] == tile.values.shape
        drawn = tile.values if kind in ("mask", "remap") else tile.values.isfinite()
        assert (seen[..., 3] == 255).tolist() == drawn.tolist()
        assert drawn.any()


def test_colours_go_from_dark_for_low_numbers_to_pale_for_high_ones():
    seen = shown(torch.tensor([[5.0, 7.0, 6.0, math.inf]]))
    shades = lookup_table(SHADES[::-1])
    assert np.abs(seen[0, :3, :3].astype(int) - shades[[0, 255, 127]]).max() <= 3
    assert seen[0, 3, 3] == 0
    alike = shown(torch.full((2, 2), 3.0))
    assert len(np.unique(alike.reshape(-1, 4), axis=0)) == 1


def test_tiles_are_numbered_within_their_groups_and_the_chosen_one_is_marked():
    values = torch.eye(2)
    tiles = [Tile(key, key[0], f"The title of {key}, a long one", "s", values) for key in ("a1", "a2", "b1")]
    figure = drawn(tiles)
    assert figure.frames["tiles"][["group", "place"]].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert figure.frames["heads"].words.tolist() == ["a (2)", "b (1)"]
    assert figure.frames["tiles"].label[0] == "The title of\na1, a long one"
    assert figure.facts == {"count": 3, "groups": "2 a, 1 b"}
    chosen = with_chosen(figure, "a2").frames["chosen"]
    assert chosen.to_numpy().tolist() == [[0, 1]]
    assert with_chosen(figure, "nope").frames["chosen"].empty
    height = next(one["expr"] for one in figure.spec["params"] if one["name"] == "height")
    assert f"2 * {HEAD}" not in height
    assert height.endswith(f"+ {2 * HEAD}")
    whole = wall.wall("mask", "causal").frames
    assert whole["tiles"].equals(drawn(TILES["mask"]).frames["tiles"])
    assert whole["chosen"].merge(whole["tiles"], on=["group", "place"]).key.tolist() == ["causal"]
