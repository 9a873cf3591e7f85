"""The registry of claims: whole entries, parameters that all matter, and errors that name what is wrong."""

import inspect
import math
from dataclasses import replace

import pytest

from pe_core.claims import CLAIMS, VERDICTS
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import RunRecord
from tests.app.opened import ROOT
from tests.cases import each, refuses
from tests.claims.runs import KEPT

# Where one parameter shows only beside another: a base has no effect on one pair, a seed none without a map.
BESIDE = {("bases", "n_positions"): {"width": 4}}


def test_there_is_a_claim_for_every_statement():
    assert len(CLAIMS) == 17
    assert all(key == claim.key for key, claim in CLAIMS.items())
    assert len({claim.title for claim in CLAIMS.values()}) == len({claim.summary for claim in CLAIMS.values()}) == 17


@each("claim", CLAIMS.values())
def test_an_entry_is_whole(claim):
    assert claim.key.isidentifier()
    assert claim.title[0].isupper() or claim.title.startswith("d ")
    assert not claim.title.endswith(".")
    assert claim.summary.endswith(".")
    assert claim.summary[0].isupper()
    assert len(claim.summary.split()) >= 5
    assert (ROOT / "pages" / f"{claim.chapter}.py").exists()
    assert claim.parameters
    assert inspect.getdoc(claim.decide)
    assert set(inspect.signature(claim.decide).parameters) - {"run"} == {one.name for one in claim.parameters}
    assert ("run" in inspect.signature(claim.decide).parameters) == bool(claim.encodings)


@each("claim", CLAIMS.values())
def test_values_at_the_ends_of_a_range_give_numbers_and_every_parameter_changes_one(claim):
    first = claim.settle(None, KEPT)
    assert claim.settle({}, KEPT) == first
    for parameter in claim.parameters:
        assert parameter.help
        parameter.check(parameter.default)
        beside = BESIDE.get((claim.key, parameter.name), {})
        usual = claim.settle(beside, KEPT)
        ends = parameter.choices or (parameter.minimum, parameter.maximum)
        found = [claim.settle({**beside, parameter.name: value}, KEPT) for value in ends if value != parameter.default]
        for one in found:
            assert one.verdict in VERDICTS
            assert all(number is None or math.isfinite(number) for number in one.measured.values())
        assert any((one.measured, one.rows) != (usual.measured, usual.rows) for one in found), parameter.name


def test_what_is_no_parameter_or_no_value_of_one_is_named():
    names = "parameter of falls must be one of width, base, farthest, got depth"
    refuses(lambda: CLAIMS["falls"].settle({"depth": 3}), names)
    refuses(lambda: CLAIMS["falls"].settle({"farthest": 1}), "farthest must be a whole number from 2 to 512, got 1")


def test_a_claim_on_training_asks_for_a_run():
    rule = "hold none, sinusoidal, rope, alibi under the causal mask, at consecutive positions"
    refuses(lambda: CLAIMS["rope_far"].settle(), f"run must {rule}, got none")
    few = replace(KEPT, outcomes={"rope": KEPT.outcomes["rope"]})
    refuses(lambda: CLAIMS["rope_far"].settle(None, few), f"run must {rule}, got rope (causal, consecutive)")


@each("setting", [{"mask": "window"}, {"remap": "clipped"}])
def test_a_run_under_another_mask_or_with_other_positions_does_not_settle_a_claim(setting):
    other = replace(KEPT, config=replace(KEPT.config, **setting))
    assert not CLAIMS["rope_far"].accepts(other)
    with pytest.raises(ValueError, match="under the causal mask, at consecutive positions, got none, sinusoidal"):
        CLAIMS["rope_far"].settle(None, other)
    assert not CLAIMS["table_far"].accepts(RunRecord(RunConfig(), KEPT.text))  # one that has just begun


def test_the_kept_run_has_the_default_settings_and_a_learned_table():
    encodings, repairs = ("none", "sinusoidal", "rope", "alibi", "learned"), ("pi", "ntk", "window")
    assert replace(KEPT.config, n_seeds=1) == RunConfig(encodings=encodings, repairs=repairs)
    assert tuple(KEPT.outcomes) == KEPT.config.encodings
    assert all(claim.accepts(KEPT) for claim in CLAIMS.values())
