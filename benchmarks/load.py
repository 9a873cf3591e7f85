"""Many visitors at once over Streamlit's own protocol: how long a slider step takes, and the server's memory.

`python -m benchmarks.load --visitors 100 --minutes 5` serves the app; every visitor opens a page and moves one of its
sliders every 3 to 9 s. After `--steps` of them he leaves, and another one opens another page. No browser takes part:
times are those of the server, from the message sent to the last message of the answer. The first minute, in which
visitors arrive, is not counted.

With `--training 4` so many more visitors train all the time. The others move sliders and hold still in turn, and the
speed of training is compared between the two, since a shared machine is not equally fast from minute to minute.
With `--servers 2` so many servers share nginx and PostgreSQL, as `docs/hosting.md` has them.
"""

import argparse
import asyncio
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from websockets.exceptions import WebSocketException

from tests.browser.protocol import Client, connected, cookies_of
from tests.browser.serving import ROOT, served
from tests.deploy.services import nginx
from tests.lab.storage.postgres import Server

AS_RUN = {"MALLOC_ARENA_MAX": "2"}  # the environment in which `make run` serves the app
MB = 2**20
PAUSE = (3.0, 9.0)  # seconds between two steps of a visitor
ARRIVAL = 60.0  # seconds over which visitors come, before the counting begins
MAX_SECONDS = 60.0  # seconds after which an answer counts as missing
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py") if page.stem != "home")
PARTS = (0.5, 0.95, 0.99)
# Seconds in turn over which training is measured while the visitors move sliders and while they hold still, and those
# after each change that are not measured.
MOVING, STILL, CHANGE = 40.0, 20.0, 9.0
LOOK = 2.0  # seconds between two looks whether all train
# All visitors of the benchmark come from one address; real ones do not.
ONE_ADDRESS = {"PE_CONNECTIONS_PER_ADDRESS": "10000", "PE_REQUESTS_PER_SECOND": "10000", "PE_BURST": "10000"}
# Of who trains, beside the defaults: so many seeds that it does not end meanwhile.
RUN = {"encodings": "rope", "steps": "5000", "n_seeds": "5"}


def server_pid(address: str) -> int:
    """Return the process that serves the address: the one whose command line names its port."""
    port = f"--server.port={address.rpartition(':')[2]}"
    for process in psutil.process_iter(["cmdline"]):
        if port in (process.info["cmdline"] or ()):
            return process.pid
    raise RuntimeError(f"no process serves {address}")


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    return psutil.Process(pid).memory_info().rss / MB


def cpu_seconds(pid: int) -> float:
    """Return the seconds of the processor that a process has used."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


@dataclass
class Log:
    """What the visitors have met: seconds of each step by page and of each page opened, and what went wrong."""

    start: float
    steps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    opened: list[float] = field(default_factory=list)
    slowest: list[tuple[float, float, str]] = field(default_factory=list)  # seconds, minute, what
    wrong: Counter[str] = field(default_factory=Counter)
    n_bytes: int = 0
    moving: asyncio.Event = field(default_factory=asyncio.Event)  # set while visitors move sliders

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
    while await _moves(end, chance, log):
        page = chance.choice(PAGES)
        try:
            cookies = await asyncio.to_thread(cookies_of, address)
            async with connected(address, cookies) as client:
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
        if not await _moves(end, chance, log):
            return
        widget = chance.choice(client.sliders)
        slider, now = client.elements[widget].slider, client.value(widget)
        moved = now + chance.choice((-2, -1, 1, 2)) * slider.step
        value = moved if slider.min <= moved <= slider.max else now
        begun = time.monotonic()
        async with asyncio.timeout(MAX_SECONDS):
            await client.step(widget, value)
        log.note(client.page, widget.rpartition("-")[2], time.monotonic() - begun)


async def _moves(end: float, chance: random.Random, log: Log) -> bool:
    """Wait until visitors move sliders, and not all at once when they begin; return False if the end comes first."""
    while not log.moving.is_set():
        await log.moving.wait()
        await asyncio.sleep(chance.uniform(0, CHANGE))
    return time.monotonic() < end


async def watch(pids: Sequence[int], end: float, log: Log) -> list[float]:
    """Print every minute how the servers stand, and return their memory in MB at these moments."""
    memories: list[float] = []
    minute = 0
    while time.monotonic() < end:
        n, before = sum(map(len, log.steps.values())), [cpu_seconds(pid) for pid in pids]
        await asyncio.sleep(min(60.0, max(0.1, end - time.monotonic())))
        minute += 1
        every = [seconds for page in log.steps.values() for seconds in page]
        memories.append(sum(map(memory, pids)))
        cores = " and ".join(f"{(cpu_seconds(pid) - cpu) / 60:.2f}" for pid, cpu in zip(pids, before, strict=True))
        print(f"  minute {minute}: {memories[-1]:.0f} MB, {cores} cores; {told(every[n:])}", flush=True)
    return memories


async def train(client: Client, seed: int, done: dict[int, int], over: asyncio.Event) -> None:
    """Train as a visitor does who looks at the run, and note how many steps are done, until it is over."""
    await client.open("lab", {**RUN, "seed": str(seed)})
    await client.press("train")
    while not over.is_set():
        if client.timers:
            await client.wait()
        else:  # the run has not begun
            await asyncio.sleep(LOOK)
            await client.rerun()
        if found := re.search(r"Step ([\d,]+) of", " ".join(client.said)):
            done[seed] = int(found[1].replace(",", ""))
    await client.press("stop")


async def speed(done: dict[int, int], seconds: float) -> float:
    """Return how many steps a second all together train, measured over so many seconds."""
    before, start = sum(done.values()), time.monotonic()
    await asyncio.sleep(seconds)
    return (sum(done.values()) - before) / (time.monotonic() - start)


async def in_turn(done: dict[int, int], rounds: int, log: Log) -> tuple[list[float], list[float]]:
    """Return how many steps a second are trained while visitors move and while they hold still, in turn."""
    beside, alone = [], []
    for _ in range(rounds):
        beside.append(await speed(done, MOVING))
        log.moving.clear()
        await asyncio.sleep(CHANGE)
        alone.append(await speed(done, STILL))
        log.moving.set()
        await asyncio.sleep(CHANGE)
    return beside, alone


@contextmanager
def hosted(n_servers: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of nginx, and of the servers behind it that share a database."""
    with ExitStack() as stack:
        database = stack.enter_context(closing(Server()))
        environment = {**AS_RUN, "PE_STORE": database.new_database()}
        servers = [stack.enter_context(served(environment=environment)) for _ in range(n_servers)]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield stack.enter_context(nginx(folder, servers, **ONE_ADDRESS)), servers


