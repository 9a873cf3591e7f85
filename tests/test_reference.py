from pathlib import Path

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.reference import tables
from pe_core.rope_scaling import SCALINGS

README = Path(__file__).parents[1] / "README.md"


def rows():
    return [line.split(" | ") for line in tables().splitlines() if "](" in line]


def test_every_entry_has_a_row():
    keys = [key for registry in (ENCODINGS, SCALINGS, MASKS, REMAPS) for key in registry]
    assert [row[1] for row in rows()] == [f"`{key}`" for key in keys]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[1])
def test_the_table_names_a_module_that_exists(row):
    module = row[-2].split("](")
    path = README.parent / module[1].rstrip(")")
    assert path.is_file()
    assert module[0].strip("[`").replace(".", "/") in path.as_posix()


def test_the_readme_shows_the_tables_as_they_are():
    assert tables() in README.read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs():
    code = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names = {}
    exec(code, names)
    torch.testing.assert_close(
        names["shift"] @ names["table"][7].double(), names["table"][12].double(), atol=1e-6, rtol=0
    )
