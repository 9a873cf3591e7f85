"""What the catalogue draws of an entry: computed through what its registry promises, never by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st
from torch import Tensor

from pe_core.encodings import EncodingSpec, rotary
from pe_core.encodings.sinusoidal import wavelengths
from pe_core.figures.catalogue import same_heads
from pe_core.masks import MaskSpec
from pe_core.measures.cost import n_parameters
from pe_core.measures.distances import by_distance
from pe_core.measures.profile import SEED
from pe_core.parameters import Parameter, Value
from pe_core.pictures import catalogue as pictures
from pe_core.pictures.catalogue import LONGEST
from pe_core.positions import RemapSpec
from pe_core.rope_scaling import ScalingSpec
from ui.charts import Picture, show
from ui.controls import control, side_by_side
from ui.prose import fill, number, write

Texts = Mapping[str, str]
Values = Mapping[str, Value]

N_LAYERS = 8
EXACT = 1e-9  # of the largest number: smaller differences are rounding
TALL, FLAT = 460, 340  # pixels

LENGTH = Parameter("cat_length", "Length", 64, "Tokens of the text that is shown.", 16, LONGEST, 16)
TRAINED = Parameter(
    "cat_trained",
    "Training length",
    32,
    "Tokens of the texts of training; some entries take their sizes from it.",
    16,
    LONGEST,
    16,
)
WIDTH = Parameter("cat_width", "Width", 64, "Channels of an embedding.", 8, 256, 8)
HEAD_DIM = Parameter("cat_head_dim", "Head width", 32, "Channels of a query and a key.", 2, 128, 2)
HEADS = Parameter("cat_heads", "Heads", 4, "How many heads attend side by side.", 1, 8)
LAYER = Parameter("cat_layer", "Layer", 0, "Layers of this encoding differ.", 0, N_LAYERS - 1)
SCALED_TRAINED = Parameter(
    "cat_scaled_trained",
    "Training length",
    2_048,
    "Longest text of training, in tokens.",
    choices=tuple(2**power for power in range(6, 15)),
)
FACTOR = Parameter("cat_factor", "Factor", 4, "Target length in training lengths.", choices=(1, 2, 4, 8, 16, 32, 64))
SCALED_DIM = Parameter("cat_scaled_dim", "Head width", 128, "Two channels make a pair.", 2, 256, 2)
SCALED_BASE = Parameter(
    "cat_scaled_base",
    "Base",
    10_000,
    "Of the frequencies before the rule: nearly the ratio of the slowest wavelength to the fastest.",
    choices=(10, 100, 1_000, 10_000, 100_000, 500_000, 1_000_000, 10_000_000),
)
FARTHEST = Parameter(
    "cat_farthest", "Longest length", 256, "Positions that a remap may draw from.", choices=(64, 128, 256, 512, 1_024)
)


@dataclass(frozen=True)
class Question:
    """What the exercise asks of the entry shown: the name of its section, what that names, and the whole answer."""

    section: str
    facts: Mapping[str, object]
    answer: int


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


def draw_scaling(spec: ScalingSpec, values: Values, text: Texts) -> Question:
    """Draw the wavelength of every pair before and after a rule."""
    trained, factor, base, width = _side_by_side(SCALED_TRAINED, FACTOR, SCALED_BASE, SCALED_DIM)
    asked: dict[str, Any] = {
        "scaling": spec.key,
        "parameters": dict(values),
        "factor": factor,
        "train_length": trained,
        "head_dim": width,
        "base": base,
    }
    before, scaled = rotary.frequencies(width, base), pictures.scaled(**asked)
    old, new = wavelengths(before), wavelengths(scaled.frequencies)
    changed = ((scaled.frequencies - before).abs() > EXACT * before).sum()
    facts = {
        "trained": f"{trained:,}",
        "target": f"{trained * factor:,}",
        "temperature": number(scaled.temperature),
        "pairs": len(before),
        "changed": int(changed),
        "unfinished_before": int((old > trained).sum()),
        "unfinished_after": int((new > trained * factor).sum()),
        "slowest_before": number(float(old.max())),
        "slowest_after": number(float(new.max())),
        "stopped": int((~new.isfinite()).sum()),
    }
    write(text["look-scaling"])
    picture = partial(pictures.scaled_wavelengths, **asked)
    show(picture, key="cat_wavelengths", alternative=fill(text["scaling-facts"], facts), height=TALL)
    write(text["scaling-facts"], facts)
    if facts["stopped"]:
        write(text["scaling-stopped"], facts)
    write(text["temperature-none" if scaled.temperature == 1 else "temperature"], facts)
    middle = len(before) // 2
    slower = float(before[middle] / scaled.frequencies[middle])
    return Question("scaling", {"pair": middle, "slower": number(slower)}, round(100 * slower))


def draw_mask(spec: MaskSpec, values: Values, text: Texts) -> Question:
    """Draw who may attend to whom."""
    length, trained = _side_by_side(LENGTH, TRAINED)
    mask = spec.build(length, trained, values)
    seen = mask.sum(dim=1)
    facts = {
        "length": length,
        "share": f"{100 * float(mask.double().mean()):.3g}",
        "fewest": int(seen.min()),
        "most": int(seen.max()),
        "last": int(seen[-1]),
    }
    left, right = st.columns(2)
    with left:
        picture = partial(
            pictures.may_attend, mask=spec.key, parameters=dict(values), length=length, train_length=trained
        )
        show(picture, key="cat_mask_picture", alternative=fill(text["mask-facts"], facts), height=TALL)
    with right:
        write(text["look-mask"])
        write(text["mask-facts"], facts)
    middle = length // 2
    return Question("mask", {"query": middle}, int(seen[middle]))


def draw_remap(spec: RemapSpec, values: Values, text: Texts) -> Question:
    """Draw which position each token is told, in training and in evaluation."""
    length, trained, farthest = _side_by_side(LENGTH, TRAINED, FARTHEST)
    asked: dict[str, Any] = {
        "remap": spec.key,
        "parameters": dict(values),
        "length": length,
        "train_length": trained,
        "max_length": farthest,
    }
    training, evaluation = pictures.told(**asked)
    facts: dict[str, object] = {"trained": trained, "length": length, "seed": SEED}
    for name, positions in (("training", training), ("evaluation", evaluation)):
        facts |= {f"{name}_lowest": number(float(positions.min())), f"{name}_highest": number(float(positions.max()))}
    write(text["look-remap"], facts)
    picture = partial(pictures.positions_told, **asked)
    show(picture, key="cat_remap_picture", alternative=fill(text["remap-facts"], facts), height=TALL)
    write(text["remap-facts"], facts)
    return Question("remap", {"length": length}, len(set(evaluation.tolist())))


def _side_by_side(*parameters: Parameter) -> list[int]:
    return [int(value) for value in side_by_side(*parameters, columns=4)]


def _range(values: Tensor) -> dict[str, str]:
    lowest, highest = _ends(values)
    return {"lowest": number(lowest), "highest": number(highest)}


def _ends(values: Tensor) -> tuple[float, float]:
    finite = values[values.isfinite()]
    return float(finite.min()), float(finite.max())
