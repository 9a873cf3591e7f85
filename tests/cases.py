"""Cases within one test: thousands of small ones need no test each, and a failure still names its case."""

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch


def refuses(call: Callable[[], object], message: str) -> None:
    """See that a call raises `ValueError` with this sentence and no other."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


def each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every case, as `pytest.mark.parametrize` does, but within one test.

    A failure is noted with the case it came from, and ends the test. All cases share the fixtures of the test, so it is
    not for tests that leave something in them. The test has them as `cases`.
    """
    fields = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    found = list(cases)
    if not found:
        raise ValueError(f"cases must be at least one, got none of {', '.join(fields)}")
    if odd := [case for case in found if hasattr(case, "marks") or (len(fields) > 1 and len(case) != len(fields))]:
        raise ValueError(f"a case must have one value for each of {', '.join(fields)}, got {odd[0]}")
    cases_by_name = [dict(zip(fields, case if len(fields) > 1 else (case,), strict=True)) for case in found]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def all_cases(*args: Any, **kwargs: Any) -> None:
            for case in cases_by_name:
                torch.manual_seed(0)  # as before every test
                try:
                    test(*args, **kwargs, **case)
                except BaseException as failure:
                    failure.add_note(f"in the case {', '.join(f'{name}={value!r}' for name, value in case.items())}")
                    raise

        all_cases.cases = cases_by_name  # type: ignore[attr-defined]
        own = [parameter for name, parameter in signature.parameters.items() if name not in fields]
        all_cases.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
        return all_cases

    return decorate
