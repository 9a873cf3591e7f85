"""The pictures of RoPE: numbers by hand and by loops."""

import cmath
import math

import pytest
import torch

from pe_core.chapters import rope as pictures
from pe_core.encodings import rotary
from tests.cases import each

PICTURES = {  # arguments by default, and other ones
    pictures.dials: (
        {"head_dim": 32, "base": 10_000.0, "query": 12, "key": 9, "shift": 0, "seed": 1},
        {"head_dim": 6, "base": 1.0, "query": 0, "key": 99, "shift": 500, "seed": 99},
    ),
    pictures.scores_by_distance: (
        {"head_dim": 32, "base": 10_000.0, "seed": 1, "query": 12, "key": 9},
        {"head_dim": 4, "base": 100.0, "seed": 7, "query": 0, "key": 511},
    ),
    pictures.wavelengths: (
        {"head_dim": 32, "base": 10_000.0, "length": 64},
        {"head_dim": 4, "base": 1_000_000.0, "length": 4_096},
    ),
    pictures.rotation_matrix: (
        {"head_dim": 32, "base": 10_000.0, "query": 12, "layout": "interleaved"},
        {"head_dim": 16, "base": 100.0, "query": 511, "layout": "half"},
        {"head_dim": 128, "base": 100.0, "query": 511, "layout": "half"},  # drawn as one image
    ),
}


@each(("head_dim", "seed"), [(2, 0), (6, 1), (128, 99)])
def test_query_and_key_have_length_one_and_no_pair_that_cannot_be_seen(head_dim, seed):
    both = torch.stack(pictures.content(head_dim, seed))
    assert both.shape == (2, head_dim)
    assert both.norm(dim=-1).tolist() == pytest.approx([1, 1])
    pairs = both.view(2, -1, 2).norm(dim=-1)
    assert bool((pairs.amax(dim=1) <= 2 * pairs.amin(dim=1)).all())
    assert not torch.equal(both[0], both[1])


def test_the_dials_add_up_to_the_product_of_the_turned_vectors():
    (q, k), score = pictures.content(8, 3), 0
    for pair in range(4):
        turn = 10.0 ** (-2 * pair / 8)
        query, key = (complex(*x[2 * pair : 2 * pair + 2].tolist()) for x in (q, k))
        score += ((query * cmath.exp(1j * 25 * turn)).conjugate() * key * cmath.exp(1j * 11 * turn)).real
    figure = pictures.dials(head_dim=8, base=10.0, query=5, key=-9, shift=20, seed=3)
    assert figure.frames["dials"].share.sum() == pytest.approx(score, abs=1e-12)
    hands = figure.frames["hands"]
    key = hands[(hands.who == "key") & (hands.when == "after")].iloc[0]
    turned = complex(*k[:2].tolist()) * cmath.exp(11j)
    assert (key["first"], key["second"]) == pytest.approx((turned.real, turned.imag))
    rates = hands.groupby("when").rate.unique()
    assert rates["before"].tolist() == [0]
    assert rates["after"].tolist() == pytest.approx([10.0 ** (-2 * pair / 8) for pair in range(4)])


def test_curves_start_with_the_plain_products():
    q, k = pictures.content(16, 2)
    curves = pictures.by_distance(16, 500.0, 2)
    assert {len(values) for values in curves.values()} == {pictures.REACH}
    start = {name: float(values[0]) for name, values in curves.items()}
    assert start == {
        pictures.OWN: pytest.approx(float(q @ k)),
        pictures.EQUAL: pytest.approx(1),
        pictures.BOUND: pytest.approx(1),
    }
    sums = [cmath.exp(7j * 500.0 ** (-i / 8)) for i in range(8)]
    content = [float(q[2 * i] ** 2 + q[2 * i + 1] ** 2) for i in range(8)] + [0]
    bound = sum(abs(content[j + 1] - content[j]) * abs(sum(sums[: j + 1])) for j in range(8))
    assert float(curves[pictures.BOUND][7]) == pytest.approx(min(bound, 1))


