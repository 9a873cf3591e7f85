"""Compare two recordings: what differs, and whether it is expected."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from tests.sameness.record import SUFFIX
from tests.sameness.rules import Rule, accepted, rewritten

BEFORE_IT = 80  # characters before a difference that are printed
MAX_PRINTED = 240  # characters of each side of a difference that are printed


@dataclass(frozen=True)
class Difference:
    """What differs at one place of one state; a side is empty where a recording has nothing there."""

    page: str
    state: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True)
class Shown:
    """An item of a recorded state."""

    kind: str
    place: str
    text: str


@dataclass
class Recording:
    """One page of a recording: for each state its title and its items, whose texts are found by their hashes."""

    states: dict[str, tuple[str, list[tuple[str, str, str]]]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def shown(self, state: str) -> list[Shown]:
        """Return the items of a state with their texts."""
        return [Shown(kind, place, self.texts[name]) for kind, place, name in self.states[state][1]]


@dataclass
class Report:
    """What was compared, and what was found."""

    states: int = 0
    items: Counter[str] = field(default_factory=Counter)
    expected: int = 0
    differences: list[Difference] = field(default_factory=list)


def read(path: Path) -> Recording:
    """Return a page of a recording."""
    found = Recording()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            one = json.loads(line)
            if "hash" in one:
                found.texts[one["hash"]] = one["text"]
            else:
                found.states[one["state"]] = one["title"], [tuple(item) for item in one["items"]]
    return found


def pages_of(folder: Path) -> set[str]:
    """Return the pages of a recording; `ValueError` where there is none."""
    found = {path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")}
    if not found:
        raise ValueError(f"{folder} holds no recording")
    return found


@dataclass(frozen=True)
class Terms:
    """On what terms things are the same: expected differences, kinds that are left out, and how near numbers must be.

    `tolerance` is a fraction of the largest number of a column.
    """

    rules: Sequence[Rule] = ()
    without: Sequence[str] = ()
    tolerance: float = 0.0


def compare(before: Path, after: Path, terms: Terms) -> Report:
    """Compare all pages of two recordings; `ValueError` where a folder holds none."""
    report, (old, new) = Report(), (pages_of(before), pages_of(after))
    for page in sorted(old | new):
        if page in old and page in new:
            recordings = read(before / f"{page}{SUFFIX}"), read(after / f"{page}{SUFFIX}")
            _compare_page(report, page, *recordings, terms)
        else:
            report.differences.append(Difference(page, "", "page", page * (page in old), page * (page in new)))
    return report


def _compare_page(report: Report, page: str, old: Recording, new: Recording, terms: Terms) -> None:
    names = {name if name in new.states else rewritten(name, f"{page} state", terms.rules): name for name in old.states}
    for name in dict.fromkeys((*names, *new.states)):
        report.states += 1
        if name in names and name in new.states:
            before, after = (
                [one for one in side if one.kind not in terms.without]
                for side in (old.shown(names[name]), new.shown(name))
            )
            report.items.update(one.kind for one in after)
            found = list(_differences(page, new.states[name][0], before, after, terms)) if before != after else []
        else:
            found = [Difference(page, name, "state", name * (name in names), name * (name in new.states))]
        for one in found:
            if accepted(one.before, one.after, f"{page} {one.kind} {one.state}", terms.rules):
                report.expected += 1
            else:
                report.differences.append(one)


def _differences(
    page: str, state: str, old: Sequence[Shown], new: Sequence[Shown], terms: Terms
) -> Iterator[Difference]:
    there = {(one.kind, one.text) for one in new}
    texts = [
        one.text if (one.kind, one.text) in there else rewritten(one.text, f"{page} {one.kind} {state}", terms.rules)
        for one in old
    ]
    keys = [(one.kind, text) for one, text in zip(old, texts, strict=True)], [(one.kind, one.text) for one in new]
    for what, first, last, start, end in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if what != "equal":
            for kind, before, after in _paired(keys[0][first:last], keys[1][start:end]):
                tables = before and after and kind in ("data", "table")
                if not (tables and close(before, after, terms.tolerance)):
                    yield Difference(page, state, kind, before, after)
        elif "place" not in terms.without:
            for one, other in zip(old[first:last], new[start:end], strict=True):
                place = one.place
                if place != other.place:
                    place = rewritten(place, f"{page} place {state}", terms.rules)
                if place != other.place:
                    yield Difference(page, state, "place", place or "page", other.place or "page")


def _paired(old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The items of a kind of both sides in their order, an empty text where one side has fewer."""
    for kind in dict.fromkeys(kind for kind, _ in (*old, *new)):
        sides = ([text for other, text in side if other == kind] for side in (old, new))
        for before, after in zip_longest(*sides, fillvalue=""):
            yield kind, before, after


