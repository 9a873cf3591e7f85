"""What a run of tests compared: the largest difference of each test, and the public packages that it asked for."""

import os
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pytest
import torch

import tests.parity


@dataclass
class Record:
    """What one test compared: differences by type of number, how many comparisons, and modules of public code."""

    differences: dict = field(default_factory=dict)  # {"float64": (largest difference, largest number)}
    n_close: int = 0
    n_exact: int = 0
    modules: set = field(default_factory=set)

    def note(self, actual, expected):
        """Take down two numbers, tensors, or nests of them, that were found to be the same."""
        if isinstance(actual, dict):
            actual, expected = list(actual.values()), list(expected.values())
        if isinstance(actual, (list, tuple)):
            for one, other in zip(actual, expected, strict=True):
                self.note(one, other)
            return
        one, other = (
            x if isinstance(x, torch.Tensor) else torch.as_tensor(x, dtype=torch.float64) for x in (actual, expected)
        )
        if not one.is_floating_point():
            self.n_exact += 1
            return
        self.n_close += 1
        one, other, kind = one.detach().double(), other.detach().double(), str(one.dtype).removeprefix("torch.")
        apart = torch.where(one == other, 0.0, (one - other).abs())  # infinities are equal
        size = other.abs()[other.isfinite()]
        largest = [float(x.max()) if x.numel() else 0.0 for x in (apart, size)]
        before = self.differences.get(kind, (0.0, 0.0))
        self.differences[kind] = tuple(max(pair) for pair in zip(before, largest, strict=True))


class _Approx:
    """What `pytest.approx` returns, and a note of each comparison that it passes."""

    __array_ufunc__ = None  # arrays of numpy leave the comparison to it
    __hash__ = None

    def __init__(self, inner, expected, recorder):
        self.inner, self.expected, self.recorder = inner, expected, recorder

    def __eq__(self, actual):
        same = self.inner == actual
        if same:
            self.recorder.current().note(actual, self.expected)
        return same

    def __repr__(self):
        return repr(self.inner)


class Recorder:
    """A plugin of pytest: within `with recorder:` comparisons are noted for the test that makes them."""

    def __init__(self):
        self.records = defaultdict(Record)  # by the name of a test with its case
        self.outcomes = Counter()
        self.patch = pytest.MonkeyPatch()

    def current(self):
        """Return the record of the test that runs."""
        return self.records[os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]]

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        close, approx, oracle = torch.testing.assert_close, pytest.approx, tests.parity.oracle

        def noted_close(actual, expected, **options):
            close(actual, expected, **options)
            self.current().note(actual, expected)

        def noted_oracle(name):
            self.current().modules.add(name)
            return oracle(name)

        self.patch.setattr(torch.testing, "assert_close", noted_close)
        self.patch.setattr(pytest, "approx", lambda expected, **ends: _Approx(approx(expected, **ends), expected, self))
        self.patch.setattr(tests.parity, "oracle", noted_oracle)
        return self

    def __exit__(self, *_):
        self.patch.undo()
        self.folder.cleanup()

    def pytest_sessionstart(self):
        """Compile tests anew: files that were compiled without `pytest_assertion_pass` do not call it."""
        self.patch.setattr(sys, "pycache_prefix", self.folder.name)

    def pytest_collection_finish(self):
        """Let the public packages, which are imported later, be read as they were compiled."""
        sys.pycache_prefix = None

    def pytest_assertion_pass(self, orig):
        """Note what is equal to the last bit; `approx` and `assert_close` have noted theirs."""
        if ("==" in orig or "torch.equal(" in orig) and "approx(" not in orig and "not torch.equal(" not in orig:
            self.current().n_exact += 1

    def pytest_runtest_logreport(self, report):
        """Count how tests ended."""
        if report.when == "call" or not report.passed:
            self.outcomes[report.outcome] += 1
