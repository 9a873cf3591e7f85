"""The pictures of RoPE by hand and by loops; step by step, every number of the derivation by complex numbers."""

import cmath
import math

import pytest
import torch

from pe_core.chapters import rope
from pe_core.encodings import rotary
from pe_core.figures.looks import motion
from tests.cases import each
from tests.chapters.offered import at_ends, sets
from ui.widgets.prose import fill, sections

DIAL = "head_dim base query key seed shift"
PAGE = {"head_dim": 32, "base": 10_000, "query": 12, "key": 9, "seed": 1}
PICTURES = {  # arguments by default, and other ones
    rope.dials: sets(DIAL, (32, 10_000.0, 12, 9, 1, 0), (6, 1.0, 0, 99, 99, 500)),
    rope.scores_by_distance: sets("head_dim base seed query key", (32, 10_000.0, 1, 12, 9), (4, 100.0, 7, 0, 511)),
    rope.wavelengths: sets("head_dim base length", (32, 10_000.0, 64), (4, 1_000_000.0, 4_096)),
    rope.rotation_matrix: sets(
        "head_dim base query layout",
        (32, 10_000.0, 12, "interleaved"),
        *((head_dim, 100.0, 511, "half") for head_dim in (16, 128)),  # the last one is drawn as one image
    ),
    rope.goal: sets("head_dim base seed", (32, 10_000, 1), (4, 10, 2)),
    rope.one_dial: sets(DIAL, (32, 10_000, 12, 9, 1, 0), (4, 10, 3, 20, 2, 7)),
    rope.example_scores: sets("base seed", (10_000, 1), (10, 2)),
}
NEW_SPEC = {(rope.goal, name) for name in ("head_dim", "seed")}  # the colours end elsewhere
NEW_SPEC |= {(draw, "shift") for draw in (rope.dials, rope.one_dial)}  # where its slider begins


@each(("head_dim", "seed"), [(2, 0), (6, 1), (128, 99)])
def test_query_and_key_have_length_one_and_no_pair_that_cannot_be_seen(head_dim, seed):
    both = torch.stack(rope.content(head_dim, seed))
    assert both.shape == (2, head_dim)
    assert both.norm(dim=-1).tolist() == pytest.approx([1, 1])
    pairs = both.view(2, -1, 2).norm(dim=-1)
    assert bool((pairs.amax(dim=1) <= 2 * pairs.amin(dim=1)).all())
    assert not torch.equal(both[0], both[1])


def test_the_dials_add_up_to_the_product_of_the_turned_vectors():
    (q, k), score = rope.content(8, 3), 0
    for pair in range(4):
        turn = 10.0 ** (-2 * pair / 8)
        query, key = (complex(*x[2 * pair : 2 * pair + 2].tolist()) for x in (q, k))
        score += ((query * cmath.exp(1j * 5 * turn)).conjugate() * key * cmath.exp(-1j * 9 * turn)).real
    figure = rope.dials(head_dim=8, base=10.0, query=5, key=-9, shift=20, seed=3)
    assert figure.frames["dials"].share.sum() == pytest.approx(score, abs=1e-12)
    hands = figure.frames["hands"]
    key = hands[(hands.who == "key") & (hands.when == "after")].iloc[0]
    turned = complex(*k[:2].tolist()) * cmath.exp(-9j)
    assert (key["first"], key["second"]) == pytest.approx((turned.real, turned.imag))
    rates = hands.groupby("when").rate.unique()
    assert rates["before"].tolist() == [0]
    assert rates["after"].tolist() == pytest.approx([10.0 ** (-2 * pair / 8) for pair in range(4)])


def test_the_bound_is_above_the_score_and_what_is_said_of_it_follows_the_content():
    """The mean of |S_j| over its start is none: below the score at 205 of 512 distances (d = 32), or 404 (d = 64)."""
    for head_dim, seed in ((32, 0), (64, 2)):
        curves = rope.by_distance(head_dim, 10_000.0, seed)
        assert bool((curves[rope.EQUAL].abs() <= curves[rope.BOUND] + 1e-12).all())
    narrow, wide = (rope.scores_by_distance(d, 10_000.0, 0, 12, 9).facts for d in (8, 128))
    assert (narrow["bounded"] > 300, wide["bounded"]) == (True, 0)
    assert narrow["lowest-bound"] < wide["lowest-bound"] == pytest.approx(1)


