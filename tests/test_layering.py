"""What `make lint` cannot hold: how long a file may be, how deep classes derive, who asks a registry for a name.

Who may import whom stands in pyproject.toml for import-linter, and what must be documented for ruff.
"""

import ast
import inspect
from importlib import import_module
from pathlib import Path

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS

ROOT = Path(__file__).resolve().parents[1]
REGISTERED = {*ENCODINGS, *SCALINGS, *MASKS, *REMAPS, *TASKS}


def sources(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def classes(folder):
    """Every class that a module of the folder defines."""
    for path in sources(folder):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for owner in vars(import_module(name)).values():
            if inspect.isclass(owner) and owner.__module__ == name:
                yield owner


def test_no_class_of_the_core_derives_from_one_that_derives():
    for owner in classes("pe_core"):
        own_ancestors = [base for base in owner.__mro__[1:] if base.__module__.startswith("pe_core")]
        assert len(own_ancestors) <= 1, owner


def test_a_method_of_an_encoding_is_documented_in_the_contract_or_where_it_stands():
    for owner in classes("pe_core/encodings"):
        for name in vars(owner):
            assert name.startswith("_") or inspect.getdoc(getattr(owner, name)), f"{owner}.{name}"


def test_nothing_branches_on_the_key_of_a_registry():
    """A comparison of a `key` with the name of an entry is a branch that the next entry would miss."""
    asked_for = {"key", "encoding", "scaling", "mask", "remap", "task"}
    for path in sources("pe_core", "ui", "pages"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                values = {side.value for side in sides if isinstance(side, ast.Constant)}
                names = {side.id for side in sides if isinstance(side, ast.Name)}
                names |= {side.attr for side in sides if isinstance(side, ast.Attribute)}
                assert not (values & REGISTERED and names & asked_for), f"{path}:{node.lineno}: {ast.unparse(node)}"
