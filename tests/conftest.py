"""Settings of all tests."""

import gc
import os
import sys

import pytest
import torch
from hypothesis import HealthCheck, settings

from tests.lab.storage import postgres

os.environ.setdefault("PE_STORE", "")  # no test writes into the store of the one who runs them
os.environ["LC_ALL"] = "C.UTF-8"  # the command line speaks English, whatever the one who runs them speaks

# What is loaded and collected stays to the end: looking through it again and again takes a tenth of all time.
gc.disable()

# Tests run beside each other: a second thread per test would only wait for a core that another test has.
torch.set_num_threads(1)


# How property tests draw: the same examples each time, however slow the machine is. `--explore` draws other ones.
SLOW_IS_FINE = [HealthCheck.too_slow]
settings.register_profile(
    "same", deadline=None, derandomize=True, max_examples=25, suppress_health_check=SLOW_IS_FINE, print_blob=True
)
settings.register_profile(
    "explore", deadline=None, derandomize=False, max_examples=400, suppress_health_check=SLOW_IS_FINE, print_blob=True
)


def pytest_addoption(parser):
    """Let one walk other lectures than the one that is walked each time, and draw other examples."""
    parser.addoption("--lectures", action="append", help="the name of a lecture, as often as wanted")
    parser.addoption(
        "--explore",
        action="store_true",
        help="property tests draw 400 examples, other ones each time; pages are seen in a wide window too",
    )


def pytest_configure(config):
    """Load the settings of all property tests, before any is defined."""
    settings.load_profile("explore" if config.getoption("--explore") else "same")


def pytest_collection_finish():
    """Leave what has been loaded and collected out of the garbage collector's sight; tests run with it."""
    gc.freeze()
    gc.enable()


MAIN = sys.modules["__main__"]


def pytest_runtest_setup():
    """No test depends on those before it: it draws the same numbers each time, and new processes run no page.

    A page that a test has run stands as `__main__`, and a process that is spawned runs that module first.
    """
    torch.manual_seed(0)
    sys.modules["__main__"] = MAIN


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server for all tests of a process; `tests/programs.sh` installs what it needs."""
    server = postgres.Server()
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres_server):
    """An empty database of PostgreSQL."""
    return postgres_server.new_database()


def pytest_collection_modifyitems(config, items):
    """Two workers begin with half of the tests in the browser each: these wait a lot, and others compute meanwhile.

    Each worker gets an equal part of the list at first, and those that have nothing left take from the ends of others.
    """
    seen = [item for item in items if item.get_closest_marker("browser")]
    unseen = [item for item in items if not item.get_closest_marker("browser")]
    n_workers = getattr(config, "workerinput", {}).get("workercount", 1)
    second, half = len(items) // n_workers, len(seen) // 2
    if n_workers > 1 and second >= half:
        unseen[second - half : second - half] = seen[half:]
        items[:] = seen[:half] + unseen
    else:
        items[:] = seen + unseen
