"""What `pip install .` brings: `pe_core` with its kept runs, its types and its command, and nothing of the app."""

import os
import subprocess
import sys
import tomllib

import pytest

from pe_core.chapters.script import python
from tests.app.opened import ROOT, opened

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NO_STREAMLIT = "import sys\nsys.modules['streamlit'] = None\n"  # as if it were not installed
TINY = ["--encodings=alibi", "--train-length=16", "--d-model=16", "--n-heads=1", "--n-layers=1", "--steps=50"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that the package of this checkout is installed in, without what it depends on."""
    built, site = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("site")
    module("hatchling", "build", "-t", "wheel", "-d", built, cwd=ROOT)
    (wheel,) = built.iterdir()
    module("pip", "install", "--no-deps", "--no-index", "--no-compile", "--target", site, wheel, cwd=built)
    return site


def module(*command, cwd):
    """Run a module of Python as a command."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run(site, folder, *arguments):
    """Run Python in a folder, where it finds the installed package before the checkout; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(folder):
    """The names of all files of the package in a folder, without what Python has compiled."""
    paths = (folder / "pe_core").rglob("*")
    return {path.relative_to(folder).as_posix() for path in paths if path.is_file() and path.suffix != ".pyc"}


def test_what_the_demo_installs_is_the_package_with_its_app():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["app"]
    assert [line for line in lines if not line.startswith("#")] == wanted


def test_every_file_of_the_package_is_installed_and_no_other(installed):
    words = [path for part in ("name", "latin.txt", "words/*.po") for path in (ROOT / "content").glob(f"*/{part}")]
    assert files(installed) == files(ROOT) | {f"pe_core/{path.relative_to(ROOT).as_posix()}" for path in words}
    assert {"pe_core/py.typed", "pe_core/runs/inside.safetensors"} <= files(installed)
    assert sorted(path.name for path in installed.iterdir() if path.suffix != ".dist-info") == ["bin", "pe_core"]


def test_the_python_of_pages_runs_without_the_checkout(installed, tmp_path):
    """The pages show files that come with the package."""
    found = [list(opened(page).session_state["_pictures"].values()) for page in ("gallery", "learned", "inside")]
    assert all(found)
    pictures = [one.picture for page in found for one in page]
    scripts = [NO_STREAMLIT, *(python(picture) for picture in pictures), "import pe_core; print(pe_core.__file__)"]
    (tmp_path / "script.py").write_text("\n".join(scripts), encoding="utf-8")
    assert run(installed, tmp_path, "script.py").strip() == str(installed / "pe_core" / "__init__.py")
    for picture in pictures:
        assert (tmp_path / f"{picture.func.__name__}.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_command_trains_and_speaks_chinese_without_the_checkout(installed, tmp_path):
    printed = run(installed, tmp_path, installed / "bin" / "pe-lab", *TINY, "--language", "zh", "--out", "tiny")
    assert printed.splitlines()[-3:] == ["已写出 tiny.json", "已写出 tiny.csv", "已写出 tiny.png"]
    assert (tmp_path / "tiny.png").read_bytes().startswith(b"\x89PNG")
