"""Runs for tests: of several seeds, with losses that are given and not trained, and those of sweeps."""

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Task
from pe_core.lab.results.record import RunRecord, TextFacts, text_facts

CONFIG = RunConfig(
    ("rope", "alibi", "none"), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50, seed=3, n_seeds=3
)
FACTS = TextFacts("cats", 5_000, 40, 3.68888, 2.5, "0" * 64)


def losses(first, last):
    """Losses by length: the first one, 2 in between, and the last one."""
    values = (first, 2.0, 2.0, 2.0, 2.0, last)
    return tuple(LengthLoss(length, loss, loss) for length, loss in zip(CONFIG.lengths, values, strict=True))


def seeded(ends, curves=None, config=CONFIG, facts=FACTS):
    """A run as far as it has come: first and last loss of each encoding that is done, for one seed after another.

    `curves` are those of each seed, none if not given.
    """
    curves = curves or [{} for _ in ends]
    outcomes = [
        {key: Outcome(7, losses(*two), (two[0],) * 64 + (two[1],) * 64) for key, two in done.items()} for done in ends
    ]
    return RunRecord(config, facts, by_seed(config, curves), by_seed(config, outcomes))


def by_seed(config, found):
    """What was found with each seed of a run, by encoding, as a record has it: by encoding and seed."""
    keys = dict.fromkeys(key for own in found for key in own)
    return {key: {seed: own[key] for seed, own in zip(config.seeds, found, strict=False) if key in own} for key in keys}


def one_seed(config, facts, curves, outcomes):
    """A run of one seed, of curves and outcomes by encoding."""
    return RunRecord(config, facts, by_seed(config, [curves]), by_seed(config, [outcomes]))


# What the tests of sweeps share: small settings, a pool that calls in place, and a run without any steps.


SHARED = {"d_model": 16, "n_heads": 1, "n_layers": 1, "steps": 50}
SMALL = [f"--{name.replace('_', '-')}={value}" for name, value in SHARED.items()]  # the same as options


def in_place(train):
    """A pool that trains by a function here, the last run first: pools promise no order."""

    def pool(runs, **_):
        for item, run in reversed([*runs.items()]):
            yield item, train(*run)

    return pool


def made(config, learned):
    """A record whose losses say which length, training length, encoding and seed they are of."""
    base = 1 + config.seed / 8 + config.train_length / 64 + len(config.encodings[0]) / 1024
    marks = (0.5, 0.25) if isinstance(learned, Task) else ()
    lengths = tuple(LengthLoss(length, base + length / 512, base, *marks) for length in config.lengths)
    outcome = Outcome(77, lengths, (base, 1.0))
    return one_seed(config, text_facts(learned), {config.encodings[0]: (3.0, 2.0)}, {config.encodings[0]: outcome})
