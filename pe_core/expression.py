"""A small language of formulas that a visitor may type: its grammar, a parser of our own, and the values of its trees.

Nothing of it ever reaches Python's `eval`, `exec` or `compile`, and length, depth and size are bounded. It has Python's
operators and order of operations, and nothing else of Python. From the loosest to the tightest: `or`, `and`, `not`, one
comparison, `+ -`, `* /`, unary `-`, `**` (from the right). Brackets and calls of the functions of `FUNCTIONS` stand
around any of it. The method is Pratt's: each operator has a power, and an operand ends before an operator of less
power. Reference: Pratt 1973, "Top down operator precedence".
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.parameters import MAX_SHOWN

MAX_LENGTH = 200  # characters of a formula
MAX_DEPTH = 20  # brackets, calls and operands within each other
MAX_NODES = 60  # numbers, names and operations: what a formula costs grows with them

_TOKEN = re.compile(
    r" *(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>\*\*|[<>=!]=|[-+*/(),<>]))"
)
_POWERS = {
    **{"or": 1, "and": 2},
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 4),
    **{"+": 5, "-": 5, "*": 6, "/": 6, "**": 8},
}
_NOT, _COMPARISON, _MINUS, _POWER = 3, 4, 7, 8


@dataclass(frozen=True)
class Operation:
    """What an operator or a function computes, element by element.

    `takes` says of each argument whether it is a condition (True) or a number (False); `gives` says the same of what
    comes out.
    """

    compute: Callable[..., Tensor]
    takes: tuple[bool, ...]
    gives: bool = False


@dataclass(frozen=True)
class Number:
    """A number that stands in the text."""

    value: float


@dataclass(frozen=True)
class Name:
    """A variable or a learned parameter."""

    name: str


@dataclass(frozen=True)
class Call:
    """An operation, by its key in `OPERATIONS`, with its arguments."""

    operation: str
    arguments: tuple["Tree", ...]


Tree = Number | Name | Call

NUMBER, NUMBERS, CONDITIONS = (False,), (False, False), (True, True)
NEGATIVE = "negative"  # the minus before a single number

OPERATORS: dict[str, Operation] = {
    "+": Operation(torch.add, NUMBERS),
    "-": Operation(torch.sub, NUMBERS),
    "*": Operation(torch.mul, NUMBERS),
    "/": Operation(torch.div, NUMBERS),
    "**": Operation(torch.pow, NUMBERS),
    "<": Operation(torch.lt, NUMBERS, gives=True),
    "<=": Operation(torch.le, NUMBERS, gives=True),
    ">": Operation(torch.gt, NUMBERS, gives=True),
    ">=": Operation(torch.ge, NUMBERS, gives=True),
    "==": Operation(torch.eq, NUMBERS, gives=True),
    "!=": Operation(torch.ne, NUMBERS, gives=True),
    "and": Operation(torch.logical_and, CONDITIONS, gives=True),
    "or": Operation(torch.logical_or, CONDITIONS, gives=True),
}
FUNCTIONS: dict[str, Operation] = {
    "sin": Operation(torch.sin, NUMBER),
    "cos": Operation(torch.cos, NUMBER),
    "exp": Operation(torch.exp, NUMBER),
    "log": Operation(torch.log, NUMBER),
    "sqrt": Operation(torch.sqrt, NUMBER),
    "abs": Operation(torch.abs, NUMBER),
    "floor": Operation(torch.floor, NUMBER),
    "min": Operation(torch.minimum, NUMBERS),
    "max": Operation(torch.maximum, NUMBERS),
    "where": Operation(torch.where, (True, False, False)),
}
OPERATIONS: dict[str, Operation] = {
    **OPERATORS,
    **FUNCTIONS,
    NEGATIVE: Operation(torch.neg, NUMBER),
    "not": Operation(torch.logical_not, (True,), gives=True),
}


def nodes(tree: Tree) -> Iterator[Tree]:
    """Yield a tree and all trees within it."""
    yield tree
    if isinstance(tree, Call):
        for argument in tree.arguments:
            yield from nodes(argument)


def names(tree: Tree) -> set[str]:
    """Return the variables and learned parameters that a tree uses."""
    return {node.name for node in nodes(tree) if isinstance(node, Name)}


def evaluate(tree: Tree, values: Mapping[str, Tensor]) -> Tensor:
    """Return the value of a tree, float64, in the shape to which the shapes of the `values` it names broadcast.

    Numbers and `values` are float64, so no number grows beyond 64 bits; 0 / 0 and the like give NaN and infinity as in
    torch. Raises `KeyError` for a name without a value.
    """
    match tree:
        case Number():
            return torch.tensor(tree.value, dtype=torch.float64)
        case Name():
            return values[tree.name]
    return OPERATIONS[tree.operation].compute(*(evaluate(argument, values) for argument in tree.arguments))


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: int  # counted from 0


def parse(text: str, known: Collection[str], whose: str) -> Tree:
    """Return the tree of a formula whose variables are among the `known` names; `whose` they are stands in the error.

    Raises `ValueError`, which names the text, the column and the rule: for what the grammar does not have, a name that
    is not known, a condition in place of a number or the other way round, a number too large for float64, and a formula
    that is too long, too deep or too large.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"formula must have at most {MAX_LENGTH} characters, got {len(text):,}")
    return _Parser(text, known, whose).formula()


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str, known: Collection[str], whose: str) -> None:
        self.text = text
        self.known = known
        self.whose = whose
        self.tokens = self._tokens()
        self.next = 0
        self.depth = 0

    def formula(self) -> Tree:
        """Return the tree of the whole text."""
        tree = self._typed(0, condition=False)
        token = self._token
        if token.text == ")":
            raise self._error("have an opening bracket for each closing one", token)
        if token.kind:
            raise self._error("have an operator between two values", token)
        size = sum(1 for _ in nodes(tree))
        if size > MAX_NODES:
            rule = f"formula must have at most {MAX_NODES} numbers, names and operations"
            raise ValueError(f"{rule}, got {size} in {self.text!r}")
        return tree

    def _tokens(self) -> list[_Token]:
        found, place = [], 0
        end = len(self.text.rstrip(" "))
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None or match.lastgroup is None:
                start = end - len(self.text[place:end].lstrip(" "))
                rule = "be made of numbers, names, brackets, commas and + - * / ** < <= > >= == !="
                raise self._error(rule, _Token("sign", self.text[start], start))
            kind = match.lastgroup
            found.append(_Token(kind, match[kind], match.start(kind)))
            place = match.end()
        return [*found, _Token("", "", end)]

    @property
    def _token(self) -> _Token:
        return self.tokens[self.next]

    def _take(self) -> _Token:
        token = self._token
        self.next += 1
        return token

    def _typed(self, power: int, *, condition: bool) -> Tree:
        """Read an operand, up to an operator of less power, that is a condition or that is a number."""
        token = self._token
        tree = self._operand(power)
        self._check(tree, token, condition)
        return tree

    def _check(self, tree: Tree, token: _Token, condition: bool) -> None:
        if (isinstance(tree, Call) and OPERATIONS[tree.operation].gives) != condition:
            wanted, given = ("a condition", "a number") if condition else ("a number", "a condition")
            raise self._error(f"have {wanted} here, not {given}", token)

    def _operand(self, power: int) -> Tree:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"be at most {MAX_DEPTH} levels deep", self._token)
        first = self._token
        tree = self._start()
        while _POWERS.get(self._token.text, -1) >= power:
            operator = self._take()
            own = _POWERS[operator.text]
            takes = OPERATIONS[operator.text].takes
            self._check(tree, first, takes[0])
            right = self._typed(own if own == _POWER else own + 1, condition=takes[1])
            tree = Call(operator.text, (tree, right))
            if own == _COMPARISON and _POWERS.get(self._token.text) == _COMPARISON:
                raise self._error("compare two values at a time, joined by `and`", self._token)
        self.depth -= 1
        return tree

    def _start(self) -> Tree:
        """Read what an operand can begin with."""
        token = self._take()
        if token.kind == "number":
            value = float(token.text)
            if not math.isfinite(value):
                raise self._error("have finite numbers", token)
            return Number(value)
        if token.text == "-":
            return Call(NEGATIVE, (self._typed(_MINUS, condition=False),))
        if token.text == "not":
            return Call("not", (self._typed(_NOT, condition=True),))
        if token.text == "(":
            tree = self._operand(0)
            self._close(token)
            return tree
        if token.kind != "name" or token.text in _POWERS:
            raise self._error("have a number, a name or a bracket here", token)
        if self._token.text == "(":
            return self._call(token)
        if token.text in FUNCTIONS:
            raise self._error(f"give {token.text} its arguments in brackets", token)
        if token.text not in self.known:
            raise self._error(f"use the names of {self.whose} ({', '.join(self.known)})", token)
        return Name(token.text)

    def _call(self, token: _Token) -> Tree:
        if token.text in self.known:
            raise self._error(f"write * to multiply: {token.text} is no function", token)
        if token.text not in FUNCTIONS:
            raise self._error(f"call one of the functions {', '.join(FUNCTIONS)}", token)
        bracket, takes = self._take(), FUNCTIONS[token.text].takes
        arguments = []
        many = ("one argument", "two arguments", "three arguments")[len(takes) - 1]
        for place, condition in enumerate(takes):
            if place:
                if self._token.text != ",":
                    raise self._error(f"give {token.text} {many}", self._token)
                self._take()
            arguments.append(self._typed(0, condition=condition))
        if self._token.text == ",":
            raise self._error(f"give {token.text} {many}", self._token)
        self._close(bracket)
        return Call(token.text, tuple(arguments))

    def _close(self, bracket: _Token) -> None:
        if self._token.text != ")":
            raise self._error(f"close the bracket that opens in column {bracket.place + 1}", self._token)
        self._take()

    def _error(self, rule: str, token: _Token) -> ValueError:
        got = repr(token.text[:MAX_SHOWN]) if token.text else "the end"
        return ValueError(f"formula must {rule}, got {got} in column {token.place + 1} of {self.text!r}")
