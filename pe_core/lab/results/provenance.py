"""What every file and every kept run says of its making: the format that it is written in, and the versions."""

import platform
from collections.abc import Mapping
from typing import Any

import torch

from pe_core.parameters import require

FORMAT = 1  # of all files of the lab; a file of another one is refused


def versions() -> dict[str, str]:
    """Return the versions of what computes here, by name."""
    return {"python": platform.python_version(), "torch": torch.__version__}


def check_format(content: Mapping[str, Any]) -> None:
    """Raise `ValueError` for a file of another format, and `KeyError` for one that names none."""
    require(content["format"] == FORMAT, "format", f"be {FORMAT}", content["format"])
