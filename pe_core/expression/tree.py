"""A formula once it is read: a tree of numbers, names and operations, the list of all operations, and its value."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor


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


def is_condition(tree: Tree) -> bool:
    """Return whether a tree gives true or false and not a number."""
    return isinstance(tree, Call) and OPERATIONS[tree.operation].gives


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