def test_a_step_of_the_query_moves_the_line_and_leaves_the_curves():
    first, second = (rope.scores_by_distance(32, 10_000.0, 1, query, 9) for query in (12, 2))
    assert [one.frames["marks"].to_numpy().tolist() for one in (first, second)] == [[["", 3]], [["", 7]]]
    assert first.frames["lines"] is second.frames["lines"]  # so it is sent as it was
    assert (first.spec, first.facts) == (second.spec, second.facts)
    assert first.frames["lines"] is not rope.scores_by_distance(32, 10_000.0, 2, 12, 9).frames["lines"]
    assert 7 in second.tables()["marks"].to_numpy()


@each(("query", "key"), [(12, 9), (0, 511), (300, 1)])
def test_the_layouts_agree_once_the_channels_are_in_order(query, key):
    facts = rope.layouts(head_dim=32, base=10_000.0, query=query, key=key, seed=1)
    assert facts["interleaved"] == pytest.approx(facts["ordered"], abs=1e-12)
    assert abs(facts["interleaved"] - facts["half"]) > 1e-3
    assert max(facts["difference"], facts["kept"]) < 1e-12
    first, second = (
        rope.rotation_matrix(32, 10_000.0, query, layout)
        .frames["table"]
        .pivot(index="row", columns="column", values="value")
        for layout in ("interleaved", "half")
    )
    order = [*range(0, 32, 2), *range(1, 32, 2)]
    assert first.loc[order, order].to_numpy() == pytest.approx(second.to_numpy(), abs=1e-12)


def test_the_common_mistake_has_another_norm_and_the_worst_form_tells_the_difference(monkeypatch):
    facts = rope.forms(head_dim=32, base=10_000.0, query=12, seed=1)
    assert facts["norm"] == pytest.approx(1)
    assert abs(facts["mistake-norm"] - 1) > 1e-4
    assert facts["real"] == facts["complex"] == facts["matrix"] != facts["mistake"]
    assert facts["difference"] < 1e-12
    exact = rope.rotation.matrix
    monkeypatch.setattr(rope.rotation, "matrix", lambda *arguments: 1.5 * exact(*arguments))
    (q, _), frequencies = rope.content(32, 1), rotary.frequencies(32, 10_000.0)
    off = 0.5 * float(rope.rotation.real_form(q, 12, frequencies).abs().max())
    assert rope.forms(32, 10_000.0, 12, 1)["difference"] == pytest.approx(off)


@each("layout", rotary.LAYOUTS)
def test_a_matrix_turns_a_vector_as_a_model_does(layout):
    q, _ = rope.content(12, 4)
    table = rope.rotation_matrix(head_dim=12, base=100.0, query=9, layout=layout).frames["table"]
    matrix = torch.tensor(table.value.to_numpy()).view(12, 12)
    turned = rotary.rotate(q[None], torch.tensor([9]), rotary.frequencies(12, 100.0), layout=layout)[0]
    torch.testing.assert_close(matrix @ q, turned)


def test_the_lines_of_the_code_give_the_turned_query():
    facts = rope.line_by_line(head_dim=2, base=10, query=0, seed=1)
    own, swapped = (list(map(float, str(facts[name]).split())) for name in ("own", "swapped"))
    assert facts["result"] == facts["own"]
    assert swapped == [-own[1], own[0]]
    assert facts["repeated"] == "+0.0000  +0.0000"


TEXT = sections("rope")
STEPS = {  # the facts that each text may quote
    "rope": (rope.DERIVATION, rope.derivation),
    "dial": (rope.DIALS, rope.one_pair),
    "attention": (rope.ATTENTION, lambda head_dim, base, query, key, seed: rope.attention(base, seed, rope.SENTENCE)),
}


def number(facts, name):
    return complex(facts[f"{name}0"], facts[f"{name}1"])


