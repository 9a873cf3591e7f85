"""The hash of a run changes with all that decides its numbers, and with nothing else."""

import ast
import shutil
from dataclasses import replace
from pathlib import Path

import torch

from pe_core.lab.experiment.settings import PARAMETERS, RunConfig
from pe_core.lab.results.record import TextFacts
from pe_core.lab.storage.run_hash import CODE, DECIDING, PACKAGE, digest, is_hash, is_this_version, run_hash
from pe_core.parameters import Words
from tests.cases import each

TEXT = TextFacts("cats", 5_000, 20, 3.0, 2.5, "ab" * 32)
CONFIG = RunConfig(("rope", "alibi"))


def another(parameter):
    """A value of a parameter that is not its default."""
    if isinstance(parameter, Words):
        return "local : global"
    if parameter.choices:
        return next(choice for choice in parameter.choices if choice != parameter.default)
    return parameter.default + parameter.step


OTHER = {
    "encodings": ("alibi", "rope"),
    **{name: another(parameter) for name, parameter in PARAMETERS.items()},
    "repairs": ("ntk",),
    "max_multiple": 16,
}


def test_every_setting_changes_the_hash():
    assert OTHER.keys() == vars(CONFIG).keys()
    changed = {name: run_hash(replace(CONFIG, **{name: other}), TEXT) for name, other in OTHER.items()}
    assert all(map(is_hash, changed.values()))
    assert [name for name, run in changed.items() if run == run_hash(CONFIG, TEXT)] == []


def test_runs_whose_layers_are_alike_have_the_names_that_they_had_before_layers_could_differ():
    further = RunConfig(("rope", "alibi"), mask="window", n_layers=4, n_seeds=3, repairs=("ntk",))
    names = [run_hash(config, TEXT, code="0" * 64, torch_version="2") for config in (RunConfig(), further)]
    assert names == [
        "fbaad5ceacc6485a84d60cbb3025085064ae74c586ed2bc8acef98ee8469dc67",
        "ee62c66ae2c07ce7e81a34b498caf6a3e74e595bb56958684d17deecb06fd295",
    ]


def test_text_code_and_torch_change_the_hash_and_the_name_of_the_text_does_not():
    hashes = {
        run_hash(CONFIG, TEXT),
        run_hash(CONFIG, replace(TEXT, sha256="cd" * 32)),
        run_hash(CONFIG, TEXT, code="0" * 64),
        run_hash(CONFIG, TEXT, torch_version="1.0"),
    }
    assert len(hashes) == 4
    assert run_hash(CONFIG, replace(TEXT, name="dogs")) == run_hash(CONFIG, TEXT)


def test_the_code_is_that_of_the_modules_that_decide_and_of_no_others(tmp_path):
    package = Path(shutil.copytree(PACKAGE, tmp_path / "pe_core", ignore=shutil.ignore_patterns("__pycache__", "runs")))
    assert digest(package) == CODE
    for name in ("lab/__init__.py", "lab/queue/jobs.py", "lab/results/record.py", "figures/curves.py"):
        (package / name).write_text("changed = True\n")
    masks = package / "masks.py"
    source = masks.read_bytes()
    masks.write_bytes(source.replace(b"\n", b"\r\n"))  # as some systems check out
    assert digest(package) == CODE
    masks.write_bytes(source + b"\n")
    assert digest(package) != CODE


def test_what_decides_imports_nothing_else_of_the_package():
    """So none of what a run computes lies outside of the digest."""
    decide = {path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).as_posix().startswith(DECIDING)}
    assert len(decide) > 60
    for path in decide:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pe_core"):
                home = PACKAGE.parent / node.module.replace(".", "/")
                found = {one for alias in node.names if (one := home / f"{alias.name}.py").exists()}
                found = found or {one for one in (home / "__init__.py", home.with_suffix(".py")) if one.exists()}
                assert found <= decide, (path, node.module)


@each("text", ["", "ab", "AB" * 32, "ab" * 33, "xy" * 32, "ab" * 32 + "\n", "\0" * 64])
def test_what_is_no_hash(text):
    assert not is_hash(text)


def test_which_versions_are_those_that_are_here():
    here = {"python": "3", "torch": torch.__version__, "code": CODE}
    assert is_this_version(here)
    assert not any(map(is_this_version, ({**here, "torch": "1.0"}, {**here, "code": "0"}, {})))
