"""Self-test: questions with fresh numbers, the questions of an interview, and a check of a table of one's own."""

import re
from functools import partial

import streamlit as st

from pe_core.chapters import selftest
from pe_core.parameters import require
from pe_core.quiz import own_table
from pe_core.quiz.questions import QUESTIONS, QuestionSpec, QuizQuestion, number_in
from pe_core.wrapping import spelt
from ui.frame.shell import linked
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import draw_difference, open_page, pasted_numbers
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.link import literal, recall, remember
from ui.widgets.prose import show_source

MAX_ANSWER = 40  # characters
ANSWER = re.compile(r"self_\w+_answer")  # name of an answer in the link
TRIES = "_self_tries"  # where a session keeps whether the first try at each question was right

text = open_page("selftest", "Self-test")


def another() -> None:
    """Ask another question."""
    name = selftest.SEED.name
    st.session_state[name] = selftest.another(int(st.session_state[name] or 0))


def answer_of(told: str) -> str:
    """Return the answer of a link; `ValueError` for one that does not fit into the field."""
    require(len(told) <= MAX_ANSWER, "answer", f"have at most {MAX_ANSWER} characters", len(told))
    return told


def judge(question: QuizQuestion, typed: str) -> bool:
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
    tries.setdefault(f"{kind} {seed}", right)
    facts = {
        **selftest.said_of(question),
        "typed": spelt(answer, ".6g"),
        "right": sum(tries.values()),
        "tries": len(tries),
    }
    show = st.success if right else st.warning
    show(text("right" if right else "wrong", facts))
    st.markdown(text("score", facts))
    return True


left, middle, right = st.columns([2, 1, 1], vertical_alignment="bottom")
with left:
    topic = control(selftest.TOPIC)
with middle:
    seed = control(selftest.SEED)
right.button(_("Another question"), key="self_another", icon=":material/casino:", on_click=another, width="stretch")
kind = selftest.kind(topic, seed)
spec = QUESTIONS[kind]


@fragment
def one_question() -> None:
    """Draw the question, the field for its answer, and the picture: of this question once it is answered."""
    question = spec.ask(seed)
    with st.container(border=True):
        asked = f"{kind}-question", selftest.PRECISION[spec.tolerance]
        st.markdown(text.paragraph(asked, selftest.said_of(question)))
        key = f"self_{kind}_{seed}_answer"
        for other in [name for name in st.query_params if ANSWER.fullmatch(name) and name != key]:
            remember(other, [])  # of a question that is not there now
        recall(key, answer_of)
        typed = st.text_input(text("answer-label"), key=key, max_chars=MAX_ANSWER, width=320, persist_state="session")
        remember(key, [typed] if typed else [])
        answered = judge(question, typed)
    seen = question if answered else spec.solved(question)
    facts = selftest.said_of(seen)
    if not answered:
        st.markdown(text.paragraph(("solved", f"{kind}-question"), facts))
    st.markdown(text(f"{kind}-answer", facts))
    picture(selftest.DRAWN[kind], **seen.given).chart(f"self_{kind}", text(f"{kind}-picture", facts), height=360)


one_question()
show_source(spec.make, QuestionSpec, number_in)

st.subheader(_("The interview"))
st.markdown(text("interview"))
pages, known = linked(), selftest.interview_numbers()
for name in [name.removesuffix("-asked") for name in text.sections if name.endswith("-asked")]:
    with st.expander(text(f"{name}-asked")):
        st.markdown(text(f"{name}-said", known))
        with st.container(horizontal=True):
            for page, label, link in selftest.ways(text(f"{name}-ways")):
                st.page_link(pages[page], label=label, query_params=link)

st.subheader(_("Write it yourself"))
st.markdown(text("write"))


@fragment
def own_numbers() -> None:
    """Compare a table, one's own or that of a common mistake, with ours."""
    table = control(selftest.TABLE)
    length, width, base = row(selftest.LENGTH, selftest.WIDTH, selftest.BASE)
    size = {"length": length, "width": width, "base": base}
    if table == selftest.OWN:
        found = pasted_numbers(
            text("paste", size), "self_pasted", partial(selftest.own_numbers, length=length, width=width, base=base)
        )
    else:
        found = picture(selftest.common_mistake, name=table, **size)
    draw_difference(found, "self_table_difference", text, 340)


own_numbers()
st.markdown(text("write-look"))
show_source(own_table.right, own_table.mistakes, own_table.checked)
