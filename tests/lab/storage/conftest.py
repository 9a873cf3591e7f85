"""A store of each older version."""

import shutil
from pathlib import Path

import pytest

from tests.lab.storage.older import FORMATS


@pytest.fixture(params=FORMATS, ids=lambda file: f"version-{file.stem}")
def older(request, tmp_path):
    """A copy of a store of an older version."""
    return Path(shutil.copy(request.param, tmp_path / "lab.sqlite"))
