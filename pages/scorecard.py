"""Scorecard: every encoding against every criterion, each cell a measured number."""

import streamlit as st

from pe_core.chapters import scorecard
from pe_core.encodings import ENCODINGS
from pe_core.measures.cards import SIZE
from ui.frame.turns import fragment
from ui.gallery import words_of
from ui.language.words import _
from ui.page import exercise, facts_of, open_page
from ui.scorecard import draw_table
from ui.widgets.charts import picture
from ui.widgets.controls import row
from ui.widgets.prose import show_source

text = open_page("scorecard", "Scorecard")
size = scorecard.size()
st.markdown(text("intro", size))
draw_table(text)


@fragment
def one_cell() -> None:
    """Draw all encodings by one criterion, and what one of them has."""
    criterion, encoding = row(scorecard.CRITERION, scorecard.ENCODING)
    st.markdown(text("colours"))
    ranking = picture(
        scorecard.ranking,
        criterion=criterion,
        encoding=encoding,
        d_model=SIZE["d_model"],
        n_heads=SIZE["n_heads"],
        train_length=SIZE["train_length"],
    )
    first_layer = facts_of(scorecard.first_layer, encoding=encoding)
    facts = {**size, "in-training": words_of(encoding), **first_layer, **ranking.facts}
    st.markdown(text.paragraph(("criterion", facts["better"], facts["source"]), facts))
    st.markdown(text.paragraph((facts["cell"], facts["layers"]), facts))
    ranking.chart("criterion_bars", text("alternative", facts), height=scorecard.height(criterion))
    st.markdown(text("best", facts))
    st.markdown(text("table", facts))
    show_source(*scorecard.proof(criterion))


one_cell()
st.subheader(_("Exercise"))
exercise(text, "scorecard_guess", 0, len(ENCODINGS), scorecard.relative_and_together)
