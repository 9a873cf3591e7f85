"""Messages that no browser sends and anybody can, and a connection that ends: nobody else may lose anything."""

import asyncio
import re

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.protocol import apart, connected
from tests.browser.serving import served
from tests.waiting import GIVES_WAY, until_async

LINK = {"encodings": "rope", "train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1"}
LINK |= {"steps": "5000", "n_seeds": "5"}  # a minute on one core

pytestmark = pytest.mark.browser


def test_who_empties_the_caches_and_presses_stop_ends_no_run_and_frees_no_place_and_who_leaves_frees_it():
    """The server has two places and one core to train on: another run is taken once one has ended."""
    with served(environment={"PE_MAX_RUNS": "2", "PE_WORKERS": "1"}) as address:
        apart(_come(address))


async def _come(address):
    async with connected(address) as staying, connected(address) as stranger:
        async with connected(address) as leaving:
            owners = (staying, leaving)
            for seed, owner in enumerate(owners):
                await owner.open("lab", {**LINK, "seed": str(10 + seed)})
            await stranger.open("lab", LINK)
            await asyncio.gather(*(owner.press("train") for owner in owners))
            await stranger.send(BackMsg(clear_cache=True))
            await stranger.open("lab", LINK)
            await stranger.press("train")
            assert _refused(stranger)
            await staying.rerun()
            await stranger.open("lab", {"run": staying.link["run"]})
            for button in ("pause", "stop"):
                await stranger.press(button)
            await asyncio.gather(*(_goes_on(owner) for owner in owners))
            await stranger.open("lab", LINK)
            await stranger.press("train")
            assert _refused(stranger)

        async def admitted():  # a look that was under way holds the run for longer
            await stranger.press("train")
            return not _refused(stranger)

        await until_async(admitted, "the run of who has left goes on", every=1, patience=GIVES_WAY)
        await staying.press("stop")  # there is one core to train on
        assert await _steps(stranger) > 0
        await stranger.press("stop")
        assert not [one.exceptions for one in (*owners, stranger) if one.exceptions]


def _refused(visitor):
    return any(text.startswith("Not started: queue must have fewer than 2 runs") for text in visitor.said)


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
