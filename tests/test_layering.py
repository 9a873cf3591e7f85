"""Who may import whom, how long a file may be, and what must be documented."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS

ROOT = Path(__file__).resolve().parents[1]


def sources(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(path):
    """The modules that a file names in its import statements, wherever they stand."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def loaded_after_importing(modules):
    """Which of streamlit, pandas and altair a fresh interpreter has loaded after importing the modules."""
    script = f"""
import importlib, sys
for name in {modules!r}:
    importlib.import_module(name)
print(*(name for name in ("streamlit", "pandas", "altair") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


# A command line is the one part of the core that draws: it is no library module.
CORE = [name for name in map(module_name, sources("pe_core")) if not name.endswith(".__main__")]
FIGURES = [name for name in CORE if name.startswith(("pe_core.figures", "pe_core.chapters"))]
BELOW_FIGURES = [name for name in CORE if name not in FIGURES]


def test_the_core_below_the_figures_loads_no_streamlit_pandas_or_altair():
    assert "pe_core.encodings.rotary" in BELOW_FIGURES
    assert loaded_after_importing(BELOW_FIGURES) == []


def test_the_figures_load_no_streamlit():
    assert "pe_core.figures.heatmap" in FIGURES
    assert "streamlit" not in loaded_after_importing(CORE)


@pytest.mark.parametrize("path", sources("pages"), ids=lambda path: path.name)
def test_no_page_imports_pandas_or_altair(path):
    assert {name.partition(".")[0] for name in imported(path)}.isdisjoint({"pandas", "altair"})


@pytest.mark.parametrize("path", sources("pe_core"), ids=module_name)
def test_the_core_names_no_module_above_it(path):
    above = ("app.", "pages.", "ui.", "streamlit.")
    assert not [name for name in imported(path) if f"{name}.".startswith(above)]


LOOSE = {"parameters.py", "registry.py", "masks.py", "positions.py"}
FOUNDATIONS = [
    path for path in sources("pe_core") if path.parent.name in ("encodings", "rope_scaling") or path.name in LOOSE
]


@pytest.mark.parametrize("path", FOUNDATIONS, ids=module_name)
def test_the_foundations_import_nothing_of_the_core_but_each_other(path):
    own = {name for name in imported(path) if name.startswith("pe_core")}
    foundations = tuple(f"{name}." for name in map(module_name, FOUNDATIONS))
    assert not [name for name in own if not f"{name}.".startswith(foundations)]


@pytest.mark.parametrize("folder", ["app.py", "pages", "ui", "pe_core", "tests", "benchmarks"])
def test_no_file_is_longer_than_300_lines(folder):
    paths = [ROOT / folder] if folder.endswith(".py") else sources(folder)
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert {name: length for name, length in lengths.items() if length > 300} == {}


@pytest.mark.parametrize("name", CORE)
def test_no_class_of_the_core_derives_from_one_that_derives(name):
    for owner in vars(import_module(name)).values():
        if inspect.isclass(owner) and owner.__module__ == name:
            own_ancestors = [base for base in owner.__mro__[1:] if base.__module__.startswith("pe_core")]
            assert len(own_ancestors) <= 1, owner


REGISTERED = {*ENCODINGS, *SCALINGS, *MASKS, *REMAPS, *TASKS}


@pytest.mark.parametrize("path", sources("pe_core", "ui", "pages"), ids=module_name)
def test_nothing_branches_on_the_key_of_a_registry(path):
    """A comparison of a `key` with the name of an entry is a branch that the next entry would miss."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            names = {side.value for side in sides if isinstance(side, ast.Constant) and isinstance(side.value, str)}
            asked = {side.id for side in sides if isinstance(side, ast.Name)}
            asked |= {side.attr for side in sides if isinstance(side, ast.Attribute)}
            keys = {"key", "encoding", "scaling", "mask", "remap", "task"}
            assert not (names & REGISTERED and asked & keys), ast.unparse(node)


def public(nodes, kinds):
    return [node for node in nodes if isinstance(node, kinds) and not node.name.startswith("_")]


def undocumented(module):
    """The public functions, classes and methods of a module that have no docstring and override nothing."""
    tree = ast.parse(inspect.getsource(module))
    missing = [node.name for node in public(tree.body, ast.FunctionDef | ast.ClassDef) if not ast.get_docstring(node)]
    for owner in public(tree.body, ast.ClassDef):
        ancestors = getattr(module, owner.name).__mro__[1:]
        for method in public(owner.body, ast.FunctionDef):
            overrides = any(hasattr(ancestor, method.name) for ancestor in ancestors)
            if not overrides and not ast.get_docstring(method):
                missing.append(f"{owner.name}.{method.name}")
    return missing


@pytest.mark.parametrize("name", CORE)
def test_everything_public_in_the_core_has_a_docstring(name):
    assert undocumented(import_module(name)) == []
