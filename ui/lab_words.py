"""How the numbers of a run are put into words: of several trainings, and with the unit of what was learned."""

from collections.abc import Sequence

from pe_core.lab.results import RunRecord


def over_seeds(values: Sequence[float], form: str) -> str:
    """Return a number in words, of several trainings the mean with the smallest, the largest and how many there are."""
    mean = format(sum(values) / len(values), form)
    return mean if len(values) == 1 else f"{mean} ({min(values):{form}} to {max(values):{form}}, n={len(values)})"


def mean_of(record: RunRecord, key: str) -> str:
    """Return of how many trainings a number is the mean, to stand behind its name; nothing for one."""
    n = len(record.seeds_of(key))
    return f", mean of {n} trainings" if n > 1 else ""


def longest(record: RunRecord) -> str:
    """Return the longest evaluated length, with its unit."""
    return f"{max(record.config.lengths):,} {'symbols' if record.text.is_task else 'characters'}"
