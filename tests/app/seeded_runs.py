"""Runs of several seeds for the lab's page, of numbers that are given and not trained, and what it says of two."""

from dataclasses import replace

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, text_facts
from tests.app.opened import spaced
from tests.lab.seeded import CONFIG, by_seed, seeded

FACTS = replace(text_facts(datasets.built_in()), unigram_loss=2.5)


def curves(config):
    """Losses that fall by a fiftieth a step, from 3.0 with the first seed and a tenth more with each further one."""
    falling = [tuple(3.0 + seed / 10 - step / 50 for step in range(config.steps)) for seed in range(config.n_seeds)]
    return [dict.fromkeys(config.encodings, curve) for curve in falling]


def made(ends, **changes):
    config = replace(CONFIG, **changes)
    return seeded(ends, curves(config), config, FACTS)


ENDS = [
    {"rope": (2.0, 3.00), "alibi": (2.0, 2.10), "none": (2.0, 2.20)},
    {"rope": (2.0, 3.10), "alibi": (2.0, 2.11), "none": (2.0, 2.00)},
    {"rope": (2.0, 3.25), "alibi": (2.0, 2.12), "none": (2.0, 2.15)},
]
RECORD = made(ENDS)
ONE = made(ENDS[:1], n_seeds=1)
OTHERS = made([{"t5": (2.0, 2.2), "shaw": (2.0, 2.5)}] * 2, encodings=("t5", "shaw"), n_seeds=2)


def marked(first, last):
    """An outcome with these right answers at the ends, 0.9 in between, and half as many whole examples."""
    right = (first, 0.9, 0.9, 0.9, 0.9, last)
    pairs = zip(CONFIG.lengths, right, strict=True)
    return Outcome(7, tuple(LengthLoss(length, 1.0, 1.0, share, share / 2) for length, share in pairs), (1.0,))


TASK = text_facts(next(iter(TASKS.values())))
EACH = [{"rope": marked(1.0, last), "alibi": marked(0.98, 0.95)} for last in (0.5, 0.52, 0.51)]
RIGHT = RunRecord(CONFIG, TASK, by_seed(CONFIG, curves(CONFIG)), by_seed(CONFIG, EACH))


def verdict(at):
    """The sentence of the comparison, which begins with what comes of it."""
    begins = ("**Told apart", "**Not disting", "**One run says", "**No seed", "Choose two different")
    [sentence] = [spaced(element.value) for element in at.markdown if element.value.startswith(begins)]
    return sentence
