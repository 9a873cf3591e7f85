"""What functions of chapters have returned: who sets what another visitor has set before gets what was computed then.

A lecture has a hundred students at the same values, and a slider goes back and forth. Functions of chapters are pure:
the same values give the same result, which nobody changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, ParamSpec, TypeVar

MAX_RESULTS = 256  # those used last; most have some 10 kB, the largest half a megabyte
MAX_TEXT = 200  # characters of an argument; what is longer a visitor has brought along

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Call:
    """A call, known by how it is written: 1, 1.0 and True differ."""

    written: str
    call: partial[Any] = field(compare=False)


# Not `st.cache_resource`, which keeps a lock for each call that there ever was (record 35).
@lru_cache(MAX_RESULTS)
def _result(known: _Call) -> Any:
    return known.call()


forget = _result.cache_clear


def result_of(function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
    """Return what a function of a chapter returns, or has returned, for these arguments; nobody may change it."""
    if not _is_plain((args, kwargs)):
        return function(*args, **kwargs)
    written = f"{function.__module__}.{function.__qualname__} {args} {kwargs}"
    result: Result = _result(_Call(written, partial(function, *args, **kwargs)))
    return result


def _is_plain(value: object) -> bool:
    """Return whether a value is known by how it is written: numbers, short texts, groups of them."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if isinstance(value, Mapping):
        return all(map(_is_plain, (*value, *value.values())))
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    return value is None or isinstance(value, bool | int | float)
