"""One client asks for the page hundreds of times a second: how long slider steps of others take, with it and without.

`python -m benchmarks.flood` serves the app to a few visitors who move a slider every half second; in every other phase
the client floods it. Times are those of the server, which is on this machine.
"""

import argparse
import asyncio
import time
from contextlib import AsyncExitStack

from benchmarks.load import told
from benchmarks.process import AS_RUN
from tests.browser.protocol import Client, connected
from tests.browser.serving import served

SLIDER = "query"  # of the RoPE page
PAUSE = 0.5  # seconds between two steps of a visitor
SECONDS = 10.0  # of a phase


async def move(page: Client, first: int, times: list[float], over: asyncio.Event) -> None:
    """Move the slider until it is over, and note how long each step takes."""
    widget = next(name for name in page.sliders if name.endswith(f"-{SLIDER}"))
    value = first
    while not over.is_set():
        value = 20 + (value + 1) % 5
        begun = time.perf_counter()
        await page.step(widget, value)
        times.append(time.perf_counter() - begun)
        await asyncio.sleep(PAUSE)


async def flood(client: Client, rate: float, over: asyncio.Event) -> int:
    """Ask for the page so many times a second until it is over, whatever is answered; return how often."""

    async def listen() -> None:
        while True:
            await client.connection.recv()

    listening, start, sent = asyncio.create_task(listen()), time.perf_counter(), 0
    while not over.is_set():
        await client.ask()
        sent += 1
        await asyncio.sleep(max(0.0, start + sent / rate - time.perf_counter()))
    listening.cancel()
    return sent


async def measure(address: str, *, visitors: int, rate: float, rounds: int) -> None:
    """Print how long steps take without and with the flood, in turns."""
    async with AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(connected(address)) for _ in range(visitors + 1)]
        for page in pages:
            await page.open("rope")
        *others, client = pages
        for phase in range(2 * rounds):
            over, times = asyncio.Event(), list[float]()
            moving = [asyncio.create_task(move(page, number, times, over)) for number, page in enumerate(others)]
            asking = asyncio.create_task(flood(client, rate, over)) if phase % 2 else None
            await asyncio.sleep(SECONDS)
            over.set()
            await asyncio.gather(*moving)
            said = f"{await asking / SECONDS:.0f} requests a second" if asking else "without the flood"
            print(f"{said}: {told(times)}", flush=True)


def main() -> None:
    """Serve the app to visitors and to one client that floods it."""
    program = argparse.ArgumentParser(prog="python -m benchmarks.flood", description=__doc__.partition("\n")[0])
    program.add_argument("--visitors", type=int, default=5)
    program.add_argument("--rate", type=float, default=360.0, help="requests a second")
    program.add_argument("--rounds", type=int, default=3)
    options = program.parse_args()
    with served(environment=AS_RUN) as address:
        asyncio.run(measure(address, visitors=options.visitors, rate=options.rate, rounds=options.rounds))


if __name__ == "__main__":
    main()
