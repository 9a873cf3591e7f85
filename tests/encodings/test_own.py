"""Own encodings: typed formulas against the registry, a loop, and what is said of those that are wrong."""

import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, own
from tests.cases import each, refuses
from tests.encodings.loops import hiding_the_future, of_pairs
from tests.strategies import normal

SHAPE = Shape(16, 2, 8, 64)
POSITIONS = torch.arange(12)
ALIBI = "own:bias:-2**(-8*(h+1)/heads)*distance"
ROPE = "own:angle:m*10000**(-2*i/head_width)"
SINUSOID = "own:embedding:where(channel==2*i, sin(m*10000**(-2*i/width)), cos(m*10000**(-2*i/width)))"
ANGLE = "m, i, pair, heads, width, head_width, length, pi, a, b, c"


def heads(shape, length):
    return normal(0, 2, 3, shape.n_heads, length, shape.head_dim).float()


@each("n_heads", [1, 2, 4, 8])
def test_alibi_rope_and_the_sinusoid_are_those_of_the_registry_bit_for_bit(n_heads):
    shape = Shape(64, n_heads, 16, 512)
    for positions in (torch.arange(512), torch.tensor([0, 5, 17, 300])):
        q, k = heads(shape, len(positions))
        typed, known = (ENCODINGS[key].build(shape).bias(q, k, positions) for key in (ALIBI, "alibi"))
        assert torch.equal(typed, known)
        turned = [ENCODINGS[key].build(shape).rotate(q, k, positions) for key in (ROPE, "rope")]
        assert all(torch.equal(one, other) for one, other in zip(*turned, strict=True))
    x = torch.zeros(1, 12, 16)
    assert torch.equal(*(ENCODINGS[key].build(SHAPE).embed(x, POSITIONS) for key in (SINUSOID, "sinusoidal")))


def test_a_learned_bias_equals_the_loop():
    encoding = ENCODINGS["own:bias:-abs(a)*log(1+abs(b)*distance)+c*h;a=1.5;b=0.25;c=-0.5"].build(SHAPE).double()
    value = hiding_the_future(lambda m, n, h: -1.5 * math.log(1 + 0.25 * (m - n)) - 0.5 * h)
    expected = of_pairs(torch.arange(5), value, [(0,), (1,)])
    assert_close(encoding.bias(*heads(SHAPE, 5).double(), torch.arange(5)).detach(), expected, atol=0, rtol=1e-6)


def test_variables_of_an_embedding_and_an_angle():
    x = torch.zeros(1, 3, 16, dtype=torch.float64)
    embed = ENCODINGS["own:embedding:m*10000+channel*100+i+length/10+heads/100"].build(SHAPE).double()
    assert embed.embed(x, torch.arange(3))[0, 2, 5].item() == pytest.approx(20502.82)
    angle = ENCODINGS["own:angle:m*100+pair*10+head_width/10+width/1000+pi*0"].build(SHAPE)
    assert angle.angles(torch.arange(3))[2, 3].item() == pytest.approx(230.816)


def test_every_head_pair_and_channel_learns_a_number_of_its_own():
    for kind, size in (("bias", 2), ("angle", 4), ("embedding", 16)):
        learned = dict(ENCODINGS[f"own:{kind}:a*m;a=2"].build(SHAPE).named_parameters())
        assert list(learned) == ["formula.learned.a"]
        assert learned["formula.learned.a"].tolist() == [2.0] * size


@each("text", ["own:bias:-abs(a)*distance**abs(b)", "own:angle:a*m*2**-i", "own:embedding:a*sin(b*m)"])
def test_gradients_are_finite_and_reach_all_that_is_learned(text):
    encoding = ENCODINGS[text].build(SHAPE)
    q, k = heads(SHAPE, 12)
    found = [encoding.embed(torch.zeros(1, 12, 16), POSITIONS), *encoding.rotate(q, k, POSITIONS)]
    bias = encoding.bias(q, k, POSITIONS)
    found += [] if bias is None else [bias[bias.isfinite()]]
    sum(one.square().sum() for one in found).backward()
    for learned in encoding.parameters():
        assert bool(learned.grad.isfinite().all())
        assert bool((learned.grad != 0).any())


