"""What only the self-test has: a question with a field for its answer, folded answers, and a table that is pasted."""

import re

import streamlit as st

from pe_core.chapters import selftest
from pe_core.parameters import require
from pe_core.quiz import QUESTIONS, QuestionSpec, QuizQuestion, number_in, own_table
from pe_core.wrapping import spelt
from ui.frame.shell import linked
from ui.language.words import _
from ui.widgets.charts import picture
from ui.widgets.controls import control
from ui.widgets.link import literal, recall, remember
from ui.widgets.prose import Text

MAX_ANSWER = 40  # characters
_ANSWER = re.compile(r"self_\w+_answer")  # name of an answer in the link
TRIES = "_self_tries"  # where a session keeps whether the first try at each question was right


def choose() -> tuple[str, int]:
    """Draw the choice of a question; return its kind and its number."""
    left, middle, right = st.columns([2, 1, 1], vertical_alignment="bottom")
    with left:
        topic = control(selftest.TOPIC)
    with middle:
        seed = control(selftest.SEED)
    right.button(
        _("Another question"), key="self_another", icon=":material/casino:", on_click=_another, width="stretch"
    )
    return selftest.kind(topic, seed), seed


def _another() -> None:
    name = selftest.SEED.name
    st.session_state[name] = selftest.another(int(st.session_state[name] or 0))


def ask(kind: str, seed: int, text: Text) -> None:
    """Draw the question, the field for its answer, and the picture: of this question once it is answered."""
    spec = QUESTIONS[kind]
    question = spec.ask(seed)
    with st.container(border=True):
        asked = f"{kind}-question", selftest.PRECISION[spec.tolerance]
        st.markdown(text.paragraph(asked, selftest.said_of(question)))
        key = f"self_{kind}_{seed}_answer"
        for other in [name for name in st.query_params if _ANSWER.fullmatch(name) and name != key]:
            remember(other, [])  # of a question that is not there now
        recall(key, _answer)
        typed = st.text_input(text("answer-label"), key=key, max_chars=MAX_ANSWER, width=320, persist_state="session")
        remember(key, [typed] if typed else [])
        answered = _judge(text, spec, question, seed, typed)
    seen = question if answered else spec.solved(question)
    facts = selftest.said_of(seen)
    if not answered:
        st.markdown(text.paragraph(("solved", f"{kind}-question"), facts))
    st.markdown(text(f"{kind}-answer", facts))
    picture(selftest.DRAWN[kind], **seen.given).chart(f"self_{kind}", text(f"{kind}-picture", facts), height=360)


def _answer(told: str) -> str:
    require(len(told) <= MAX_ANSWER, "answer", f"have at most {MAX_ANSWER} characters", len(told))
    return told


def _judge(text: Text, spec: QuestionSpec, question: QuizQuestion, seed: int, typed: str) -> bool:
    """Say whether what was typed is right, and how many were so far; False while there is no answer."""
    if not typed.strip():
        return False
    try:
        answer = number_in(typed)
    except ValueError as error:
        st.warning(_(f"This cannot be read: {literal(_(str(error)))}."))
        return False
    tries: dict[str, bool] = st.session_state.setdefault(TRIES, {})
    right = spec.tolerance.allows(answer, question.answer)
    tries.setdefault(f"{spec.key} {seed}", right)
    facts = {
        **selftest.said_of(question),
        "typed": spelt(answer, ".6g"),
        "right": sum(tries.values()),
        "tries": len(tries),
    }
    if right:
        st.success(text("right", facts))
    else:
        st.warning(text("wrong", facts))
    st.markdown(text("score", facts))
    return True


def draw_interview(text: Text) -> None:
    """Draw each question of the interview, folded over its answer and the ways to where the app shows it."""
    pages = linked()
    known = selftest.interview_numbers()
    for name in [name.removesuffix("-asked") for name in text.sections if name.endswith("-asked")]:
        with st.expander(text(f"{name}-asked")):
            st.markdown(text(f"{name}-said", known))
            with st.container(horizontal=True):
                for page, label, link in selftest.ways(text(f"{name}-ways")):
                    st.page_link(pages[page], label=label, icon=pages[page].icon, query_params=link)


def check_table(table: str, length: int, width: int, base: int, text: Text) -> None:
    """Say and draw where a table, its own numbers or those of a mistake, differs from ours."""
    size = {"length": length, "width": width, "base": base}
    try:
        if table == selftest.OWN:
            pasted = st.text_area(
                text("paste", size),
                key="self_pasted",
                max_chars=own_table.MAX_CHARACTERS,
                persist_state="session",
            )
            if not pasted.strip():
                return
            found = picture(selftest.own_numbers, numbers=own_table.numbers_in(pasted), **size)
        else:
            found = picture(selftest.common_mistake, name=table, **size)
    except ValueError as error:
        st.warning(_(f"This cannot be compared: {literal(_(str(error)))}."))
        return
    st.markdown(text(found.facts["found"], found.facts))
    for mistake in str(found.facts["mistakes"]).split():
        st.markdown(text(mistake))
    found.chart("self_table_difference", text("table-picture", found.facts), height=340)
