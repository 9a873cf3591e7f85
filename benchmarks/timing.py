"""Timing side by side: rounds go around all candidates, so that a slow moment of the machine hits each of them."""

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS, CALLS = 9, 10  # rounds, and calls of each candidate in one


def seconds_per_call(candidates: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median over rounds of the seconds that one call of each candidate takes."""
    for candidate in candidates.values():
        candidate()
    measured: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(ROUNDS):
        for name, candidate in candidates.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                candidate()
            measured[name].append((time.perf_counter() - start) / CALLS)
    return {name: statistics.median(times) for name, times in measured.items()}


def table(title: str, rows: Mapping[str, tuple[float, float]], unit: str) -> str:
    """Return a text table of name, value and ratio to the baseline."""
    width = max(map(len, rows))
    lines = [f"{name:<{width}}  {value:>12,.1f} {unit}  {ratio:>6.2f} x" for name, (value, ratio) in rows.items()]
    return "\n".join([title, *lines, ""])
