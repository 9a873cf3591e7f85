"""The hash of a run changes with all that decides its numbers, and with nothing else."""

import ast
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pe_core.lab.experiment.settings import PARAMETERS, RunConfig
from pe_core.lab.results.record import TextFacts
from pe_core.lab.storage import run_hash as module
from pe_core.lab.storage.run_hash import CODE, DECIDING, PACKAGE, code_digest, is_hash, is_this_version, run_hash

TEXT = TextFacts("cats", 5_000, 20, 3.0, 2.5, "ab" * 32)
CONFIG = RunConfig(("rope", "alibi"))


def another(parameter):
    """A value of a parameter that is not its default."""
    if parameter.choices:
        return next(choice for choice in parameter.choices if choice != parameter.default)
    return parameter.default + parameter.step


OTHER = {
    "encodings": ("alibi", "rope"),
    **{name: another(parameter) for name, parameter in PARAMETERS.items()},
    "repairs": ("ntk",),
}


def test_there_is_another_value_for_every_setting():
    assert OTHER.keys() == vars(CONFIG).keys()


@pytest.mark.parametrize("name", OTHER)
def test_every_setting_changes_the_hash(name):
    changed = run_hash(replace(CONFIG, **{name: OTHER[name]}), TEXT)
    assert is_hash(changed)
    assert changed != run_hash(CONFIG, TEXT)


def test_text_code_and_torch_change_the_hash():
    hashes = {
        run_hash(CONFIG, TEXT),
        run_hash(CONFIG, replace(TEXT, sha256="cd" * 32)),
        run_hash(CONFIG, TEXT, code="0" * 64),
        run_hash(CONFIG, TEXT, torch_version="1.0"),
    }
    assert len(hashes) == 4


def test_the_name_of_the_text_does_not():
    assert run_hash(CONFIG, replace(TEXT, name="dogs")) == run_hash(CONFIG, TEXT)


def test_it_is_the_same_in_another_process():
    script = (
        "from pe_core.lab.storage.run_hash import *; from pe_core.lab.results.record import TextFacts; "
        f"from pe_core.lab.experiment.settings import PARAMETERS, RunConfig; print(run_hash({CONFIG!r}, {TEXT!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == run_hash(CONFIG, TEXT)


@pytest.fixture
def package(tmp_path):
    copy = tmp_path / "pe_core"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_a_copy_of_the_code_has_the_digest_of_the_code(package):
    assert code_digest(package) == CODE
    masks = package / "masks.py"
    masks.write_bytes(masks.read_bytes().replace(b"\n", b"\r\n"))
    assert code_digest(package) == CODE


@pytest.mark.parametrize(
    "name",
    ["encodings/rotary.py", "rope_scaling/ntk.py", "masks.py", "lab/experiment/run.py", "lab/experiment/model.py"],
)
def test_a_change_of_what_decides_changes_the_digest(package, name):
    (package / name).write_text((package / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert code_digest(package) != CODE


def test_a_new_encoding_changes_the_digest(package):
    (package / "encodings" / "new.py").write_text("")
    assert code_digest(package) != CODE


@pytest.mark.parametrize("name", ["figures/lab.py", "lab/queue/jobs.py", "lab/results/record.py", "measures/jumps.py"])
def test_a_change_of_what_only_shows_or_carries_does_not(package, name):
    (package / name).write_text("changed")
    assert code_digest(package) == CODE


def test_all_that_a_run_imports_is_in_the_digest():
    """Walks the imports from the module that runs an encoding; what it meets must be named in `DECIDING`."""
    waiting, met = ["pe_core.lab.experiment.run"], set()
    while waiting:
        path = source(waiting.pop())
        if path is None or path in met:
            continue
        met.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                waiting += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                waiting += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    names = {path.relative_to(PACKAGE).as_posix() for path in met}
    assert "rope_scaling/ntk.py" in names
    missing = {name for name in names if not name.startswith(DECIDING)}
    assert missing == {"__init__.py"}  # a sentence only


def source(name):
    if not re.fullmatch(r"pe_core(\.\w+)*", name):
        return None
    path = PACKAGE.parent / name.replace(".", "/")
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@pytest.mark.parametrize("text", ["", "ab", "AB" * 32, "ab" * 33, "xy" * 32, "ab" * 32 + "\n", "\0" * 64])
def test_what_is_no_hash(text):
    assert not is_hash(text)


def test_which_versions_are_those_that_are_here():
    here = {"python": "3", "torch": module.torch.__version__, "code": CODE}
    assert is_this_version(here)
    assert not is_this_version({**here, "torch": "1.0"})
    assert not is_this_version({**here, "code": "0"})
    assert not is_this_version({})


def test_the_package_is_the_one_that_is_read():
    assert Path(module.__file__).is_relative_to(PACKAGE)
