"""What the tests of hosting share: in CI nothing is skipped, elsewhere only where a program is missing."""

import os

import pytest

from tests.deploy.services import missing


@pytest.fixture(scope="session", autouse=True)
def programs():
    """Fails in CI where nginx or PostgreSQL is missing, and skips elsewhere."""
    if absent := missing():
        said = f"not installed: {', '.join(absent)}"
        pytest.fail(said) if os.environ.get("CI") else pytest.skip(said)
