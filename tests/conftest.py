"""Settings of all tests."""

import os

import torch

os.environ.setdefault("PE_STORE", "")  # no test writes into the store of the one who runs them

# Tests run beside each other: a second thread per test would only wait for a core that another test has.
torch.set_num_threads(1)


def pytest_addoption(parser):
    """Let one walk other lectures than the one that is walked each time."""
    parser.addoption("--lectures", action="append", help="the name of a lecture, as often as wanted")


def pytest_runtest_setup():
    """Every test draws the same numbers each time, whichever tests ran before it."""
    torch.manual_seed(0)


def pytest_collection_modifyitems(items):
    """Tests in the browser come first: they wait a lot, and others then have something to do meanwhile."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)
