"""The name of a run by all that decides its numbers: settings, seed, text, code and the version of torch."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

import torch

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import TextFacts

# What decides the numbers of a run. The modules of the package that only carry, draw or schedule them are left out, so
# that a change of a page throws no run away; `tests/lab/storage/test_run_hash.py` holds that nothing else is missing.
DECIDING = (
    "encodings",
    "rope_scaling",
    "masks.py",
    "positions.py",
    "parameters.py",
    "registry.py",
    "lab/experiment",
)
PACKAGE = Path(__file__).parents[2]


def is_hash(text: str) -> bool:
    """Return whether a text can be the hash of a run."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def code_digest(package: Path = PACKAGE) -> str:
    """Return the SHA-256 of the source files that decide the numbers of a run, by their names and contents."""
    digest = hashlib.sha256()
    for part in DECIDING:
        path = package / part
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            content = file.read_bytes().replace(b"\r\n", b"\n")  # as some systems check files out
            digest.update(f"{file.relative_to(package).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


CODE = code_digest()  # at import, when the files are those that run


def run_hash(config: RunConfig, text: TextFacts, *, code: str = CODE, torch_version: str = torch.__version__) -> str:
    """Return the name of a run: the SHA-256 of its settings with the seed, its text, the code and torch.

    Equal hashes mean equal numbers on one machine; another processor may round differently. The name of the text is no
    part of it: the same text under another name brings the same numbers.
    """
    decides = {"settings": config.settings(), "text": text.sha256, "code": code, "torch": torch_version}
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def is_this_version(versions: Mapping[str, str]) -> bool:
    """Return whether a run with these versions has been made with the code and the torch that are here."""
    return (versions.get("code"), versions.get("torch")) == (CODE, torch.__version__)
