"""The parts of the page on learned tables: one kept training run, looked at after the step that is chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st
import torch

from pe_core.chapters import learned as pictures
from pe_core.encodings.learned import rows
from pe_core.lab.inspection.learned_table import KEPT, WAYS, TableConfig, TableRun, decay, read
from pe_core.measures import table_rows as measures
from pe_core.parameters import Parameter
from ui.widgets.charts import show
from ui.widgets.controls import control
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

KEPT_CONFIG = TableConfig()
STEP = Parameter(
    "lrn_step",
    "Training step",
    KEPT_CONFIG.steps,
    "The table was kept after each of these steps; 0 is before training.",
    choices=KEPT_CONFIG.looks,
)
ROW = Parameter("lrn_row", "Row", 20, "The row that all others are compared with.", 0, KEPT_CONFIG.n_rows - 1)
UNTRAINED, LAST_ROW, WRAP, INTERPOLATED = WAYS
FAR = 4  # rows apart, to compare with neighbours
ASKED_LENGTH, ASKED_POSITION = 100, 80


@dataclass(frozen=True)
class Chosen:
    """The kept run, and the step after which it is looked at."""

    run: TableRun
    step: int


def choose() -> Chosen:
    """Draw the slider over the steps and return what it says."""
    return Chosen(read(), int(control(STEP)))


def draw_table(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the table, and the cosines of its rows."""
    run, step = chosen.run, chosen.step
    near, others = pictures.alike(run, step)
    trained = run.config.train_length
    facts = {
        "step": f"{step:,}",
        "characters": f"{step * run.config.run.tokens_per_step:,}",
        "trained": trained,
        "last": trained - 1,
        "rows": run.config.n_rows,
        "never": run.config.n_rows - trained,
        "channels": run.config.d_model,
        "near": hundredths(near),
        "far": hundredths(pictures.alike(run, step, FAR)[0]),
        "offset": FAR,
        "others": hundredths(others),
    }
    write(text["state" if step else "state-start"], facts)
    left, right = st.columns(2)
    with left:
        picture = partial(pictures.table, step=step)
        show(picture, key="lrn_table", alternative=fill(text["table-alternative"], facts), height=420)
    with right:
        picture = partial(pictures.similarity, step=step)
        show(picture, key="lrn_similarity", alternative=fill(text["similarity-alternative"], facts), height=420)


