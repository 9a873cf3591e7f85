"""The scorecard: every encoding against every criterion, each cell a measured number."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd
import torch
from pandas.io.formats.style import Styler

from pe_core.chapters import gallery
from pe_core.chapters.wording import joined, paper_facts
from pe_core.encodings import ENCODINGS
from pe_core.figures import ranking as figures
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.looks.palette import ink, shade
from pe_core.lab.results.statistics import NOT_LEARNED
from pe_core.measures import cards, criteria, lengths, pairs, profile
from pe_core.measures.cards import SIZE, shape_of
from pe_core.measures.criteria import CRITERIA, Better
from pe_core.parameters import Choice

SHOWN, RATIO = ".3g", ".2f"  # how the table shows what a criterion measures, and the ratio after training
NO_ENCODING = "none"  # the row that others are compared with
TOGETHER = 0.5  # of ln 8: attention that spreads less is held together
MAX_CELLS = 4_096  # that are remembered
# Below the bars, which way is better.
BETTER: Mapping[Better, str] = {
    "higher": "more is better",
    "lower": "less is better",
    "neutral": "neither end is better",
}
PLACES = (lengths, pairs, profile, criteria)  # where the mathematics of the criteria stands

CRITERION = Choice(
    "criterion", "Criterion", {key: criterion.title for key, criterion in CRITERIA.items()}, "global_order"
)
ENCODING = Choice("scorecard_encoding", "Encoding", {key: spec.title for key, spec in ENCODINGS.items()}, "alibi")
Grade = float | None  # from 0, the worst, to 1, the best; None where there is nothing to judge
MARKS = {"holds": "✓", "degrades": "~", "breaks": "✗"}  # before a name: what became of it in training
ARROWS: Mapping[Better, str] = {"higher": "↑", "lower": "↓", "neutral": "↕"}  # which way is better, in a column's head


def differing() -> list[str]:
    """Return the keys of the encodings whose layers differ."""
    built = {key: spec.build(shape_of(**SIZE)) for key, spec in ENCODINGS.items()}
    return [key for key, one in built.items() if any(one.at_layer(layer) is not one for layer in range(2))]


def first_layer(encoding: str) -> Facts:
    """Return the section that says which layer of an encoding is measured, and how many keys a query there sees."""
    if encoding not in differing():
        return {"layers": ""}
    length = SIZE["train_length"]
    seen = profile.own_mask(ENCODINGS[encoding].build(shape_of(**SIZE)).at_layer(0), torch.arange(length))
    most = length if seen is None else int(seen.tril().sum(dim=-1).max())
    return {"layers": "layers-differ", "seen": "all keys up to its own" if most == length else f"at most {most} keys"}


@lru_cache(MAX_CELLS)  # a criterion takes up to a second for all encodings
def measured(criterion: str, encoding: str, d_model: int, n_heads: int, train_length: int) -> float | None:
    """Return what a criterion measures of an encoding, as `cards.measure` does: kept if it is of the page's size."""
    size = {"d_model": d_model, "n_heads": n_heads, "train_length": train_length}
    kept = cards.read(cards.KEPT).get(encoding) if size == SIZE else None
    return kept[criterion] if kept else cards.measure(criterion, encoding, shape_of(**size))


def card(encoding: str) -> dict[str, float | None]:
    """Return every criterion for an encoding of the size of the page."""
    return {criterion: measured(criterion, encoding, **SIZE) for criterion in CRITERIA}


def row(encoding: str) -> dict[str, object]:
    """Return the row of an encoding in the table, by the titles of its columns."""
    spec, numbers = ENCODINGS[encoding], card(encoding)
    named = {criterion.title: numbers[key] for key, criterion in CRITERIA.items()}
    return {"Encoding": spec.title, "Family": spec.family, **named}


def ordered(criterion: str) -> list[str]:
    """Return the keys of all encodings, the best by a criterion first.

    The row without an encoding comes after all that are judged, and last those to which the criterion does not apply.
    """
    sign = 1 if CRITERIA[criterion].better == "lower" else -1

    def place(key: str) -> tuple[bool, bool, float]:
        shown = as_shown(measured(criterion, key, **SIZE), SHOWN)
        return shown is None, key == NO_ENCODING, sign * (shown or 0.0)

    return sorted(ENCODINGS, key=place)


def table(rows: Mapping[str, Mapping[str, Any]], verdict: str, ratio: str) -> Styler:
    """Return the rows of encodings with what training brought, each number coloured by its place in its column.

    `rows` are those of `row` by the keys of all encodings; `verdict` and `ratio` are titles. The row without an
    encoding has no colour, nor has the ratio of one that has not learned.
    """
    trained = gallery.trained()
    after = {key: trained.get(key) for key in rows}
    whole = [
        {
            "Encoding": own["Encoding"],
            **{criterion.title: own[criterion.title] for criterion in CRITERIA.values()},
            verdict: one.verdict if one else None,
            ratio: one.mean if one else None,
            "Family": own["Family"],
        }
        for own, one in zip(rows.values(), after.values(), strict=True)
    ]
    looks = pd.DataFrame("", index=range(len(whole)), columns=list(whole[0]))
    for one in CRITERIA.values():
        numbers = {key: own[one.title] for key, own in rows.items()}
        looks[one.title] = _looks(numbers, SHOWN, one.better)
    learned = {key: one.mean if one and one.verdict != NOT_LEARNED else None for key, one in after.items()}
    looks[ratio] = _looks(learned, RATIO, "lower")
    return pd.DataFrame(whole).style.apply(lambda _: looks, axis=None)


