"""The pictures of windows and sinks, from plain values: numbers by hand and in loops, and every value matters."""

import math

import pytest
import torch

from pe_core.chapters import windows as pictures
from pe_core.masks import MASKS, dilated, sliding_window
from pe_core.measures.entropy import entropy, normal_scores

MASK = {"kind": "window", "length": 24, "trained": 16, "layers": 2, "settings": (("window", 0.25),)}
BIAS = {"window": 5, "head": 2, "r1": 0.5, "r2": 1.5}
CALLS = {
    "who_knows_whom": (MASK, {"kind": "sinks", "length": 32, "trained": 32, "layers": 3, "settings": ()}),
    "numbers_known": (MASK, {"kind": "dilated", "length": 32, "trained": 32, "layers": 3, "settings": ()}),
    "reach_by_layer": ({"window": 8}, {"window": 9}),
    "subtracted_matrix": (BIAS, {"window": 6, "head": 3, "r1": 0.6, "r2": 1.4}),
    "weight_kept": (BIAS, {"window": 6, "head": 3, "r1": 0.6, "r2": 1.4}),
    "spreading": ({"spread": 1.0, "trained": 16, "head": 4}, {"spread": 1.1, "trained": 32, "head": 5}),
    "sink_gone": ({"sink": 2.0, "n_others": 3}, {"sink": 2.5, "n_others": 4}),
    "cache_ids": ({"step": 20, "window": 4, "n_sinks": 2}, {"step": 21, "window": 5, "n_sinks": 3}),
}


def drawn(name, values):
    return getattr(pictures, name)(**values)


def line(figure, name):
    frame = figure.frames["lines"]
    return dict(frame[frame.name == name][["x", "y"]].itertuples(index=False))


def same(one, other):
    return all(frame.equals(other.frames[name]) for name, frame in one.frames.items())


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, (calls, _) in CALLS.items() for value in calls])
def test_every_value_changes_the_picture(name, value):
    first, others = CALLS[name]
    changed = drawn(name, first | {value: others[value]})
    assert not same(drawn(name, first), changed)


@pytest.mark.parametrize("name", CALLS)
def test_the_spec_is_always_the_same_and_each_picture_can_be_drawn(name):
    one, other = (drawn(name, values) for values in CALLS[name])
    assert one.spec == other.spec
    assert one.svg().startswith("<svg")
    assert not any(frame.empty or frame.isna().any(axis=None) for frame in one.frames.values())


def test_counts_of_a_window_of_four_through_two_layers():
    figure = drawn("numbers_known", MASK)
    for query in range(24):
        assert line(figure, "seen directly")[query] == min(query + 1, 4)
        assert line(figure, "through layers")[query] == min(query + 1, 7)
        assert line(figure, "all so far")[query] == query + 1


@pytest.mark.parametrize("kind", MASKS)
def test_any_mask_of_the_registry_is_drawn_as_it_is_built(kind):
    table = drawn("who_knows_whom", MASK | {"kind": kind, "settings": ()}).tables()["image"]
    seen = table[table.meaning == "seen directly"]
    built = MASKS[kind].build(24, 16).nonzero().tolist()
    assert list(zip(seen["query"], seen["key"], strict=True)) == list(map(tuple, built))


def test_reach_by_layer_against_walks_along_single_edges():
    window, n = 5, 95
    masks = {"window": sliding_window(n, window), "every 2nd key": dilated(n, window, 2)}
    figure = pictures.reach_by_layer(window=window)
    for name, mask in masks.items():
        here = {n - 1}
        for layer in range(pictures.MOST_LAYERS + 1):
            assert line(figure, name)[layer] == len(here)
            here = {key for query in here for key in mask[query].nonzero()[:, 0].tolist()}
    assert list(line(figure, "blocks").values()) == [1, *[window] * 12]
    assert line(figure, "n (W − 1) + 1") == line(figure, "window")
    mixed = line(figure, "every 4th layer full")
    assert [mixed[layer] for layer in range(6)] == [1, 5, 9, 13, n, n]
    assert line(figure, "window and 4 sinks")[12] == 4 + 12 * 4 + 1


@pytest.mark.parametrize(("window", "length"), [(1, 96), (7, 91), (31, 93), (32, 96)])
def test_the_last_block_of_the_text_is_full(window, length):
    assert pictures.text_length(window) == length
    assert line(pictures.reach_by_layer(window=window), "blocks")[12] == window


def test_the_window_is_a_wall_after_its_last_key():
    matrix = line(drawn("subtracted_matrix", BIAS), "Window")
    assert matrix == {**dict.fromkeys(range(5), 0.0), 5: pictures.HIGHEST}
    kept = line(drawn("weight_kept", BIAS), "Window")
    assert [kept[distance] for distance in range(8)] == [1, 1, 1, 1, 1, 0, 0, 0]


def test_the_biases_at_a_distance():
    matrix, kept = (drawn(name, BIAS) for name in ("subtracted_matrix", "weight_kept"))
    expected = {"ALiBi": 4 / 2**2, "KERPLE power": 0.5 * 4**1.5, "KERPLE log": 0.5 * math.log(1 + 1.5 * 4)}
    for name, value in expected.items():
        assert line(matrix, name)[4] == pytest.approx(value)
        assert line(kept, name)[4] == pytest.approx(math.exp(-value))


def test_effective_numbers_of_keys():
    figure = pictures.spreading(spread=1.5, trained=16, head=3)
    scores = normal_scores(64, 1.5)
    assert line(figure, "plain")[64] == pytest.approx(math.exp(entropy(scores).mean()))
    assert line(figure, "window")[64] == pytest.approx(math.exp(entropy(scores[:, :16]).mean()))
    assert line(figure, "ALiBi")[64] == pytest.approx(math.exp(entropy(scores - torch.arange(64) / 8).mean()))
    assert line(figure, "log-n")[64] == pytest.approx(math.exp(entropy(1.5 * scores).mean()))  # ln 64 / ln 16
    assert line(figure, "n / exp(σ²/2)")[64] == pytest.approx(64 / math.exp(1.125))
    assert figure.frames["marks"].x.to_list() == [16]


def test_the_sink_and_the_keys_beside_it():
    weights = drawn("sink_gone", {"sink": 2.0, "n_others": 3}).frames["weights"]
    scores = [2.0, *pictures.other_scores(3).tolist()]
    total = sum(map(math.exp, scores))
    assert weights.weight[:4].to_list() == pytest.approx([math.exp(score) / total for score in scores])


def test_ids_in_the_cache_by_hand():
    ids = drawn("cache_ids", {"step": 20, "window": 2, "n_sinks": 1}).frames["ids"]
    assert ids.number.to_list() == [0, 19, 20, 20, 1, 0, 0, 1, 2, 2, 1, 0]
    assert ids.meaning.eq("never met").sum() == 3
