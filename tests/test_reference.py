from pathlib import Path

import torch

from pe_core.encodings import ENCODINGS
from pe_core.reference import encoding_table

README = Path(__file__).parents[1] / "README.md"


def test_every_encoding_has_a_row():
    rows = encoding_table().splitlines()[2:]
    assert [row.split(" | ")[1] for row in rows] == [f"`{key}`" for key in ENCODINGS]


def test_the_table_names_modules_that_exist():
    for row in encoding_table().splitlines()[2:]:
        path = row.split("](")[1].split(")")[0]
        assert (README.parent / path).is_file(), path


def test_the_readme_shows_the_table_as_it_is():
    assert encoding_table() in README.read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs():
    code = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names = {}
    exec(code, names)
    torch.testing.assert_close(
        names["shift"] @ names["table"][7].double(), names["table"][12].double(), atol=1e-6, rtol=0
    )
