"""Files of stores that older versions have made, what stands in them, and processes that open one at once."""

import sqlite3
from pathlib import Path

from pe_core.lab.storage.store import RunStore
from tests.lab.storage.processes import at_once

FORMATS = sorted((Path(__file__).parent / "formats").glob("*.sqlite"))


def of(path, question):
    """What a plain connection finds in the file."""
    connection = sqlite3.connect(path)
    found = connection.execute(question).fetchall()
    connection.close()
    return found


def finished(path):
    """The hashes and records of the finished runs as the older version wrote them: of the built-in text, of an own."""
    public, own = of(path, "SELECT hash, record FROM runs WHERE state = 'finished' ORDER BY began")
    return public, own


def has_weights(path):
    """Whether the store of an older version has a table of weights."""
    return bool(of(path, "SELECT 1 FROM sqlite_master WHERE name = 'weights'"))


def opened_at_once(url, n=4):
    """The version and the number of runs that each of n processes sees that open a store in the same moment."""
    return at_once(_opened, *[url] * n)


def _opened(meet, url):
    store = RunStore(url)
    meet()
    with store._database.reading() as (_, version):
        return version, len(store.listing())
