"""Write your own: a formula becomes an encoding, with its picture, its row in the scorecard, and a way into the lab."""

import streamlit as st

from pe_core.chapters import own
from pe_core.encodings.own import KINDS, Formula, OwnAngle, OwnBias, OwnEmbedding, read
from pe_core.expression import MAX_LENGTH, evaluate, parse
from ui.frame.room import first_screen
from ui.frame.turns import fragment, others_first
from ui.language.words import _
from ui.page import exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.link import literal
from ui.widgets.prose import show_source
from ui.widgets.remembered import result_of
from ui.widgets.tables import show_lines

TEXT = "own_text"
STARTED, GOOD = "_own_started", "_own_good"  # where a session keeps the last start, and the last formula that was one

text = open_page("own", "Write your own")


@fragment
def one_formula() -> None:
    """Draw what a formula makes of positions, and which requirements it meets."""
    above, controls = first_screen(below=True)
    with controls:
        formula = choose()
        if read(formula).kind == "bias":
            length, head = row(own.LENGTH, own.HEAD, columns=4)
        else:  # has no heads
            (length,), head = row(own.LENGTH, columns=4), own.HEAD.default
    values = picture(own.values, formula=formula, length=length, head=head)
    scores = picture(own.scores, formula=formula, length=length)
    with above:
        left, right = st.columns(2)
        values.chart("own_values", text("values-alternative", values.facts), height=420, place=left)
        scores.chart("own_scores", text("scores-alternative", scores.facts), height=420, place=right)
    st.markdown(text("read", values.facts, scores.facts))
    verdict = facts_of(own.verdict, formula=formula)
    st.markdown(text("verdict", verdict))
    show_lines(result_of(own.required, formula=formula), "required")
    st.markdown(text("row", verdict))
    show_lines(result_of(own.row, formula=formula), "row")
    st.markdown(text("lab"))
    beside = {"encodings": ["none", "rope", "alibi", formula]}
    st.page_link("pages/lab.py", label=text("to-lab"), icon=":material/science:", query_params=beside)


def choose() -> str:
    """Draw the choice of a start, the field and what is learned; return the key of the last formula to be drawn."""
    field = st.container()  # first, since it alone is seen on a telephone
    left, right = st.columns(2)
    with left:
        start = control(own.START)
    begin(start)
    with right:
        kind = control(own.KIND)
    with field:
        typed = st.text_input(
            _("Formula"),
            own.STARTS[own.START.default].text,
            key=TEXT,
            max_chars=MAX_LENGTH,
            help=text("help", {"names": ", ".join(KINDS[kind].names)}),
            bind="query-params",
        )
        formula = good(kind, typed, start)
    st.markdown(text(f"start-{start}"))
    with others_first():
        own.verdict(formula)  # a large formula takes a second or two to measure, after which it is remembered
    return formula


def begin(start: str) -> None:
    """Put the controls to another start once it is chosen; at first, those that the link does not name."""
    before = st.session_state.get(STARTED)
    st.session_state[STARTED] = start
    if before == start or (before is None and start == own.START.default):
        return
    formula = own.STARTS[start]
    values: dict[str, str | float] = {TEXT: formula.text, own.KIND.name: formula.kind}
    values |= {own.NUMBERS[name].name: value for name, value in formula.starts.items()}
    for name, value in values.items():
        if before is not None or name not in st.query_params:
            st.session_state[name] = value


def good(kind: str, typed: str, start: str) -> str:
    """Return the key of what was typed; that of the last formula that was one, with a sentence, if this is none."""
    try:
        learned = Formula(kind, typed, {}).learned
        numbers = row(*(own.NUMBERS[name] for name in learned), columns=len(own.NUMBERS)) if learned else ()
        formula = Formula(kind, typed, dict(zip(learned, map(float, numbers), strict=True)))
        wrong = own.problem(formula.key)
    except ValueError as error:
        wrong = str(error)
    if not wrong:
        st.session_state[GOOD] = formula.key
        return formula.key
    key: str = st.session_state.get(GOOD, own.STARTS[start].key)
    st.warning(text("wrong", {"problem": literal(_(wrong)), "shown": literal(read(key).text)}))
    return key


one_formula()
for section in ("about", "look", "language"):
    st.markdown(text(section))
mathematics(text, own.values, own.met)
show_source(parse, evaluate, OwnEmbedding.embed, OwnAngle.angles, OwnBias.bias)
exercise(text, "own_guess", 0, own.MAX_GUESS, own.bias_of_head)
