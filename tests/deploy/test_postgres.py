"""The app keeps its runs in PostgreSQL, which is stopped and started again, and is ended by a signal itself."""

import json
import signal
import urllib.error
import urllib.request

import pytest

from tests.browser.protocol import apart, connected
from tests.browser.serving import ROOT, serving
from tests.lab.storage.rows import rows
from tests.waiting import until_async

pytestmark = pytest.mark.services

SHORT = {"encodings": "rope", "train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50"}
LONG = {**SHORT, "steps": "5000"}
DEADLINE = 600  # seconds: a run gives way to all other work that shares the machine


@pytest.fixture
def kept(postgres_url, tmp_path):
    """An app, as it is hosted, that keeps its runs there: its address, its process, and its log."""
    log, script, settings = tmp_path / "log", ROOT / "ui" / "hosted.py", {"PE_STORE": postgres_url}
    with log.open("wb") as file, serving(script, settings, log=file.fileno()) as (address, process):
        yield address, process, log


def ready(address):
    """Return the status and the words of the readiness check."""
    try:
        with urllib.request.urlopen(f"{address}/ready", timeout=DEADLINE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def unfinished(url):
    """The hashes of the runs that the database has as unfinished."""
    return [run.hash for run in rows(url) if run.state == "unfinished"]


def test_pages_answer_while_the_database_is_gone_and_recover(kept, postgres_server):
    address, _, log = kept
    apart(_lose_the_database(address, postgres_server))
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert {"time", "level", "logger", "message"} <= set(lines[0])
    assert [line for line in lines if line["message"] == "the store of runs failed"]
    assert "secret4711" not in log.read_text()


def test_who_ends_the_app_leaves_a_mark_and_a_sentence(kept, postgres_url):
    address, process, log = kept
    run = apart(_begin(address, postgres_url))
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=DEADLINE)
    assert process.returncode == -signal.SIGTERM  # the server ends in order, and then as it was told
    assert "the runs of this process are ended" in log.read_text()
    with serving(environment={"PE_STORE": postgres_url}) as (again, _):
        said = apart(_say(again, {"run": run}))
    assert any(run[:20] in text and "is not here any more" in text for text in said), said
    assert unfinished(postgres_url) == [run]


async def _lose_the_database(address, database):
    async with connected(address) as client:
        await client.open("lab", {"run": "secret4711"})
        assert any("secret4711" in text for text in client.said)  # on the page, and nowhere else
        await client.open("lab", SHORT)
        assert ready(address) == (200, "ready")
        database.kill()
        try:
            await _ready(address, (503, "the store does not answer"))  # its processes go one after the other
            await client.press("train")
            await _until(client, "not kept for later")
            await client.open("rope")
            assert client.exceptions == []
        finally:
            database.start()
        await _ready(address, (200, "ready"))
        await client.open("lab", {**SHORT, "seed": "1"})
        await client.press("train")
        await _until(client, "kept")
        assert client.exceptions == []


async def _ready(address, answer):
    """Wait until the readiness check answers so."""

    async def answers():
        return ready(address) == answer

    await until_async(answers, lambda: ready(address))


async def _until(client, words):
    """Look again until the page says the words."""

    async def says():
        await client.rerun()
        return any(words in text for text in client.said)

    await until_async(says, lambda: client.said, patience=DEADLINE)


async def _begin(address, url):
    async with connected(address) as client:
        await client.open("lab", LONG)
        await client.press("train")
        await client.rerun()

        async def begun():
            return unfinished(url)

        (run,) = await until_async(begun, "the database knows no run")
        return run


async def _say(address, link):
    async with connected(address) as client:
        await client.open("lab", link)
        return client.said
