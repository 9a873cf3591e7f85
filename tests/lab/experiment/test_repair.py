"""What is changed about a trained model at evaluation: each repair against its definition, alone and combined."""

import math
from itertools import islice

import pytest
import torch

from pe_core import masks
from pe_core.encodings import PositionalEncoding, rotary
from pe_core.encodings.learned import Learned
from pe_core.lab.experiment.evaluation import position_losses
from pe_core.lab.experiment.repair import REPAIRS, named
from pe_core.lab.experiment.run import measure, plan, repairs_of, run_encoding
from pe_core.lab.experiment.settings import MAX_REPAIRS, RunConfig
from pe_core.lab.experiment.training import build_model, train
from pe_core.positions import grouped, interpolated
from pe_core.rope_scaling import SCALINGS
from tests.cases import each, refuses
from tests.lab.running import ready


@pytest.fixture(scope="module")
def trained(text):
    """A model of each encoding that repairs are for, after a few steps."""
    models = {}
    for key in ("rope", "learned", "sinusoidal"):
        config = RunConfig((key,), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50)
        model = build_model(config, key, text)
        list(islice(train(model, key, text, config), 10))
        models[key] = (config, model)
    return models


def scores(model, encoding, length):
    """The scores of random queries and keys under an encoding, with its bias."""
    drawn = torch.randn(2, 1, 2, length, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    positions = torch.arange(length)
    q, k = encoding.rotate(*drawn, positions)
    bias = encoding.bias(q, k, positions)
    return q @ k.mT / math.sqrt(8) + (0 if bias is None else bias)


@each("key", REPAIRS)
def test_at_the_training_length_a_repair_of_rope_changes_little_and_beyond_it_something(key, trained, text):
    encoding = next((own for own in ("rope", "learned", "sinusoidal") if REPAIRS[key].is_for(own)), "")
    config, model = trained[encoding]
    repair = ready(named(key), model, config, text)
    plain, repaired = (measure(model, config, text, 64, *chosen).by_place for chosen in ((), (repair,)))
    assert repaired.isfinite().all()
    assert not torch.allclose(plain, repaired, rtol=1e-4)


@each("key", [key for key in SCALINGS if key in REPAIRS])
def test_a_scaling_rule_turns_by_its_own_frequencies(key, trained):
    config, model = trained["rope"]
    encoding = named(key).build(model.encoding, config.shape)
    frequencies = rotary.frequencies(8, 10_000)
    scaled = SCALINGS[key](frequencies, base=10_000, train_length=16, target_length=64)
    drawn = torch.randn(2, 1, 2, 64, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    q, k = (rotary.rotate(x, torch.arange(64), scaled.frequencies) for x in drawn)
    expected = q @ k.mT / math.sqrt(8) / scaled.temperature
    torch.testing.assert_close(scores(model, encoding, 64), expected, rtol=1e-9, atol=1e-12)


@each("name", ["log_n", "window+log_n", "grouped+log_n"])
def test_log_n_counts_the_keys_that_are_seen(name, trained, text):
    """A window of the training length shows no query more keys than training did, and groups hide none."""
    config, model = trained["rope"]
    found = measure(model, config, text, 64, named(name)).by_place
    seen = masks.sliding_window(64, 16) if "window" in name else masks.causal(64)
    turned = ByHand(model.encoding, [max(1, math.log(int(row.sum())) / math.log(16)) for row in seen])
    told = grouped(torch.arange(64), 4) if "grouped" in name else torch.arange(64)
    expected = position_losses(model, text.held_out, 64, mask=seen, positions=lambda: told, encoding=turned)
    torch.testing.assert_close(found, expected)


class ByHand(PositionalEncoding):
    """An encoding with queries multiplied by given factors."""

    def __init__(self, encoding, factors):
        super().__init__()
        self.encoding, self.factors = encoding, torch.tensor(factors)[:, None]

    def rotate(self, q, k, positions):
        q, k = self.encoding.rotate(q, k, positions)
        return q * self.factors, k


def test_the_masks_are_those_of_the_registry_in_training_lengths():
    assert torch.equal(REPAIRS["window"].mask(64, 16), masks.sliding_window(64, 16))
    assert torch.equal(REPAIRS["half_window"].mask(64, 16), masks.sliding_window(64, 8))
    assert torch.equal(REPAIRS["sinks"].mask(64, 16), masks.sinks(64, 16, 4))


def test_rows_past_a_learned_table_come_from_the_trained_rows_alone(trained):
    config, model = trained["learned"]
    assert isinstance(model.encoding, Learned)
    x = torch.zeros(1, 32, 16)
    for beyond, row in (("learned_clamp", lambda m: min(m, 15)), ("learned_interpolate", lambda m: m * 15 / 31)):
        found = named(beyond).build(model.encoding, config.shape).embed(x, torch.arange(32))[0]
        for position in range(32):
            below = int(row(position))
            share = row(position) - below
            table = model.encoding.table.detach()
            expected = (1 - share) * table[below] + share * table[min(below + 1, 15)]
            torch.testing.assert_close(found[position], expected, rtol=1e-5, atol=1e-6)


@each(
    ("key", "encoding", "told"),
    [
        ("grouped", "rope", lambda n: grouped(torch.arange(n), 4)),
        ("interpolated", "sinusoidal", lambda n: interpolated(torch.arange(n), n, 16)),
    ],
)
def test_a_remap_is_what_the_model_is_told(key, encoding, told, trained, text):
    config, model = trained[encoding]
    expected = position_losses(model, text.held_out, 64, positions=lambda: told(64))
    torch.testing.assert_close(measure(model, config, text, 64, named(key)).by_place, expected)


def test_repairs_together_change_all_that_each_changes(trained, text):
    config, model = trained["rope"]
    both = named("ntk+window+log_n")
    assert both.key == "ntk+window+log_n"
    assert both.title == f"{SCALINGS['ntk'].title} and Window and log-n"
    assert both.suits == ("rope",)
    encoding = named("ntk").build(model.encoding, config.shape)
    warm = scores(model, both.build(model.encoding, config.shape), 64) / scores(model, encoding, 64)
    assert float(warm[..., -1, :].mean()) == pytest.approx(math.log(64) / math.log(16))
    plain = position_losses(
        model,
        text.held_out,
        64,
        mask=masks.sliding_window(64, 16),
        encoding=both.build(model.encoding, config.shape),
    )
    torch.testing.assert_close(measure(model, config, text, 64, both).by_place, plain)


@each(
    ("name", "message"),
    [
        ("pi+ntk", r"^repairs together must change the encoding only once, got pi\+ntk$"),
        ("window+sinks", r"^repairs together must change the mask only once, got window\+sinks$"),
        ("log_n+log_n", r"^repairs together must change the scores only once, got log_n\+log_n$"),
        (
            "ntk+interpolated",
            r"^repairs together must be for a common encoding, got ntk\+interpolated$",
        ),
    ],
)
def test_repairs_that_cannot_go_together_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        named(name)


@each("name", ["", "nope", "ntk+", "plain"])
def test_an_unknown_repair_is_named(name):
    wrong = name.split("+")[-1]
    rule = f"repair must be among {', '.join(REPAIRS)}, or several joined by +, got {wrong}"
    refuses(lambda: named(name), rule)


def test_a_run_checks_its_repairs():
    refuses(lambda: RunConfig(("rope",), repairs=("ntk", "ntk")), "repairs must be different, got ntk, ntk")
    with pytest.raises(ValueError, match=r"^repairs must suit an encoding of the run \(none, alibi\), got ntk$"):
        RunConfig(("none", "alibi"), repairs=("window", "ntk"))
    many = tuple(
        f"{one}+{other}" for one in ("pi", "ntk", "yarn", "by_parts") for other in ("window", "sinks", "log_n")
    )
    with pytest.raises(ValueError, match=rf"^repairs must be at most {MAX_REPAIRS} in one run, got 16$"):
        RunConfig(("rope",), repairs=(*many, "pi", "ntk", "yarn", "window"))


def test_a_run_measures_each_trained_model_as_it_is_and_repaired(text):
    config = RunConfig(
        ("rope", "none"), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50, repairs=("ntk", "window")
    )
    assert [repair.key for repair in repairs_of(config, "rope")] == ["ntk", "window"]
    assert [repair.key for repair in repairs_of(config, "none")] == ["window"]
    assert sum(n for unit, n in plan(config, "rope") if unit.doing == "evaluation") == 18
    *pieces, outcome = run_encoding(config, "rope", text)
    assert pieces[51:] == [None] * 18
    assert list(outcome.repaired) == ["ntk", "window"]
    assert outcome.repaired["window"].lengths[0].loss == pytest.approx(outcome.lengths[0].loss, rel=1e-4)
    assert outcome.repaired["window"].lengths[-1].loss != pytest.approx(outcome.lengths[-1].loss, rel=1e-4)
    losses = measure(pieces[50], config, text, 128, named("ntk")).by_place
    assert outcome.repaired["ntk"].positions == tuple(losses.tolist())