def test_the_bound_is_above_the_score_and_what_is_said_of_it_follows_the_content():
    """The mean of |S_j| over its start is none: below the score at 205 of 512 distances (d = 32), or 404 (d = 64)."""
    for head_dim, seed in ((32, 0), (64, 2)):
        curves = pictures.by_distance(head_dim, 10_000.0, seed)
        assert bool((curves[pictures.EQUAL].abs() <= curves[pictures.BOUND] + 1e-12).all())
    narrow, wide = (pictures.scores_by_distance(d, 10_000.0, 0, 12, 9).facts for d in (8, 128))
    assert (narrow["bounded"] > 300, wide["bounded"]) == (True, 0)
    assert narrow["lowest-bound"] < wide["lowest-bound"] == pytest.approx(1)


def test_a_step_of_the_query_moves_the_line_and_leaves_the_curves():
    first, second = (pictures.scores_by_distance(32, 10_000.0, 1, query, 9) for query in (12, 2))
    assert [one.frames["marks"].to_numpy().tolist() for one in (first, second)] == [[["", 3]], [["", 7]]]
    assert first.frames["lines"] is second.frames["lines"]  # so it is sent as it was
    assert (first.spec, first.facts) == (second.spec, second.facts)
    assert first.frames["lines"] is not pictures.scores_by_distance(32, 10_000.0, 2, 12, 9).frames["lines"]
    assert 7 in second.tables()["marks"].to_numpy()


@each(
    ("base", "length", "unfinished"),
    [(10_000, 16, 14), (10_000, 64, 11), (10_000, 4_096, 4), (10_000, 1_048_576, 0), (150_000, 64, 12), (100, 64, 7)],
)
def test_pairs_that_never_complete_a_turn_are_counted(base, length, unfinished):
    assert unfinished == sum(2 * math.pi * base ** (pair / 16) > length for pair in range(16))
    facts = pictures.wavelengths(head_dim=32, base=base, length=length).facts
    assert (facts["unfinished"], facts["pairs"]) == (unfinished, 16)


@each(("query", "key"), [(12, 9), (0, 511), (300, 1)])
def test_the_layouts_agree_once_the_channels_are_in_order(query, key):
    facts = pictures.layouts(head_dim=32, base=10_000.0, query=query, key=key, seed=1)
    assert facts["interleaved"] == pytest.approx(facts["ordered"], abs=1e-12)
    assert abs(facts["interleaved"] - facts["half"]) > 1e-3
    assert max(facts["difference"], facts["kept"]) < 1e-12
    first, second = (
        pictures.rotation_matrix(32, 10_000.0, query, layout)
        .frames["table"]
        .pivot(index="row", columns="column", values="value")
        for layout in ("interleaved", "half")
    )
    order = [*range(0, 32, 2), *range(1, 32, 2)]
    assert first.loc[order, order].to_numpy() == pytest.approx(second.to_numpy(), abs=1e-12)


def test_the_common_mistake_has_another_norm_and_the_worst_form_tells_the_difference(monkeypatch):
    facts = pictures.forms(head_dim=32, base=10_000.0, query=12, seed=1)
    assert facts["norm"] == pytest.approx(1)
    assert abs(facts["mistake-norm"] - 1) > 1e-4
    assert facts["real"] == facts["complex"] == facts["matrix"] != facts["mistake"]
    assert facts["difference"] < 1e-12
    exact = pictures.rotation.matrix
    monkeypatch.setattr(pictures.rotation, "matrix", lambda *arguments: 1.5 * exact(*arguments))
    (q, _), frequencies = pictures.content(32, 1), rotary.frequencies(32, 10_000.0)
    off = 0.5 * float(pictures.rotation.real_form(q, 12, frequencies).abs().max())
    assert pictures.forms(32, 10_000.0, 12, 1)["difference"] == pytest.approx(off)


@each("layout", rotary.LAYOUTS)
def test_a_matrix_turns_a_vector_as_a_model_does(layout):
    q, _ = pictures.content(12, 4)
    table = pictures.rotation_matrix(head_dim=12, base=100.0, query=9, layout=layout).frames["table"]
    matrix = torch.tensor(table.value.to_numpy()).view(12, 12)
    turned = rotary.rotate(q[None], torch.tensor([9]), rotary.frequencies(12, 100.0), layout=layout)[0]
    torch.testing.assert_close(matrix @ q, turned)


def test_the_lines_of_the_code_give_the_turned_query():
    facts = pictures.line_by_line(head_dim=2, base=10, query=0, seed=1)
    own, swapped = (list(map(float, str(facts[name]).split())) for name in ("own", "swapped"))
    assert facts["result"] == facts["own"]
    assert swapped == [-own[1], own[0]]
    assert facts["repeated"] == "+0.0000  +0.0000"
