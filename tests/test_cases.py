"""The loop over cases that stands in for many small tests, and the look at what is refused."""

import pytest

from tests.cases import each, refuses


def test_every_case_is_run_and_grids_multiply():
    seen = []

    @each("b", "xy")
    @each(("a", "c"), [(1, 2), (3, 4)])
    def check(a, b, c):
        seen.append((a, b, c))

    check()
    assert seen == [(1, "x", 2), (3, "x", 4), (1, "y", 2), (3, "y", 4)]


def test_a_failure_names_its_case():
    @each("word", ["short", "long"])
    @each("n", [1, 2])
    def check(n, word):
        if (n, word) == (2, "long"):
            pytest.fail("never")  # no `Exception`, as what is skipped

    with pytest.raises(pytest.fail.Exception) as failed:
        check()
    assert failed.value.__notes__ == ["in the case n=2", "in the case word='long'"]


def test_no_cases_are_an_error():
    with pytest.raises(ValueError, match=r"^cases must be at least one, got none of n$"):
        each("n", [])


@each(
    ("fields", "case"),
    [("a, b", (1,)), ("a, b", (1, 2, 3)), ("a, b, c", pytest.param(1, 2, 3)), ("a", pytest.param(1))],
)
def test_a_case_that_does_not_fit_is_an_error(fields, case):
    with pytest.raises(ValueError, match=r"^a case must have one value for each of a(, b)?(, c)?, got .*1"):
        each(fields, [case])


def test_a_call_that_is_not_refused_or_in_other_words_is_found():
    refuses(lambda: int("x"), "invalid literal for int() with base 10: 'x'")
    for call in (lambda: int("1"), lambda: int("y")):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            refuses(call, "invalid literal for int() with base 10: 'x'")
