"""The name of a run by all that decides its numbers: settings, seed, text, the version of torch, and the code.

The code is the experiment and the modules of the run's own encodings, with all that these import. So neither a page nor
a new encoding makes a kept run "another version".
"""

import ast
import hashlib
import json
import re
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.layers import reads_with
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import TextFacts

PACKAGE = Path(__file__).parents[2]
EXPERIMENT = "pe_core.lab.experiment"
REGISTRY = "pe_core.encodings"  # lists all encodings, of which a run has a few
# The experiment looks up in these packages what a run names; only that counts, not all that it could look up.
LOOKED_UP = (REGISTRY, "pe_core.rope_scaling")
# Of these packages it runs these itself.
RUN = ("pe_core.encodings.batch", "pe_core.rope_scaling.longrope2")


class Code:
    """The source of a package as it is when it is read, and what of it decides a run."""

    def __init__(self, package: Path = PACKAGE) -> None:
        self._sources = {
            _module(path.relative_to(package)): path.read_bytes().replace(b"\r\n", b"\n")  # as some systems check out
            for path in package.rglob("*.py")
        }
        self._imported: dict[str, frozenset[str]] = {}
        # Python 3.11 counts how deep a tree is for all threads together: two that parse at once can fail.
        self._parsing = threading.Lock()

    def know(self, module: str, source: bytes) -> None:
        """Take in the source of a module from outside of the package: an encoding in a file of its own."""
        self._sources[module] = source.replace(b"\r\n", b"\n")
        self._imported.pop(module, None)

    def digest(self, encodings: Iterable[str], repairs: Iterable[str] = ()) -> str:
        """Return the SHA-256 of the modules that decide a run, by their names and contents.

        Raises `KeyError` for an encoding, and `ValueError` for a repair that does not exist.
        """
        digest = hashlib.sha256()
        for module in self.deciding(encodings, repairs):
            source = self._sources[module]
            digest.update(f"{module} {len(source)}\n".encode() + source)
        return digest.hexdigest()

    def deciding(self, encodings: Iterable[str], repairs: Iterable[str] = ()) -> list[str]:
        """Return the names of the modules that decide a run with these encodings and repairs; errors as in `digest`."""
        keys = {*encodings, *(key for name in repairs for key in named(name).reads_with)}
        waiting = [module for module in self._sources if _within(module, EXPERIMENT)]
        waiting += [ENCODINGS[key].make.__module__ for key in keys]
        met = {"pe_core", REGISTRY}
        while waiting:
            module = waiting.pop()
            if module in met:
                continue
            met.add(module)
            follows_all = not _within(module, EXPERIMENT)
            waiting += [
                one for one in self._imports(module) if follows_all or one in RUN or not _within(one, *LOOKED_UP)
            ]
        return sorted(met - {"pe_core", REGISTRY})

    def _imports(self, module: str) -> frozenset[str]:
        """Return the modules of the package that a module imports; each is read once."""
        with self._parsing:
            if module not in self._imported:
                self._imported[module] = frozenset(self._imports_of(self._sources[module]))
            return self._imported[module]

    def _imports_of(self, source: bytes) -> Iterable[str]:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self._sources)
            elif isinstance(node, ast.ImportFrom) and node.module in self._sources:
                for alias in node.names:
                    part = f"{node.module}.{alias.name}"
                    yield part if part in self._sources else node.module


def _module(path: Path) -> str:
    """Return the name of the module that lies at a path within the package."""
    return ".".join(("pe_core", *path.with_suffix("").parts)).removesuffix(".__init__")


def _within(module: str, *packages: str) -> bool:
    return f"{module}.".startswith(tuple(f"{package}." for package in packages))


CODE = Code()  # at import, when the files are those that run


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
    code = CODE.digest(config.read_with, config.repairs) if code is None else code
    decides = {"settings": config.settings(), "text": text.sha256, "code": code, "torch": torch_version}
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def is_this_version(settings: Mapping[str, Any], versions: Mapping[str, str]) -> bool:
    """Return whether a run with these settings and versions has been made with the code and the torch that are here."""
    try:
        keys = (*settings["encodings"], *reads_with(settings.get("layers", "")))
        here = CODE.digest(keys, settings.get("repairs", ()))
    except (KeyError, ValueError):  # an encoding or a repair of another version
        return False
    return (versions.get("code"), versions.get("torch")) == (here, torch.__version__)