@each("page", [PAGE, {"head_dim": 2, "base": 1, "query": 0, "key": 511, "seed": 99}])
def test_every_number_of_the_derivation_is_that_of_complex_numbers(page):
    facts = rope.derivation(**page)
    q, k = number(facts, "q"), number(facts, "k")
    pair = min(1, page["head_dim"] // 2 - 1)
    both = [x[2 * pair : 2 * pair + 2].tolist() for x in rope.content(page["head_dim"], page["seed"])]
    assert (facts["pair"], [[q.real, q.imag], [k.real, k.imag]]) == (pair, both)
    omega = page["base"] ** (-2 * pair / page["head_dim"])
    turned_q, turned_k = q * cmath.exp(1j * omega * page["query"]), k * cmath.exp(1j * omega * page["key"])
    expected = {
        "omega": omega,
        "q-length": abs(q),
        "k-angle": cmath.phase(k),
        "lengths": abs(q) * abs(k),
        "product": (q * k.conjugate()).real,
        "conjugate": (q * k.conjugate()).real,
        "query-angle": omega * page["query"],
        "cosine": math.cos(omega * page["query"]),
        "minus-sine": -math.sin(omega * page["query"]),
        "q-turned0": turned_q.real,
        "q-turned1": turned_q.imag,
        "turned-length": abs(q),
        "score": (turned_q * turned_k.conjugate()).real,
        "moved": (turned_q * turned_k.conjugate()).real,
        "sum": facts["whole"],
        "whole-moved": facts["whole"],
        "distance": page["query"] - page["key"],
    }
    assert {name: facts[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert facts["error"] + facts["whole-error"] + facts["matrix-error"] < 1e-12


@each(("name", "step"), [(name, n) for name, (one, _) in STEPS.items() for n in range(1, 8) if n <= one.maximum])
def test_every_step_has_a_text_and_quotes_what_is_there(name, step):
    pictures = rope.dials(**PAGE, shift=rope.FAR).facts
    others = at_ends(query=rope.QUERY, key=rope.KEY, head_dim=rope.HEAD_DIM, base=rope.BASE, seed=rope.SEED)
    for page in (PAGE, *others[:6]):
        facts = {**page, **pictures, **STEPS[name][1](**page)}
        assert "[[" not in fill(TEXT[f"step {name} {step}"], facts)
    assert f"step {name} {int(STEPS[name][0].maximum) + 1}" not in TEXT


def test_the_arc_stays_as_both_move_on_and_is_the_angle_between_the_two():
    here, there = (rope.one_dial(**PAGE, shift=shift) for shift in (0, 100))
    assert here.facts["angle"] == pytest.approx(there.facts["angle"])
    assert [motion.controls(one.spec)["on"].default for one in (here, there)] == [0, 100]
    facts = rope.derivation(**PAGE)
    q, k = number(facts, "q-turned"), number(facts, "k-turned")
    assert math.cos(math.radians(here.facts["angle"])) == pytest.approx((q * k.conjugate()).real / abs(q) / abs(k))
    for figure in (here, there):
        dial = figure.frames["dials"].iloc[0]
        between = math.remainder(dial.key_end - dial.query_end, 2 * math.pi)
        assert abs(math.degrees(between)) == pytest.approx(here.facts["angle"])
        hands = figure.frames["hands"]
        ends = hands[hands.when == "after"].degrees
        assert [math.cos(math.radians(end)) for end in ends] == pytest.approx(
            [math.sin(dial.query_end), math.sin(dial.key_end)]
        )
    known = rope.one_pair(**PAGE)
    assert (known["between"], known["moved-between"]) == pytest.approx((here.facts["angle"],) * 2)
    assert known["pair-share"] == pytest.approx(known["pair-moved"])
    assert abs(known["start-between"] - known["between"]) > 1


def test_the_scores_of_the_example_are_those_of_a_loop():
    _, q, k = rope.example(seed=3)
    assert torch.equal(q, q.round(decimals=1))
    facts = rope.attention(base=100, seed=3, sentence="a b c d")
    scores = rope.example_scores(base=100, seed=3).frames["table"]
    for cell in scores.itertuples():
        score = 0
        for pair in range(2):
            turn = cmath.exp(1j * 100 ** (-2 * pair / 4))
            query, key = (
                complex(*x[m, 2 * pair : 2 * pair + 2].tolist()) * turn**m for x, m in ((q, cell.row), (k, cell.column))
            )
            score += (query * key.conjugate()).real
        assert cell.value == pytest.approx(score / 2)
        if (cell.row, cell.column) == (3, 2):
            assert facts["score"] == pytest.approx(score / 2)
    assert facts["kept"] < 1e-12
    assert (facts["before-token"], facts["last-token"]) == ("c", "d")
