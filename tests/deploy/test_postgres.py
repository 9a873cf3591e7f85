"""The app keeps its runs in PostgreSQL, which is stopped and started again, and is ended by a signal itself."""

import asyncio
import json
import signal

import pytest

from pe_core.lab.queue.jobs import FRESH
from tests.browser.protocol import apart, connected
from tests.browser.serving import ROOT, serving
from tests.deploy.services import counted, get
from tests.lab.storage.rows import rows
from tests.waiting import GIVES_WAY, until_async

pytestmark = pytest.mark.services

SHORT = {"encodings": "rope", "train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50"}
LONG = {**SHORT, "steps": "5000"}


def ready(address):
    """Return the status and the words of the readiness check."""
    answer = get(f"{address}/ready")
    return answer.status, answer.content.decode()


def unfinished(url):
    """The hashes of the runs that the database has as unfinished."""
    return [run.hash for run in rows(url) if run.state == "unfinished"]


def live(address):
    """How many runs the app counts that would go on by themselves."""
    return sum(counted(address, f'pe_runs{{state="{state}"}}') for state in ("queued", "running"))


def test_pages_answer_while_the_database_is_gone_and_who_ends_the_app_leaves_a_mark(
    postgres_url, postgres_server, tmp_path
):
    log, settings = tmp_path / "log", {"PE_STORE": postgres_url}
    with log.open("wb") as file, serving(ROOT / "ui" / "hosted.py", settings, log=file.fileno()) as (address, process):
        apart(_lose_the_database(address, postgres_server))
        assert [run.state for run in rows(postgres_url)] == ["finished"]  # the one that the database was there for
        run = apart(_begin(address, postgres_url))
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=GIVES_WAY)
    assert process.returncode == -signal.SIGTERM  # the server ends in order, and then as it was told
    assert unfinished(postgres_url) == [run]
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert {"time", "level", "logger", "message"} <= set(lines[0])
    assert {"the store of runs failed", "the runs of this process are ended"} <= {line["message"] for line in lines}
    assert "secret4711" not in log.read_text()


async def _lose_the_database(address, database):
    async with connected(address) as client:
        await client.open("lab", {"run": "secret4711"})
        assert any("secret4711" in text for text in client.said)  # on the page, and nowhere else
    async with connected(address) as client:
        await client.open("lab", SHORT)
        assert ready(address) == (200, "ready")
        database.kill()
        try:
            await _ready(address, (503, "the store does not answer"))  # its processes go one after the other
            await client.press("train")
            await _trained(client, address)
            assert any("not kept for later" in text for text in client.said), client.said
            await client.open("rope")
            assert client.exceptions == []
        finally:
            database.start()
        await _ready(address, (200, "ready"))
    async with connected(address) as client:
        await client.open("lab", {**SHORT, "seed": "1"})
        await client.press("train")
        await _trained(client, address)
        assert any(text.endswith("done") for text in client.said), client.said
        assert client.exceptions == []


async def _ready(address, answer):
    """Wait until the readiness check answers so."""

    async def answers():
        return ready(address) == answer

    await until_async(answers, lambda: ready(address))


async def _trained(client, address):
    """Look at the page until no run goes on, and once more: a run that nobody looks at is ended."""

    async def ended():
        await client.rerun()
        return not live(address)

    await until_async(ended, lambda: client.said, every=1, patience=GIVES_WAY)
    await asyncio.sleep(FRESH)  # till then a page shows the run as it stood a moment ago
    await client.rerun()


async def _begin(address, url):
    async with connected(address) as client:
        await client.open("lab", LONG)
        await client.press("train")
        await client.rerun()

        async def begun():
            return unfinished(url)

        (run,) = await until_async(begun, "the database knows no run")
        await client.press("pause")  # one that goes on is given seconds more
        return run