def close(before: str, after: str, tolerance: float) -> bool:
    """Return whether two tables have the same columns, where numbers differ by at most `tolerance` of the largest."""
    old, new = json.loads(before), json.loads(after)
    columns = old.pop("columns", {}), new.pop("columns", {})
    if not tolerance or old != new or columns[0].keys() != columns[1].keys():
        return False
    return all(one == columns[1][name] or _near(one, columns[1][name], tolerance) for name, one in columns[0].items())


def _near(old: object, new: object, tolerance: float) -> bool:
    if not isinstance(old, str) or not isinstance(new, str) or len(one := old.split()) != len(other := new.split()):
        return False
    pairs = [(float(a), float(b)) for a, b in zip(one, other, strict=True) if a != b and "-" not in (a, b)]
    largest = max((abs(float(a)) for a in one if a not in ("-", "nan", "inf", "-inf")), default=0.0)
    missing = any(a != b and "-" in (a, b) for a, b in zip(one, other, strict=True))
    return not missing and all(abs(a - b) <= tolerance * largest for a, b in pairs)


def missing_numbers(before: Path, after: Path) -> tuple[int, Counter[tuple[str, str]]]:
    """Return how many columns of numbers the charts of one recording have, and which of them the other lacks.

    A column is what it holds, to seven digits, whatever it and its table are called; those that the same state of the
    other recording has nowhere are counted by page and name. Columns of one number are left out: any chart has them.
    """
    n, missing = 0, Counter[tuple[str, str]]()
    for page in sorted(pages_of(before) & pages_of(after)):
        old, new = read(before / f"{page}{SUFFIX}"), read(after / f"{page}{SUFFIX}")
        for state in old.states:
            drawn = _drawn(old, state)
            there = _drawn(new, state) if state in new.states else {}
            n += len(drawn)
            missing.update((page, name) for values, name in drawn.items() if values not in there)
    return n, missing


def _drawn(recording: Recording, state: str) -> dict[tuple[str, ...], str]:
    """The columns of numbers of a state's charts, with the name of each."""
    found: dict[tuple[str, ...], str] = {}
    for one in recording.shown(state):
        for name, column in json.loads(one.text).get("columns", {}).items() if one.kind == "data" else ():
            values = column.split() if isinstance(column, str) else column
            try:
                numbers = tuple("-" if value == "-" else f"{float(value):.7g}" for value in values)
            except (TypeError, ValueError):  # words
                continue
            if len(numbers) > 1:
                found.setdefault(numbers, name)
    return found


def printed(one: Difference) -> tuple[str, str]:
    """Return both sides of a difference, cut to where they differ."""
    if one.kind in ("data", "table") and one.before and one.after:
        return _columns(one)
    same = next((n for n, (a, b) in enumerate(zip(one.before, one.after, strict=False)) if a != b), 0)
    first = max(0, same - BEFORE_IT)
    return tuple(("…" * (first > 0) + text[first:])[:MAX_PRINTED] for text in (one.before, one.after))  # type: ignore[return-value]


def _columns(one: Difference) -> tuple[str, str]:
    """The columns of two tables that differ, from where they differ."""
    old, new = json.loads(one.before), json.loads(one.after)
    columns = old.get("columns", {}), new.get("columns", {})
    sides: tuple[list[str], list[str]] = ([], [])
    for name in dict.fromkeys((*columns[0], *columns[1])):
        values = [side.get(name, []) for side in columns]
        values = [value.split() if isinstance(value, str) else value for value in values]
        if values[0] != values[1]:
            place = next((n for n, (a, b) in enumerate(zip(*values, strict=False)) if a != b), 0)
            for side, value, recorded in zip(sides, values, columns, strict=True):
                cells = " ".join(map(str, value[place : place + 4]))
                side.append(f"{name}[{place}] {cells}" if name in recorded else f"no {name}")
    for side, table in zip(sides, (old, new), strict=True):
        rest = {key: value for key, value in table.items() if key != "columns"}
        side.append(json.dumps(rest, ensure_ascii=False, sort_keys=True))
    return "; ".join(sides[0])[:MAX_PRINTED], "; ".join(sides[1])[:MAX_PRINTED]
