"""Every entry of every registry as one file that needs torch alone."""

import ast
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
import torch
from packaging.requirements import Requirement

from pe_core.encodings import ENCODINGS, Shape
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from pe_core.standalone import source
from tests.cases import each
from tests.standalone.calls import results
from tests.strategies import settings

HERE = Path(__file__).parent
ENTRIES = {
    **{f"encoding_{key}": ("encoding", spec, spec.make) for key, spec in ENCODINGS.items()},
    **{f"rule_{key}": ("rule", spec, spec.rule) for key, spec in SCALINGS.items()},
    **{f"mask_{key}": ("mask", spec, spec.make) for key, spec in MASKS.items()},
    **{f"remap_{key}": ("remap", spec, spec.make) for key, spec in REMAPS.items()},
}


@pytest.fixture(scope="module")
def sources():
    """The text of every copy, by name."""
    return {name: source(entry, maker) for name, (_, entry, maker) in ENTRIES.items()}


@pytest.fixture(scope="module")
def torch_alone(tmp_path_factory):
    """A folder in which torch and what it requires can be found, and nothing else."""
    site, waiting, found = tmp_path_factory.mktemp("site"), ["torch"], set()
    while waiting:
        one = distribution(waiting.pop())
        if one.name in found:
            continue
        found.add(one.name)
        needed = [Requirement(line) for line in one.requires or ()]
        waiting += [need.name for need in needed if need.marker is None or need.marker.evaluate({"extra": ""})]
        for top in {file.parts[0] for file in one.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (site / top).exists():
                (site / top).symlink_to(one.locate_file(top))
    assert "numpy" not in found
    return site


def compared(site, folder):
    """The names of copied files that differ from the package, in a Python that finds no other packages."""
    lines = f"import sys; sys.path[:0] = [{str(site)!r}, {str(HERE)!r}]; sys.argv[1:] = [{str(folder)!r}]; "
    lines += f"exec(open({str(HERE / 'alone.py')!r}).read())"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", lines], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *differ, last = done.stdout.splitlines()
    assert last == "compared"
    return differ


def test_every_copy_gives_the_numbers_of_the_package_where_there_is_torch_alone(torch_alone, sources, tmp_path):
    expected = {}
    for name, (kind, entry, maker) in ENTRIES.items():
        (tmp_path / f"{name}.py").write_text(sources[name], encoding="utf-8")
        whole = [entry.values(params) for params in settings(entry)]
        expected[name] = (kind, settings(entry), results(kind, maker, whole, Shape))
    differ = []
    for name, right, wrong in (  # copies that are wrong, which have to be told
        ("encoding_alibi", "2.0 ** (-8.0", "2.0 ** (-7.0"),
        ("rule_yarn", "0.1 * mscale", "0.2 * mscale"),
        ("mask_window", "triu(least - window)", "triu(-window)"),
        ("remap_clipped", "max=last", "max=last + 1"),
    ):
        assert right in sources[name]
        differ.append(f"wrong_{name}")
        (tmp_path / f"wrong_{name}.py").write_text(sources[name].replace(right, wrong), encoding="utf-8")
        expected[f"wrong_{name}"] = expected[name]
    torch.save(expected, tmp_path / "expected.pt")
    assert compared(torch_alone, tmp_path) == differ


@each("name", ENTRIES)
def test_a_copy_imports_torch_and_the_standard_library_only_and_says_where_it_is_from(name, sources):
    entry = ENTRIES[name][1]
    tree = ast.parse(sources[name])
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported - {"torch"} <= set(sys.stdlib_module_names)
    told = ast.get_docstring(tree)
    assert told.startswith(f"{entry.title}. {entry.summary}")
    assert "MIT licence" in told
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(defined) == len(set(defined))


def test_of_two_definitions_of_one_name_each_has_its_module_before_it_and_local_names_stay(sources):
    text = sources["encoding_rope"]
    assert "def sinusoidal_frequencies(dim" in text
    assert "def rotary_frequencies(head_dim" in text
    assert "return sinusoidal_frequencies(head_dim, base)" in text
    assert "def rotate(x: Tensor, positions: Tensor, frequencies: Tensor" in text
    assert "return Rotary(rotary_frequencies(shape.head_dim" in text
    assert "make = rope" in text
    assert "def table(" not in text  # what is not used stays away


def test_an_entry_that_was_registered_elsewhere_is_not_found():
    with pytest.raises(KeyError, match="alibi"):
        source(ENCODINGS["alibi"], ENCODINGS["rope"].make)
