"""Scripts and styles stand in files of their own: the names that they share with Python are the same in both."""

import ast
import re
from pathlib import Path

from pe_core.figures.looks.motion import OF_PAGE, PLAYED, POINTED
from ui.frame.browser import _script

ROOT = Path(__file__).parents[1]
FILES = [path for pattern in ("*.js", "*.css") for path in sorted((ROOT / "ui").rglob(pattern))]
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES}


def strings():
    """Every string of the code of the app."""
    for path in (*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")):
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
