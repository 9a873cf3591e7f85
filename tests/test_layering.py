"""What `make lint` cannot hold: how deep classes derive, who asks a registry for a name, names of scripts and styles.

Who may import whom stands in pyproject.toml for import-linter, and what must be documented for ruff.
"""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

from pe_core.encodings import ENCODINGS
from pe_core.figures.looks.motion import OF_PAGE, PLAYED, POINTED
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from ui.frame.browser import _script

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


# Scripts and styles stand in files of their own: the names that they share with Python are the same in both.

FILES = [path for pattern in ("*.js", "*.css") for path in sorted((ROOT / "ui").rglob(pattern))]
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES}


def strings():
    """Every string of the code of the app."""
    for path in sources("ui", "pages"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_a_class_that_a_file_names_is_a_key_in_python():
    named = {name for text in TEXTS.values() for name in re.findall(r"st-key-(\w+)", text)}
    assert named - {*strings()} == set()
    assert "picture_of_" in named


def test_a_slider_that_a_style_hides_is_called_as_pictures_call_it():
    named = {name for file in ("bound.css", "played.css") for name in re.findall(r'\[name\^?="(.+?)"', TEXTS[file])}
    assert named == {OF_PAGE, PLAYED, POINTED}


def test_a_script_reaches_the_browser_with_what_it_imports():
    scripts = [_script(path) for path in FILES if path.suffix == ".js"]
    assert not any(re.search(r"^import\b", script, flags=re.MULTILINE) for script in scripts)
    assert [script.count("export function clock(") for script in scripts if "new BroadcastChannel" in script] == [1, 1]
