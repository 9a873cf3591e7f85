"""What trained models write past their training length, side by side, symbol by symbol."""

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.figures.lab import length_losses
from pe_core.lab.inside import written
from pe_core.lab.repair import AS_TRAINED
from pe_core.lab.results import Outcome
from pe_core.parameters import Parameter
from pe_core.pictures import inside as pictures
from ui.charts import show
from ui.controls import side_by_side
from ui.inside import choose_text
from ui.inside_run import Chosen
from ui.prose import fill, write

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

AT_ONCE = 8  # symbols between two looks of the page: there it can be stopped
WRITTEN = "_ins_written"  # where a session keeps the last texts
TEMPERATURE = Parameter("ins_temperature", "Temperature", 0.7, "0 takes the likeliest symbol each time.", 0.0, 1.5, 0.1)
SEED = Parameter("ins_draw", "Draw", 0, "Start of the random numbers that draw the symbols.", 0, 99)
_STYLE = "white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace;font-size:0.9rem;margin:0 0 1rem"
_PAST = "background:rgba(213,94,0,0.18);border-left:3px solid #D55E00;padding-left:2px"


def draw_written(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw what each model writes, with the training length marked, beside its losses on held-out text."""
    run, trained = chosen.run, chosen.run.record.config.train_length
    most = pictures.longest(run)
    length = Parameter(
        f"ins_written_past_{trained}", "Characters", min(2 * trained, most), "With the start.", trained, most, 16
    )
    asked, temperature, seed = side_by_side(length, TEMPERATURE, SEED)
    start = choose_text(run, text)[: trained // 2]
    write(text["written"], {"trained": trained, "start": len(start)})
    places: dict[str, DeltaGenerator] = {}
    for number, (key, outcome) in enumerate(run.record.outcomes.items()):
        if number % 2 == 0:
            columns = st.columns(2)  # anew, so that a narrow page has them in their order
        with columns[number % 2]:
            st.markdown(fill(text["written-title"], {"encoding": ENCODINGS[key].title, **losses(outcome)}))
            places[key] = st.empty()
    _write(chosen, places, (start, int(asked), float(temperature), int(seed)))
    facts = {
        "ends": "; ".join(
            f"{ENCODINGS[key].title} {outcome.lengths[0].loss:.2f} at {outcome.lengths[0].length}, "
            f"{outcome.lengths[-1].loss:.2f} at {outcome.lengths[-1].length}"
            for key, outcome in run.record.outcomes.items()
        )
    }
    write(text["written-losses"])
    picture = partial(length_losses, record=run.record)
    show(picture, key="ins_losses", alternative=fill(text["written-alternative"], facts), height=340)


def losses(outcome: Outcome) -> dict[str, object]:
    """Return the losses of a model on held-out text at its training length and at twice of it, for a sentence."""
    first, second = outcome.lengths[:2]
    return {"at": first.length, "loss": f"{first.loss:.2f}", "past": second.length, "loss-past": f"{second.loss:.2f}"}


def _write(chosen: Chosen, places: Mapping[str, "DeltaGenerator"], asked: tuple[str, int, float, int]) -> None:
    """Fill the places as the models write, all of them at the same pace; the last texts of a session are kept."""
    run, (start, length, temperature, seed) = chosen.run, asked
    trained = run.record.config.train_length
    before = st.session_state.get(WRITTEN)
    if before is not None and before[:2] == (run, asked):
        texts = before[2]
    else:
        tokens = run.tokens(start)
        writers = {
            key: written(pictures.reading(run, key, AS_TRAINED.key), tokens, length, temperature=temperature, seed=seed)
            for key in places
        }
        texts = dict.fromkeys(places, start)
        for number in range(length - len(start)):
            if number % AT_ONCE == 0:  # a visitor who has moved on is noticed here
                _show(places, texts, trained)
            texts = {key: texts[key] + run.symbols[next(writer)] for key, writer in writers.items()}
        st.session_state[WRITTEN] = (run, asked, texts)
    _show(places, texts, trained)


def _show(places: Mapping[str, "DeltaGenerator"], texts: Mapping[str, str], trained: int) -> None:
    for key, place in places.items():
        place.html(marked(texts[key], trained))


def marked(text: str, trained: int) -> str:
    """Return a text as HTML, with what lies past the training length set off."""
    within, past = escape(text[:trained]), escape(text[trained:])
    return f'<p style="{_STYLE}">{within}' + (
        f'<mark style="{_PAST};color:inherit">{past}</mark></p>' if past else "</p>"
    )
