"""Texts that mean harm: refused with a sentence, or computed within bounds, and never seen by Python's `eval`."""

import ast
import builtins
import itertools
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import Shape, own
from pe_core.expression import MAX_LENGTH, parse
from tests.cases import each

ROOT = Path(__file__).parents[2]
SHAPE = Shape(8, 2, 4, 8)
MAX_CALLS = 200_000  # of functions for one text, which no load of the machine changes; a hundred sums need 84,000

CALLS = ["__import__('os').system('true')", "eval('1')", "getattr(m, 'data')", "(lambda: 1)()", "sin(*m)"]
ATTRIBUTES = ["().__class__.__bases__[0].__subclasses__()", "m.__class__", "m[0]", "where(m<n, __import__, 1)"]
SYNTAX = ["[m for m in (1, 2)]", "(1, 2)", "m := 1", "m; n", "m\tn", "1 if m else 2", "m @ n", "m << 1000000", "m in n"]
NUMBERS = ["0x10", "1j", "1e400", "True", "nan", "**m"]
SIGNS = ["f'{m}'", "'m'", "ｍ", "m²", "\u200bm", "m\x00", "\ud800", "💥", "`m`", "\\"]
LONG = ["(" * 200, "(" * 100 + "m" + ")" * 99, "-" * 199 + "m", "2**" * 60 + "2", "sin(" * 40 + "m" + ")" * 40]
HUGE = ["m" + "+m" * 99, "9" * 10_000_000, "m" * 10_000_000, "(" * 10_000_000]
REFUSED = [*CALLS, *ATTRIBUTES, *SYNTAX, *NUMBERS, *SIGNS, *LONG, *HUGE]
BOUNDED = ["9**9**9**9", "9" * 200, "-9**9**9", "exp(exp(exp(exp(9))))", "0/0", "1/0", "log(0)", "sqrt(-1)", "1e308*10"]


def use(text):
    """Read a text as each kind of encoding, and compute what can be read."""
    for kind in own.KINDS:
        try:
            encoding = own.spec_of(f"own:{kind}:{text}").build(SHAPE)
            q, positions = torch.zeros(1, 2, 8, 4), torch.arange(8)
            encoding.embed(torch.zeros(1, 8, 8), positions)
            encoding.bias(*encoding.rotate(q, q, positions), positions)
        except ValueError as error:
            yield str(error)


def forbidden(*arguments, **named):
    raise AssertionError("a text has reached Python")


def used(text):
    """Return the errors of a text, within the work that it may cause, while nobody may evaluate Python."""
    calls = itertools.count()
    never = dict.fromkeys(("eval", "exec", "compile"), forbidden)
    with patch.multiple(builtins, **never), patch.object(ast, "parse", forbidden):
        sys.setprofile(lambda frame, event, argument: next(calls))
        try:
            errors = list(use(text))
        finally:
            sys.setprofile(None)
    assert next(calls) < MAX_CALLS
    assert all(len(error) < 3 * MAX_LENGTH + 250 for error in errors)
    return errors


@each("text", REFUSED)
def test_escapes_are_refused(text):
    with pytest.raises(ValueError, match=r"^formula must "):
        parse(text, own.KINDS["bias"].names, "a bias")
    assert len(used(text)) == len(own.KINDS)


@each("text", BOUNDED)
def test_numbers_stay_within_64_bits(text):
    for error in used(text):
        assert "must be finite" in error


names = sorted({name for kind in own.KINDS.values() for name in kind.names})
words = [*names, "sin", "exp", "log", "where", "min", "and", "or", "not", "__class__", "lambda", "import", "if", "x"]
signs = [*"+-*/()<>,=.[]{}:;'\"\\%^&|~@!#$ \n\x00", "**", "==", "<=", "//", "9" * 30, "1e300", "0", "2", ".5"]
pieces = st.sampled_from([*words, *signs]) | st.characters()
texts = st.one_of(
    st.lists(pieces, max_size=20).map("".join),
    st.lists(st.sampled_from([*names, "+", "-", "*", "**", "(", ")", "2", "9"]), max_size=20).map("".join),
    st.builds(lambda piece, times: piece * times, st.sampled_from([*words, *signs]), st.integers(1, 5_000)),
)


@given(st.lists(texts, min_size=30, max_size=30))
def test_generated_texts_are_refused_or_bounded(many):
    for text in many:
        for error in used(text):
            assert error.startswith(("formula must ", "own ", "starts must ")), text


def test_the_largest_bias_is_computed_a_few_rows_at_a_time(monkeypatch):
    shape = Shape(64, 8, 256, 2_048)
    sizes = []
    original = own.evaluate

    def noted(tree, values):
        found = original(tree, values)
        sizes.append(found.numel())
        return found

    monkeypatch.setattr(own, "evaluate", noted)
    q = torch.zeros(1, 8, 2_048, 8)
    encoding = own.spec_of("own:bias:-h*distance").build(shape)
    assert encoding.bias(q, q, torch.arange(2_048)).shape == (8, 2_048, 2_048)
    assert max(sizes) <= own.AT_ONCE
    assert sum(sizes) == 8 * 2_048**2


def calls(path):
    """Return the names of builtin functions that a file calls or hands on."""
    return {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}


def test_nobody_calls_python_on_a_text_and_the_language_knows_nothing_of_pythons_parser():
    files = {path for folder in ("pe_core", "ui", "pages") for path in (ROOT / folder).rglob("*.py")}
    own_files = {ROOT / "pe_core/expression.py", ROOT / "pe_core/encodings/own.py"}
    assert own_files < files
    for path in files:
        refused = {"eval", "exec", "compile", "__import__", "globals", "locals"}
        if path in own_files:
            refused |= {"getattr", "ast", "importlib", "sys", "builtins"}
        assert not calls(path) & refused, path
