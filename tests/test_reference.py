"""What every entry of every registry says of itself, and the tables and examples that are made of them."""

import math
import re
from contextlib import chdir
from pathlib import Path

import pytest
import torch

from pe_core.claims import CLAIMS
from pe_core.encodings import ENCODINGS, EncodingSpec, Shape
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.measures.criteria import CRITERIA
from pe_core.positions import REMAPS
from pe_core.reference import CATALOGUE, summary, tables
from pe_core.rope_scaling import SCALINGS
from tests.cases import each
from tests.strategies import extremes

REGISTRIES = (ENCODINGS, SCALINGS, MASKS, REMAPS, TASKS, CRITERIA, CLAIMS)
ENTRIES = [item for registry in REGISTRIES for item in registry.items()]


@each(("key", "entry"), ENTRIES)
def test_an_entry_is_described(key, entry):
    assert entry.key == key
    assert re.fullmatch(r"[a-z][a-z0-9_]*", key)
    assert entry.title
    assert re.fullmatch(r"[A-Z].*\.", entry.summary)
    assert entry.paper is None or entry.paper.arxiv is None or re.fullmatch(r"\d{4}\.\d{4,5}", entry.paper.arxiv)


@each(("key", "entry"), ENTRIES)
def test_parameters_are_described_and_their_defaults_allowed(key, entry):
    names = [parameter.name for parameter in entry.parameters]
    assert len(set(names)) == len(names)
    for parameter in entry.parameters:
        assert parameter.name.isidentifier()
        assert parameter.label
        assert parameter.help.endswith(".")
        parameter.check(parameter.default)
        for value in (parameter.default, *extremes(parameter)):
            assert parameter.parse(str(value)) == value


README = Path(__file__).parents[1] / "README.md"
ARCHITECTURE = README.with_name("ARCHITECTURE.md")


def rows():
    return [line.split(" | ") for line in tables().splitlines() if "](" in line]


def test_every_entry_has_a_row():
    keys = [key for registry in (ENCODINGS, SCALINGS, MASKS, REMAPS, TASKS) for key in registry]
    assert [row[1] for row in rows()] == [f"`{key}`" for key in keys]


@each("row", rows())
def test_the_table_names_a_module_that_exists(row):
    module = row[-2].split("](")
    path = CATALOGUE.parent / module[1].rstrip(")")
    assert path.is_file()
    assert module[0].strip("[`").replace(".", "/") in path.as_posix()


def test_the_tables_are_shown_as_they_are():
    """If this fails after an entry has changed: python -m pe_core.reference."""
    assert tables() in CATALOGUE.read_text(encoding="utf-8")
    assert summary() in README.read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs(tmp_path):
    code, picture = (part.split("```")[0] for part in README.read_text(encoding="utf-8").split("```python\n")[1:])
    names = {}
    with chdir(tmp_path):
        exec(picture, names)
    assert (tmp_path / "wavelengths.svg").read_text(encoding="utf-8").startswith("<svg")
    exec(code, names)
    torch.testing.assert_close(
        names["shift"] @ names["table"][7].double(), names["table"][12].double(), atol=1e-6, rtol=0
    )


def test_the_encoding_that_the_architecture_adds_keeps_the_contract():
    code = ARCHITECTURE.read_text(encoding="utf-8").split("### Adding an encoding")[1]
    names = {"__name__": "square_root"}
    exec(code.split("```python\n")[1].split("```")[0], names)
    spec, shape = names["SPEC"], Shape(d_model=8, n_heads=2, train_length=4, max_length=12)
    assert isinstance(spec, EncodingSpec)
    positions, q = torch.tensor([0, 1, 10]), torch.ones(1, 2, 3, 4)
    added = spec.build(shape, {"slope": 1.0}).bias(q, q, positions)
    expected = [[0, -1, -math.sqrt(10)], [-1, 0, -3], [-math.sqrt(10), -3, 0]]
    torch.testing.assert_close(added, torch.tensor(expected))
    last = spec.build(shape, {"slope": 1.0}).bias(q[:, :, 2:], q, positions[None])
    torch.testing.assert_close(last, torch.tensor(expected[2:])[None, None])
    with pytest.raises(ValueError, match=r"^slope must be a number from 0.1 to 2, got 3.0$"):
        spec.build(shape, {"slope": 3.0})
