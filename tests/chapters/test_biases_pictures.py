"""Pictures of the chapter on biases: numbers by hand and by loops, and every parameter says something."""

import math

import pytest

from pe_core.chapters import bias_details as details
from pe_core.chapters import biases as pictures
from pe_core.chapters.bias_details import TABLE, UNTRAINED
from pe_core.figures.bands import END, TRAINED

MODEL = {"head": 1, "train_length": 64, "seed": 0}
SLOPE = 0.5


def curve(figure, system, query=END):
    curves = figure.frames["curves"]
    own = curves[(curves.system == system) & (curves["query"] == query)]
    return dict(zip(own.distance.astype(int), own.bias, strict=True))


def test_alibi_is_a_line_over_twice_the_training_length():
    found = curve(pictures.shapes(systems=("alibi",), **MODEL), "ALiBi")
    assert list(found) == list(range(128))
    assert list(found.values()) == [-SLOPE * distance for distance in range(128)]


def test_sandwich_is_a_sum_of_cosines():
    found = curve(pictures.shapes(systems=("sandwich",), **(MODEL | {"head": 2})), "Sandwich")
    for distance in (0, 1, 17, 127):
        total = sum(math.cos(distance * 10_000 ** (-2 * i / 128)) for i in range(1, 65)) - 64
        assert found[distance] == pytest.approx(total * 8 / 16, abs=1e-10)


def test_t5_is_a_staircase_whose_last_step_begins_within_reach():
    found = list(curve(pictures.shapes(systems=("t5",), **MODEL), "T5 bias").values())
    assert len(set(found)) == 16
    assert len(set(found[:8])) == 8
    assert len(set(found[32:])) == 1


def test_only_fire_depends_on_the_place_of_the_query():
    figure = pictures.shapes(systems=tuple(pictures.SYSTEMS), **MODEL)
    for key, spec in pictures.SYSTEMS.items():
        end, trained = curve(figure, spec.title), curve(figure, spec.title, TRAINED)
        apart = max(abs(end[distance] - trained[distance]) for distance in trained)
        assert list(trained) == list(range(64))
        assert (apart > 1e-3) == (key == "fire")
        drift = pictures.drift(pictures.built(key, 64, 0), 1, 64)
        assert drift <= apart + 1e-12
        assert drift == pytest.approx(apart, abs=0.01)


@pytest.mark.parametrize(("key", "learned"), [("alibi", False), ("sandwich", False), ("t5", True), ("fire", True)])
def test_what_is_learned_says_so(key, learned):
    assert pictures.learns(pictures.built(key, 64, 0)) == learned
    (note,) = pictures.shapes(systems=(key,), **MODEL).frames["bands"].note
    assert note.startswith("initial weights: " if learned else "fixed: 0 to −")


def test_long_texts_are_drawn_at_evenly_chosen_distances():
    found = curve(pictures.shapes(systems=("alibi",), head=1, train_length=512, seed=0), "ALiBi")
    assert len(found) == pictures.MOST_DISTANCES
    assert (min(found), max(found)) == (0, 1023)
    assert all(bias == -SLOPE * distance for distance, bias in found.items())


@pytest.mark.parametrize("train_length", [64, 512])
def test_both_queries_are_read_at_the_same_distances(train_length):
    figure = pictures.shapes(systems=("sandwich",), head=1, train_length=train_length, seed=0)
    end, trained = curve(figure, "Sandwich"), curve(figure, "Sandwich", TRAINED)
    assert list(trained) == [distance for distance in end if distance < train_length]
    assert all(bias == pytest.approx(end[distance], abs=1e-10) for distance, bias in trained.items())


def test_large_numbers_of_a_note_are_whole():
    figure = pictures.shapes(systems=("kerple_power",), head=8, train_length=512, seed=0)
    far = curve(figure, "KERPLE, power")[1023]
    assert far < -1_000
    assert figure.frames["bands"].note.to_list() == [f"initial weights: 0 to −{-far:,.0f}"]


