"""What a run is expected to need, by arithmetic from small steps, and the time that is left of it, on a fake clock."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.evaluation import glanced_steps
from pe_core.lab.experiment.run import Unit, plan
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.queue import estimate
from pe_core.lab.queue.estimate import LONG, SMALL, TINY, Calibration, Step, need, of
from pe_core.lab.queue.time_left import Pace, Remaining, seconds_left
from tests.cases import each
from tests.encodings.test_own import ALIBI

START, MULTIPLICATION, PAIR = 1e-3, 1e-10, 1e-8  # seconds
HELD = 1e6  # bytes
DEFAULT = RunConfig(("none",))


def bare(config):
    """The seconds of a step without encoding, written down anew: layers, tokens times weights, pairs of all heads."""
    tokens = config.batch_size * config.train_length
    weights = config.n_layers * (12 * config.d_model**2 + 2 * config.train_length * config.d_model)
    pairs = config.n_layers * config.batch_size * config.n_heads * config.train_length**2
    start = (1 + config.n_layers) / 2
    return START * start + MULTIPLICATION * 3 * tokens * (weights + config.d_model * estimate.VOCAB_SIZE) + PAIR * pairs


def made(**own):
    """A calibration of a machine with the paces above; `own` has what single encodings add, in seconds and bytes."""
    small = {
        key: Step(bare(SMALL) + own.get(key, (0, 0))[0], HELD + own.get(key, (0, 0))[1], key == "cope")
        for key in ENCODINGS
    }
    return Calibration(small.__getitem__, Step(bare(TINY), 0.0), Step(bare(LONG), 0.0))


def test_the_paces_of_a_machine_are_found_again():
    assert made().paces == pytest.approx((START, MULTIPLICATION, PAIR), rel=1e-6)


@each("sizes", [{"d_model": 256}, {"n_layers": 6}, {"train_length": 256}, {"n_heads": 8}, {"batch_size": 32}])
def test_a_step_grows_with_every_size_as_the_model_does(sizes):
    config = replace(DEFAULT, **sizes)
    assert made().step(of(config), "none").seconds == pytest.approx(bare(config), rel=1e-6)


@each(
    ("key", "sizes", "times"),
    [
        ("sinusoidal", {"batch_size": 32}, 4),  # tokens and channels, once for all layers
        ("sinusoidal", {"n_layers": 6}, 1),
        ("rope", {"d_model": 256}, 4),  # tokens and channels of every layer
        ("rope", {"n_layers": 6}, 6),
        ("t5", {"train_length": 256}, 16),  # pairs of tokens of every head and layer
        ("t5", {"n_heads": 8, "n_layers": 2}, 4),
    ],
)
def test_what_an_encoding_adds_grows_with_what_its_hook_sees(key, sizes, times):
    calibration, batch = made(**{key: (0.25, 5e5)}), of(replace(SMALL, **sizes))
    with_it, without = calibration.step(batch, key), calibration.step(batch, "none")
    assert with_it.seconds - without.seconds == pytest.approx(0.25 * times, rel=1e-6)
    assert with_it.held - without.held == pytest.approx(5e5 * times, rel=1e-6)


def test_an_encoding_that_measured_faster_than_none_costs_nothing_and_gains_nothing():
    calibration = made(rope=(-0.5 * bare(SMALL), -1.0))
    assert calibration.step(of(DEFAULT), "rope") == calibration.step(of(DEFAULT), "none")


def expected(config, n_workers=1, calibration=None, **more):
    return need(config, 40, calibration or made(), n_workers=n_workers, **more)


@each(("n_workers", "share"), [(1, 1), (2, 1 / 2), (3, 1 / 3), (64, 1 / 3)])
def test_workers_share_the_trainings_and_each_has_one_at_a_time(n_workers, share):
    config = replace(DEFAULT, encodings=("none", "rope", "alibi"))
    assert expected(config, n_workers).seconds == pytest.approx(share * expected(config).seconds)
    assert expected(config, n_workers).bytes >= expected(config).bytes


@each("more", [{"steps": 800}, {"tune_steps": 50}, {"encodings": ("rope",), "repairs": ("ntk",)}])
def test_all_that_a_run_does_takes_time(more):
    assert expected(replace(DEFAULT, **more)).seconds > 1.05 * expected(DEFAULT).seconds
    assert expected(replace(DEFAULT, n_seeds=3)).seconds == pytest.approx(3 * expected(DEFAULT).seconds)
    assert expected(DEFAULT, n_held_out=40_000).seconds > expected(DEFAULT, n_held_out=10_000).seconds


def test_tuning_at_the_longest_length_needs_the_most_memory():
    """It keeps all layers for the way back, where reading holds one after the other."""
    config = replace(DEFAULT, encodings=("t5",), n_layers=6)
    plain, tuned = (expected(replace(config, tune_steps=n), calibration=made(t5=(0.0, HELD))) for n in (0, 50))
    assert tuned.bytes > 1.2 * plain.bytes


def test_a_bias_of_each_text_needs_more_memory_than_one_for_all():
    """At the longest length, with as many texts at once as are read there."""
    shared, own = (expected(replace(DEFAULT, encodings=(key,))).bytes for key in ("alibi", "cope"))
    assert own > 1.5 * shared


def test_nothing_is_built_to_answer_for_the_largest_run(monkeypatch):
    calibration = made(cope=(1e-3, 5e6))
    monkeypatch.setattr(estimate, "build_model", None)
    largest = RunConfig(
        tuple(ENCODINGS)[-8:], 256, 256, 8, 6, 5_000, 32, n_seeds=10, tune_steps=500, remap="consecutive"
    )
    assert expected(largest, calibration=calibration).bytes > 2e9


@pytest.fixture(scope="module")
def calibration():
    """Measured by one step each: what is held does not depend on how often it is timed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimate, "TIMED", 1)
        yield estimate.calibrate()


