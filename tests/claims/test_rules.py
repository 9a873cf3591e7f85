"""Every verdict that a claim can have comes out: by its parameters, by another run, or by a counterexample by hand.

And the registry: whole entries, parameters that all matter, and errors that name what is wrong.
"""

import inspect
import math
from dataclasses import replace

import pytest
import torch

from pe_core.claims import CLAIMS, VERDICTS, alibi, counting, rope
from pe_core.claims.base import Counted
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import RunRecord
from pe_core.measures import order, rotation
from tests.app.opened import ROOT
from tests.cases import each, refuses
from tests.claims.runs import KEPT, with_losses, with_one_seed
from ui.widgets.prose import sections


def verdict(key, run=KEPT, **params):
    return CLAIMS[key].settle(params, run).verdict


def plain(key, expected, /, **params):
    return pytest.param(key, expected, params, KEPT, {}, id=f"{key}-{expected}-{params}")


def made(key, expected, why, changed, /, **params):
    """A case in which something is replaced by hand: {module: {name: what}}."""
    return pytest.param(key, expected, params, KEPT, changed, id=f"{key}-{expected}-{why}")


def ran(key, expected, run, why, changed=None):
    return pytest.param(key, expected, {}, run, changed or {}, id=f"{key}-{expected}-{why}")


def far(key, encoding, works, fails):
    """Cases of a claim whose model works past the training length, or fails there."""
    return [
        ran(key, works, with_losses(encoding, 2.0, 2.1), "all seeds hold"),
        ran(key, works, with_losses(encoding, 2.0, 2.11, 2.12, 2.13, 2.12), "an interval below the threshold"),
        ran(key, fails, with_losses(encoding, 2.0, 3.5), "all seeds break"),
        ran(key, fails, with_losses(encoding, 2.0, 2.5, 2.52, 2.54), "an interval above the threshold"),
        ran(key, "depends", with_losses(encoding, 2.0, 2.15, 2.25, 2.2), "the threshold is within the interval"),
        ran(key, "depends", with_one_seed(encoding, 2.0, 3.5), "one seed says nothing"),
        ran(key, "depends", with_losses(encoding, 3.5, 3.5), "nothing was learned"),
    ]


def noticing(encoding, causal=False):
    return order.recurrent


def deaf(encoding, causal=False):
    return lambda x: x


def bag(encoding, causal=False):
    """Each word beside the mean of all: whatever the mask, nothing is known of the order."""
    return lambda x: x + x.mean(0)


def sometimes_normed(x):
    """LayerNorm that lets the index through for about half of the words."""
    return x if float(x[0].sum()) > 0 else torch.nn.functional.layer_norm(x, x.shape[-1:])


