"""Windows and sinks: pictures and facts from plain values, by hand and in loops."""

import math

import pytest

from pe_core.chapters import windows
from pe_core.masks import MASKS
from pe_core.measures.entropy import entropy, normal_scores
from tests.cases import each
from tests.chapters.offered import at_ends, sets, sound

MASK, SINKS, DILATED, PREFIX = sets(
    "kind length trained layers settings",
    ("window", 24, 16, 2, (("window", 0.25),)),
    *((kind, 32, 32, 3, ()) for kind in ("sinks", "dilated")),
    ("prefix", 16, 64, 1, (("prefix", 0.25),)),
)
BIAS, OTHER_BIAS = sets("window head r1 r2", (5, 2, 0.5, 1.5), (6, 3, 0.6, 1.4))
PICTURES = {  # arguments to start from, and other ones
    windows.who_knows_whom: (MASK, SINKS),
    windows.numbers_known: (MASK, DILATED, PREFIX),
    windows.reach_by_layer: ({"window": 8}, {"window": 9}),
    windows.subtracted_matrix: (BIAS, OTHER_BIAS),
    windows.weight_kept: (BIAS, OTHER_BIAS),
    windows.member_matrix: (
        {**BIAS, "member": "KERPLE power"},
        {**OTHER_BIAS, "window": 5, "head": 2, "member": "ALiBi"},
        {**BIAS, "member": "Window"},
    ),
    windows.spreading: sets("spread trained head", (1.0, 16, 4), (1.1, 20, 5)),
    windows.sink_gone: sets("sink n_others", (2.0, 3), (2.5, 4)),
    windows.cache_ids: sets("step window n_sinks", (20, 4, 2), (21, 5, 3)),
}


def line(figure, name):
    frame = figure.frames["lines"]
    return dict(frame[frame.name == name][["x", "y"]].itertuples(index=False))


@each("kind", MASKS)
def test_every_mask_at_both_ends_of_all_controls(kind):
    for sizes in at_ends(length=windows.LENGTH, trained=windows.TRAINED, layers=windows.LAYERS):
        for own in at_ends(**windows.own(kind)):
            for draw in (windows.who_knows_whom, windows.numbers_known):
                assert sound(draw(kind=kind, **sizes, settings=tuple(own.items())))


@each("kind", MASKS)
def test_any_mask_of_the_registry_is_drawn_and_counted_as_it_is_built(kind):
    values = MASK | {"kind": kind, "settings": ()}
    figure, counts = windows.who_knows_whom(**values), windows.numbers_known(**values)
    table = figure.tables()["image"]
    seen = table[table.Meaning == "seen directly"]
    built = MASKS[kind].build(24, 16).nonzero().tolist()
    assert list(zip(seen["Query"], seen["Key"], strict=True)) == list(map(tuple, built))
    assert (figure.facts["title"], figure.facts["summary"]) == (MASKS[kind].title, MASKS[kind].summary)
    assert figure.facts["seen"] == line(counts, "seen directly")[23]
    assert figure.facts["known"] == line(counts, "through layers")[23]


@each(("layers", "known"), [(1, 4), (2, 7), (7, 22), (8, 24)])
def test_of_what_the_last_query_knows(layers, known):
    facts = windows.who_knows_whom(**(MASK | {"layers": layers})).facts
    assert (facts["seen"], facts["known"], facts["lost"]) == (4, known, 24 - known)
    assert facts["n-layers"] == ("1 layer" if layers == 1 else f"{layers} layers")
    assert facts["verdict"] == ("all-known" if known == 24 else "lost")


def test_a_mask_has_its_own_parameters_under_its_own_names():
    names = {name: one.name for name, one in windows.own("sinks").items()}
    assert names == {"window": "win_sinks_window", "n_sinks": "win_sinks_n_sinks"}
    assert windows.own("lambda")["window"].default == 1.0
    assert windows.own("causal") == {}


