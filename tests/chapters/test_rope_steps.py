"""RoPE step by step: every number of the derivation by complex numbers, the arc, and the example by loops."""

import cmath
import math

import pytest
import torch

from pe_core.chapters import rope
from tests.cases import each
from tests.chapters.ends import at_ends
from ui.widgets.prose import fill, sections

PAGE = {"head_dim": 32, "base": 10_000, "query": 12, "key": 9, "seed": 1}
PICTURES = {
    rope.goal: ({"head_dim": 32, "base": 10_000, "seed": 1}, {"head_dim": 4, "base": 10, "seed": 2}),
    rope.one_dial: ({**PAGE, "shift": 0}, {"head_dim": 4, "base": 10, "query": 3, "key": 20, "shift": 7, "seed": 2}),
    rope.example_scores: ({"base": 10_000, "seed": 1}, {"base": 10, "seed": 2}),
}
NEW_SPEC = {(rope.goal, name) for name in ("head_dim", "seed")}  # the colours end elsewhere
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