def test_matrices_hold_the_bias_and_the_attention_of_the_keys_that_are_seen():
    cells = pictures.bias_matrix(system="alibi", **MODEL).frames["table"]
    assert len(cells) == 24 * 25 / 2
    assert (cells.value == -SLOPE * (cells.row - cells.column)).all()
    weights = pictures.attention_matrix(system="alibi", **MODEL).frames["table"]
    last = weights[weights.row == 23].value.to_list()
    total = sum(math.exp(-SLOPE * distance) for distance in range(24))
    assert last == pytest.approx([math.exp(-SLOPE * (23 - key)) / total for key in range(24)], abs=1e-12)
    assert weights.groupby("row").value.sum().to_list() == pytest.approx([1] * 24)


def test_all_heads_share_one_scale_of_colours():
    one, eight = (pictures.bias_matrix(system="alibi", **(MODEL | {"head": head})) for head in (1, 8))
    assert one.spec is eight.spec


def weight_of(systems, n_keys):
    frame = pictures.weights_by_distance(systems=systems, **MODEL, n_keys=n_keys).frames["lines"]
    return {(row.name_, row.distance): row.weight for row in frame.rename(columns={"name": "name_"}).itertuples()}


def test_without_a_bias_the_row_flattens_and_under_alibi_it_stays():
    few, many = weight_of(("alibi",), 32), weight_of(("alibi",), 128)
    assert few["no bias", 0] == pytest.approx(1 / 32)
    assert many["no bias", 0] == pytest.approx(1 / 128)
    assert many["ALiBi", 0] == pytest.approx(few["ALiBi", 0], abs=1e-6)
    assert many["ALiBi", 0] == pytest.approx(1 - math.exp(-SLOPE), abs=1e-12)


def test_effective_keys_without_a_bias_are_all_keys():
    frames = pictures.effective_keys(systems=("alibi", "fire"), **MODEL, n_keys=100).frames
    lines = frames["lines"]
    plain = lines[lines.name == "no bias"]
    assert plain.effective.to_list() == pytest.approx(plain["keys"].to_list())
    assert plain["keys"].max() == pictures.MOST_KEYS
    assert frames["dots"]["keys"].to_list() == [100] * 3
    assert frames["dots"].effective.to_list()[1] < 6


def test_the_slip_prefers_the_farthest_key():
    bars = details.slips(n_keys=6, slope=1.0).frames["bars"]
    first = bars[bars["key"] == 0].set_index("row").value
    assert round(first[details.RIGHT], 3) == 0.004
    assert round(first[details.SLIPPED], 3) == 0.634
    assert first[details.AFTER] == pytest.approx(1 / 6 - 5)


def test_buckets_that_training_never_meets():
    frame = details.buckets(n_buckets=32, max_distance=128, train_length=64).frames["buckets"]
    unmet = frame[frame.training == "never met in training"]
    assert (unmet.distance.min(), sorted(set(unmet.bucket))) == (67, [27, 28, 29, 30, 31])
    assert frame.distance.to_list() == list(range(161))


def test_the_followed_table_is_near_the_line_and_then_jumps_back():
    got = details.followed_table(n_buckets=32, max_distance=128, train_length=64, head=1, seed=0).frames["got"]
    near, far = got[got.what == TABLE], got[got.what == UNTRAINED]
    assert (near.bias + SLOPE * near.distance).abs().max() < 5
    assert far.distance.min() == 67
    assert far.bias.abs().max() < 1
    assert near[near.distance == 17].bias.item() == -SLOPE * 17  # of 16, 17, 18