def _looks(numbers: Mapping[str, float | None], spec: str, better: Better) -> list[str]:
    """Return the background and the colour of the words of each number, by its grade; "" where it has none."""
    shown = [None if key == NO_ENCODING else as_shown(number, spec) for key, number in numbers.items()]
    colours = [None if grade is None else shade(grade) for grade in grades(shown, better)]
    return ["" if colour is None else f"background-color: {colour}; color: {ink(colour)}" for colour in colours]


def as_shown(value: float | None, spec: str) -> float | None:
    """Return a number as the table shows it, so that those who share one share a place; None where there is none."""
    return None if value is None else float(format(value, spec))


def cell(rows: Sequence[str], chosen: Sequence[tuple[int, str]]) -> Mapping[str, str]:
    """Return where the controls stand once a cell of the table with these rows is chosen, by its row and column."""
    [(row, column)] = chosen
    criterion = {criterion.title: {"criterion": key} for key, criterion in CRITERIA.items()}.get(column, {})
    return {"scorecard_encoding": rows[row], **criterion}


def ranking(criterion: str, encoding: str, d_model: int, n_heads: int, train_length: int) -> Figure:
    """Return a bar for each encoding to which a criterion applies, the best one first, with a mark at `encoding`."""
    judged = CRITERIA[criterion]
    found = {key: measured(criterion, key, d_model, n_heads, train_length) for key in ENCODINGS}
    values = {ENCODINGS[key].title: value for key, value in found.items() if value is not None}
    families = {spec.title: spec.family for spec in ENCODINGS.values()}
    descending = judged.better != "lower"
    ordered = sorted(values.values(), reverse=descending)
    name, own = ENCODINGS[encoding].title, found[encoding]
    facts = {
        "title": judged.title,
        "summary": judged.summary,
        "unit": judged.unit,
        "better": judged.better,
        "source": "source-paper" if judged.paper else "source-ours",
        **(paper_facts(judged.paper) if judged.paper else {}),
        "name": name,
        "cell": "cell-none" if own is None else "cell-shared" if ordered.count(own) > 1 else "cell",
        "own": own,
        "sharing": 0 if own is None else ordered.count(own),
        "place": None if own is None else 1 + ordered.index(own),  # of those who share one, the best
        "count": len(values),
        "first": _at_end(values, ordered[0]),
        "first-value": ordered[0],
        "last": _at_end(values, ordered[-1]),
        "last-value": ordered[-1],
        "without": ", ".join(ENCODINGS[key].title for key, value in found.items() if value is None) or "none",
    }
    axis = judged.unit, BETTER[judged.better]
    return figures.ranking(values, families, axis, chosen=name, descending=descending).with_facts(facts)


def _at_end(values: Mapping[str, float], end: float) -> str:
    """Name who shares an end of the order: the first of them, and how many others."""
    first, *others = [name for name, value in values.items() if value == end]
    return f"{first} and {len(others)} others" if len(others) > 1 else " and ".join([first, *others])


def proof(criterion: str) -> tuple[Callable[..., Any], ...]:
    """Return the function that measures a criterion, those of the measures that it names, and the one for all."""
    measure = CRITERIA[criterion].measure
    named = [(module, vars(module).get(name)) for name in measure.__code__.co_names for module in PLACES]
    parts: list[Callable[..., Any]] = [
        part for module, part in named if inspect.isfunction(part) and part.__module__ == module.__name__
    ]
    return (*dict.fromkeys([measure, *parts]), cards.measure)


def relative_and_together(guess: int) -> tuple[bool, Facts]:
    """Return whether so many encodings know the distance only and hold attention together, and who does."""
    numbers = {spec.title: card(key) for key, spec in ENCODINGS.items()}
    relative = {
        title: one["dilution"]
        for title, one in numbers.items()
        if one["translation"] == 0 and one["dilution"] is not None
    }
    names = [title for title, spread in relative.items() if spread < TOGETHER]
    facts = {"count": len(names), "names": ", ".join(names) or "none", "spread": len(relative) - len(names)}
    return guess == len(names), facts


def size() -> Facts:
    """Return the size that encodings are built for, width of a head, norm of its content, and whose layers differ."""
    head_dim = shape_of(**SIZE).head_dim
    titles = joined([ENCODINGS[key].title for key in differing()])
    return {**SIZE, "head_dim": head_dim, "norm": math.sqrt(head_dim), "differing": titles}


def grades(values: Sequence[float | None], better: Better) -> list[Grade]:
    """Return for each value which fraction of the others is not better, 1 for the best; None where none is judged."""
    known = [value for value in values if value is not None]
    if better == "neutral":
        return [None] * len(values)
    sign = 1 if better == "higher" else -1
    others = max(1, len(known) - 1)
    return [None if value is None else 1 - sum(sign * one > sign * value for one in known) / others for value in values]
