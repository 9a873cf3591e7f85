"""Write your own: a formula becomes an encoding, with its picture, its row in the scorecard, and a way into the lab."""

import streamlit as st

from pe_core.chapters import own
from pe_core.encodings.own import OwnAngle, OwnBias, OwnEmbedding
from pe_core.expression import evaluate, parse
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.own import choose
from ui.page import exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import row
from ui.widgets.prose import show_source
from ui.widgets.remembered import result_of
from ui.widgets.tables import show_lines

text = open_page("own", "Write your own")
st.markdown(text("intro"))


@fragment
def one_formula() -> None:
    """Draw what a formula makes of positions, and which requirements it meets."""
    above, controls = first_screen(below=True)
    with controls:
        formula = choose(text)
        length, head = row(own.LENGTH, own.HEAD, columns=4)
    values = picture(own.values, formula=formula, length=length, head=head)
    scores = picture(own.scores, formula=formula, length=length)
    with above:
        left, right = st.columns(2)
        with left:
            values.chart("own_values", text("values-alternative", values.facts), height=420)
        with right:
            scores.chart("own_scores", text("scores-alternative", scores.facts), height=420)
    st.markdown(text("read", values.facts, scores.facts))
    verdict = facts_of(own.verdict, formula=formula)
    st.markdown(text("verdict", verdict))
    show_lines(result_of(own.required, formula=formula), "required")
    st.markdown(text("row", verdict))
    show_lines(result_of(own.row, formula=formula), "row")
    st.markdown(text("lab"))
    st.page_link("pages/lab.py", label=text("to-lab"), icon=":material/science:", query_params=own.to_lab(formula))


one_formula()
for section in ("about", "look", "language"):
    st.markdown(text(section))
mathematics(text, own.values, own.met)
show_source(parse, evaluate, OwnEmbedding.embed, OwnAngle.angles, OwnBias.bias)
st.subheader(_("Exercise"))
exercise(text, "own_guess", 0, own.MAX_GUESS, own.bias_of_head)
