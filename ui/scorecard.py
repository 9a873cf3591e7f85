"""The parts of the scorecard page: the measured table, one criterion over all encodings, and the exercise."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pe_core.chapters import gallery
from pe_core.chapters import scorecard as pictures
from pe_core.chapters.wording import number
from pe_core.encodings import ENCODINGS
from pe_core.lab.results.gallery import BEYOND
from pe_core.measures import cost, pairs, points, profile
from pe_core.measures.criteria import CRITERIA, Criterion, scorecard
from ui.frame.turns import others_first
from ui.gallery import words_of
from ui.widgets.charts import show
from ui.widgets.controls import choose_one
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, paper_facts, write

D_MODEL, N_HEADS, TRAIN_LENGTH = 64, 4, 64
SHAPE = pictures.shape_of(D_MODEL, N_HEADS, TRAIN_LENGTH)
PLACES = (pairs, points, profile, cost)  # where the mathematics of the criteria stands

Card = dict[str, float | None]

# The bars of a criterion take up to a second to measure anew, and are the same for all visitors.
_ranking = st.cache_data(max_entries=1_024, show_spinner=False)(pictures.ranking)


@st.cache_data(max_entries=256, show_spinner=False)
def measured(key: str) -> Card:
    """Return the card of one encoding; it takes about a tenth of a second and is the same for all visitors."""
    return {name: pictures.exact(value) for name, value in scorecard(ENCODINGS[key].build(SHAPE), SHAPE).items()}


def measure_all(text: Mapping[str, str]) -> dict[str, Card]:
    """Return the card of every encoding, with a bar that fills while they are measured for the first time."""
    bar, cards = st.empty(), {}
    with others_first():
        for place, (key, spec) in enumerate(ENCODINGS.items()):
            bar.progress(place / len(ENCODINGS), text=fill(text["measuring"], {"title": spec.title}))
            cards[key] = measured(key)
    bar.empty()
    return cards


def draw_table(cards: Mapping[str, Card], text: Mapping[str, str]) -> None:
    """Draw the table; a click on a cell opens what was measured below."""
    write(text["table"], {"width": SHAPE.d_model, "heads": SHAPE.n_heads, "length": SHAPE.train_length})
    after = {key: one.mean for key, one in gallery.trained().items()}
    rows = [
        {
            "Encoding": ENCODINGS[key].title,
            "Family": ENCODINGS[key].family,
            **{criterion.title: card[name] for name, criterion in CRITERIA.items()},
            text["trained"]: after.get(key),
        }
        for key, card in cards.items()
    ]
    columns = {
        criterion.title: st.column_config.NumberColumn(format="%.3g", help=criterion.summary)
        for criterion in CRITERIA.values()
    }
    columns[text["trained"]] = st.column_config.NumberColumn(
        format="%.2f", help=fill(text["trained-help"], {"multiple": BEYOND[-1]})
    )
    columns |= {"Encoding": st.column_config.TextColumn(pinned=True)}
    st.dataframe(
        rows,
        hide_index=True,
        column_config=columns,
        height=480,
        key="scorecard_table",
        on_select=_open_cell,
        selection_mode="single-cell",
    )


def cell(row: int, column: str) -> tuple[str, str | None]:
    """Return the keys of the encoding of a row and of the criterion of a column; None for another column."""
    keys = {criterion.title: key for key, criterion in CRITERIA.items()}
    return list(ENCODINGS)[row], keys.get(column)


def _open_cell() -> None:
    selected: Sequence[tuple[int, str]] = st.session_state["scorecard_table"].selection.cells
    for row, column in selected:
        encoding, criterion = cell(row, column)
        st.session_state["scorecard_encoding"] = encoding
        if criterion is not None:
            st.session_state["criterion"] = criterion


def choose_cell() -> tuple[Criterion, str]:
    """Draw the choices of a criterion and of an encoding; return the one and the key of the other."""
    left, right = st.columns(2)
    with left:
        titles = {key: criterion.title for key, criterion in CRITERIA.items()}
        criterion = CRITERIA[choose_one("criterion", "Criterion", titles, "global_order")]
    with right:
        titles = {key: spec.title for key, spec in ENCODINGS.items()}
        encoding = choose_one("scorecard_encoding", "Encoding", titles, "alibi")
    return criterion, encoding


def proof(criterion: Criterion) -> tuple[Callable[..., Any], ...]:
    """Return the function that measures a criterion, and those of the measures that it names."""
    places = [vars(module).get(name) for name in criterion.measure.__code__.co_names for module in PLACES]
    return tuple(dict.fromkeys([criterion.measure, *(part for part in places if inspect.isfunction(part))]))


def draw_criterion(criterion: Criterion, encoding: str, cards: Mapping[str, Card], text: Mapping[str, str]) -> None:
    """Draw one criterion over all encodings to which it applies, with its definition and source, and one cell of it."""
    paper = criterion.paper
    source = text["source-ours"]
    if paper is not None:
        source = fill(text["source-paper"], paper_facts(paper))
    facts = {"title": criterion.title, "summary": criterion.summary, "unit": criterion.unit}
    write(text["criterion"], {**facts, "better": text[criterion.better], "source": source})
    found = {key: card[criterion.key] for key, card in cards.items()}
    values = {ENCODINGS[key].title: value for key, value in found.items() if value is not None}
    if not values:
        st.info(text["none"])
        return
    descending = criterion.better != "lower"
    ordered = sorted(values, key=values.__getitem__, reverse=descending)
    own = found[encoding]
    facts |= {
        "encoding": ENCODINGS[encoding].title,
        "count": str(len(values)),
        "first": _ends(values, values[ordered[0]]),
        "last": _ends(values, values[ordered[-1]]),
        "value": number(values[ordered[0]]),
        "worst": number(values[ordered[-1]]),
        "without": ", ".join(ENCODINGS[key].title for key, value in found.items() if value is None) or "none",
    }
    if own is None:
        cell_words = fill(text["cell-none"], facts)
    else:
        before = sum(value > own if descending else value < own for value in values.values())
        cell_words = fill(text["cell"], {**facts, "own": number(own), "place": before + 1})
    write(f"{cell_words} {words_of(encoding)}")
    picture = partial(
        _ranking,
        criterion=criterion.key,
        encoding=encoding,
        d_model=D_MODEL,
        n_heads=N_HEADS,
        train_length=TRAIN_LENGTH,
    )
    alternative = fill(text["alternative"], facts)
    show(picture, key="criterion_bars", alternative=alternative, height=90 + 22 * len(values))
    write(text["best"], facts)


def _ends(values: Mapping[str, float], end: float) -> str:
    """Name who shares an end of the order: the first of them, and how many others."""
    first, *others = [name for name, value in values.items() if value == end]
    return f"{first} and {len(others)} others" if len(others) > 1 else " and ".join([first, *others])


def draw_exercise(cards: Mapping[str, Card], text: Mapping[str, str]) -> None:
    """Ask how many encodings know the distance and still let attention spread, and count them."""
    guess = ask(text, "scorecard_guess", 0, len(ENCODINGS))
    if guess is None:
        return
    names = [ENCODINGS[key].title for key, card in cards.items() if _invariant(card) and _spreads(card)]
    judge(text, guess == len(names), {"count": len(names), "guess": guess, "names": ", ".join(names) or "none"})


def _invariant(card: Card) -> bool:
    return card["translation"] == 0


def _spreads(card: Card) -> bool:
    value = card["dilution"]
    return value is not None and value > 0.9
