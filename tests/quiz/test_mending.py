"""Listings with one wrong line: each differs from pe_core, its mended line mends it, and no other line does."""

import importlib
import inspect

import pytest
import torch

from pe_core.quiz import listings
from pe_core.quiz.mending import LISTINGS
from tests.cases import each
from ui.widgets.prose import sections

VISIBLE = 1e-3


def with_line(listing, number, line):
    """The table of a listing with another line of this number, indented as the one that stood there."""
    lines = listing.lines
    indent = lines[number - 1][: -len(lines[number - 1].lstrip())]
    lines[number - 1] = indent + line
    names = dict(vars(importlib.import_module(listing.function.__module__)))
    exec(compile("\n".join(lines), listing.title, "exec"), names)
    torch.use_deterministic_algorithms(True)  # memory that nothing was written into is NaN, and not what it held before
    try:
        return listing.run(names[listing.function.__name__]).double()
    finally:
        torch.use_deterministic_algorithms(False)


def off(table, right):
    """By how much a table is off; without end where it has another shape, or numbers that nothing was written into."""
    if table.shape != right.shape:
        return float("inf")
    return float((table - right).abs().nan_to_num(nan=torch.inf).max())


def test_every_listing_is_in_the_registry_and_has_its_text():
    written = [one for one in vars(listings).values() if getattr(one, "__module__", "") == listings.__name__]
    assert [listing.function for listing in LISTINGS.values()] == written
    assert all(f"mended {key}" in sections("mend") for key in LISTINGS)
    assert len(LISTINGS) >= 6


@each("key", LISTINGS)
def test_only_the_mended_line_in_its_place_mends_a_listing(key):
    listing = LISTINGS[key]
    wrong, right = listing.tables()
    assert wrong.isfinite().all()
    assert right.isfinite().all()
    assert wrong.shape == right.shape
    assert off(wrong, right) > VISIBLE
    assert listing.lines[listing.line - 1].strip() == listing.wrong
    assert sum(line.strip() == listing.wrong for line in listing.lines) == 1
    assert listing.line in listing.offered
    torch.testing.assert_close(with_line(listing, listing.line, listing.mended), right)
    for number in set(listing.offered) - {listing.line}:
        try:
            table = with_line(listing, number, listing.mended)
        except Exception:
            continue  # the line that is gone was needed
        assert off(table, right) > VISIBLE, number


@each("key", LISTINGS)
def test_the_lines_offered_are_those_after_the_docstring(key):
    listing = LISTINGS[key]
    assert listing.lines[0].startswith("def ")
    assert listing.lines[1].strip() == f'"""{inspect.getdoc(listing.function)}"""'
    assert (listing.offered[0], listing.offered[-1]) == (3, len(listing.lines))
    assert listing.lines[-1].strip().startswith("return ")


STOPS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")]
    for line in sections("mend")["stops"].splitlines()
    if line.startswith("| `")
]


@each(("code", "problem", "mended"), STOPS)
def test_what_stops_at_once_says_what_is_said_of_it_and_can_be_mended(code, problem, mended):
    names = {"torch": torch, "nn": torch.nn, "get_angles": torch.arange}
    with pytest.raises((TypeError, AttributeError, ValueError, NameError)) as raised:
        exec(code.split("`")[1], names)
    assert problem == f"`{type(raised.value).__name__}: {raised.value}`"
    exec(mended.strip("`"), names)
