"""Many visitors at once over Streamlit's own protocol: how long a slider step takes, and the server's memory.

`python -m benchmarks.load --visitors 100 --minutes 5` serves the app; every visitor opens a page and moves one of its
sliders every 3 to 9 s. With `--steps 20` he leaves after so many steps, and another one opens another page. No browser
takes part: times are those of the server, from the message sent to the last message of the answer. The first minute, in
which visitors arrive, is not counted.
"""

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from websockets.exceptions import WebSocketException

from benchmarks.visitors import memory, server_pid
from tests.browser.protocol import Client, connected
from tests.browser.serving import ROOT, served

PAUSE = (3.0, 9.0)  # seconds between two steps of a visitor
ARRIVAL = 60.0  # seconds over which visitors come, before the counting begins
MAX_SECONDS = 60.0  # seconds after which an answer counts as missing
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py") if page.stem != "home")
PARTS = (0.5, 0.95, 0.99)


@dataclass
class Log:
    """What the visitors have met: seconds of each step by page and of each page opened, and what went wrong."""

    start: float
    steps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    opened: list[float] = field(default_factory=list)
    slowest: list[tuple[float, float, str]] = field(default_factory=list)  # seconds, minute, what
    wrong: Counter[str] = field(default_factory=Counter)
    n_bytes: int = 0

    @property
    def counts(self) -> bool:
        """Whether the visitors have arrived."""
        return time.monotonic() - self.start > ARRIVAL

    def note(self, page: str, slider: str, seconds: float) -> None:
        """Take in the time of one step."""
        if self.counts:
            self.steps[page].append(seconds)
            minute = (time.monotonic() - self.start) / 60
            self.slowest = sorted([*self.slowest, (seconds, minute, f"{page} {slider}")], reverse=True)[:12]


async def visit(address: str, end: float, chance: random.Random, log: Log, steps: int) -> None:
    """Be one visitor after the other until the end, each on a page of its own for so many steps."""
    await asyncio.sleep(chance.uniform(0, ARRIVAL))
    while time.monotonic() < end:
        page = chance.choice(PAGES)
        try:
            async with connected(address) as client:
                async with asyncio.timeout(MAX_SECONDS):
                    begun = time.monotonic()
                    await client.open(page)
                    if log.counts:
                        log.opened.append(time.monotonic() - begun)
                if client.sliders:
                    await use(client, end, chance, log, steps)
                log.wrong.update(f"{page}: {text}" for text in client.exceptions)
                log.n_bytes += client.bytes_received
        except (OSError, RuntimeError, TimeoutError, WebSocketException) as error:
            log.wrong[f"{page}: {type(error).__name__} {error}"] += 1


async def use(client: Client, end: float, chance: random.Random, log: Log, steps: int) -> None:
    """Move sliders of a page, one at a time."""
    for _ in range(steps):
        await asyncio.sleep(chance.uniform(*PAUSE))
        if time.monotonic() > end:
            return
        widget = chance.choice(client.sliders)
        slider, now = client.elements[widget].slider, client.value(widget)
        moved = now + chance.choice((-2, -1, 1, 2)) * slider.step
        value = moved if slider.min <= moved <= slider.max else now
        begun = time.monotonic()
        async with asyncio.timeout(MAX_SECONDS):
            await client.step(widget, value)
        log.note(client.page, widget.rpartition("-")[2], time.monotonic() - begun)


async def watch(pid: int, end: float, log: Log) -> list[float]:
    """Print every minute how the server stands, and return its memory in MB at these moments."""
    memories: list[float] = []
    while time.monotonic() < end:
        n, cpu = sum(map(len, log.steps.values())), cpu_seconds(pid)
        await asyncio.sleep(min(60.0, max(0.1, end - time.monotonic())))
        every = [seconds for page in log.steps.values() for seconds in page]
        memories.append(memory(pid))
        used = (cpu_seconds(pid) - cpu) / 60
        print(f"  minute {len(memories)}: {memories[-1]:.0f} MB, {used:.2f} cores; {told(every[n:])}", flush=True)
    return memories


def cpu_seconds(pid: int) -> float:
    """Return the seconds of CPU that a process has used."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(parts[11]) + int(parts[12])) / 100


def told(seconds: list[float]) -> str:
    """Return the number of times and their percentiles in words."""
    if len(seconds) < 2:
        return f"{len(seconds)} steps"
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    parts = ", ".join(f"p{100 * part:.0f} {1000 * cuts[round(100 * part) - 1]:.0f}" for part in PARTS)
    return f"{len(seconds)} steps: {parts}, longest {1000 * max(seconds):.0f} ms"


async def load(address: str, *, visitors: int, seconds: float, steps: int, seed: int) -> Log:
    """Let visitors use the app for so many seconds after they have arrived, and print what they met."""
    log, end, pid = Log(time.monotonic()), time.monotonic() + ARRIVAL + seconds, server_pid(address)
    chances = [random.Random(1_000 * seed + number) for number in range(visitors)]
    visits = [asyncio.create_task(visit(address, end, chance, log, steps)) for chance in chances]
    memories = await watch(pid, end, log)
    await asyncio.gather(*visits)
    for page in sorted(log.steps, key=lambda page: -statistics.fmean(log.steps[page])):
        print(f"  {page}: {told(log.steps[page])}")
    for took, minute, what in log.slowest:
        print(f"  slowest: {1000 * took:.0f} ms in minute {minute:.2f}, {what}")
    print(f"pages opened: {told(log.opened)}")
    print(f"all steps: {told([took for page in log.steps.values() for took in page])}")
    print(
        f"memory: {memories[1]:.0f} MB in minute two, {memories[-1]:.0f} at the end: {memories[-1] / memories[1]:.3f}"
    )
    print(f"{log.n_bytes / 2**20:.0f} MB sent; went wrong: {log.wrong.total()}")
    for text, n in log.wrong.most_common(12):
        print(f"  {n} times {text}")
    return log


def main() -> int:
    """Serve the app to many visitors; return 0 if nothing went wrong, else 1."""
    program = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__.partition("\n")[0])
    program.add_argument("--visitors", type=int, default=100)
    program.add_argument("--minutes", type=float, default=5.0, help="after the visitors have arrived")
    program.add_argument("--steps", type=int, default=1_000, help="of one visitor, until another one takes the place")
    program.add_argument("--seed", type=int, default=0)
    options = program.parse_args()
    with served(environment={"MALLOC_ARENA_MAX": "2"}) as address:  # as `make run` serves it
        work = load(
            address,
            visitors=options.visitors,
            seconds=60 * options.minutes,
            steps=options.steps,
            seed=options.seed,
        )
        log = asyncio.run(work)
    return 1 if log.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