def test_the_share_of_untrained_buckets_against_a_loop():
    learned, straight = details.untrained_share(32, 128, 64, head=1, seed=0)
    table = details.followed(32, 128, 64, head=1, seed=0)
    got = details.followed_table(n_buckets=32, max_distance=128, train_length=64, head=1, seed=0).frames["got"]
    terms = [math.exp(bias) for bias in got.bias[:128]]
    assert learned == pytest.approx(sum(terms[67:]) / sum(terms), rel=1e-12)
    line = [math.exp(-SLOPE * distance) for distance in range(128)]
    assert straight == pytest.approx(sum(line[67:]) / sum(line), rel=1e-9)
    assert learned > 0.9 > 1e-12 > straight
    assert len(table) == 32


def test_nothing_is_untrained_where_every_bucket_was_met():
    assert details.untrained_share(32, 128, 256, head=1, seed=0) == (0, 0)


def test_twelve_heads_have_the_slopes_of_eight_and_four_of_sixteen():
    frame = details.slopes(n_heads=12).frames["slopes"]
    filled = frame[frame.what == "filled up"].slope.to_list()
    assert filled == pytest.approx([2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])
    assert frame[frame.what == "of the power of two"].slope.to_list() == [2.0**-h for h in range(1, 9)]


def test_rounded_forms_start_at_the_own_key():
    lines = details.rounded_forms(n_keys=4096, head=1, precision="bfloat16").frames["lines"]
    assert set(lines[lines.distance == 0].bias) == {0}
    exact = lines[lines.name == "exact"]
    assert (exact.bias == -SLOPE * exact.distance).all()
    assert lines[lines.name == "a n in bfloat16"].bias.nunique() == 4


CALLS = {
    "shapes": (pictures.shapes, {"systems": ("alibi", "t5"), **MODEL}),
    "bias_matrix": (pictures.bias_matrix, {"system": "t5", **MODEL}),
    "attention_matrix": (pictures.attention_matrix, {"system": "t5", **MODEL}),
    "weights": (pictures.weights_by_distance, {"systems": ("t5",), **MODEL, "n_keys": 64}),
    "effective": (pictures.effective_keys, {"systems": ("t5",), **MODEL, "n_keys": 65}),
    "slips": (details.slips, {"n_keys": 6, "slope": 1.0}),
    "buckets": (details.buckets, {"n_buckets": 32, "max_distance": 128, "train_length": 64}),
    "table": (details.followed_table, {"n_buckets": 32, "max_distance": 128, **MODEL}),
    "slopes": (details.slopes, {"n_heads": 12}),
    "rounded": (details.rounded_forms, {"n_keys": 4096, "head": 1, "precision": "bfloat16"}),
}
OTHERS = {
    "systems": ("kerple_log", "fire"),
    "system": "fire",
    "head": 3,
    "train_length": 16,
    "seed": 5,
    "n_keys": 20,
    "slope": 0.25,
    "n_buckets": 16,
    "max_distance": 64,
    "n_heads": 5,
    "precision": "float16",
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, (_, values) in CALLS.items() for name in values])
def test_every_parameter_changes_the_picture(kind, name):
    picture, values = CALLS[kind]
    one, other = picture(**values), picture(**{**values, name: OTHERS[name]})
    assert any(not frame.equals(other.frames[part]) for part, frame in one.frames.items())


@pytest.mark.parametrize("system", pictures.SYSTEMS)
def test_every_system_can_be_drawn(system):
    for figure in (pictures.shapes(systems=(system,), **MODEL), pictures.bias_matrix(system=system, **MODEL)):
        assert figure.svg().startswith("<svg")
        assert all(not frame.isna().any(axis=None) for frame in figure.frames.values())


def test_the_colour_of_a_system_does_not_depend_on_its_company():
    alone, among = (
        pictures.shapes(systems=systems, **MODEL).frames["bands"] for systems in (("fire",), ("t5", "fire"))
    )
    assert alone.colour.to_list() == among.colour.to_list()[1:]
    assert len({*pictures.COLOURS.values()}) == len(pictures.SYSTEMS)
