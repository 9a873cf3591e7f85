"""What is changed about a trained model at evaluation: each repair against its definition, combined, and searched."""

import math
from dataclasses import replace
from itertools import islice

import pytest
import torch
from torch.nn import functional as F

from pe_core import masks
from pe_core.chapters import inside
from pe_core.encodings import PositionalEncoding, rotary
from pe_core.encodings.learned import Learned
from pe_core.lab.experiment import evaluation
from pe_core.lab.experiment.repair import REPAIRS, named
from pe_core.lab.experiment.run import Unit, measure, plan, repairs_of, run_encoding
from pe_core.lab.experiment.searching import N_TEXTS, N_TRIED, searched
from pe_core.lab.experiment.settings import MAX_REPAIRS, RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model, train
from pe_core.positions import grouped, interpolated
from pe_core.rope_scaling import SCALINGS
from pe_core.rope_scaling.longrope2 import candidates
from tests.cases import each, refuses
from tests.lab.experiment.test_decoding import scored
from tests.lab.running import finished, position_losses, ready
from tests.rope_scaling.test_longrope2 import bounds
from tests.strategies import normal

SIZES = {"train_length": 16, "d_model": 16, "n_heads": 2, "n_layers": 1, "steps": 50}
Q, K = normal(0, 2, 1, 2, 64, 8)
PLACES = torch.arange(64)


@pytest.fixture(scope="module")
def trained(text):
    """A model of each encoding that repairs are for, after a few steps."""
    models = {}
    for key in ("rope", "learned", "sinusoidal"):
        config = RunConfig((key,), **SIZES)
        model = build_model(config, key, text)
        list(islice(train(model, key, text, config), 10))
        models[key] = (config, model)
    return models


@each("key", REPAIRS)
def test_every_repair_changes_what_is_read_beyond_the_training_length(key, trained, text):
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
    q, k = (rotary.rotate(x, PLACES, scaled.frequencies) for x in (Q, K))
    expected = q @ k.mT / math.sqrt(8) / scaled.temperature
    torch.testing.assert_close(scored(encoding, Q, K, PLACES), expected, rtol=1e-9, atol=1e-12)


@each("name", ["log_n", "window+log_n", "grouped+log_n"])
def test_log_n_counts_the_keys_that_are_seen(name, trained, text):
    """A window of the training length shows no query more keys than training did, and groups hide none."""
    config, model = trained["rope"]
    found = measure(model, config, text, 64, named(name)).by_place
    seen = masks.sliding_window(64, 16) if "window" in name else masks.causal(64)
    turned = ByHand(model.encoding, [max(1, math.log(int(row.sum())) / math.log(16)) for row in seen])
    told = grouped(PLACES, 4) if "grouped" in name else PLACES
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
    assert torch.equal(REPAIRS["streaming"].mask(64, 16), masks.sinks(64, 12, 4))  # as many keys as training had


def test_rows_past_a_learned_table_come_from_the_trained_rows_alone(trained):
    config, model = trained["learned"]
    assert isinstance(model.encoding, Learned)
    x, table = torch.zeros(1, 32, 16), model.encoding.table.detach()
    for beyond, row in (("learned_clamp", lambda m: min(m, 15)), ("learned_interpolate", lambda m: m * 15 / 31)):
        found = named(beyond).build(model.encoding, config.shape).embed(x, torch.arange(32))[0]
        for position in range(32):
            share, below = math.modf(row(position))
            below = int(below)
            expected = (1 - share) * table[below] + share * table[min(below + 1, 15)]
            torch.testing.assert_close(found[position], expected, rtol=1e-5, atol=1e-6)


@each(
    ("key", "encoding", "told"),
    [
        ("grouped", "rope", grouped(PLACES, 4)),
        ("interpolated", "sinusoidal", interpolated(PLACES, 64, 16)),
    ],
)
def test_a_remap_is_what_the_model_is_told(key, encoding, told, trained, text):
    config, model = trained[encoding]
    expected = position_losses(model, text.held_out, 64, positions=lambda: told)
    torch.testing.assert_close(measure(model, config, text, 64, named(key)).by_place, expected)


