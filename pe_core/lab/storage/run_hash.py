"""The name of a run by all that decides its numbers: settings, seed, text, the version of torch, and the code.

The code is the experiment and all that it computes with. So no page makes a kept run "another version".
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import TextFacts

PACKAGE = Path(__file__).parents[2]
# What decides a run, by the beginnings of its paths in the package.
DECIDING = (
    *("encodings/", "lab/experiment/", "rope_scaling/"),
    *("expression.py", "masks.py", "parameters.py", "positions.py"),
)


def digest(package: Path = PACKAGE) -> str:
    """Return the SHA-256 of the modules of a package that decide a run, by their names and contents."""
    paths = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    found = hashlib.sha256()
    for name in sorted(name for name in paths if name.startswith(DECIDING)):
        source = paths[name].read_bytes().replace(b"\r\n", b"\n")  # as some systems check out
        found.update(f"{name} {len(source)}\n".encode() + source)
    return found.hexdigest()


CODE = digest()  # at import, when the files are those that run
FILES: dict[str, bytes] = {}  # the sources of encodings in files of one's own, by the names of their modules


def code_of(encodings: Iterable[str]) -> str:
    """Return the digest of all code that decides a run of these encodings; `KeyError` for one that does not exist."""
    own = [FILES[module] for key in encodings if (module := ENCODINGS[key].make.__module__) in FILES]
    return hashlib.sha256(b"\n".join([CODE.encode(), *own])).hexdigest() if own else CODE


def is_hash(text: str) -> bool:
    """Return whether a text can be the hash of a run."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def run_hash(
    config: RunConfig, text: TextFacts, *, code: str | None = None, torch_version: str = torch.__version__
) -> str:
    """Return the name of a run: the SHA-256 of its settings with the seed, its text, the code and torch.

    Equal hashes mean equal numbers on one machine; another processor may round differently. The name of the text is no
    part of it: the same text under another name brings the same numbers. `code` is the digest of the code here unless
    given.
    """
    code = code_of(config.encodings) if code is None else code
    decides = {"settings": config.settings(), "text": text.sha256, "code": code, "torch": torch_version}
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def is_this_version(versions: Mapping[str, str]) -> bool:
    """Return whether a run with these versions has been made with the code and the torch that are here."""
    return (versions.get("code"), versions.get("torch")) == (CODE, torch.__version__)
