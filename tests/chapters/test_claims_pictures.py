"""Pictures of the claims: each from plain values, with the numbers of the claim, and each parameter changes one."""

import inspect
import math

import pytest
import torch

from pe_core.chapters import claims as pictures
from pe_core.claims import CLAIMS
from tests.claims.runs import KEPT
from ui.claims import PICTURES

NOT_DRAWN = {("alibi_sign", "heads"), ("alibi_after", "times"), ("table_far", "beyond")}
NOT_DRAWN |= {(key, "times") for key in ("rope_far", "sinusoid_far", "table_far")}
BESIDE = {("bases", "n_positions"): {"width": 4}, ("index_norm", "position"): {"way": "one direction"}}
PLAIN = [key for key, claim in CLAIMS.items() if "run" not in inspect.signature(PICTURES[key]).parameters]


def drawn(key, **params):
    picture = PICTURES[key]
    values = {**CLAIMS[key].values(params), "run": KEPT}
    return picture(**{name: values[name] for name in inspect.signature(picture).parameters})


def test_every_claim_has_a_picture_of_its_own_parameters():
    assert list(PICTURES) == sorted(PICTURES, key=list(PICTURES).index)
    assert set(PICTURES) == set(CLAIMS)
    for key, picture in PICTURES.items():
        names = {parameter.name for parameter in CLAIMS[key].parameters}
        left_out = {name for other, name in NOT_DRAWN if other == key}
        assert set(inspect.signature(picture).parameters) - {"run"} == names - left_out


@pytest.mark.parametrize("key", CLAIMS)
def test_every_picture_can_be_drawn_and_holds_no_gaps(key):
    figure = drawn(key)
    assert all(not frame.empty and not frame.isna().any(axis=None) for frame in figure.frames.values())
    assert figure.svg().startswith("<svg")


@pytest.mark.parametrize(
    ("key", "name"),
    [(key, one.name) for key in PLAIN for one in CLAIMS[key].parameters if (key, one.name) not in NOT_DRAWN],
)
def test_every_parameter_changes_the_numbers_and_not_the_spec(key, name):
    beside = BESIDE.get((key, name), {})
    (parameter,) = [one for one in CLAIMS[key].parameters if one.name == name]
    first = drawn(key, **beside)
    others = [
        drawn(key, **{**beside, name: value}) for value in parameter.choices or (parameter.minimum, parameter.maximum)
    ]
    assert all(other.spec == first.spec for other in others)
    assert any(not other.frames[frame].equals(first.frames[frame]) for other in others for frame in first.frames)


def test_the_norms_of_the_slip():
    frame = drawn("exponent").frames["lines"]
    right, slip = (frame[frame.name == name].y for name in (pictures.RIGHT, pictures.SLIP))
    assert right.to_list() == pytest.approx([8] * 64, abs=1e-12)
    norm = sum(
        math.sin(5 * 10_000 ** (-2 * i / 16)) ** 2 + math.cos(5 * 10_000 ** (-(2 * i + 1) / 16)) ** 2 for i in range(8)
    )
    assert slip.iloc[5] == pytest.approx(norm, abs=1e-12)


def test_the_attention_of_the_sign():
    frame = drawn("alibi_sign").frames["bars"]
    shares = torch.arange(6.0, dtype=torch.float64).softmax(0).tolist()
    assert frame[frame.name == pictures.SLIP].value.to_list() == pytest.approx(shares[::-1], abs=1e-15)
    assert frame[frame.name != pictures.SLIP].value.to_list() == pytest.approx(shares, abs=1e-15)


def test_the_losses_are_those_of_the_run():
    frame = drawn("sinusoid_far").frames["lines"]
    own = frame[frame.encoding == "Sinusoidal"]
    assert own.loss.to_list() == [loss.loss for loss in KEPT.mean("sinusoidal").lengths]


def test_the_repairs_are_lines_beside_rope_as_it_was_trained():
    frame = drawn("rope_far").frames["lines"]
    outcome = KEPT.mean("rope")
    measured = [outcome, *outcome.repaired.values()]
    assert frame.y.to_list() == pytest.approx([loss.loss for one in measured for loss in one.lengths], abs=1e-6)
    assert frame.x.to_list() == [loss.length for one in measured for loss in one.lengths]


def test_the_scores_ahead_and_behind_of_a_plain_product_mirror_each_other():
    frame = drawn("direction").frames["lines"]
    plain, projected = (frame[frame.order == order].y.to_list() for order in (0, 1))
    assert plain == pytest.approx(plain[::-1], abs=1e-12)
    assert projected != pytest.approx(projected[::-1], abs=0.1)


def test_what_layer_norm_leaves_is_one_line():
    frame = drawn("index_norm").frames["lines"]
    first, second = (frame[frame.order == order].y.to_list() for order in (0, 1))
    assert first == pytest.approx(second, abs=1e-13)
    assert sum(first) == pytest.approx(0, abs=1e-12)