def test_repairs_together_change_all_that_each_changes(trained, text):
    config, model = trained["rope"]
    both = named("ntk+window+log_n")
    assert both.key == "ntk+window+log_n"
    assert both.title == f"{SCALINGS['ntk'].title} and Window and log-n"
    assert both.suits == ("rope",)
    built, ntk = (one.build(model.encoding, config.shape) for one in (both, named("ntk")))
    warm = scored(built, Q, K, PLACES) / scored(ntk, Q, K, PLACES)
    assert float(warm[..., -1, :].mean()) == pytest.approx(math.log(64) / math.log(16))
    window = masks.sliding_window(64, 16)
    plain = position_losses(model, text.held_out, 64, mask=window, encoding=built)
    torch.testing.assert_close(measure(model, config, text, 64, both).by_place, plain)


UNKNOWN = f"repair must be among {', '.join(REPAIRS)}, or several joined by +, got "
TOGETHER = {
    "pi+ntk": "change the encoding only once",
    "longrope2+ntk": "change the encoding only once",
    "streaming+ntk": "change the encoding only once",
    "streaming+grouped": "change the positions only once",
    "streaming+window": "change the mask only once",
    "window+sinks": "change the mask only once",
    "log_n+log_n": "change the scores only once",
    "ntk+interpolated": "be for a common encoding",
}


def test_unknown_repairs_and_those_that_cannot_go_together_are_refused():
    for name, rule in TOGETHER.items():
        refuses(lambda name=name: named(name), f"repairs together must {rule}, got {name}")
    for name, wrong in (("", ""), ("nope", "nope"), ("ntk+", ""), ("plain", "plain")):
        refuses(lambda name=name: named(name), f"{UNKNOWN}{wrong}")


def test_a_run_checks_its_repairs():
    refuses(lambda: RunConfig(("rope",), repairs=("ntk", "ntk")), "repairs must be different, got ntk, ntk")
    unsuited = "repairs must suit an encoding of the run (none, alibi), got ntk"
    refuses(lambda: RunConfig(("none", "alibi"), repairs=("window", "ntk")), unsuited)
    many = [key for key, one in REPAIRS.items() if one.is_for("rope")][: MAX_REPAIRS + 1]
    assert MAX_REPAIRS == 15
    refuses(lambda: RunConfig(("rope",), repairs=tuple(many)), "repairs must be at most 15 in one run, got 16")


def test_a_run_measures_each_model_as_it_is_and_under_the_repairs_that_suit_it():
    config = RunConfig(("rope", "none"), **SIZES, repairs=("ntk", "window"))
    assert [repair.key for repair in repairs_of(config, "rope")] == ["ntk", "window"]
    assert [repair.key for repair in repairs_of(config, "none")] == ["window"]
    assert sum(n for unit, n in plan(config, "rope") if unit.doing == "evaluation") == 18


CONFIG = RunConfig(("rope",), 16, 16, n_heads=2, n_layers=1, steps=50, batch_size=32, repairs=("longrope2",))


@pytest.fixture(scope="module")
def rope(text):
    model = build_model(CONFIG, "rope", text)
    finished(train(model, "rope", text, CONFIG))
    return model


@pytest.fixture
def asked(monkeypatch):
    """The frequencies at the longest length, the examples and the loss, each time the search asks for one."""
    met, answers = [], evaluation.answers

    def note(model, examples, **conditions):
        found = answers(model, examples, **conditions)
        frequencies = conditions["encoding"].scaled(torch.tensor([127])).frequencies
        met.append((frequencies, examples, float(found.losses.sum() / found.asked.sum()), conditions))
        return found

    monkeypatch.setattr(evaluation, "answers", note)
    return met


