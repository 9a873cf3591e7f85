"""Messages that no browser sends and anybody can, and a connection that ends: nobody else may lose anything."""

import asyncio
import re
from contextlib import AsyncExitStack

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.protocol import apart, connected
from tests.browser.serving import served
from tests.waiting import GIVES_WAY, until_async

SMALL = {"encodings": "rope", "train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1"}
LINK = {**SMALL, "steps": "5000", "n_seeds": "5"}  # a minute on one core
OTHER = {**LINK, "seed": "1"}
PLACES = 2

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def places():
    """The address of a server with few places and one core to train on: another run is taken once one has ended."""
    with served(environment={"PE_MAX_RUNS": str(PLACES), "PE_WORKERS": "1"}) as address:
        yield address


@pytest.fixture
def visitors(places):
    """Runs what visitors do."""
    return lambda come: apart(come(places))


def test_who_empties_the_caches_and_presses_stop_ends_no_run_and_frees_no_place(visitors):
    visitors(_empties)


def test_who_leaves_frees_the_place(visitors):
    visitors(_leaves)


async def _empties(address):
    async with AsyncExitStack() as stack, connected(address) as stranger:
        owners = [await stack.enter_async_context(connected(address)) for _ in range(PLACES)]
        for seed, owner in enumerate(owners):
            await owner.open("lab", {**LINK, "seed": str(10 + seed)})
        await stranger.open("lab", OTHER)
        await asyncio.gather(*(owner.press("train") for owner in owners))
        await stranger.send(BackMsg(clear_cache=True))
        await stranger.open("lab", OTHER)
        await stranger.press("train")
        assert _refused(stranger)
        await owners[0].rerun()
        await stranger.open("lab", {"run": owners[0].link["run"]})
        for button in ("pause", "stop"):
            await stranger.press(button)
        await asyncio.gather(*(_goes_on(owner) for owner in owners))
        for owner in owners:
            await owner.press("stop")
        assert not [one.exceptions for one in (*owners, stranger) if one.exceptions]


async def _leaves(address):
    async with AsyncExitStack() as stack, connected(address) as waiting:
        others = [await stack.enter_async_context(connected(address)) for _ in range(PLACES - 1)]
        for seed, staying in enumerate(others):
            await staying.open("lab", {**LINK, "seed": str(10 + seed)})
            await staying.press("train")
            await _steps(staying)
        async with connected(address) as leaving:
            await leaving.open("lab", LINK)
            await leaving.press("train")
            await _steps(leaving)
            await waiting.open("lab", OTHER)
            await waiting.press("train")
            assert _refused(waiting)

        async def admitted():  # a look that was under way holds the run for longer
            await waiting.press("train")
            return not _refused(waiting)

        await until_async(admitted, "the run of who has left goes on", every=1, patience=GIVES_WAY)
        for staying in others:  # there is one core to train on
            await staying.press("stop")
        assert await _steps(waiting) > 0
        await waiting.press("stop")


def _refused(visitor):
    return any(text.startswith(f"Not started: queue must have fewer than {PLACES} runs") for text in visitor.said)


async def _goes_on(visitor):
    """Look again until the visitor's run has done more steps than at the first look."""
    begun = await _steps(visitor)

    async def further():
        return await _steps(visitor) > begun

    await until_async(further, lambda: visitor.said, patience=GIVES_WAY)


async def _steps(visitor):
    """How many steps the page says that the visitor's run has done, once it has begun."""

    async def steps():
        await visitor.rerun()
        found = re.search(r"Step ([\d,]+)", " ".join(visitor.said))
        return found and int(found[1].replace(",", ""))

    return await until_async(steps, lambda: visitor.said, patience=GIVES_WAY)