def test_reach_by_layer_by_hand():
    window, n = 5, 95
    figure = windows.reach_by_layer(window=window)
    assert line(figure, "every 2nd key")[12] == 48  # of 95 tokens those 0, 2 .. 94 back
    assert list(line(figure, "blocks").values()) == [1, *[window] * 12]
    assert line(figure, "n (W − 1) + 1") == line(figure, "window")
    mixed = line(figure, "every 4th layer full")
    assert [mixed[layer] for layer in range(6)] == [1, 5, 9, 13, n, n]
    assert line(figure, "window and 4 sinks")[12] == 4 + 12 * 4 + 1
    for span, length in ((1, 96), (7, 91), (31, 93), (32, 96)):  # the last block of the text is full
        assert windows.text_length(span) == length
        assert line(windows.reach_by_layer(window=span), "blocks")[12] == span


@each(("layers", "words"), [(1, "1 layer"), (5, "5 layers"), (12, "12 layers")])
def test_both_ways_to_count_a_window_of_six(layers, words):
    with_self = {"with self keys": 6, "with self known": 5 * layers + 1}
    without = {"without self keys": 7, "without self known": 6 * layers + 1}
    mistral = {"mistral": 131_040, "mistral-rounded": 131_072}
    assert windows.conventions(6, layers) == {"length": 96, "n-layers": words, **with_self, **without, **mistral}


def test_the_window_is_a_wall_after_its_last_key():
    matrix = line(windows.subtracted_matrix(**BIAS), "Window")
    assert matrix == {**dict.fromkeys(range(5), 0.0), 5: windows.MAX_SUBTRACTED}
    kept = line(windows.weight_kept(**BIAS), "Window")
    assert [kept[distance] for distance in range(8)] == [1, 1, 1, 1, 1, 0, 0, 0]


@each("trained", [16, 20])
def test_what_is_said_of_effective_numbers(trained):
    figure = windows.spreading(spread=1.5, trained=trained, head=3)
    facts = figure.facts
    before = math.exp(entropy(normal_scores(trained, 1.5)).mean())
    ends = {name: line(figure, name)[1_024] for name in ("plain", "log-n", "window", "ALiBi")}
    assert facts["before"] == pytest.approx(before)
    assert {name: facts[name] for name in ends} == pytest.approx(ends)
    assert facts["after"] == ", ".join(f"{name} {value:.1f}" for name, value in ends.items())
    assert facts["growth"] == pytest.approx(ends["plain"] / before)
    assert facts["formula"] == pytest.approx(1_024 / math.exp(1.125))
    assert facts["off"] == pytest.approx(abs(1_024 / math.exp(1.125) - ends["plain"]) / ends["plain"])
    assert facts["enough"] == pytest.approx(math.exp(1.125))
    assert facts["level"] == pytest.approx(math.sqrt(math.log(trained)))
    assert (facts["most"], facts["slope"]) == (1_024, 1 / 8)


@each(("n_others", "words"), [(1, "1 other key"), (3, "3 other keys")])
def test_the_others_grow_by_one_over_what_the_sink_leaves(n_others, words):
    figure = windows.sink_gone(sink=1.0, n_others=n_others)
    facts, weights = figure.facts, figure.frames["bars"].value.to_list()
    assert facts["others"] == words
    assert facts["fraction"] == pytest.approx(weights[0])
    assert facts["rest"] == pytest.approx(sum(weights[1 : n_others + 1]))
    assert facts["growth"] == pytest.approx(weights[n_others + 2] / weights[1]) == pytest.approx(1 / (1 - weights[0]))


@each(("step", "held", "near"), [(0, 1, 0), (8, 9, 8), (9, 10, 9), (10, 10, 9), (500, 10, 9)])
def test_ids_in_the_cache_stay_small(step, held, near):
    figure = windows.cache_ids(step=step, window=6, n_sinks=4)
    unseen = figure.frames["ids"].query("meaning == 'never met'")
    assert unseen.empty == (step < 10)
    assert set(unseen.row) <= {"Text: id", "Text: distance"}
    expected = {"read": step + 1, "held": held, "room": 10, "text-farthest": step, "cache-farthest": near}
    assert figure.facts == expected


@each(("guess", "right"), [(25, True), (30, False), (0, False)])
def test_what_a_window_of_five_knows_after_six_layers(guess, right):
    found, facts = windows.known_in_the_end(guess)
    assert found == right
    assert facts == {"count": 25, "known": "1, 5, 9, 13, 17, 21, 25"}
