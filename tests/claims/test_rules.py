"""Every rule can say the other thing: by the claim's own parameters, by another run, or by a doctored computation."""

import pytest
import torch

from pe_core.claims import CLAIMS
from pe_core.encodings import binary
from pe_core.measures import order, rotation
from tests.claims.runs import KEPT, with_losses


def verdict(key, run=KEPT, **params):
    return CLAIMS[key].settle(params, run).verdict


@pytest.mark.parametrize(
    ("key", "params", "expected"),
    [
        ("falls", {"width": 512, "farthest": 43}, "true"),
        ("falls", {"width": 512, "farthest": 44}, "false"),
        ("falls", {"base": 1, "farthest": 3}, "true"),
        ("exponent", {"base": 1}, "true"),
        ("exponent", {"base": 2}, "false"),
        ("plain_angle", {"base": 1}, "true"),
        ("plain_angle", {"width": 2}, "true"),
        ("plain_angle", {"offset": 0}, "true"),
        ("plain_angle", {"width": 4}, "false"),
        ("bases", {"width": 4}, "true"),
        ("base_size", {"width": 2}, "false"),
        ("base_size", {"distance": 64}, "false"),
        ("direction", {"width": 65}, "false"),
        ("direction", {"projection": "none"}, "true"),
        ("blind", {"number": 0}, "true"),
        ("index_norm", {"way": "one direction"}, "true"),
        ("index_norm", {"way": "one direction", "position": 0}, "false"),
        ("fractions", {"short": 100}, "true"),
        ("codes", {"bits": 1, "position": 1}, "true"),
        ("codes", {"bits": 1, "position": 2}, "depends"),
        ("minus", {"channels": "first of each pair"}, "depends"),
        ("alibi_sign", {"sign": "positive"}, "true"),
        ("rope_far", {"times": 2}, "false"),
        ("rope_far", {"times": 3}, "false"),
        ("sinusoid_far", {"times": 2}, "false"),
        ("table_far", {"beyond": "error"}, "true"),
    ],
)
def test_the_verdict_follows_the_parameters(key, params, expected):
    assert verdict(key, **params) == expected


def test_some_queries_and_keys_decay_and_in_a_narrow_head_not_even_equal_content_always_does():
    found = [verdict("decays", seed=seed, width=16) for seed in range(100)]
    assert set(found) == {"true", "depends", "false"}
    assert max(found, key=found.count) == "depends"


@pytest.mark.parametrize(("key", "encoding"), [("rope_far", "rope"), ("sinusoid_far", "sinusoidal")])
@pytest.mark.parametrize(
    ("first", "later", "expected"),
    [(2.0, 2.0, "true"), (2.0, 2.2, "true"), (2.0, 2.21, "false"), (2.0, 3.5, "false"), (3.5, 3.5, "depends")],
)
def test_another_run_gives_another_verdict(key, encoding, first, later, expected):
    assert verdict(key, with_losses(encoding, first, later)) == expected


@pytest.mark.parametrize(
    ("first", "later", "expected"),
    [(2.0, 2.1, "false"), (2.0, 2.5, "false"), (2.0, 3.0, "depends"), (3.5, 3.5, "depends")],
)
def test_alibi_that_collapses_makes_half_of_the_sentence_true(first, later, expected):
    assert verdict("alibi_after", with_losses("alibi", first, later)) == expected


def test_both_halves_of_the_sentence_on_alibi_make_it_true(monkeypatch):
    flat = torch.full((6,), 1 / 6, dtype=torch.float64)
    monkeypatch.setattr("pe_core.claims.alibi.both_rows", lambda length, slope: (flat, flat))
    assert verdict("alibi_after", with_losses("alibi", 2.0, 3.0)) == "true"
    assert verdict("alibi_after") == "depends"


@pytest.mark.parametrize(("later", "expected"), [(2.1, "false"), (2.5, "depends"), (4.0, "depends")])
def test_a_table_that_holds_past_its_training_makes_the_sentence_false(later, expected):
    assert verdict("table_far", with_losses("learned", 2.0, later)) == expected


def test_a_rotation_in_the_place_of_the_slip_is_found_to_be_right(monkeypatch):
    monkeypatch.setattr(rotation, "without_minus", rotation.real_form)
    assert verdict("minus") == "true"


def test_codes_that_are_shared_from_the_start_are_found_out(monkeypatch):
    own = binary.table
    monkeypatch.setattr(binary, "table", lambda positions, bits, **given: own(positions // 2, bits, **given))
    assert verdict("codes", position=3) == "false"


def test_attention_that_notices_is_found_out(monkeypatch):
    monkeypatch.setattr(order, "attention", lambda encoding, causal=False: order.recurrent)
    assert verdict("blind") == "false"
