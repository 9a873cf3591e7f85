"""The notebook of proof names every entry, and what it says was measured; `python -m tests.verification` writes it."""

import ast
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest
import torch

from pe_core import measures
from pe_core.claims import CLAIMS
from pe_core.measures.criteria import CRITERIA
from tests.cases import each
from tests.verification.evidence import CASES, OWN, PRECISION, PUBLIC
from tests.verification.page import REGISTRIES, found, largest, own
from tests.verification.recording import Record, Recorder

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
MEASURES = {module.name for module in pkgutil.iter_modules(measures.__path__)}


def keys_under(heading):
    """The keys of the first column of a table, in order and each once."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| ")][1:]
    return list(dict.fromkeys(re.search(r"`(\w+)`$", cell)[1] for cell in cells))


@each("group", REGISTRIES)
def test_every_entry_has_its_row_and_its_tests(group):
    heading, registry = REGISTRIES[group]
    assert keys_under(heading) == list(registry)
    assert set(OWN[group]) == set(registry)
    assert set(PUBLIC.get(group, {})) <= set(registry)


def test_every_measure_criterion_and_claim_has_its_row():
    of_criteria = {"criteria", "cards"}  # they have a table of their own, and what is kept of it
    assert set(keys_under("Measures")) == set(OWN["measures"]) == MEASURES - of_criteria
    assert keys_under("Criteria of the scorecard") == list(CRITERIA)
    assert keys_under("Claims") == list(CLAIMS)


def test_every_test_that_is_named_exists():
    groups = [*OWN.values(), *PUBLIC.values()]
    for name in {name for group in groups for names in group.values() for name in names} | {*CASES, PRECISION}:
        file, _, test = name.split("[")[0].partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert not test or test in defined, name


def test_the_page_was_made_with_the_versions_that_are_installed_here():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = dict(
        line.split("==") for line in project["dependencies"] + project["optional-dependencies"]["dev"] if "==" in line
    )
    for package in ("torch", "transformers", "x-transformers", "rotary-embedding-torch"):
        assert re.search(rf"\b{package} {re.escape(pins[package])}[+,.\s]", PAGE), package


def test_the_largest_difference_is_that_of_what_was_compared():
    with Recorder() as recorder:
        torch.testing.assert_close(torch.tensor([1.0, -8.0]), torch.tensor([1.25, -8.0]), atol=0.5, rtol=0)
        torch.testing.assert_close(
            [torch.tensor(2, dtype=torch.float64)], [torch.tensor(2.125).double()], atol=1, rtol=0
        )
        found_values = [3.0]
        assert found_values == pytest.approx([3.0625], abs=0.5)
        record = recorder.current()
    assert record.differences == {"float32": (0.25, 8.0), "float64": (0.125, 3.0625)}
    assert (record.n_close, record.n_exact) == (3, 0)
    assert largest([record]) == ["1.2e-01, 2.5e-01 (float32)", "8"]


def test_whole_numbers_are_exact_infinities_are_equal_and_have_no_size_and_what_fails_is_not_noted():
    with Recorder() as recorder:
        torch.testing.assert_close(torch.tensor([1, 2]), torch.tensor([1, 2]))
        record = recorder.current()
        assert largest([record]) == ["exact", ""]
        torch.testing.assert_close(torch.tensor([-torch.inf, 2.0]), torch.tensor([-torch.inf, 2.0]))
        with pytest.raises(AssertionError):
            torch.testing.assert_close(torch.tensor(1.0), torch.tensor(2.0))
        assert pytest.approx(2.0) != 1.0
    assert record == Record({"float32": (0.0, 2.0)}, n_close=1, n_exact=1)


def test_an_entry_without_a_comparison_is_an_error():
    recorder = Recorder()
    name = OWN["encodings"]["fire"][0]
    with pytest.raises(ValueError, match=f"^{re.escape(name)} must compare something, got nothing$"):
        found(recorder, [name])
    recorder.records[f"tests/{name}"].n_exact = 1
    assert own(recorder, "encodings", "fire")[1] == "exact"
    with pytest.raises(ValueError, match=r"^new of encodings must be held against something, got nothing$"):
        own(recorder, "encodings", "new")
