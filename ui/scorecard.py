"""The parts of the scorecard page: the measured table, one criterion over all encodings, and the exercise."""

from collections.abc import Mapping

import streamlit as st

from pe_core.encodings import ENCODINGS, Shape
from pe_core.figures.scorecard import ranking
from pe_core.measures.criteria import CRITERIA, Criterion, scorecard
from ui.charts import show
from ui.controls import choose_one
from ui.prose import fill, number, write

SHAPE = Shape(d_model=64, n_heads=4, train_length=64, max_length=512)
EXACT = 1e-9  # a deviation below this is rounding

Card = dict[str, float | None]


@st.cache_data(max_entries=256, show_spinner=False)
def measured(key: str) -> Card:
    """Return the card of one encoding; it takes about a tenth of a second and is the same for all visitors."""
    return scorecard(ENCODINGS[key].build(SHAPE), SHAPE)


def measure_all(text: Mapping[str, str]) -> dict[str, Card]:
    """Return the card of every encoding, with a bar that fills while they are measured for the first time."""
    bar, cards = st.empty(), {}
    for place, (key, spec) in enumerate(ENCODINGS.items()):
        bar.progress(place / len(ENCODINGS), text=fill(text["measuring"], {"title": spec.title}))
        cards[key] = measured(key)
    bar.empty()
    return cards


def draw_table(cards: Mapping[str, Card], text: Mapping[str, str]) -> None:
    """Draw the table; a click on a cell opens its criterion below."""
    write(text["table"], {"width": SHAPE.d_model, "heads": SHAPE.n_heads, "length": SHAPE.train_length})
    rows = [
        {
            "Encoding": ENCODINGS[key].title,
            "Family": ENCODINGS[key].family,
            **{criterion.title: card[name] for name, criterion in CRITERIA.items()},
        }
        for key, card in cards.items()
    ]
    columns = {
        criterion.title: st.column_config.NumberColumn(format="%.3g", help=criterion.summary)
        for criterion in CRITERIA.values()
    }
    columns |= {"Encoding": st.column_config.TextColumn(pinned=True)}
    st.dataframe(
        rows,
        hide_index=True,
        column_config=columns,
        height=480,
        key="scorecard_table",
        on_select=_open_criterion,
        selection_mode="single-cell",
    )


def _open_criterion() -> None:
    keys = {criterion.title: key for key, criterion in CRITERIA.items()}
    for _, column in st.session_state["scorecard_table"].selection.cells:
        if column in keys:
            st.session_state["criterion"] = keys[column]


def choose_criterion() -> Criterion:
    """Draw the choice of a criterion and return it."""
    titles = {key: criterion.title for key, criterion in CRITERIA.items()}
    return CRITERIA[choose_one("criterion", "Criterion", titles, "global_order")]


def draw_criterion(criterion: Criterion, cards: Mapping[str, Card], text: Mapping[str, str]) -> None:
    """Draw one criterion over all encodings to which it applies, with its definition and source."""
    paper = criterion.paper
    source = text["source-ours"]
    if paper is not None:
        link = f", [arXiv:{paper.arxiv}](https://arxiv.org/abs/{paper.arxiv})" if paper.arxiv else ""
        named = {"authors": paper.authors, "year": paper.year, "paper": paper.title, "link": link}
        source = fill(text["source-paper"], named)
    facts = {"title": criterion.title, "summary": criterion.summary, "unit": criterion.unit}
    write(text["criterion"], {**facts, "better": text[criterion.better], "source": source})
    found = {key: card[criterion.key] for key, card in cards.items()}
    values = {ENCODINGS[key].title: value for key, value in found.items() if value is not None}
    if not values:
        st.info(text["none"])
        return
    families = {spec.title: spec.family for spec in ENCODINGS.values()}
    descending = criterion.better != "lower"
    first, last = sorted(values, key=values.__getitem__, reverse=descending)[:: max(1, len(values) - 1)][:2]
    facts |= {
        "count": str(len(values)),
        "first": first,
        "last": last,
        "value": number(values[first]),
        "worst": number(values[last]),
        "without": ", ".join(ENCODINGS[key].title for key, value in found.items() if value is None) or "none",
    }
    figure = ranking(values, families, descending=descending)
    show(figure, key="criterion_bars", alternative=fill(text["alternative"], facts), height=90 + 22 * len(values))
    write(text["best"], facts)


def draw_exercise(cards: Mapping[str, Card], text: Mapping[str, str]) -> None:
    """Ask how many encodings know the distance and still let attention spread, and count them."""
    write(text["exercise"])
    guess = st.number_input(text["exercise-label"], 0, len(ENCODINGS), value=None, key="scorecard_guess", width=320)
    if guess is None:
        return
    names = [ENCODINGS[key].title for key, card in cards.items() if _invariant(card) and _spreads(card)]
    facts = {"count": len(names), "guess": guess, "names": ", ".join(names) or "none"}
    if guess == len(names):
        st.success(fill(text["exercise-right"], facts))
    else:
        st.warning(fill(text["exercise-wrong"], facts))


def _invariant(card: Card) -> bool:
    value = card["translation"]
    return value is not None and value < EXACT


def _spreads(card: Card) -> bool:
    value = card["dilution"]
    return value is not None and value > 0.9
