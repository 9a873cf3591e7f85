"""Files of stores that older versions have made, what stands in them, and processes that open one at once."""

import sqlite3
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
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


OPENER = """
import sys
from pe_core.lab.storage.store import RunStore
store = RunStore(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
with store._database.reading() as (_, version):
    print(version)
print(len(store.listing()))
"""


def opened_at_once(url, n=4):
    """What processes say that open a store in the same moment."""
    options = {"cwd": ROOT, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    openers = [subprocess.Popen([sys.executable, "-c", OPENER, url], **options) for _ in range(n)]
    for opener in openers:
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        opener.stdin.write("\n")
        opener.stdin.flush()
    return [opener.communicate(timeout=60)[0].strip() for opener in openers]
