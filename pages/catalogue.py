"""The catalogue: a wall of all encodings, scaling rules, masks and index remaps, then one with its formula and code."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from pe_core import standalone
from pe_core.chapters import catalogue
from pe_core.encodings import ENCODINGS, EncodingSpec
from pe_core.figures.figure import Facts
from pe_core.parameters import Entry, Parameter
from pe_core.wrapping import kept_together
from ui.catalogue import COLUMNS, Values, choose, choose_values, documents, source_of
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import exercise, open_page
from ui.widgets.charts import Picture, picture
from ui.widgets.controls import control, row
from ui.widgets.link import literal
from ui.widgets.prose import show_source

MAX_GUESS = 10_000_000
TALL, FLAT = 460, 340  # pixels of a picture

text = open_page("catalogue", "Catalogue", {"encodings": len(ENCODINGS)})
kind, entry = choose(text)
st.subheader(_(entry.title))
about = [_(entry.summary), text("source", {"source": source_of(entry, text)})]
if isinstance(entry, EncodingSpec):
    about.append(text.paragraph(f"hook-{hook}" for hook in entry.hooks or ("none",)))
st.markdown(kept_together("\n\n".join(about)))


def draw_encoding(entry: Entry, values: Values) -> Facts:
    """Draw the table that an encoding adds, the scores that it makes, or both, each also against distance."""
    assert isinstance(entry, EncodingSpec)
    added = "embed" in entry.hooks
    scored = not entry.hooks or bool({"rotate", "bias"} & set(entry.hooks))
    asked = ask({**catalogue.LENGTH, **catalogue.TRAINED, **(catalogue.HEADS if scored else catalogue.WIDTH)})
    n_heads = asked.get("n_heads", 1)
    d_model = asked["head_dim"] * n_heads if scored else asked["d_model"]
    learned = catalogue.of_encoding(entry.key, values, asked["train_length"], d_model, n_heads)
    if learned["answer"]:
        st.markdown(text("learned", learned))
    layer = control(catalogue.LAYER) if learned["layers-differ"] else 0
    own: dict[str, Any] = {"encoding": entry.key, "parameters": dict(values)}
    own |= {name: asked[name] for name in ("length", "train_length")}
    if added:
        draw_table({**own, "d_model": d_model})
    if scored:
        draw_scores({**own, "head_dim": asked["head_dim"], "n_heads": n_heads, "layer": layer})
    return {**learned, "sizes": learned["sizes"] or text("exercise-encoding-none")}


def draw_table(asked: Mapping[str, Any]) -> None:
    """Draw the table that is added, and how alike its rows are by distance."""
    table = picture(catalogue.table, **asked)
    if not table.facts["finite"]:
        st.warning(text("not-finite"))
    st.markdown(text("look-table"))
    left, right = st.columns(2)
    table.chart("cat_table", text("table-alternative", table.facts), height=TALL, place=left)
    with right:
        draw_distances(picture(catalogue.similarity_by_distance, **asked), "similarity")


def draw_scores(asked: Mapping[str, Any]) -> None:
    """Draw the scores of a head, and those of all heads by distance."""
    by_distance = picture(catalogue.scores_by_distance, **asked)
    if not by_distance.facts["finite"]:
        st.warning(text("not-finite"))
    st.markdown(text("look-scores"))
    head = 1
    left, right = st.columns(2)
    with left:
        if by_distance.facts["groups"] != 1:
            head = control(catalogue.head_of(asked["n_heads"]))
        of_head = picture(catalogue.scores, **asked, head=head)
        of_head.chart("cat_scores", text("scores-alternative", of_head.facts), height=TALL)
    with right:
        draw_distances(by_distance, "scores")


def draw_distances(drawn: Picture, name: str) -> None:
    """Say whether the distance is all that scores depend on, and draw them against it."""
    st.markdown(text(f"{name}-{drawn.facts['how']}", drawn.facts))
    drawn.chart(f"cat_{name}_distance", text(f"{name}-distance", drawn.facts), height=FLAT)


def draw_scaling(entry: Entry, values: Values) -> Facts:
    """Draw the wavelength of every pair before and after a rule."""
    asked = ask(catalogue.SCALED)
    waves = picture(catalogue.scaled_wavelengths, scaling=entry.key, parameters=dict(values), **asked)
    facts = waves.facts
    st.markdown(text("look-scaling"))
    waves.chart("cat_wavelengths", text("scaling-facts", facts), height=TALL)
    st.markdown(text("scaling-facts", facts))
    if facts["stopped"]:
        st.markdown(text("scaling-stopped", facts))
    st.markdown(text(facts["of-temperature"], facts))
    return facts


def draw_mask(entry: Entry, values: Values) -> Facts:
    """Draw who may attend to whom."""
    asked = ask({**catalogue.LENGTH, **catalogue.TRAINED})
    seen = picture(catalogue.may_attend, mask=entry.key, parameters=dict(values), **asked)
    left, right = st.columns(2)
    seen.chart("cat_mask_picture", text("mask-facts", seen.facts), height=TALL, place=left)
    with right:
        st.markdown(text("look-mask"))
        st.markdown(text("mask-facts", seen.facts))
    return seen.facts


def draw_remap(entry: Entry, values: Values) -> Facts:
    """Draw which position each token is told, in training and in evaluation."""
    asked = ask({**catalogue.LENGTH, **catalogue.TRAINED, **catalogue.FARTHEST})
    told = picture(catalogue.positions_told, remap=entry.key, parameters=dict(values), **asked)
    st.markdown(text("look-remap", told.facts))
    told.chart("cat_remap_picture", text("remap-facts", told.facts), height=TALL)
    st.markdown(text("remap-facts", told.facts))
    return told.facts


def ask(asked: Mapping[str, Parameter[int]]) -> dict[str, int]:
    """Draw controls beside each other and return what they say by name."""
    return dict(zip(asked, row(*asked.values(), columns=COLUMNS), strict=True))


# What draws an entry of each registry, and returns the facts that the exercise quotes.
DRAWN = {"encoding": draw_encoding, "scaling": draw_scaling, "mask": draw_mask, "remap": draw_remap}


@fragment
def one_entry() -> None:
    """Draw what an entry does, what the code says of it, and an exercise on it as it is shown."""
    facts = None
    values = choose_values(kind, entry)
    try:
        facts = DRAWN[kind.name](entry, values)
    except ValueError as error:
        st.error(_(f"This cannot be shown: {literal(_(str(error)))}."))

    st.subheader(_("The mathematics"))
    maker, file = kind.maker(entry), f"{entry.key}.py"
    for paragraph in documents(maker, entry.key, map(kind.maker, kind.entries.values())):
        st.markdown(kept_together(_(paragraph)))
    show_source(*standalone.parts(maker, entry.key))
    made, told = partial(standalone.source, entry, maker), text("copy-help", {"name": file})
    st.download_button(text("copy"), made, file, "text/x-python", key="cat_copy", help=told, on_click="ignore")
    st.caption(text("wall-legend"))

    if facts is not None:
        why = {"why": text(f"exercise-{kind.name}-why", facts)}
        key, section, right = f"cat_guess_{kind.name}_{entry.key}", f"exercise-{kind.name}", facts["answer"]
        exercise(text, key, 0, MAX_GUESS, lambda guess: (guess == right, why), facts=facts, section=section)


one_entry()
