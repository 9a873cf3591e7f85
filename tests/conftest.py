"""Settings of all tests."""

import os

import torch

os.environ.setdefault("PE_STORE", "")  # no test writes into the store of the one who runs them

# Tests run beside each other: a second thread per test would only wait for a core that another test has.
torch.set_num_threads(1)


def pytest_collection_modifyitems(items):
    """Put the tests in the browser first: they are the longest, and what is quick is left to share out in the end."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)
