"""What the catalogue draws of rules for RoPE's frequencies, of masks and of positions that are told."""

from functools import partial
from typing import Any

import streamlit as st

from pe_core.chapters import catalogue as pictures
from pe_core.chapters.wording import number
from pe_core.encodings import rotary
from pe_core.encodings.sinusoidal import wavelengths
from pe_core.masks import MaskSpec
from pe_core.measures.profile import SEED
from pe_core.parameters import Parameter
from pe_core.positions import RemapSpec
from pe_core.rope_scaling import ScalingSpec
from ui.catalogue.question import EXACT, LENGTH, TALL, TRAINED, Question, Texts, Values
from ui.widgets.charts import show
from ui.widgets.controls import side_by_side
from ui.widgets.prose import fill, write

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
