"""What a page is written with: its text, the numbers of chapters, closer looks, questions to predict and exercises.

A page is a script that is read from top to bottom. What its controls change stands in one fragment, so that a step of a
slider leaves the rest of the page as it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ParamSpec

import streamlit as st

from pe_core.chapters import course, predictions
from pe_core.chapters.course import COURSE, Chapter
from pe_core.chapters.wording import counted
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Call, Facts
from pe_core.measures.requirements import REQUIREMENTS
from pe_core.parameters import Choices, Parameter
from pe_core.quiz import own_table
from ui.frame.room import COURSE_HEAD, COURSE_LINE, COURSE_WORDS, FOLD, LOOK, PREDICTION
from ui.frame.shell import ensure_shell, linked
from ui.frame.turns import fragment
from ui.language.words import _
from ui.lecture.presenting import closer_look_of_scene, scene_of_link
from ui.widgets.charts import Picture, picture_of
from ui.widgets.controls import choose_word, control
from ui.widgets.link import literal, recall, remember
from ui.widgets.prose import NO_FACTS, Text, show_source
from ui.widgets.remembered import result_of

Given = ParamSpec("Given")

_PREDICTED = "_predicted"  # where a session keeps what was said, by the question
_NO_BREAK = "\N{NO-BREAK SPACE}"
# For a name that no line ends within.
_WHOLE = str.maketrans({" ": _NO_BREAK, **{sign: f"{sign}\N{WORD JOINER}" for sign in "，："}})


def facts_of(function: Callable[Given, Facts], *args: Given.args, **kwargs: Given.kwargs) -> Facts:
    """Return the numbers that a function of a chapter finds for these arguments, all of them named, with these."""
    return {**kwargs, **result_of(function, *args, **kwargs)}


def set_controls(key: str, selection: str, controls: Callable[[Any], Mapping[str, Any]]) -> None:
    """Set controls of the page by what has been selected in the picture or table of this key; a callback.

    `controls` is called with the selection of this name, and returns the values by their names in the link.
    """
    if selected := st.session_state[key].selection.get(selection):
        st.session_state.update(controls(selected))


def open_page(name: str, title: str, facts: Facts = NO_FACTS, *, begins: bool = True) -> Text:
    """Draw the title of a page, its intro, and of a chapter its question; return its text.

    The intro may quote `facts`. A page that says itself how it `begins` has its title alone.
    """
    ensure_shell()
    text = Text(name)
    if name in COURSE:
        _draw_head(title, COURSE[name], text)
    else:
        st.title(_(title), anchor=False)
    if begins:
        st.markdown(text("intro", facts))
        predict(text)
    return text


def _draw_head(title: str, chapter: Chapter, text: Text) -> None:
    """Draw the title of a chapter with its place in the course."""
    with st.container(key=COURSE_HEAD):
        st.title(_(title), anchor=False)  # the sign of its link would have a line of its own on a telephone
        with st.container(key=COURSE_WORDS, gap=None):
            with st.container(key=COURSE_LINE, horizontal=True, vertical_alignment="center", gap=None):
                place = f"Chapter {course.number(text.page)} of {len(COURSE)} · {counted(chapter.minutes, 'minute')}"
                st.caption(_(f"{place} · before: " if chapter.before else place), width="content")
                pages = linked()
                for page in chapter.before:
                    st.page_link(pages[page], label=f":small[{pages[page].title}]")
            st.caption("\n\n".join(filter(None, [text("so-far"), _ticks(chapter)])))


def _ticks(chapter: Chapter) -> str:
    """Return which requirements the encoding of a chapter meets, of one without an encoding those that it is about.

    Each has its short name, within which no line ends; nothing is returned where there is none.
    """
    marked = [_(one.short) for key, one in REQUIREMENTS.items() if key in chapter.ticks]
    title = "Requirement" if len(marked) == 1 else "Requirements"
    if chapter.encoding:
        missed = [_(one.short) for key, one in REQUIREMENTS.items() if key not in (*chapter.ticks, *chapter.unjudged)]
        unjudged = [_(f"n/a: {REQUIREMENTS[key].short}") for key in chapter.unjudged]
        marked = [*(f"✓ {name}" for name in marked), *(f"✗ {name}" for name in missed), *unjudged]
        title = ENCODINGS[chapter.encoding].title
    names = f"{_NO_BREAK}· ".join(name.translate(_WHOLE) for name in marked)
    return f"{_(title)}{_(': ')}{names}" if names else ""


def predict(text: Text) -> None:
    """Ask the question of a chapter before its first picture; in a lecture, where the room is asked, there is none."""
    if text.page in predictions.BEFORE and scene_of_link() is None:
        fragment(_ask)(predictions.BEFORE[text.page])


def _ask(key: str) -> None:
    """Draw a question to predict, or after it whether it was right."""
    text, question = Text("poll"), predictions.QUESTIONS[key]
    made: dict[str, str] = st.session_state.setdefault(_PREDICTED, {})
    with st.container(key=PREDICTION, horizontal=True, vertical_alignment="center"):
        st.html(FOLD.format(text("predict")))
        if key in made:
            right, facts, settings = predictions.answer(key)
            said = "predicted-right" if made[key] == right else "predicted-wrong"
            shown = text(f"answer {key}", facts)
            named = {"right": _(question.choices[right]), "chosen": _(question.choices[made[key]])}
            st.markdown(text(said, named, {"shown": shown}), width="stretch")
            put = partial(st.session_state.update, settings)
            if settings and st.button(text("show"), key=f"show_{key}", on_click=put, type="tertiary"):
                st.rerun()  # the picture stands outside of this fragment
            return
        st.markdown(f"**{text('predict')}**{_(': ')}{_(question.asked)}", width="stretch")
        st.pills(
            _(question.asked),
            question.choices,
            format_func=lambda choice: _(question.choices[choice]),
            key=f"guess_{key}",
            label_visibility="collapsed",
            width="content",
            on_change=lambda: made.update({key: st.session_state[f"guess_{key}"]}),
        )


def close_page(text: Text) -> None:
    """Draw what to take home from a chapter, and the way to the next one."""
    st.divider()
    st.markdown(f"**{_('Take home.')}** {text('take-home')}")
    st.markdown(text("next"))
    st.page_link(linked()[course.following(text.page)])


def some_of(asked: Choices, name: str, text: Text) -> tuple[str, ...]:
    """Draw a choice of several, and return them; say so where nothing is chosen but something needed, or too much.

    The sections `<name>-none` and `<name>-many` say it.
    """
    chosen = control(asked)
    if not chosen and asked.needed:
        st.info(text(f"{name}-none"))
        return asked.default
    if asked.maximum is not None and len(chosen) > asked.maximum:
        st.info(text(f"{name}-many", {"maximum": asked.maximum}))
    return chosen[: asked.maximum]


@contextmanager
def closer_look(name: str, titles: Sequence[str] | Mapping[str, Sequence[str]], text: Text) -> Iterator[str]:
    """Draw the choice of a closer look, the first one chosen, and in it what follows; its title is the look's.

    Many looks stand in named groups, of which one is chosen first. `name` stands in the link. The section
    `look <title>` stands above a look. A scene of a lecture that opens none has the title "".
    """
    if not closer_look_of_scene(name):
        with st.container():
            yield ""
        return
    groups = titles if isinstance(titles, Mapping) else {"": titles}
    every = tuple(look for looks in groups.values() for look in looks)
    chosen = choose_word(Parameter(name, "Closer look", every[0], "", choices=every), groups)
    if f"look {chosen}" in text.sections:
        st.markdown(text(f"look {chosen}"))
    with st.container(key=LOOK):
        yield chosen


def step_of(step: Parameter[int]) -> int:
    """Draw the slider of a step, with Back and Next, and return its number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = control(step)
        for label, by, last in (("Back", -1, step.minimum), ("Next", 1, step.maximum)):
            key = f"{step.name}_{label.lower()}"
            go = partial(st.session_state.update, {step.name: number + by})
            st.button(_(label), key=key, disabled=number == last, on_click=go)
    return number