def draw_past_end(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the loss by position under each way to go on past the trained rows."""
    run, step = chosen.run, chosen.step
    losses = pictures.past_losses(run, step)
    within, past = losses[UNTRAINED]
    facts = {
        "step": f"{step:,}",
        "trained": run.config.train_length,
        "last": run.config.train_length - 1,
        "rows": run.config.n_rows,
        "within": f"{within:.2f}",
        "untrained": f"{past:.2f}",
        "last-row": f"{losses[LAST_ROW][1]:.2f}",
        "wrap": f"{losses[WRAP][1]:.2f}",
        "interpolated": f"{losses[INTERPOLATED][1]:.2f}",
        "interpolated-within": f"{losses[INTERPOLATED][0]:.2f}",
        "guess": f"{run.text.unigram_loss:.2f}",
        "best": min(losses, key=lambda way: losses[way][1]),
    }
    write(text["past-end-worse" if past > run.text.unigram_loss > within else "past-end"], facts)
    picture = partial(pictures.past_end, step=step)
    show(picture, key="lrn_past_end", alternative=fill(text["past-end-alternative"], facts), height=420)


def draw_row(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the cosine of one row with all, with a control of its own for the row."""
    number = int(control(ROW))
    other, cosine = pictures.most_alike(chosen.run, chosen.step, number)
    facts = {
        "step": f"{chosen.step:,}",
        "row": number,
        "other": other,
        "away": abs(other - number),
        "cosine": f"{cosine:.2f}",
        "never": "" if number < chosen.run.config.train_length else text["row-never"],
    }
    write(text["row"], facts)
    picture = partial(pictures.row, step=chosen.step, number=number)
    show(picture, key="lrn_row_cosines", alternative=fill(text["row-alternative"], facts))


def draw_lengths(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the length of each row before training and after the step."""
    run, trained = chosen.run, chosen.run.config.train_length
    before, after = (measures.lengths(run.tables[place]) for place in (0, pictures.look(run, chosen.step)))
    facts = {
        "step": f"{chosen.step:,}",
        "before": f"{float(before[:trained].mean()):.3f}",
        "after": f"{float(after[:trained].mean()):.3f}",
        "others-before": f"{float(before[trained:].mean()):.4f}",
        "others-after": f"{float(after[trained:].mean()):.4f}",
        "longest": int(after.argmax()),
    }
    write(text["lengths"], facts)
    picture = partial(pictures.lengths, step=chosen.step)
    show(picture, key="lrn_lengths", alternative=fill(text["lengths-alternative"], facts))


def draw_movement(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw how much of its first direction each row has kept, and tell what moved the rows that were never trained."""
    run, step, trained = chosen.run, chosen.step, chosen.run.config.train_length
    turned, moved = pictures.turned(run, step), pictures.moved(run, step)
    start, now = (run.tables[place][trained:] for place in (0, pictures.look(run, step)))
    shrunk = measures.lengths(now) / measures.lengths(start)
    expected = decay(run.config.steps, run.config.peak_learning_rate)[step]
    facts = {
        "step": f"{step:,}",
        "trained-cosine": f"{float(turned[:trained].mean()):.2f}",
        "trained-moved": f"{float(moved[:trained].mean()):.2f}",
        "turned": f"{float((1 - turned[trained:]).abs().max()):.0e}",
        "moved": f"{100 * float(moved[trained:].max()):.2f} %",
        "shrunk": f"{float(shrunk.mean()):.6f}",
        "expected": f"{float(expected):.6f}",
        "off": f"{float((shrunk - expected).abs().max()):.0e}",
    }
    write(text["movement" if step else "movement-start"], facts)
    picture = partial(pictures.movement, step=step)
    show(picture, key="lrn_movement", alternative=fill(text["movement-alternative"], facts))


def hundredths(cosine: float) -> str:
    """Return a cosine with two digits, 0 without a sign."""
    return f"{round(cosine, 2) + 0.0:.2f}"


def draw_exercise(text: Mapping[str, str]) -> None:
    """Ask which row of the table a position of a squeezed text reads, and compute it."""
    guess = ask(text, "lrn_guess", 0, ASKED_LENGTH - 1)
    if guess is None:
        return
    numbers = torch.arange(KEPT_CONFIG.train_length, dtype=torch.float64)[:, None]  # each row holds its own number
    place = float(rows(numbers, torch.arange(ASKED_LENGTH), beyond="interpolate")[ASKED_POSITION, 0])
    facts = {
        "guess": guess,
        "below": int(place),
        "above": int(place) + 1,
        "place": f"{place:.3f}",
        "share": f"{100 * (place - int(place)):.0f}",
        "rest": f"{100 * (1 - place + int(place)):.0f}",
        "position": ASKED_POSITION,
    }
    judge(text, guess == int(place), facts)


def draw_origin(text: Mapping[str, str]) -> None:
    """Say where the numbers come from, and lead to the lab, where a table is trained anew."""
    run = read()
    facts = {
        "text": run.text.name,
        "steps": f"{run.config.steps:,}",
        "seed": run.config.seed,
        "layers": run.config.n_layers,
        "channels": run.config.d_model,
        "file": f"pe_core/runs/{KEPT.name}",
        "torch": run.versions["torch"],
    }
    write(text["origin"], facts)
    st.page_link(
        "pages/lab.py",
        label="Train a learned table yourself",
        icon=":material/science:",
        query_params={"encodings": ["learned", "sinusoidal", "rope", "alibi"]},
    )
