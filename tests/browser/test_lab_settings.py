"""A step of a setting of the lab draws the settings alone, and the whole page where it has to show another run."""

import re

import pytest

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.store import RunStore
from tests.browser.protocol import apart, connected
from tests.browser.serving import served
from tests.lab.seeded import one_seed

pytestmark = pytest.mark.browser

KEPT = RunConfig(("rope",), 32, 32, 1, 1, 50)
LINK = {"encodings": "rope", "train_length": "32", "d_model": "32", "n_heads": "1", "steps": "50"}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a server that has kept one run."""
    place = f"sqlite:///{tmp_path_factory.mktemp('kept')}/runs.sqlite"
    lengths = tuple(LengthLoss(length, 3.0, 2.0) for length in KEPT.lengths)
    outcome = Outcome(7, lengths, (3.0,) * max(KEPT.lengths))
    facts = text_facts(datasets.built_in())
    RunStore(place).put(one_seed(KEPT, facts, {"rope": (3.0,) * KEPT.steps}, {"rope": outcome}))
    with served(environment={"PE_STORE": place, "PE_MAX_SECONDS": "30"}) as address:
        yield address


@pytest.fixture
def visitor(address):
    """Runs what a visitor does, who meets no error."""

    async def come(do):
        async with connected(address) as client:
            await do(client)
            assert not client.exceptions

    return lambda do: apart(come(do))


def test_a_step_draws_the_settings_alone_and_what_steps_have_set_is_what_trains(visitor):
    async def do(client):
        await client.open("lab", {**LINK, "n_layers": "2"})
        for name, value in (("n_layers", 3), ("n_layers", 2), ("n_layers", 4), ("steps", 100)):
            await client.set(name, value)
            assert not client.whole_page
        await client.press("train")
        assert re.search(r"Step \d+ of 100\b", " ".join(client.said))
        await client.press("stop")

    visitor(do)


def test_a_step_to_a_run_that_is_kept_shows_it_and_one_away_does_not(visitor):
    async def do(client):
        await client.open("lab", {**LINK, "n_layers": "2"})
        assert not any(map(_is_kept, client.written))
        await client.set("n_layers", 1)
        assert client.whole_page
        assert any(map(_is_kept, client.written))
        await client.set("n_layers", 2)
        assert client.whole_page
        assert not any(map(_is_kept, client.written))

    visitor(do)


def test_a_run_that_is_too_long_is_refused_at_the_step_that_makes_it_so(visitor):
    async def do(client):
        await client.open("lab", {**LINK, "n_seeds": "10"})
        assert not any(map(_is_refused, client.said))
        await client.set("steps", 5000)  # a hundred times as many: six times too long where it was six times too short
        assert client.whole_page  # Train cannot be pressed any more
        assert any(map(_is_refused, client.said))
        before = client.said
        await client.set("train_length", 256)
        assert not client.whole_page
        assert any(map(_is_refused, client.said))
        assert client.said != before  # it takes longer
        await client.press("train")
        assert not any("Step" in text for text in client.said)

    visitor(do)


def _is_refused(text):
    return text.startswith("This cannot be trained: `run must take at most 30 s")


def _is_kept(text):
    return text.startswith("**Kept.** This server")
