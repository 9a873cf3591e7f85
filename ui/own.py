"""What only the page for one's own formula has: the field in which it is typed, and what is said of a wrong one."""

import streamlit as st

from pe_core.chapters import own as chapter
from pe_core.encodings.own import KINDS, LEARNED, Formula, read
from pe_core.expression import MAX_LENGTH
from ui.frame.turns import others_first
from ui.language.words import _
from ui.widgets.controls import control
from ui.widgets.link import literal
from ui.widgets.prose import Text

TEXT = "own_text"
_STARTED, _GOOD = "_own_started", "_own_good"  # where a session keeps the last start, and the last formula that was one


def choose(text: Text) -> str:
    """Draw the choice of a start, the field and the starts of what is learned; return the key of the formula.

    What is wrong with a formula is said in a sentence, and the last one that could be drawn is returned.
    """
    field = st.container()  # first, since it alone is seen on a telephone
    left, right = st.columns(2)
    with left:
        start = control(chapter.START)
    _begin(start)
    with right:
        kind = control(chapter.KIND)
    with field:
        typed = st.text_input(
            _("Formula"),
            chapter.STARTS[chapter.START.default].formula.text,
            key=TEXT,
            max_chars=MAX_LENGTH,
            help=text("help", {"names": ", ".join(KINDS[kind].names)}),
            bind="query-params",
        )
        formula = _good(kind, typed, start, text)
    st.markdown(text(f"start-{start}"))
    with others_first():
        chapter.verdict(formula)  # a large formula takes a second or two to measure, after which it is remembered
    return formula


def _begin(start: str) -> None:
    """Put the controls to another start once it is chosen; at first, those that the link does not name."""
    before = st.session_state.get(_STARTED)
    st.session_state[_STARTED] = start
    if before == start or (before is None and start == chapter.START.default):
        return
    formula = chapter.STARTS[start].formula
    values: dict[str, str | float] = {TEXT: formula.text, chapter.KIND.name: formula.kind}
    values |= {chapter.NUMBERS[name].name: value for name, value in formula.starts.items()}
    for name, value in values.items():
        if before is not None or name not in st.query_params:
            st.session_state[name] = value


def _good(kind: str, typed: str, start: str, text: Text) -> str:
    """Return the key of what was typed; that of the last formula that was one, with a sentence, if this is none."""
    try:
        formula = Formula(kind, typed, {})
        if formula.learned:
            places = st.columns(len(LEARNED))
            numbers = {}
            for place, name in zip(places, formula.learned, strict=False):
                with place:
                    numbers[name] = float(control(chapter.NUMBERS[name]))
            formula = Formula(kind, typed, numbers)
        wrong = chapter.problem(formula.key)
    except ValueError as error:
        wrong = str(error)
    if not wrong:
        st.session_state[_GOOD] = formula.key
        return formula.key
    key: str = st.session_state.get(_GOOD, chapter.STARTS[start].formula.key)
    st.warning(text("wrong", {"problem": literal(_(wrong)), "shown": literal(read(key).text)}))
    return key
