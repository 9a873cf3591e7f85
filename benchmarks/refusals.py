"""Links to the lab with every number at its largest: what it costs the server to refuse one, in a fresh process each.

Before the link, one visitor opens Home, as the health check of the image does, and the process comes to rest. Counted
are the processor time of the whole process, the time until the page is there, and how far its memory rises meanwhile.
The same link, opened by a second visitor, shows what is left when all has been built once. Ends with status 1 where the
first link takes more than 300 ms of the processor or 50 MB.
"""

import asyncio
import re
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import AS_RUN, MB, cpu_seconds, memory, rest
from pe_core.lab.experiment.settings import PARAMETERS
from tests.browser.protocol import connected, cookies_of
from tests.browser.serving import serving

ENCODINGS = ("none", "rope", "alibi", "transformer_xl", "cope")  # that cost least, and that cost most
MAX_MS, MAX_MB = 300, 50  # of the first link
ROUNDS = 3  # processes for each link, of which the median is told
REFUSAL = "This cannot be trained: "


@dataclass(frozen=True)
class Cost:
    """What a page costs the server: milliseconds of the processor, milliseconds until it is there, megabytes."""

    processor: float
    time: float
    memory: float

    def __str__(self) -> str:
        return f"{self.processor:4.0f} ms of the processor, there after {self.time:5.0f} ms, {self.memory:5.1f} MB"

    @property
    def holds(self) -> bool:
        """Whether it is within both bounds."""
        return self.processor <= MAX_MS and self.memory <= MAX_MB


def max_link(encoding: str) -> dict[str, str]:
    """Return the link to a run of one encoding with every number at its end but the seed, which costs nothing."""
    numbers = {name: one for name, one in PARAMETERS.items() if not isinstance(one.default, str) and name != "seed"}
    ends = {name: one.choices[-1] if one.choices else one.maximum for name, one in numbers.items()}
    return {"encodings": encoding, **{name: str(end) for name, end in ends.items()}}


def peak(pid: int) -> float:
    """Return the largest resident memory of a process in MB since `forget_peak`."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return 1024 * int(found[1]) / MB


def forget_peak(pid: int) -> None:
    """Let the largest memory of a process be the one that it has now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


async def refused(address: str, pid: int, link: dict[str, str]) -> Cost:
    """Open a link as a new visitor and return what its refusal costs; raise `RuntimeError` where it is not refused."""
    async with connected(address, await asyncio.to_thread(cookies_of, address)) as client:
        await asyncio.to_thread(rest, pid)
        forget_peak(pid)
        used, held, begun = cpu_seconds(pid), memory(pid), time.monotonic()
        await client.open("lab", link)
        took = time.monotonic() - begun
        cost = Cost(1000 * (cpu_seconds(pid) - used), 1000 * took, peak(pid) - held)
        if client.exceptions or not any(text.startswith(REFUSAL) for text in client.said):
            raise RuntimeError(f"not refused: {link}, said {client.said}, exceptions {client.exceptions}")
        return cost


async def twice(encoding: str) -> tuple[Cost, Cost]:
    """Return what the largest link of an encoding costs a fresh process, and what it costs it once more."""
    with serving(environment=AS_RUN) as (address, server):
        async with connected(address, await asyncio.to_thread(cookies_of, address)) as client:
            await client.open("home")
        first, second = [await refused(address, server.pid, max_link(encoding)) for _ in range(2)]
        return first, second


def median(costs: list[Cost]) -> Cost:
    """Return the median of each number."""
    return Cost(*(statistics.median(getattr(one, name) for one in costs) for name in ("processor", "time", "memory")))


def main() -> int:
    """Print what each link costs beside the goal; return 1 where the first one of a process costs more, else 0."""
    print(f"goal: at most {MAX_MS} ms of the processor and {MAX_MB} MB for the first such link of a process")
    held = True
    for encoding in ENCODINGS:
        firsts, seconds = zip(*(asyncio.run(twice(encoding)) for _ in range(ROUNDS)), strict=True)
        first = median(list(firsts))
        held = held and first.holds
        print(f"{encoding}, first: {first}{'' if first.holds else ', MORE than the goal'}")
        print(f"{encoding}, again: {median(list(seconds))}", flush=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