def test_it_takes_the_best_of_what_it_tried_within_the_bounds(rope, text, asked):
    count, (repair, found) = finished(searched(rope, CONFIG, text, named("longrope2")))
    assert count == len(asked) == N_TRIED
    assert found.loss == min(loss for _, _, loss, _ in asked) < max(loss for _, _, loss, _ in asked)
    assert found.critical in candidates(8, 10_000, 16)
    low, high = bounds(4, found.critical, 8)
    assert (low - 1e-9 <= found.factors).all()
    assert (found.factors <= high + 1e-9).all()
    encoding = repair.build(rope.encoding, CONFIG.shape)
    plain = rotary.frequencies(8)
    for length, factors in ((16, torch.ones(4)), (17, found.factors), (128, found.factors)):
        scaled = encoding.scaled(torch.tensor([length - 1]))
        torch.testing.assert_close(scaled.frequencies, plain / factors.double())
        assert scaled.temperature == 1
    best = min(asked, key=lambda one: one[2])[0]
    assert torch.equal(best, encoding.scaled(torch.tensor([127])).frequencies)


def test_a_loss_is_the_mean_of_long_windows_of_training_text(rope, text, asked):
    next(searched(rope, CONFIG, text, named("longrope2")))
    (_, examples, loss, conditions), *_ = asked
    assert examples.inputs.shape == (N_TEXTS, 128)
    starts = torch.randint(len(text.train) - 128, (N_TEXTS, 1), generator=torch.Generator().manual_seed(0))
    assert torch.equal(examples.inputs, text.train[starts + torch.arange(128)])
    with torch.inference_mode():
        logits = rope(examples.inputs, encoding=conditions["encoding"])
    expected = F.cross_entropy(logits.flatten(0, 1), examples.targets.flatten())
    assert loss == pytest.approx(float(expected), rel=1e-4)


def test_seed_and_mask_decide_and_the_held_out_text_is_never_read(rope, text):
    def search(config=CONFIG, text=text, name="longrope2"):
        return finished(searched(rope, config, text, named(name)))[1]

    _, found = search()
    _, unread = search(text=replace(text, held_out=torch.zeros_like(text.held_out)))
    _, other = search(replace(CONFIG, seed=1))
    repair, windowed = search(name="longrope2+window")
    assert torch.equal(found.factors, unread.factors)
    assert not torch.equal(found.factors, other.factors)
    assert windowed.loss != found.loss
    assert torch.equal(repair.mask(64, 16), named("window").mask(64, 16))


def test_in_a_task_only_answers_count(asked):
    task = TASKS["copy"]
    next(searched(build_model(CONFIG, "rope", task), CONFIG, task, named("longrope2")))
    (_, examples, loss, _), *_ = asked
    assert 0 < int(examples.asked.sum()) < examples.asked.numel()
    assert loss > 0


def test_before_the_search_it_cannot_be_read_with(rope):
    message = "repair must be searched for the trained model before it is evaluated (`searching.searched`)"
    refuses(lambda: named("longrope2+log_n").build(rope.encoding, CONFIG.shape), message)


def test_a_run_counts_every_loss_and_tunes_under_what_was_found(text):
    config = replace(CONFIG, tune_steps=50)
    *events, outcome = run_encoding(config, "rope", text)
    units = plan(config, "rope")
    assert sum(n for _, n in units) == 50 + N_TRIED + 6 * 2 + 2 * 50 + 6 * 2
    assert (Unit("search", 128, N_TEXTS * 128, "longrope2"), N_TRIED) in units
    assert events[51:] == [None] * (len(events) - 51)
    assert len(events) == sum(n for _, n in units) + 1  # the trained model is an event too
    assert list(outcome.repaired) == ["longrope2"]
    assert list(outcome.tuned) == ["as_trained", "longrope2"]
    assert outcome.repaired["longrope2"].lengths[0].loss == pytest.approx(outcome.lengths[0].loss, rel=1e-6)
    assert outcome.repaired["longrope2"].lengths[-1].loss != outcome.lengths[-1].loss


def test_inside_offers_no_search_for_no_run_keeps_its_factors():
    offered = {key for key, one in REPAIRS.items() if one.is_for("rope")} - {"longrope2"}
    assert set(inside.repairs_for("rope")) == offered
