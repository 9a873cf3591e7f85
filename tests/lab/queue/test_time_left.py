"""The time that is left of a run, from recorded durations on a fake clock: right to a fifth after the first tenth."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from pe_core.lab.experiment.evaluation import glanced_steps
from pe_core.lab.experiment.run import Unit, plan
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue.time_left import Pace, Remaining, seconds_left
from tests.cases import each

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


DEFAULT = RunConfig(("sinusoidal", "rope", "alibi"), steps=350)
REPAIRS = ("pi", "yarn", "window", "rerope")


@each(
    "config",
    [
        DEFAULT,
        replace(DEFAULT, n_seeds=3),
        replace(DEFAULT, repairs=REPAIRS),
        replace(DEFAULT, encodings=("rope",), repairs=REPAIRS, tune_steps=100),
        replace(DEFAULT, repairs=("pi", "yarn"), tune_steps=200),
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
    pace = Pace(DEFAULT, 97)
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
    found = plan(replace(DEFAULT, steps=50), "rope", (10, 25))
    rest = Remaining(found)
    taken = list(iter(rest.take, None))
    assert sum(n for _, n in found) == len(taken) == 50 + 2 * 6 + 6
    doing = [(kind, len(list(same))) for kind, same in itertools.groupby(unit.doing for unit in taken)]
    assert doing == [
        ("training", 10), ("glance", 6), ("training", 15), ("glance", 6), ("training", 25), ("evaluation", 6),
    ]  # fmt: skip
    assert rest.seconds("rope", Pace(DEFAULT, 97)).tolist() == [0] * 68