def mathematics(text: Text, *functions: Callable[..., Any]) -> None:
    """Draw the mathematics of a page, and the folded source of the functions that hold it."""
    st.subheader(_("The mathematics"))
    st.markdown(text("mathematics"))
    if functions:
        show_source(*functions)


def exercise(
    text: Text,
    key: str,
    minimum: int,
    maximum: int,
    answer: Callable[[int], tuple[bool, Facts]],
    *,
    facts: Facts = NO_FACTS,
    section: str = "exercise",
) -> None:
    """Ask for a whole number, and judge it; `answer` returns whether it is right, with the numbers that say why.

    The `section` of the text that asks may quote `facts`; those that begin with `exercise-` label the field and judge.
    """
    st.subheader(_("Exercise"))
    st.markdown(text(section, facts))
    label = text("exercise-label")
    recall(key, Parameter(key, label, minimum, "", minimum, maximum).parse)
    guess: int | None = st.number_input(
        label, minimum, maximum, value=None, key=key, width=320, persist_state="session"
    )
    remember(key, [] if guess is None else [str(guess)])
    if guess is not None:
        right, found = answer(guess)
        judge(text, right, {**facts, "guess": guess, **found})


def judge(text: Text, right: bool, facts: Facts) -> None:
    """Say whether the number was right, with what was computed: section `exercise-right` or `exercise-wrong`."""
    show = st.success if right else st.warning
    show(text("exercise-right" if right else "exercise-wrong", facts))


def pasted_numbers(label: str, key: str, compare: Call) -> Picture | None:
    """Ask for numbers, and return the picture that compares them with ours; None while there is none.

    They are read as numbers, and nothing of them is run. What is wrong with them is said.
    """
    pasted = st.text_area(label, key=key, max_chars=own_table.MAX_CHARACTERS, persist_state="session")
    if not pasted.strip():
        return None
    try:
        return picture_of(partial(compare, numbers=own_table.numbers_in(pasted)))
    except ValueError as error:
        st.warning(_(f"This cannot be compared: {literal(_(str(error)))}."))
        return None


def draw_difference(found: Picture | None, key: str, text: Text, height: int) -> None:
    """Say and draw where numbers differ from ours, and which mistakes make such numbers; nothing without numbers."""
    if found is None:
        return
    st.markdown(text(found.facts["found"], found.facts))
    for mistake in str(found.facts["mistakes"]).split():
        st.markdown(text(mistake))
    found.chart(key, text("own-picture", found.facts), height=height)