def test_every_encoding_is_calibrated_with_what_it_holds(calibration):
    small = {key: calibration.small(key) for key in (*ENCODINGS, ALIBI)}
    assert all(step.seconds > 0 for step in small.values())
    held = {key: step.held - small["none"].held for key, step in small.items()}
    pairs = 4 * 8 * 4 * 64**2  # bytes of a number for each pair of each text and head
    assert held["sinusoidal"] == 0
    assert held["t5"] >= pairs
    assert held["cope"] > 8 * pairs
    own_bias = (
        "rerope rerope_leaky self_extend dual_chunk string shaw relative_key relative_key_query deberta deberta_v2 "
        "transformer_xl cope forgetting cable dape"
    )
    assert {key for key, step in small.items() if step.own_bias} == set(own_bias.split())


def test_calibrating_leaves_the_threads_of_torch_as_they_are():
    torch.set_num_threads(2)
    estimate.measured(TINY, "none")
    assert torch.get_num_threads() == 2


@each("key", ["none", "t5", "cope"])
def test_what_a_larger_model_holds_is_foreseen(calibration, key):
    """Counted, not timed: the same on every machine."""
    config, text = RunConfig((key,), train_length=128, d_model=96, n_heads=2, n_layers=3, batch_size=8), built_in()
    steps = train(build_model(config, key, text), key, text, config)
    held = {}

    def note(tensor):
        held[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        next(steps)
    foreseen = calibration.step(of(config, len(text.vocabulary)), key).held
    assert 0.7 < foreseen / sum(held.values()) < 1.5


# Seconds of one core, as recorded of runs with the default sizes (CPU time): steps by encoding; glances (of less text
# under repairs) and evaluations by length of RoPE, as trained and under repairs, one of which needs a second score
# matrix; steps of fine-tuning.
STEP = {"rope": 0.0213, "sinusoidal": 0.0159, "alibi": 0.0171}
GLANCE = {
    "as_trained": {64: 0.0141, 128: 0.0156, 192: 0.0157, 256: 0.0178, 384: 0.0301, 512: 0.044},
    "pi": {64: 0.0085, 128: 0.01, 192: 0.0101, 256: 0.0115, 384: 0.009, 512: 0.012},
    "yarn": {64: 0.0084, 128: 0.0083, 192: 0.009, 256: 0.0096, 384: 0.0091, 512: 0.013},
    "window": {64: 0.0063, 128: 0.0078, 192: 0.0086, 256: 0.0091, 384: 0.0086, 512: 0.0129},
    "rerope": {64: 0.0084, 128: 0.015, 192: 0.0167, 256: 0.0195, 384: 0.0203, 512: 0.0354},
}
EVALUATION = {
    "as_trained": {64: 0.1867, 128: 0.2112, 192: 0.2345, 256: 0.2448, 384: 0.2825, 512: 0.312},
    "pi": {64: 0.1997, 128: 0.2018, 192: 0.2174, 256: 0.2427, 384: 0.2738, 512: 0.3351},
    "yarn": {64: 0.1786, 128: 0.1917, 192: 0.2082, 256: 0.2225, 384: 0.2737, 512: 0.3098},
    "window": {64: 0.1627, 128: 0.1855, 192: 0.21, 256: 0.2239, 384: 0.2704, 512: 0.3099},
    "rerope": {64: 0.2343, 128: 0.3475, 192: 0.5041, 256: 0.555, 384: 0.9239, 512: 1.3624},
}
TUNING = {"as_trained": 0.0298, "pi": 0.0327, "yarn": 0.0301, "window": 0.0377, "rerope": 0.0881}


def recorded(encoding: str, unit: Unit) -> float:
    match unit.doing:
        case "training":
            return STEP[encoding]
        case "tuning":
            return TUNING[unit.repair]
        case "evaluation":
            return EVALUATION[unit.repair][unit.length]
    return GLANCE[unit.repair][unit.length]


def told(config, n_workers=2, piece=0.2):
    """What a run says is left of it over its time, and how long it took: workers take turns as those of the queue."""
    pace = Pace(config, 97)
    models = [(key, seed) for seed in config.seeds for key in config.encodings]
    rests = {one: Remaining(plan(config, one[0], glanced_steps(config))) for one in models}
    n_events = dict.fromkeys(models, 0)
    idle, busy, clock, said = set(models), [], 0.0, []
    while idle or busy:
        while idle and len(busy) < n_workers:
            one = min(idle, key=lambda one: (n_events[one], models.index(one)))
            idle.remove(one)
            taken = 0.0
            while taken < piece and (unit := rests[one].take()):
                seconds = recorded(one[0], unit)
                pace.note(one[0], unit, seconds)
                n_events[one] += 1
                taken += seconds
            busy.append((clock + taken, one))
        clock, one = min(busy)
        busy.remove((clock, one))
        if rests[one].seconds(one[0], pace).any():
            idle.add(one)
        said.append((clock, seconds_left([rests[key].seconds(key[0], pace) for key in models], n_workers)))
    return said, clock


RECORDED = RunConfig(("sinusoidal", "rope", "alibi"), steps=350)
REPAIRS = ("pi", "yarn", "window", "rerope")


@each(
    "config",
    [
        RECORDED,
        replace(RECORDED, n_seeds=3),
        replace(RECORDED, repairs=REPAIRS),
        replace(RECORDED, encodings=("rope",), repairs=REPAIRS, tune_steps=100),
        replace(RECORDED, repairs=("pi", "yarn"), tune_steps=200),
    ],
)
def test_the_time_left_is_right_to_a_fifth_after_the_first_tenth(config):
    said, whole = told(config)
    asked = [(whole - now, left) for now, left in said if now >= whole / 10]
    assert len(asked) > 20
    wrong = [(true, left) for true, left in asked if abs(left - true) > max(1.0, 0.2 * true)]
    assert wrong == []


def test_workers_share_what_is_left_and_one_model_is_no_faster_for_two():
    ten = np.ones(10)
    assert seconds_left([ten, ten], 1) == 20
    assert seconds_left([ten, ten], 2) == 10
    assert seconds_left([ten], 2) == 10
    # until ten events of each are done both workers are busy; then one model is left
    assert seconds_left([ten, np.array([*ten, 2, 2, 2, 2, 2])], 2) == 10 + 10
    assert seconds_left([np.array([0] * 6 + [1] * 4), ten], 1) == 6 + 4 + 4  # who is behind catches up first
    assert seconds_left([np.zeros(7)], 2) == 0


def test_what_was_not_measured_is_weighed_by_what_is_most_like_it():
    pace = Pace(RECORDED, 97)
    short, long = Unit("glance", 64, 1_024), Unit("glance", 512, 1_024)
    assert pace.seconds("rope", short) == 0
    pace.note("rope", short, 0.01)
    assert pace.seconds("rope", replace(short, doing="evaluation", tokens=32_768)) == pytest.approx(0.32)
    assert pace.seconds("rope", long) > 0.01  # by arithmetic: each token sees more keys
    pace.note("rope", long, 0.05)
    assert pace.seconds("rope", replace(long, doing="evaluation", repair="pi", tokens=2_048)) == pytest.approx(0.1)
    assert pace.seconds("alibi", short) == pytest.approx(pace.seconds("none", short))
    pace.note("rope", long, 0.07)
    assert pace.seconds("rope", long) == pytest.approx(0.06)


def test_a_plan_is_taken_in_order_to_its_end():
    found = plan(replace(RECORDED, steps=50), "rope", (10, 25))
    rest = Remaining(found)
    taken = list(iter(rest.take, None))
    assert sum(n for _, n in found) == len(taken) == 50 + 2 * 6 + 6
    doing = [(kind, len(list(same))) for kind, same in itertools.groupby(unit.doing for unit in taken)]
    assert doing == [
        ("training", 10), ("glance", 6), ("training", 15), ("glance", 6), ("training", 25), ("evaluation", 6),
    ]  # fmt: skip
    assert rest.seconds("rope", Pace(RECORDED, 97)).tolist() == [0] * 68
