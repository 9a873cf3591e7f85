"""Scorecard: every encoding against every criterion, each cell a measured number."""

from functools import partial

import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from pe_core.chapters import gallery, scorecard
from pe_core.encodings import ENCODINGS
from pe_core.lab.results.gallery import BEYOND
from pe_core.measures.cards import SIZE
from pe_core.measures.criteria import CRITERIA
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import exercise, facts_of, open_page, set_controls
from ui.widgets.charts import picture
from ui.widgets.controls import row
from ui.widgets.prose import Text, in_line, show_source

HEIGHT = 320  # pixels of the table: it stands on the first screen with its controls
NAME = 212  # pixels; Streamlit pins no more than six tenths of the width, of a telephone too

text = open_page("scorecard", "Scorecard")
size = scorecard.size()


def draw_table(criterion: str, encoding: str) -> None:
    """Draw the table, the best by a criterion above, with a mark at an encoding; a click on a cell chooses both."""
    verdict, ratio = text("verdict"), text("trained")
    far = {"multiple": BEYOND[-1]}
    columns = {
        one.title: NumberColumn(
            f"{scorecard.ARROWS[one.better]} {_(one.title)}",
            format=f"%{scorecard.SHOWN}",
            alignment="left",  # so that a telephone, too, shows the numbers of the column beside those that stay
            help=in_line([text(one.better), _(one.summary)]),
        )
        for one in CRITERIA.values()
    }
    columns[ratio] = NumberColumn(text("trained-head"), format=f"%{scorecard.RATIO}", help=text("trained-help", far))
    columns["Encoding"] = TextColumn(_("Encoding"), width=NAME, pinned=True)
    columns["Family"] = TextColumn(_("Family"))
    columns[verdict] = TextColumn(help=text("verdict-help", far))
    keys = scorecard.ordered(criterion)
    table = scorecard.table({key: scorecard.row(key) for key in keys}, verdict, ratio)
    rows = table.data  # type: ignore[attr-defined]  # the stubs do not have it
    marks = rows[verdict].map(scorecard.MARKS).fillna("")
    for column in ("Encoding", "Family", verdict):
        rows[column] = rows[column].map(_, na_action="ignore")
    rows["Encoding"] = (marks + " " + rows["Encoding"]).str.strip()  # in view, however far the table is scrolled
    rows.loc[keys.index(encoding), "Encoding"] = f"▶ {rows.Encoding[keys.index(encoding)]}"
    first = ["Encoding", CRITERIA[criterion].title]
    name = f"scorecard_table_{criterion}"  # of each order its own: the browser would keep the cell that was clicked
    st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        column_order=[*first, *(column for column in rows.columns if column not in first)],
        height=HEIGHT,
        key=name,
        placeholder=text("none"),
        on_select=partial(set_controls, name, "cells", partial(scorecard.cell, keys)),
        selection_mode="single-cell",
    )


@fragment
def one_criterion() -> None:
    """Draw the table in the order of one criterion, all encodings as bars, and what one of them has."""
    above = st.container()
    criterion, encoding = row(scorecard.CRITERION, scorecard.ENCODING)
    ranking = picture(
        scorecard.ranking,
        criterion=criterion,
        encoding=encoding,
        d_model=SIZE["d_model"],
        n_heads=SIZE["n_heads"],
        train_length=SIZE["train_length"],
    )
    first_layer = facts_of(scorecard.first_layer, encoding=encoding)
    trained = gallery.one_encoding(encoding)
    in_training = Text("gallery")(trained["section"], trained)
    facts = {**size, "in-training": in_training, **first_layer, **ranking.facts}
    with above:
        st.markdown(text.paragraph(("criterion", facts["better"]), facts))
        draw_table(criterion, encoding)
    st.markdown(text.paragraph((facts["cell"], facts["layers"]), facts))
    st.markdown(text("colours"))
    ranking.chart("criterion_bars", text("alternative", facts))
    st.markdown(text.paragraph(("best", facts["source"]), facts))
    st.markdown(text("table", facts))
    show_source(*scorecard.proof(criterion))


one_criterion()
exercise(text, "scorecard_guess", 0, len(ENCODINGS), scorecard.relative_and_together)
