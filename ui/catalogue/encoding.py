"""What the catalogue draws of an encoding: computed through its hooks, never by its name."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st
from torch import Tensor

from pe_core.chapters import catalogue as pictures
from pe_core.chapters.catalogue import same_heads
from pe_core.chapters.wording import number
from pe_core.encodings import EncodingSpec
from pe_core.measures.cost import n_parameters
from pe_core.measures.distances import by_distance
from pe_core.measures.profile import SEED
from pe_core.parameters import Parameter
from ui.catalogue.question import EXACT, LENGTH, TALL, TRAINED, Question, Texts, Values
from ui.widgets.charts import Picture, show
from ui.widgets.controls import control
from ui.widgets.prose import fill, write

N_LAYERS = 8
FLAT = 340  # pixels of a picture

WIDTH = Parameter("cat_width", "Width", 64, "Channels of an embedding.", 8, 256, 8)
HEAD_DIM = Parameter("cat_head_dim", "Head width", 32, "Channels of a query and a key.", 2, 128, 2)
HEADS = Parameter("cat_heads", "Heads", 4, "How many heads attend side by side.", 1, 8)
LAYER = Parameter("cat_layer", "Layer", 0, "Layers of this encoding differ.", 0, N_LAYERS - 1)


def draw_encoding(spec: EncodingSpec, values: Values, text: Texts) -> Question:
    """Draw the table that an encoding adds, the scores that it makes, or both, each also against distance."""
    added = "embed" in spec.hooks
    scored = not spec.hooks or bool({"rotate", "bias"} & set(spec.hooks))
    places = st.columns(4)
    with places[0]:
        length = int(control(LENGTH))
    with places[1]:
        trained = int(control(TRAINED))
    with places[2]:
        width = int(control(HEAD_DIM if scored else WIDTH))
    n_heads = 1
    if scored:
        with places[3]:
            n_heads = int(control(HEADS))
    shape = pictures.shape_of(trained, width, n_heads)
    encoding = pictures.built(spec.key, values, shape)
    learned = n_parameters(encoding)
    if learned:
        write(text["learned"], {"seed": SEED})
    layer = 0
    if any(encoding.at_layer(number) is not encoding for number in range(N_LAYERS)):
        layer = int(control(LAYER))
    text_of = {"encoding": spec.key, "parameters": dict(values), "length": length, "train_length": trained}
    if added:
        _draw_table({**text_of, "d_model": shape.d_model}, text)
    if scored:
        _draw_scores({**text_of, "head_dim": width, "n_heads": n_heads, "layer": layer}, text)
    sizes = ", ".join(f"{name} {' × '.join(map(str, part.shape))}" for name, part in encoding.named_parameters())
    return Question("encoding", {"sizes": sizes or text["exercise-encoding-none"]}, learned)


def _draw_table(asked: Mapping[str, Any], text: Texts) -> None:
    vectors = pictures.vectors(**asked)
    if not vectors.isfinite().all():
        st.warning(text["not-finite"])
    write(text["look-table"])
    left, right = st.columns(2)
    with left:
        facts = {"channels": vectors.shape[1], "last": len(vectors) - 1, **_range(vectors)}
        alternative = fill(text["table-alternative"], facts)
        show(partial(pictures.table, **asked), key="cat_table", alternative=alternative, height=TALL)
    with right:
        picture = partial(pictures.similarity_by_distance, **asked)
        _draw_distances(picture, (vectors @ vectors.T)[None], "similarity", text)


def _draw_scores(asked: Mapping[str, Any], text: Texts) -> None:
    found = pictures.effects_of(**asked)
    if not found.finite:
        st.warning(text["not-finite"])
    scores = found.scores
    write(text["look-scores"])
    head = 0
    left, right = st.columns(2)
    with left:
        if len(same_heads(scores)) > 1:
            # A name for each number of heads: a slider whose end moves keeps a value that is no longer on it.
            name = f"cat_head_of_{len(scores)}"
            head = int(control(Parameter(name, "Head", 0, "Whose scores are shown.", 0, len(scores) - 1)))
        facts = {"head": head, "last": scores.shape[1] - 1, "hidden": int(scores[head].isneginf().sum())}
        alternative = fill(text["scores-alternative"], {**facts, **_range(scores[head])})
        show(partial(pictures.scores, **asked, head=head), key="cat_scores", alternative=alternative, height=TALL)
    with right:
        _draw_distances(partial(pictures.scores_by_distance, **asked), scores, "scores", text)


def _draw_distances(picture: Picture, scores: Tensor, name: str, text: Texts) -> None:
    """Draw `scores` (H, T, T) against distance, and say whether the distance is all they depend on."""
    found = [by_distance(own) for own in scores]
    first, spread = found[0], max(own.spread for own in found)
    lowest, highest = _ends(scores)
    rounding = EXACT * max(1.0, -lowest, highest)
    how = "constant" if highest - lowest <= rounding else "relative" if spread <= rounding else "absolute"
    facts = {
        "spread": f"up to {number(spread)}" if how == "absolute" else "no more than rounding",
        "near": number(float(first.means[first.distances == 0])),
        "far": number(float(first.means[-1])),
        "distance": int(first.distances[-1]),
    }
    write(text[f"{name}-{how}"], facts)
    show(picture, key=f"cat_{name}_distance", alternative=fill(text[f"{name}-distance"], facts), height=FLAT)


def _range(values: Tensor) -> dict[str, str]:
    lowest, highest = _ends(values)
    return {"lowest": number(lowest), "highest": number(highest)}


def _ends(values: Tensor) -> tuple[float, float]:
    finite = values[values.isfinite()]
    return float(finite.min()), float(finite.max())
