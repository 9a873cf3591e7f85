"""Settings of all tests."""

import os
from itertools import islice

import pytest
import torch

os.environ.setdefault("PE_STORE", "")  # no test writes into the store of the one who runs them

# Tests run beside each other: a second thread per test would only wait for a core that another test has.
torch.set_num_threads(1)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Let every worker begin with tests in the browser, which are the longest, and the first one with all of one kind.

    Those tests share a page that is loaded once in a worker. A worker gets a part of the list without gaps, and takes
    from the end of another one's when it has nothing left, so what is quick comes last.
    """
    n = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    sharing = [item for item in items if "loaded" in item.fixturenames]
    browser = [item for item in items if item.get_closest_marker("browser") and item not in sharing]
    quick = iter([item for item in items if not item.get_closest_marker("browser")])
    firsts = [sharing, *(_part(browser, place, n - 1) for place in range(n - 1))] if n > 1 else [sharing + browser]
    sizes = [len(_part(items, place, n)) for place in range(n)]
    dealt = [[*first, *islice(quick, max(0, size - len(first)))] for first, size in zip(firsts, sizes, strict=True)]
    items[:] = [item for part in dealt for item in part] + list(quick)


def _part(items, place, n):
    return items[len(items) * place // n : len(items) * (place + 1) // n]
