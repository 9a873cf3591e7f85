"""The words that the glossary has replaced do not come back."""

import re
import subprocess
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).parents[1]
GLOSSARY = "docs/glossary.md"
PATTERNS = (ROOT / GLOSSARY).read_text(encoding="utf-8").split("```words\n")[1].split("```")[0].splitlines()


def found(pattern, *places):
    """The lines of tracked files that match, with file and number."""
    command = ["git", "grep", "--line-number", "-I", "--perl-regexp", "-e", pattern, "--", *places]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode < 2, done.stderr
    return done.stdout.splitlines()


@each("pattern", PATTERNS)
def test_no_line_has_a_word_that_was_replaced(pattern):
    assert found(pattern, f":!{GLOSSARY}", ":!pe_core/runs") == []


def test_a_word_that_was_replaced_would_be_found():
    assert PATTERNS
    assert found(re.escape(PATTERNS[0]), GLOSSARY)
    assert found(r"\bglossary\b", "tests/test_words.py")
