"""Closer looks at relative biases that every system has: what its bias makes of attention."""

from collections.abc import Mapping
from functools import partial

import streamlit as st
import torch

from pe_core.chapters import biases as pictures
from pe_core.chapters.biases import MATRIX_LENGTH, MOST_KEYS
from pe_core.chapters.wording import number
from pe_core.measures import bias_rows
from pe_core.measures.distances import by_distance
from pe_core.parameters import Parameter
from ui.biases import AT_FIRST, TITLES, Chosen, plain
from ui.widgets.charts import show
from ui.widgets.controls import choose_one, side_by_side
from ui.widgets.prose import fill, write

KEYS = Parameter("bias_keys", "Keys in the row", 64, "How many tokens the last query can look at.", 1, MOST_KEYS)
WINDOW = Parameter("bias_window", "Nearest keys", 16, "Their share of the attention is added up.", 1, 64)


def draw_matrix(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the bias of every query and key in one head, and the attention that it makes of equal content."""
    system = choose_one("bias_system", "System", TITLES, AT_FIRST[0])
    positions = torch.arange(MATRIX_LENGTH)
    every = pictures.bias_of(pictures.built(system, chosen.train_length, chosen.seed), positions)
    keys = [float(bias_rows.effective_keys(bias_rows.attention(own)[-1])) for own in every]
    facts = {
        "system": TITLES[system],
        "head": chosen.head,
        "tokens": MATRIX_LENGTH,
        "spread": f"{round(by_distance(every[chosen.head - 1]).spread, 9):.2g}",  # smaller ones are rounding
        "lowest": plain(every[chosen.head - 1][-1].min()),
        "keys": f"{keys[chosen.head - 1]:.1f}",
        "heads": ", ".join(f"{count:.1f}" for count in keys),
    }
    write(text["matrix"], facts)
    left, right = st.columns(2)
    with left:
        picture = partial(pictures.bias_matrix, system=system, **chosen.model)
        show(picture, key="bias_matrix", alternative=fill(text["matrix-alternative"], facts), height=360)
    with right:
        picture = partial(pictures.attention_matrix, system=system, **chosen.model)
        show(picture, key="bias_attention", alternative=fill(text["attention-alternative"], facts), height=360)


def draw_row(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the weights of one row, and how many keys it spreads over as the text grows."""
    n_keys, window = map(int, side_by_side(KEYS, WINDOW))
    rows = pictures.last_rows(chosen.systems, **chosen.model, n_keys=n_keys)
    measured = {
        name: (float(bias_rows.effective_keys(row)), bias_rows.share_within(row, window)) for name, row in rows.items()
    }
    facts = {
        "keys": n_keys,
        "window": window,
        "head": chosen.head,
        "each": "; ".join(f"{name} {keys:.1f}" for name, (keys, _) in measured.items()),
        "highest": "; ".join(f"{name} {number(float(row.max()))}" for name, row in rows.items()),
    }
    write(text["row"], facts)
    model = {**chosen.model, "n_keys": n_keys}
    left, right = st.columns(2)
    with left:
        picture = partial(pictures.weights_by_distance, systems=chosen.systems, **model)
        show(picture, key="bias_weights", alternative=fill(text["weights-alternative"], facts), height=400)
    with right:
        picture = partial(pictures.effective_keys, systems=chosen.systems, **model)
        show(picture, key="bias_effective", alternative=fill(text["effective-alternative"], facts), height=400)
    lines = (f"| {name} | {keys:.1f} | {share:.1%} |" for name, (keys, share) in measured.items())
    write("\n".join([fill(text["row-head"], facts), *lines]))