def test_rows_at_a_time_are_the_whole(monkeypatch):
    q, k = heads(SHAPE, 12)
    encoding = ENCODINGS["own:bias:-a*distance-sin(n)*h;a=0.5"].build(SHAPE)
    whole = encoding.bias(q, k, POSITIONS)
    for at_once in (50, 1):  # 2 rows of 2 heads and 12 keys, and less than a row
        monkeypatch.setattr(own, "AT_ONCE", at_once)
        with torch.no_grad():
            assert torch.equal(encoding.bias(q, k, POSITIONS), whole)


def test_a_key_is_read_again_as_it_was():
    formula = own.read("own:bias:-a*distance;a=0.5")
    assert formula == own.Formula("bias", "-a*distance", {"a": 0.5})
    assert formula.key == "own:bias:-a*distance;a=0.5"
    assert own.read("own:bias: -a*distance+b ").key == "own:bias:-a*distance+b;a=1;b=0.5"
    assert own.Formula("bias", "-a*distance", {"a": 0.25}).learned == {"a": 0.25}


def test_titles_are_short_different_and_no_markdown():
    assert own.read(ALIBI).title == "Own bias: -2^(-8·(h+1)/heads)·distance"
    assert own.read("own:bias:-a*distance;a=0.5").title == "Own bias: -a·distance, a=0.5"
    long = [own.read(f"own:bias:-distance*{'1*' * 20}{last}").title for last in (1, 2)]
    assert len(set(long)) == 2
    assert all(len(title) < 64 and "*" not in title for title in long)


@each(
    ("key", "message"),
    [
        ("own:", "own encoding must have the form own:KIND:FORMULA, got own:"),
        ("own:mask:m", "kind must be one of embedding, angle, bias, got mask"),
        ("own:bias:-a*m;a=99", "a must be a number from -10 to 10, got '99'"),
        ("own:bias:-a*m;a=nan", "a must be a number from -10 to 10, got 'nan'"),
        ("own:bias:-a*m;d=1", "starts must have the form a=1;b=0.5;c=0, got d=1"),
        ("own:bias:-a*m;a", "starts must have the form a=1;b=0.5;c=0, got a"),
        ("own:bias:-a*m;b=1", "starts must belong to learned parameters of the formula, got b"),
        (f"own:bias:{'m' * 300}", "own encoding must have at most 300 characters, got 309"),
        ("own:angle:n", f"formula must use the names of an angle ({ANGLE}), got 'n' in column 1 of 'n'"),
    ],
)
def test_a_wrong_key_is_refused(key, message):
    refuses(lambda: ENCODINGS[key], message)


def test_the_list_of_encodings_stays_as_it_is():
    assert ALIBI not in ENCODINGS
    assert not any(own.is_own(key) for key in ENCODINGS)
    with pytest.raises(KeyError):
        ENCODINGS["nothing"]


@each(
    ("key", "place"),
    [
        ("own:bias:1/(distance-3)", "inf at m = 3, n = 0, h = 0 in '1/(distance-3)'"),
        ("own:embedding:log(m-channel)", "-inf at m = 0, channel = 0 in 'log(m-channel)'"),
        ("own:angle:m/i", "nan at m = 0, i = 0 in 'm/i'"),
        ("own:bias:10**m", "inf at m = 39, n = 0, h = 0 in '10**m'"),  # of float32
    ],
)
def test_what_is_not_finite_is_said_with_its_place(key, place):
    encoding = ENCODINGS[key].build(SHAPE)
    q, positions = torch.zeros(1, 2, 64, 8), torch.arange(64)

    def use():
        encoding.embed(torch.zeros(1, 64, 16), positions)
        encoding.bias(*encoding.rotate(q, q, positions), positions)

    refuses(use, f"own {key.split(':')[1]} must be finite, got {place}")


def test_a_learned_number_that_is_lost_is_said():
    encoding = ENCODINGS["own:bias:-a*distance"].build(SHAPE)
    with torch.no_grad():
        encoding.formula.learned["a"][1] = math.nan
    rule = "a must stay finite in training, got [1.0, nan]"
    refuses(lambda: encoding.bias(*heads(SHAPE, 3), torch.arange(3)), rule)


def test_an_angle_needs_pairs():
    refuses(lambda: ENCODINGS[ROPE].build(Shape(6, 2, 4, 4)), "head_dim must be even, to be turned in pairs, got 3")
