"""The parts of the self-test: a question with numbers, the questions of an interview, a table of one's own."""

from collections.abc import Mapping
from functools import partial
from random import randrange
from urllib.parse import parse_qs

import streamlit as st

from pe_core.chapters import selftest as pictures
from pe_core.chapters.wording import number
from pe_core.parameters import Parameter
from pe_core.quiz import QUESTIONS, Question, QuestionSpec, interview, kind_of, number_in, own_table
from pe_core.quiz.base import HUNDREDTH, PERCENT, TENTH, WHOLE
from ui.frame.shell import page_list
from ui.frame.turns import fragment
from ui.widgets.charts import show
from ui.widgets.controls import choose_one, control, side_by_side
from ui.widgets.prose import fill, write

ALL = "all"
TOPICS = {ALL: "All, in turn", **{key: spec.title for key, spec in QUESTIONS.items()}}
SEED = Parameter("self_seed", "Question no.", 1, "The same number brings the same question back.", 0, 9_999)
PRECISION = {WHOLE: "whole", PERCENT: "percent", HUNDREDTH: "hundredth", TENTH: "tenth"}
TRIES = "_self_tries"  # where a session keeps whether the first try at each question was right

LENGTH = Parameter("self_length", "Positions", 6, "Rows of the table, from position 0 on.", 2, 32)
WIDTH = Parameter("self_width", "Width", 8, "Channels of the table.", 2, 32, 2)
BASE = Parameter("self_base", "Base", 10_000, "Of the frequencies.", choices=(10, 100, 1_000, 10_000, 100_000))
OWN = "own"
SLIPS = {
    "own_exponent": "Slip: the channel itself in the exponent",
    "no_two": "Slip: i in place of 2i",
    "twice": "Slip: 2 times the channel",
    "upwards": "Slip: exponent without its minus",
    "no_base": "Slip: no base at all",
    "cosine_first": "Slip: cosine first",
    "halves": "Slip: all sines, then all cosines",
    "degrees": "Slip: degrees",
    "from_one": "Slip: positions from 1",
}


@fragment
def _draw_asked(text: Mapping[str, str], spec: QuestionSpec, seed: int) -> None:
    """Draw the question, the field for its answer, and the picture: of this question once it is answered."""
    question = spec.ask(seed)
    with st.container(border=True):
        write(f"{text[f'{spec.key}-question']} *{text[f'precise-{PRECISION[spec.tolerance]}']}*", facts(question))
        key = f"self_{spec.key}_{seed}_answer"
        typed = st.text_input(text["answer-label"], key=key, max_chars=40, width=320, persist_state="session")
        answered = _judge(text, spec, question, seed, typed)
    seen = question if answered else spec.solved(question)
    if not answered:
        write(f"{text['solved']} {text[f'{spec.key}-question']}", facts(seen))
    write(text[f"{spec.key}-answer"], facts(seen))
    picture = partial(pictures.DRAWN[spec.key], **seen.given)
    show(picture, key=f"self_{spec.key}", alternative=fill(text[f"{spec.key}-picture"], facts(seen)), height=360)


def draw_question(text: Mapping[str, str]) -> QuestionSpec:
    """Draw the choice of a question, the question itself and its picture; return its kind."""
    left, middle, right = st.columns([2, 1, 1], vertical_alignment="bottom")
    with left:
        topic = choose_one("self_topic", "Topic", TOPICS, ALL)
    with middle:
        seed = int(control(SEED))
    right.button("Another question", key="self_another", icon=":material/casino:", on_click=_draw_lots, width="stretch")
    spec = QUESTIONS[kind_of(seed) if topic == ALL else topic]
    _draw_asked(text, spec, seed)
    return spec


