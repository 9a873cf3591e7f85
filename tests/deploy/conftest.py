"""What the tests of hosting share: in CI nothing is skipped, elsewhere only where a program is missing."""

import pytest

from tests.deploy.services import need_programs


@pytest.fixture(scope="session", autouse=True)
def programs():
    """Fails in CI where nginx or PostgreSQL is missing, and skips elsewhere."""
    need_programs()
