"""How the numbers of a run are put into words: of several trainings, and with the unit of what was learned."""

from collections.abc import Callable, Sequence

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.results.record import RunRecord


def over_seeds(values: Sequence[float], form: str) -> str:
    """Return a number in words, of several trainings the mean with the smallest, the largest and how many there are."""
    mean = format(sum(values) / len(values), form)
    return mean if len(values) == 1 else f"{mean} ({min(values):{form}} to {max(values):{form}}, n={len(values)})"


def mean_of(record: RunRecord, key: str) -> str:
    """Return of how many trainings a number is the mean, to stand behind its name; nothing for one."""
    n = len(record.outcomes[key])
    return f", mean of {n} trainings" if n > 1 else ""


def longest(record: RunRecord) -> str:
    """Return the longest evaluated length, with its unit."""
    return f"{max(record.config.lengths):,} {'symbols' if record.text.is_task else 'characters'}"


def ends(record: RunRecord, worded: Callable[[LengthLoss], str]) -> str:
    """Return what each encoding has at the training length and at the longest one, in the words that it is given."""
    found = []
    for key in record.done:
        first, *_, last = record.mean(key).lengths
        found.append(f"{ENCODINGS[key].title} {worded(first)} at {first.length}, {worded(last)} at {last.length}")
    return "; ".join(found)
