"""Messages that no browser sends and anybody can, and a connection that ends: nobody else may lose anything."""

import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.protocol import connected
from tests.browser.serving import served

LINK = {"encodings": "rope", "train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "5000"}
OTHER = {**LINK, "seed": "1"}
DEADLINE = 60  # seconds

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def one_place():
    """The address of a server with one place in the queue: a second run is taken only once the first has ended."""
    with served(environment={"PE_MAX_RUNS": "1"}) as address:
        yield address


@pytest.fixture
def visitors(one_place):
    """Runs what visitors do, in a thread of its own: in this one the browser of other tests has a loop."""
    with ThreadPoolExecutor(1) as alone:
        yield lambda come: alone.submit(asyncio.run, come(one_place)).result()


def test_who_empties_the_caches_ends_no_run_and_frees_no_place(visitors):
    visitors(_empties)


def test_who_leaves_frees_the_place(visitors):
    visitors(_leaves)


async def _empties(address):
    async with connected(address) as owner, connected(address) as stranger:
        await owner.open("lab", LINK)
        await owner.press("train")
        before = await _steps(owner)
        await stranger.open("lab", OTHER)
        await stranger.send(BackMsg(clear_cache=True))
        await stranger.open("lab", OTHER)
        await stranger.press("train")
        assert _refused(stranger)
        assert await _steps(owner) > before
        await owner.press("stop")
        await owner.rerun()
        assert [text for text in owner.said if text.startswith("Stopped.")]
        await stranger.press("train")
        assert await _steps(stranger) > 0
        await stranger.press("stop")
        assert owner.exceptions == stranger.exceptions == []


async def _leaves(address):
    async with connected(address) as waiting:
        async with connected(address) as leaving:
            await leaving.open("lab", LINK)
            await leaving.press("train")
            await _steps(leaving)
            await waiting.open("lab", OTHER)
            await waiting.press("train")
            assert _refused(waiting)
        end = time.monotonic() + DEADLINE  # a look that was under way holds the run for longer
        while _refused(waiting):
            assert time.monotonic() < end, "the run of who has left goes on"
            await asyncio.sleep(1)
            await waiting.press("train")
        assert await _steps(waiting) > 0
        await waiting.press("stop")


def _refused(visitor):
    return any(text.startswith("Not started: queue must have fewer than 1 runs") for text in visitor.said)


async def _steps(visitor):
    """How many steps the page says that the visitor's run has done, once it has begun."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        await visitor.rerun()
        found = re.search(r"Step ([\d,]+)", " ".join(visitor.said))
        if found and (steps := int(found[1].replace(",", ""))):
            return steps
        await asyncio.sleep(0.2)
    raise AssertionError(visitor.said)
