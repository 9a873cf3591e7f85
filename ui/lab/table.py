"""The table of a run, and two of its encodings compared seed by seed: who can be told apart."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import streamlit as st
from streamlit.column_config import Column, NumberColumn

from pe_core.encodings import ENCODINGS
from pe_core.figures import ranking as figures
from pe_core.lab.results import table
from pe_core.lab.results.comparison import Pair, Told, n_tests
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import MAX, MIN
from pe_core.lab.results.table import measures, pair_of
from pe_core.measures.uncertainty import LEVEL
from pe_core.parameters import Choice
from ui.frame.turns import fragment
from ui.language.words import _
from ui.widgets.charts import picture
from ui.widgets.controls import row
from ui.widgets.prose import Text
from ui.widgets.tables import in_view, show_rows

SHORT = {MIN: "Smallest", MAX: "Largest"}  # headers beside that of their mean
PERCENT = " (%)"
NARROW = 48  # pixels

Row = Mapping[str, str | float]


def draw_table(record: RunRecord) -> None:
    """Draw the rows of a run, and say what several seeds add to them."""
    rows = table.rows(record)
    if record.text.is_task:
        rows = [in_percent(row) for row in rows]
    columns = {**in_view("Encoding", "Verdict"), "n": Column("Runs", width=NARROW, pinned=True)}
    columns["Trainings of that verdict"] = Column("Runs of that verdict")
    columns["Told apart from the next"] = Column("Differs from the next row")
    for name in (name for name, value in rows[0].items() if isinstance(value, float)):
        header, hint = _header(name)
        columns[name] = NumberColumn(header, help=hint, format="%.1f" if record.text.is_task else "%.3f")
    if record.config.n_seeds == 1:
        show_rows(rows, columns)
        return
    show_rows(rows, columns, order=deciding_first(rows[0], record))
    by = f"what is right at {record.config.lengths[-1]:,}" if record.text.is_task else "the ratio"
    tests = n_tests(one.get("Told apart from the next") for one in rows)
    st.caption(Text("lab")("rule-seeds", {"by": by, "level": LEVEL, "tests": tests}))


def in_percent(row: Row) -> dict[str, str | float]:
    """Return the row of a task with its fractions in percent, which their names say."""
    cells: dict[str, str | float] = {}
    for name, value in row.items():
        if isinstance(value, float):
            cells[f"{name}{PERCENT}"] = 100 * value
        else:
            cells[name] = value
    return cells


def deciding_first(names: Collection[str], record: RunRecord) -> list[str]:
    """Return the columns as they are seen: the number that puts the rows in order, what follows from it, the others."""
    unit = PERCENT if record.text.is_task else ""
    deciding = f"Right at {record.config.lengths[-1]:,}" if record.text.is_task else "Ratio"
    if f"{(past := f'Right past {record.config.train_length:,}')}{unit}" in names:
        deciding = past
    first = ("Encoding", "n", *(f"{deciding}{ending}{unit}" for ending in ("", *SHORT)))
    others = [name for name in names if name not in first]
    return [*first, *sorted(others, key=lambda name: " at " in name)]


def _header(name: str) -> tuple[str, str | None]:
    """Return the header of a number, short for what lies beside a mean, and a hint that says of what it is then."""
    for ending, short in SHORT.items():
        mean, found, unit = name.partition(ending)
        if found:
            return short, f"{mean}{unit}: the {short.lower()} of the runs"
    return name, None


@dataclass(frozen=True)
class Unit:
    """How the numbers of a pair are written: in what unit and with how many digits."""

    times: int
    form: str
    behind: str = ""  # a difference in a sentence
    of_number: str = ""  # in the header of a column
    of_difference: str = ""


# Of a text losses and their ratios, of a task fractions of right answers, whose differences are percentage points.
UNITS = {False: Unit(1, "%.4f"), True: Unit(100, "%.1f", " points", " (%)", " (points)")}

SECTIONS: dict[Told, str] = {
    "yes": "pair-yes",
    "not distinguishable": "pair-not",
    "one run says nothing": "pair-one",
    "no seed in common": "pair-none",
}


@fragment
def compare_pair(record: RunRecord, text: Text) -> None:
    """Draw the choice of two encodings of a run and what their common seeds say; nothing where fewer are done."""
    titles = {key: ENCODINGS[key].title for key in record.done}
    if len(titles) < 2:
        return
    st.subheader(text("pair-title"))
    st.markdown(text("pair"))
    default, other, *_ = titles
    by = measures(record)
    first, second, measure = row(
        Choice("pair_first", "One encoding", titles, default),
        Choice("pair_second", "Another one", titles, other),
        Choice("pair_by", "Compared by", by, next(iter(by))),
    )
    if first == second:
        st.markdown(text("pair-same"))
        return
    found = pair_of(record, first, second, measure)
    unit = UNITS[record.text.is_task]
    facts = {"first": titles[first], "second": titles[second], "measure": by[measure], **words(found, unit)}
    st.markdown(text(SECTIONS[found.told], facts))
    if len(found.seeds) < 2:
        return
    left, right = st.columns(2)
    with left:
        drawn = picture(figures.pair, record=record, first=first, second=second, measure=measure)
        drawn.chart("lab_pair", text("pair-alternative", facts), height=300)
    with right:
        each = rows(found, titles[first], titles[second], unit)
        formats = {name: NumberColumn(format=unit.form) for name in each[0] if name != "Seed"}
        show_rows(each, {"Seed": Column(width=NARROW), **formats})


def words(found: Pair, unit: Unit) -> dict[str, object]:
    """Return what the sentences say of a pair; differences with their signs."""
    n = len(found.seeds)
    return {
        "n": n,
        "mean": f"{signed(sum(found.differences) / n, unit)}{_(unit.behind)}" if n else "",
        "each": _(", ").join(signed(one, unit) for one in found.differences),
        "seeds": _(", ").join(map(str, found.seeds)),
        "p": f"= {found.p:.3f}" if found.p >= 0.0005 else "< 0.001",
        "interval": _(" to ").join(signed(end, unit) for end in found.interval or ()) or _("not known"),
        "level": LEVEL,
    }


def signed(difference: float, unit: Unit) -> str:
    """Return a difference with its sign, in a unit."""
    return f"{unit.times * difference:+{unit.form[1:]}}".replace("-", "\N{MINUS SIGN}")


def rows(found: Pair, first: str, second: str, unit: Unit) -> list[dict[str, float]]:
    """Return a row for each common seed, its numbers in a unit, which the headers name."""
    numbers = zip(found.seeds, found.first, found.second, found.differences, strict=True)
    names = (f"{first}{unit.of_number}", f"{second}{unit.of_number}", f"Difference{unit.of_difference}")
    return [
        {"Seed": seed, **{name: unit.times * one for name, one in zip(names, of_seed, strict=True)}}
        for seed, *of_seed in numbers
    ]
