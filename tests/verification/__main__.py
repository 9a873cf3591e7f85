"""Run the tests of `evidence` and write `docs/verification.md`: `python -m tests.verification`."""

import sys
from pathlib import Path

import pytest

from tests.verification.evidence import CASES, OWN, PRECISION, PUBLIC
from tests.verification.page import page
from tests.verification.recording import Recorder

PAGE = Path(__file__).parents[2] / "docs" / "verification.md"


def main():
    """Write the page if every test passes; return what the shell is told."""
    named = [test for group in (OWN, PUBLIC) for tests in group.values() for names in tests.values() for test in names]
    whole = dict.fromkeys(f"tests/{name.split('[')[0]}" for name in (*named, *CASES, PRECISION))
    with Recorder() as recorder:
        options = ["-q", "-p", "no:cacheprovider", "-o", "enable_assertion_pass_hook=true"]
        failed = pytest.main([*options, *whole], plugins=[recorder])
    if failed or set(recorder.outcomes) != {"passed"}:
        print(f"nothing written: not every test passed, {dict(recorder.outcomes)}", file=sys.stderr)
        return 1
    PAGE.write_text(page(recorder), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
