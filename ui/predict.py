"""What a chapter asks before its first picture: a question to predict, and after it whether it was right."""

from functools import partial

import streamlit as st

from pe_core.chapters import predictions
from ui.frame.room import PREDICTION, PREDICTION_FOLD
from ui.frame.turns import fragment
from ui.language.words import _
from ui.lecture.presenting import scene_of_link
from ui.widgets.prose import Text

_MADE = "_predicted"  # where a session keeps what was said, by the question


def predict(chapter: str) -> None:
    """Ask the question of a chapter; in a lecture, where the room is asked, there is none."""
    if scene_of_link() is None:
        fragment(_ask)(predictions.BEFORE[chapter])


def _ask(key: str) -> None:
    text, question = Text("poll"), predictions.QUESTIONS[key]
    made: dict[str, str] = st.session_state.setdefault(_MADE, {})
    with st.container(key=PREDICTION, horizontal=True, vertical_alignment="center"):
        st.html(PREDICTION_FOLD.format(text("predict")))
        if key in made:
            right, facts = predictions.answer(key)
            said = "predicted-right" if made[key] == right else "predicted-wrong"
            shown = text(f"answer {key}", facts)
            named = {"right": _(question.choices[right]), "chosen": _(question.choices[made[key]])}
            st.markdown(text(said, named, {"shown": shown}), width="stretch")
            settings = predictions.settings(key)
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