def told(seconds: list[float]) -> str:
    """Return the number of times and their percentiles in words."""
    if len(seconds) < 2:
        return f"{len(seconds)} steps"
    parts = ", ".join(f"p{100 * part:.0f} {1000 * percentile(seconds, round(100 * part)):.0f}" for part in PARTS)
    return f"{len(seconds)} steps: {parts}, longest {1000 * max(seconds):.0f} ms"


def percentile(seconds: list[float], part: int) -> float:
    """Return the time that so many of a hundred do not exceed."""
    return statistics.quantiles(seconds, n=100, method="inclusive")[part - 1]


async def load(
    address: str, pids: Sequence[int], *, visitors: int, training: int, seconds: float, steps: int, seed: int
) -> Log:
    """Let visitors use the app for so many seconds after they have arrived, and print what they met."""
    async with AsyncExitStack() as stack:
        over, done = asyncio.Event(), dict[int, int]()
        trainees = [await stack.enter_async_context(connected(address)) for _ in range(training)]
        trained = [asyncio.create_task(train(one, number, done, over)) for number, one in enumerate(trainees)]
        before, rounds = 0.0, 0
        if training:
            while len([n for n in done.values() if n]) < training:
                await asyncio.sleep(LOOK)
            before = await speed(done, STILL)
            rounds = max(1, round(seconds / MOVING))
            seconds = rounds * (MOVING + STILL + 2 * CHANGE)
        log, end = Log(time.monotonic()), time.monotonic() + ARRIVAL + seconds
        log.moving.set()
        chances = [random.Random(1_000 * seed + number) for number in range(visitors)]
        visits = [asyncio.create_task(visit(address, end, chance, log, steps)) for chance in chances]
        watching = asyncio.create_task(watch(pids, end, log))
        await asyncio.sleep(ARRIVAL)
        beside, alone = await in_turn(done, rounds, log)
        memories = await watching
        await asyncio.gather(*visits)
        over.set()
        await asyncio.gather(*trained)
    report(log, memories)
    if training:
        ratio = statistics.fmean(beside) / statistics.fmean([before, *alone])
        each = [", ".join(f"{steps:.1f}" for steps in part) for part in ([before, *alone], beside)]
        print(f"{training} train: {each[0]} steps a second alone, {each[1]} beside: {ratio:.2f}")
    return log


def report(log: Log, memories: list[float]) -> None:
    """Print what the visitors met, by page and in all."""
    for page in sorted(log.steps, key=lambda page: -statistics.fmean(log.steps[page])):
        print(f"  {page}: {told(log.steps[page])}")
    for took, minute, what in log.slowest:
        print(f"  slowest: {1000 * took:.0f} ms in minute {minute:.2f}, {what}")
    print(f"pages opened: {told(log.opened)}")
    print(f"all steps: {told([took for page in log.steps.values() for took in page])}")
    if len(memories) > 1:
        growth = memories[-1] / memories[1]
        print(f"memory: {memories[1]:.0f} MB in minute two, {memories[-1]:.0f} at the end: {growth:.3f}")
    print(f"{log.n_bytes / 2**20:.0f} MB sent; went wrong: {log.wrong.total()}")
    for text, n in log.wrong.most_common(12):
        print(f"  {n} times {text}")


def main() -> int:
    """Serve the app to many visitors; return 0 if nothing went wrong, else 1."""
    program = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__.partition("\n")[0])
    program.add_argument("--visitors", type=int, default=100)
    program.add_argument("--minutes", type=float, default=5.0, help="after the visitors have arrived")
    program.add_argument("--steps", type=int, default=20, help="of one visitor, until another one takes the place")
    program.add_argument("--training", type=int, default=0, help="visitors who train")
    program.add_argument("--servers", type=int, default=1, help="more than one are behind nginx and share PostgreSQL")
    program.add_argument("--seed", type=int, default=0)
    options = program.parse_args()
    sizes = {name: getattr(options, name) for name in ("visitors", "training", "steps", "seed")}
    with ExitStack() as stack:
        if options.servers == 1:
            servers = [stack.enter_context(served(environment=AS_RUN))]
            address = servers[0]
        else:
            address, servers = stack.enter_context(hosted(options.servers))
        pids = [server_pid(server) for server in servers]
        log = asyncio.run(load(address, pids, seconds=60 * options.minutes, **sizes))
    return 1 if log.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
