"""Messages that no browser sends and anybody can: nobody else may lose anything."""

import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.protocol import connected
from tests.browser.serving import served

LINK = {"encodings": "rope", "train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "5000"}
DEADLINE = 60  # seconds

pytestmark = pytest.mark.browser


def test_who_empties_the_caches_ends_no_run_and_frees_no_place():
    """One place in the queue: a second run may be taken only once the first has ended."""
    with served(environment={"PE_MAX_RUNS": "1"}) as address, ThreadPoolExecutor(1) as alone:
        alone.submit(asyncio.run, _visitors(address)).result()  # in this thread the browser of other tests has a loop


async def _visitors(address):
    async with connected(address) as owner, connected(address) as stranger:
        await owner.open("lab", LINK)
        await owner.press("train")
        before = await _steps(owner)
        await stranger.open("lab", {**LINK, "seed": "1"})
        await stranger.send(BackMsg(clear_cache=True))
        await stranger.open("lab", {**LINK, "seed": "1"})
        await stranger.press("train")
        assert [text for text in stranger.said if text.startswith("Not started: queue must have less than 1 runs")]
        assert await _steps(owner) > before
        await owner.press("stop")
        await owner.rerun()
        assert [text for text in owner.said if text.startswith("Stopped.")]
        await stranger.press("train")
        assert await _steps(stranger) > 0
        assert owner.exceptions == stranger.exceptions == []


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