def equal_pairs(width):
    """Queries with keys that are like them, so that all of them decay as equal content does."""
    drawn = torch.randn(1, rope.N_PAIRS, width, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return drawn.expand(2, -1, -1)


def rising(scores):
    return torch.zeros(scores.shape[:-1], dtype=torch.bool)


def fractions(length, slope, seed=0):
    return torch.full((2, 6), 1 / 6, dtype=torch.float64)


CASES = [
    plain("falls", "true", width=512, farthest=43),
    plain("falls", "false", width=512, farthest=44),
    plain("falls", "true", base=1, farthest=3),
    plain("exponent", "true", base=1),
    plain("exponent", "false", base=2),
    plain("plain_angle", "true", base=1),
    plain("plain_angle", "true", width=2),
    plain("plain_angle", "true", offset=0),
    plain("plain_angle", "false", width=4),
    plain("bases", "true", width=4),
    plain("bases", "false", width=2),
    plain("base_size", "true", width=64),
    plain("base_size", "false", width=2),
    plain("base_size", "false", distance=64),
    plain("direction", "false", width=65),
    plain("direction", "depends", width=64),
    plain("direction", "true", projection="none"),
    plain("blind", "depends"),
    plain("blind", "depends", number=0),
    made("blind", "false", "both notice", {order: {"attention": noticing}}),
    made("blind", "true", "neither notices", {order: {"attention": bag}}),
    made("blind", "depends", "the identity hears no other word", {order: {"attention": deaf}}),
    plain("index_norm", "false"),
    plain("index_norm", "true", way="one direction"),
    plain("index_norm", "false", way="one direction", position=0),
    made("index_norm", "depends", "some words show it", {counting: {"layer_norm": sometimes_normed}}),
    plain("fractions", "true", short=100),
    plain("fractions", "false", short=10),
    plain("codes", "true", bits=1, position=1),
    plain("codes", "true", bits=9, position=300),
    plain("codes", "true", bits=8, position=255),
    plain("codes", "false", bits=8, position=256),
    plain("codes", "false", bits=1, position=2),
    *far("sinusoid_far", "sinusoidal", "true", "false"),
    *far("rope_far", "rope", "true", "false"),
    *far("table_far", "learned", "false", "true"),
    plain("minus", "false"),
    plain("minus", "depends", channels="first of each pair"),
    made("minus", "true", "a rotation in its place", {rotation: {"without_minus": rotation.real_form}}),
    plain("decays", "depends"),
    made("decays", "true", "keys like their queries", {rope: {"drawn_pairs": equal_pairs}}),
    made("decays", "false", "nothing falls", {rope: {"falling": rising}}),
    plain("decays", "false", base=1, width=2, farthest=8),
    plain("alibi_sign", "false"),
    plain("alibi_sign", "true", sign="positive"),
    ran("alibi_after", "false", with_losses("alibi", 2.0, 2.1), "it does not collapse"),
    ran("alibi_after", "depends", with_losses("alibi", 2.0, 3.0), "it collapses, but is added before"),
    ran("alibi_after", "depends", with_losses("alibi", 3.5, 3.5), "nothing was learned"),
    ran("alibi_after", "depends", with_one_seed("alibi", 2.0, 2.1), "one seed says nothing"),
    ran("alibi_after", "depends", with_losses("alibi", 2.0, 2.8, 3.2, 3.0), "1.5 is within the interval"),
    ran("alibi_after", "true", with_losses("alibi", 2.0, 3.0), "both halves", {alibi: {"both_rows": fractions}}),
]


@pytest.mark.parametrize(("key", "expected", "params", "run", "changed"), CASES)
def test_every_verdict_comes_out(key, expected, params, run, changed, monkeypatch):
    for module, names in changed.items():
        for name, what in names.items():
            monkeypatch.setattr(module, name, what)
    assert verdict(key, run, **params) == expected


def test_each_claim_has_a_case_of_every_verdict_that_its_text_knows():
    text = sections("claims")
    assert {(case.values[0], case.values[1]) for case in CASES} == {
        (key, word) for key in CLAIMS for word in ("true", "false", "depends") if f"{key}-{word}" in text
    }


@each(
    ("count", "n", "expected"),
    [(0, 100, "false"), (40, 100, "false"), (45, 100, "depends"), (60, 100, "true"), (1, 1, "depends"), (4, 4, "true")],
)
def test_most_is_where_the_interval_lies_above_a_half(count, n, expected):
    assert Counted(count, n).verdict == expected


def test_the_draws_of_a_claim_do_not_depend_on_the_one_that_is_shown():
    for key, name in (("direction", "seed"), ("minus", "seed"), ("decays", "seed"), ("blind", "number")):
        found = [CLAIMS[key].settle({name: value}) for value in (3, 78)]
        assert found[0].verdict == found[1].verdict
        counts = [{name: one.measured[name] for name in one.measured if "count" in name} for one in found]
        assert counts[0] == counts[1]


def test_rope_far_at_2_times_does_not_hang_on_one_seed():
    for later in (2.236, 2.19):  # ratios of 1.118 and 1.095, on both sides of the threshold
        assert verdict("rope_far", with_one_seed("rope", 2.0, later), times=2) == "depends"
    assert verdict("rope_far", with_losses("rope", 2.0, 2.236, 2.19, 2.21), times=2) == "depends"


# Where one parameter shows only beside another: a base has no effect on one pair, a seed none without a map.
BESIDE = {("bases", "n_positions"): {"width": 4}}


def test_there_is_a_claim_for_every_statement():
    assert len(CLAIMS) == 17
    assert len({claim.title for claim in CLAIMS.values()}) == len({claim.summary for claim in CLAIMS.values()}) == 17


@each("claim", CLAIMS.values())
def test_an_entry_is_whole(claim):
    assert not claim.title.endswith(".")
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
