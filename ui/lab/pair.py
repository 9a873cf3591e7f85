"""Two encodings of a run compared seed by seed: the difference, its mean, and whether the seeds tell them apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.column_config import Column, NumberColumn

from pe_core.encodings import ENCODINGS
from pe_core.figures import lab_seeds as figures
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import Pair, Told
from pe_core.lab.results.table import measures, pair_of
from pe_core.measures.agreement import LEVEL
from ui.frame.turns import fragment
from ui.lab.table import NARROW
from ui.widgets.charts import show
from ui.widgets.controls import choose_one
from ui.widgets.prose import fill, write


@dataclass(frozen=True)
class Unit:
    """How the numbers of a pair are written: in what unit and with how many digits."""

    times: int
    form: str
    behind: str = ""  # a difference in a sentence
    of_number: str = ""  # in the header of a column
    of_difference: str = ""


# Of a text losses and their ratios, of a task shares of right answers, whose differences are percentage points.
UNITS = {False: Unit(1, "%.4f"), True: Unit(100, "%.1f", " points", " (%)", " (points)")}

SECTIONS: dict[Told, str] = {
    "yes": "pair-yes",
    "not distinguishable": "pair-not",
    "one training says nothing": "pair-one",
    "no training in common": "pair-none",
}


@fragment
def compare_pair(record: RunRecord, text: Mapping[str, str]) -> None:
    """Draw the choice of two encodings of a run and what their common seeds say; nothing where fewer are done."""
    titles = {key: ENCODINGS[key].title for key in record.done}
    if len(titles) < 2:
        return
    st.subheader(text["pair-title"])
    write(text["pair"])
    first_place, second_place, by_place = st.columns(3)
    default, other, *_ = titles
    with first_place:
        first = _choose("pair_first", "One encoding", titles, default)
    with second_place:
        second = _choose("pair_second", "Another one", titles, other)
    with by_place:
        by = measures(record)
        measure = _choose("pair_by", "Compared by", by, next(iter(by)))
    if first == second:
        write(text["pair-same"])
        return
    found = pair_of(record, first, second, measure)
    unit = UNITS[record.text.is_task]
    facts = {"first": titles[first], "second": titles[second], "measure": by[measure], **words(found, unit)}
    write(text[SECTIONS[found.told]], facts)
    if len(found.seeds) < 2:
        return
    picture, table = st.columns(2)
    with picture:
        drawn = partial(figures.pair, record=record, first=first, second=second, measure=measure)
        show(drawn, key="lab_pair", alternative=fill(text["pair-alternative"], facts), height=300)
    with table:
        each = rows(found, titles[first], titles[second], unit)
        formats = {name: NumberColumn(format=unit.form) for name in each[0] if name != "Seed"}
        st.dataframe(each, hide_index=True, column_config={"Seed": Column(width=NARROW), **formats})


def words(found: Pair, unit: Unit) -> dict[str, object]:
    """Return what the sentences say of a pair; differences with their signs."""
    n = len(found.seeds)
    return {
        "n": n,
        "mean": f"{signed(sum(found.differences) / n, unit)}{unit.behind}" if n else "",
        "each": ", ".join(signed(one, unit) for one in found.differences),
        "seeds": ", ".join(map(str, found.seeds)),
        "p": f"= {found.p:.3f}" if found.p >= 0.0005 else "< 0.001",
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


def _choose(name: str, label: str, titles: Mapping[str, str], default: str) -> str:
    """Draw a choice; one that an earlier run has left, and this run does not have, is forgotten without a word."""
    left = st.session_state.get(name)
    if left is not None and left not in titles:
        del st.session_state[name]
        if st.query_params.get(name) == left:
            del st.query_params[name]
    return choose_one(name, label, titles, default)