def _draw_lots() -> None:
    """Go on to the next kind, with a number that nobody knows before."""
    kinds = len(QUESTIONS)
    seed = int(st.session_state[SEED.name] or 0)
    st.session_state[SEED.name] = (seed + 1) % kinds + kinds * randrange(10_000 // kinds)


def _judge(text: Mapping[str, str], spec: QuestionSpec, question: Question, seed: int, typed: str) -> bool:
    """Say whether what was typed is right, and how many were so far; False while there is no answer."""
    if not typed.strip():
        return False
    try:
        answer = number_in(typed)
    except ValueError as error:
        st.warning(f"`{str(error).replace('`', chr(39))}`")
        return False
    tries: dict[str, bool] = st.session_state.setdefault(TRIES, {})
    right = spec.tolerance.allows(answer, question.answer)
    tries.setdefault(f"{spec.key} {seed}", right)
    values = {**facts(question), "typed": f"{answer:.6g}", "right": sum(tries.values()), "tries": len(tries)}
    if right:
        st.success(fill(text["right"], values))
    else:
        st.warning(fill(text["wrong"], values))
    write(text["score"], values)
    return True


def facts(question: Question) -> dict[str, str]:
    """Return what the texts of a question say: its numbers, those on the way, and the answer."""
    values = {**question.given, **question.steps, "answer": question.answer}
    return {name: value if isinstance(value, str) else _plain(value) for name, value in values.items()}


def _plain(value: float) -> str:
    """Return a number for a formula: without commas, which LaTeX would set as a list."""
    return str(int(value)) if float(value).is_integer() else number(value).replace(",", "")


def draw_interview(text: Mapping[str, str]) -> None:
    """Draw each question of the interview, folded over its answer and the ways to where the app shows it."""
    pages = {page.url_path: page for section in page_list().values() for page in section}
    known = interview.numbers()
    for name in [name.removesuffix("-asked") for name in text if name.endswith("-asked")]:
        with st.expander(text[f"{name}-asked"]):
            write(text[f"{name}-said"], known)
            with st.container(horizontal=True):
                for page, label, link in ways(text[f"{name}-ways"]):
                    st.page_link(pages[page], label=label, icon=pages[page].icon, query_params=link)


def ways(lines: str) -> list[tuple[str, str, dict[str, list[str]]]]:
    """Return the ways that lines `page | label | name=value&name=value` name: page, label, parameters of the link."""
    parts = [[part.strip() for part in line.split("|")] for line in lines.splitlines()]
    return [(page, label, parse_qs(link)) for page, label, link in parts]


@fragment
def draw_own_table(text: Mapping[str, str]) -> None:
    """Draw the choice of a table, its own numbers or those of a slip, and where it differs from ours."""
    name = choose_one("self_table", "Table to check", {**SLIPS, OWN: "Numbers of my own"}, "own_exponent")
    length, width, base = (int(value) for value in side_by_side(LENGTH, WIDTH, BASE))
    size = {"length": length, "width": width, "base": base}
    values: dict[str, object] = {**size, "count": length * width}
    if name in SLIPS:
        numbers = own_table.slips(length, width, base)[name].flatten().tolist()
        found = own_table.checked(numbers, length, width, base)
        picture = partial(pictures.slip, name=name, **size)
    else:
        pasted = st.text_area(
            fill(text["paste"], values), key="self_pasted", max_chars=own_table.MOST_CHARACTERS, persist_state="session"
        )
        if not pasted.strip():
            return
        try:
            numbers = own_table.numbers_in(pasted)
            found = own_table.checked(numbers, length, width, base)
        except ValueError as error:
            st.warning(f"`{str(error).replace('`', chr(39))}`")
            return
        picture = partial(pictures.own_numbers, numbers=numbers, **size)
    row, column = found.first_wrong or (0, 0)
    values |= {"largest": number(found.largest), "row": row, "column": column, "wrong": found.n_wrong}
    write(text["table-right" if found.first_wrong is None else "table-wrong"], values)
    for slip in found.slips:
        write(text[f"slip-{slip}"], values)
    show(picture, key="self_table_difference", alternative=fill(text["table-picture"], values), height=340)
