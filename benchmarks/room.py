"""A room that answers: how long slider steps take on the wall while telephones vote, beside an idle server.

`python -m benchmarks.room --phones 30` serves the app. A wall with a poll asks for new votes every second, as a browser
does, and beside it a slider of the RoPE page is moved all the time. Then all telephones open the poll at the same
moment, and after that each votes several times, as listeners do who change their mind. No browser takes part: times are
those of the server, from the message sent to the last message of the answer. The three phases take turns.
"""

import argparse
import asyncio
import re
import statistics
import sys
import time
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from itertools import cycle

from benchmarks.load import AS_RUN, percentile, told
from pe_core.chapters.predictions import QUESTIONS
from tests.browser.protocol import Client, connected
from tests.browser.serving import served

QUESTION = "bits"
SLIDER = "query"  # of the RoPE page
REFRESH = 1.0  # seconds after which a wall asks for votes
PAUSE = 1.0  # seconds between two votes of a telephone
IDLE = 8.0  # seconds of a phase without votes


async def refresh(wall: Client, over: asyncio.Event) -> None:
    """Ask for the votes again and again until it is over."""
    fragment = next(fragment for widget, fragment in wall.fragments.items() if widget.endswith("poll_reveal"))
    while not over.is_set():
        await asyncio.sleep(REFRESH)
        await wall.rerun(fragment)


async def move(page: Client, times: list[float], over: asyncio.Event) -> None:
    """Move the slider to and fro until it is over, and note how long each step takes."""
    widget = next(name for name in page.sliders if name.endswith(f"-{SLIDER}"))
    for value in cycle((20, 21, 22, 21)):
        if over.is_set():
            return
        begun = time.perf_counter()
        await page.step(widget, value)
        times.append(time.perf_counter() - begun)
        await asyncio.sleep(0.05)


async def vote(phone: Client, number: int, votes: int) -> None:
    """Choose one answer after the other on the telephone of this number."""
    choices = list(QUESTIONS[QUESTION].choices)
    for turn in range(votes):
        choice = choices[(number + turn) % len(choices)]
        await phone.trigger("ballot", "vote", {"device": f"{number:032x}", "choice": choice})
        await asyncio.sleep(PAUSE)


async def measure(address: str, *, phones: int, votes: int, rounds: int) -> int:
    """Measure the phases in turns, print what was found, and return how many votes are missing on the wall."""
    idle: list[float] = []
    joining: list[float] = []
    voting: list[float] = []
    async with connected(address) as wall, connected(address) as page:
        await wall.open("poll", {"question": QUESTION})
        found = re.search(r"answer=([A-Z]+)", " ".join(wall.html))
        assert found, "the wall shows no address"
        await page.open("rope")
        all_over = asyncio.Event()
        refreshing = asyncio.create_task(refresh(wall, all_over))
        for number in range(rounds):
            await during(asyncio.sleep(IDLE), page, idle)
            async with AsyncExitStack() as stack:
                room = [await stack.enter_async_context(connected(address)) for _ in range(phones)]
                joined = [phone.open("", {"answer": found[1]}) for phone in room]
                await during(asyncio.gather(*joined), page, joining)
                voted = [vote(phone, 1_000 * number + place, votes) for place, phone in enumerate(room)]
                await during(asyncio.gather(*voted), page, voting)
        all_over.set()
        await refreshing
        await wall.open("poll", {"question": QUESTION})
        [shown] = re.findall(r"([0-9]+) votes? so far", " ".join(wall.told))
    print(f"idle: {told(idle)}")
    for name, times in (("open the poll", joining), ("vote", voting)):
        of_median = statistics.median(times) / statistics.median(idle)
        of_p95 = percentile(times, 95) / percentile(idle, 95)
        compared = f"p50 {of_median:.2f} and p95 {of_p95:.2f} times that of the idle server"
        print(f"{phones} telephones {name}: {told(times)}; {compared}")
    print(f"the wall shows {shown} of {phones * rounds} votes")
    return phones * rounds - int(shown)


async def during(phase: Awaitable[object], page: Client, times: list[float]) -> None:
    """Move the slider as long as a phase takes."""
    over = asyncio.Event()
    moving = asyncio.create_task(move(page, times, over))
    await phase
    over.set()
    await moving


def main() -> int:
    """Serve the app to a room; return 0 if every vote was counted, else 1."""
    program = argparse.ArgumentParser(prog="python -m benchmarks.room", description=__doc__.partition("\n")[0])
    program.add_argument("--phones", type=int, default=30)
    program.add_argument("--votes", type=int, default=5, help="of each telephone, which counts once")
    program.add_argument("--rounds", type=int, default=3)
    options = program.parse_args()
    with served(environment=AS_RUN) as address:
        missing = asyncio.run(measure(address, phones=options.phones, votes=options.votes, rounds=options.rounds))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
