"""What the tests of sweeps share: small settings, a pool that calls in place, and a run without any steps."""

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.task import Task
from pe_core.lab.results.record import text_facts
from tests.lab.seeded import one_seed

SHARED = {"d_model": 16, "n_heads": 1, "n_layers": 1, "steps": 50}


def in_place(function, items):
    """Call the function here, the last item first: pools promise no order."""
    for item in reversed(items):
        yield item, function(item)


def made(config, learned):
    """A record whose losses say which length, training length, encoding and seed they are of."""
    base = 1 + config.seed / 8 + config.train_length / 64 + len(config.encodings[0]) / 1024
    marks = (0.5, 0.25) if isinstance(learned, Task) else ()
    lengths = tuple(LengthLoss(length, base + length / 512, base, *marks) for length in config.lengths)
    outcome = Outcome(77, lengths, (base, 1.0))
    return one_seed(config, text_facts(learned), {config.encodings[0]: (3.0, 2.0)}, {config.encodings[0]: outcome})
