"""What the tests of hosting share: their programs are there, or they fail."""

import pytest

from tests.deploy.services import need_programs


@pytest.fixture(scope="session", autouse=True)
def programs():
    """Fails where nginx or PostgreSQL is missing."""
    need_programs()
