"""The walls of the catalogue: every entry of a registry is there, by group, with the numbers of the catalogue."""

import base64
import io
import math

import numpy as np
import pytest
import torch
from PIL import Image

from pe_core.chapters import catalogue
from pe_core.chapters import wall as pictures
from pe_core.chapters.wall import HEAD, Tile, drawn, with_chosen
from pe_core.encodings import ENCODINGS
from pe_core.figures.looks.palette import SHADES, lookup_table
from tests.cases import each

TILES = {kind: pictures.tiles(kind) for kind in pictures.REGISTRIES}


def colours_of(tile):
    """The colours and the opacity of a small picture, as a browser decodes it: (rows, columns, 4)."""
    encoded = base64.b64decode(tile.url.removeprefix("data:image/png;base64,"))
    return np.array(Image.open(io.BytesIO(encoded)).convert("RGBA"))


def shown(values):
    return colours_of(Tile("x", "g", "X", "x", values))


@each("kind", pictures.REGISTRIES)
def test_every_entry_of_a_registry_is_there_once_and_by_its_group(kind):
    entries = pictures.REGISTRIES[kind]
    assert sorted(tile.key for tile in TILES[kind]) == sorted(entries)
    for tile in TILES[kind]:
        entry = entries[tile.key]
        family = getattr(entry, "family", None)
        group = pictures.UNNAMED if family == "none" else family or pictures.GROUPS[kind]
        assert (tile.title, tile.summary, tile.group) == (entry.title, entry.summary, group)
    groups = [tile.group for tile in TILES[kind]]
    assert groups == sorted(groups, key=groups.index)  # nothing of a group stands apart from it
    assert groups[0] == ("absolute" if kind == "encoding" else pictures.GROUPS[kind])


def test_a_new_encoding_appears_by_itself(monkeypatch):
    new = type(ENCODINGS["alibi"])(**{**vars(ENCODINGS["alibi"]), "key": "made_up", "title": "Made up"})
    monkeypatch.setitem(ENCODINGS, "made_up", new)
    assert [tile.group for tile in pictures.tiles("encoding") if tile.title == "Made up"] == ["bias"]


def test_a_tile_has_the_table_of_the_catalogue_or_the_scores_of_the_first_head():
    drawn = {key: catalogue.table(key, {}, 64, 32, 64) for key in ("sinusoidal", "learned")}
    drawn |= {key: catalogue.scores(key, {}, 64, 32, 32, 4, 1, 0) for key in ("alibi", "gemma3", "none")}
    for key, figure in drawn.items():
        assert pictures.encoding(key).tolist() == figure.tables()["table"].to_numpy()[:, 1:].tolist()


@each("key", ["pi", "yarn"])
def test_a_rule_shows_how_many_times_slower_each_pair_turns(key):
    for row, factor in zip(pictures.scaling(key), pictures.FACTORS, strict=True):
        waves = catalogue.scaled_wavelengths(key, {}, factor, 2_048, 128, 10_000).frames["points"]
        before, after = (waves[waves.kind == kind].y.to_numpy() for kind in ("as trained", "after the rule"))
        assert 2.0 ** row.numpy() == pytest.approx(after / before, rel=1e-12)


def test_a_mask_and_a_remap_by_hand():
    assert bool((pictures.mask("causal") == torch.ones(64, 64).tril().bool()).all())
    line = pictures.remap("consecutive")
    assert line.sum() == 64
    assert all(bool(line[63 - token, token]) for token in range(64))
    clipped = pictures.remap("clipped")  # from the training length on, all are told its last position
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
    whole = pictures.wall("mask", "causal").frames
    assert whole["tiles"].equals(drawn(TILES["mask"]).frames["tiles"])
    assert whole["chosen"].merge(whole["tiles"], on=["group", "place"]).key.tolist() == ["causal"]
