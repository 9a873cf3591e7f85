"""What trained models write past their training length, or answer to their task, symbol by symbol."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

import streamlit as st

from pe_core.chapters import inside
from pe_core.chapters.lab import fraction_of, length_losses, right_answers
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.task import Task
from pe_core.lab.inspection.inside import answered, written
from pe_core.lab.inspection.sample_input import Question, question
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.lab.results.record import RunRecord
from pe_core.parameters import Parameter
from ui.frame.turns import others_first
from ui.inside.run import Chosen, choose_text, typed
from ui.language.words import _
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import Text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

STEP = 16  # symbols
AT_ONCE = 8  # symbols between two looks of the page: there it can be stopped
WRITTEN = "_ins_written"  # where a session keeps the last texts
_STYLE = "white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace;font-size:0.9rem;margin:0 0 1rem"
_PAST = "background:rgba(213,94,0,0.18);border-left:3px solid #D55E00;padding-left:2px"
TOLD, RIGHT, WRONG = "{}", "<b>{}</b>", '<b style="text-decoration:underline wavy #D55E00 2px">{}</b>'

Show = Callable[[str, str], str]  # gets the key of an encoding and its text so far; returns HTML


def in_columns(titles: Mapping[str, str]) -> "dict[str, DeltaGenerator]":
    """Draw a title for each encoding, in two columns, and return the empty places below them."""
    grid, places = st.grid(2), {}
    for key, title in titles.items():
        with grid.cell():
            st.markdown(title)
            places[key] = st.empty()
    return places


def grow(
    run: TrainedRun,
    asked: tuple[object, ...],
    start: str,
    writers: Mapping[str, Iterator[int]],
    places: "Mapping[str, DeltaGenerator]",
    show: Show,
) -> None:
    """Fill the places with what the writers add to `start`; the last texts of a session, by `asked`, are kept."""

    def draw(texts: Mapping[str, str]) -> None:
        for key, place in places.items():
            place.html(show(key, texts[key]))

    before = st.session_state.get(WRITTEN)
    if before is not None and before[:2] == (run, asked):
        texts = before[2]
    else:
        texts = dict.fromkeys(writers, start)
        with others_first():
            for number, symbols in enumerate(zip(*writers.values(), strict=True)):
                if number % AT_ONCE == 0:  # a visitor who has moved on is noticed here
                    draw(texts)
                texts = {key: texts[key] + run.vocabulary[symbol] for key, symbol in zip(texts, symbols, strict=True)}
        st.session_state[WRITTEN] = (run, asked, texts)
    draw(texts)


def marked(text: str, trained: int, styles: Sequence[str] = ()) -> str:
    """Return a text as HTML, with what lies past the training length set off, and a style for each symbol if given."""
    styles = styles or [TOLD] * len(text)
    parts = [_styled(text[:trained], styles[:trained]), _styled(text[trained:], styles[trained:])]
    past = f'<mark style="{_PAST};color:inherit">{parts[1]}</mark>' if parts[1] else ""
    return f'<p style="{_STYLE}">{parts[0]}{past}</p>'


def _styled(text: str, styles: Sequence[str]) -> str:
    runs = groupby(zip(text, styles, strict=True), key=lambda pair: pair[1])
    return "".join(style.format(escape("".join(symbol for symbol, style_of in run))) for style, run in runs)


def ends(record: RunRecord, worded: Callable[[LengthLoss], str]) -> str:
    """Return what each encoding has at the training length and at the longest one, in the words that it is given."""
    found = []
    for key in record.done:
        lengths = record.mean(key).lengths
        first, last = lengths[0], lengths[-1]
        told = _(f"{worded(first)} at {first.length}, {worded(last)} at {last.length}")
        found.append(f"{_(ENCODINGS[key].title)} {told}")
    return _("; ").join(found)


def titles_of(record: RunRecord, section: str, worded: Callable[[LengthLoss], str], text: Text) -> dict[str, str]:
    """Return what stands above each model: what it has at its training length and at twice of it, in these words."""
    titles = {}
    for key in record.done:
        first, second = record.mean(key).lengths[:2]
        facts = {"at": first.length, "first": worded(first), "past": second.length, "second": worded(second)}
        titles[key] = text(section, {"encoding": ENCODINGS[key].title, **facts})
    return titles


def _right(one: LengthLoss) -> str:
    return f"{100 * fraction_of(one, 'accuracy'):.0f} %"


def _loss(one: LengthLoss) -> str:
    return f"{one.loss:.2f}"


def draw_answers(chosen: Chosen, task: Task, text: Text) -> None:
    """Draw what each model answers to an example, or how it goes on from what the visitor types."""
    run, trained = chosen.run, chosen.run.record.config.train_length
    maximum = inside.max_length(run)
    told = "The most symbols that an example has, or that are written."
    default, name = min(2 * trained, maximum), f"ins_answers_of_{maximum}"
    length = control(Parameter(name, "Length", default, told, STEP, maximum, STEP))
    titles = titles_of(run.record, "answers-title", _right, text)
    models = {key: inside.inspected(run, key, AS_TRAINED.key) for key in titles}
    if start := typed(chosen, text)[:length]:
        st.markdown(text("answers-typed", {"trained": trained, "length": length}))
        tokens = run.tokens(start)
        going_on = {key: written(model, tokens, length) for key, model in models.items()}
        grow(run, (start, length), start, going_on, in_columns(titles), lambda key, so_far: marked(so_far, trained))
    else:
        asked = question(task, length)
        facts = {"trained": trained, "example": asked.text, "n": int(asked.asked.sum()), "length": len(asked.text)}
        st.markdown(text("answers", facts))
        tokens = run.tokens(asked.text)
        answers = {key: answered(model, tokens, asked.asked) for key, model in models.items()}
        grow(run, (length,), "", answers, in_columns(titles), lambda key, so_far: judged(asked, so_far, trained))
    st.markdown(text("answers-shares"))
    alternative = text("answers-alternative", {"ends": ends(run.record, _right)})
    picture(right_answers, record=run.record, right="accuracy").chart("ins_shares", alternative, height=340)


def judged(asked: Question, so_far: str, trained: int) -> str:
    """Return as HTML what a model has made of a question so far: answers in bold, wrong ones underlined, a count."""
    styles = [
        TOLD if not is_asked else RIGHT if given == right else WRONG
        for given, right, is_asked in zip(so_far, asked.text, asked.asked.tolist(), strict=False)
    ]
    n_answers = len(styles) - styles.count(TOLD)
    within = trained + 1  # the last answer is given and not read, in training too
    told = _(f"{styles.count(RIGHT)} of {n_answers} answers right.")
    return f"{marked(so_far, within, styles)}<p>{told}</p>"


TEMPERATURE = Parameter("ins_temperature", "Temperature", 0.7, "0 takes the likeliest symbol each time.", 0.0, 1.5, 0.1)
SEED = Parameter("ins_draw", "Draw", 0, "Start of the random numbers that draw the symbols.", 0, 99)


def draw_written(chosen: Chosen, text: Text) -> None:
    """Draw what each model writes, with the training length marked, beside its losses on held-out text.

    Of a task it is what each model answers.
    """
    if chosen.task:
        draw_answers(chosen, chosen.task, text)
        return
    run, trained = chosen.run, chosen.run.record.config.train_length
    maximum = inside.max_length(run)
    length = Parameter(
        f"ins_written_past_{trained}",
        "Characters",
        min(2 * trained, maximum),
        "Including the given start.",
        trained,
        maximum,
        STEP,
    )
    asked, temperature, seed = row(length, TEMPERATURE, SEED)
    start = choose_text(chosen, trained // 2, text)
    st.markdown(text("written", {"trained": trained, "start": len(start)}))
    titles = titles_of(run.record, "written-title", _loss, text)
    go_on = partial(written, start=run.tokens(start), length=asked, temperature=temperature, seed=seed)
    writers = {key: go_on(inside.inspected(run, key, AS_TRAINED.key)) for key in titles}
    drawn = (start, asked, temperature, seed)
    grow(run, drawn, start, writers, in_columns(titles), lambda key, so_far: marked(so_far, trained))
    st.markdown(text("written-losses"))
    alternative = text("written-alternative", {"ends": ends(run.record, _loss)})
    picture(length_losses, record=run.record).chart("ins_losses", alternative, height=340)
