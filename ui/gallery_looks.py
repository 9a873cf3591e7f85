"""Closer looks at the gallery alone: loss by length, all numbers, and the exercise on what seeds can tell apart."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MAX_ENCODINGS
from pe_core.lab.results.gallery import BEYOND, apart, next_apart, standings
from pe_core.measures.agreement import LEVEL
from pe_core.pictures import gallery as pictures
from ui.charts import show
from ui.controls import choose_many
from ui.exercise import ask, judge
from ui.gallery import Chosen, joined, lead_to_lab
from ui.prose import fill, write

FIRST_SEEN = ("none", "sinusoidal", "rope", "alibi", "t5")  # in the order and so the colours of the lab's run
SAME_MODEL = ("sinusoidal", "rope", "alibi")  # asked about in the exercise


def draw_lengths(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the loss over the length for encodings of the visitor's choice, and lead into the lab with them."""
    gallery = chosen.gallery
    titles = {key: ENCODINGS[key].title for key in gallery.runs}
    first = [key for key in FIRST_SEEN if key in titles]
    keys = choose_many("gal_encodings", "Encodings", titles, first)
    if not keys:
        write(text["lengths-none"])
        return
    if len(keys) > MAX_ENCODINGS:
        st.warning(fill(text["lengths-many"], {"most": MAX_ENCODINGS, "n": len(keys)}))
        keys = keys[:MAX_ENCODINGS]
    rows = {one.key: one for one in chosen.found}
    parts = [f"{rows[key].title} {rows[key].trained:.3f} and {rows[key].read:.3f} (n={rows[key].n})" for key in keys]
    facts = {"length": f"{chosen.length:,}", "trained": gallery.train_length, "losses": "; ".join(parts)}
    write(text["lengths"], facts)
    picture = partial(pictures.by_length, encodings=tuple(keys))
    show(picture, key="gal_lengths", alternative=fill(text["lengths-alternative"], facts), height=400)
    lead_to_lab(keys, text)


def draw_table(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw all numbers of the ranking as a table that can be sorted."""
    told = {True: "yes", False: "not distinguishable", None: ""}
    rows = [
        {
            "Encoding": one.title,
            "Family": one.group,
            f"Loss at {chosen.gallery.train_length}": round(one.trained, 3),
            f"Loss at {chosen.length}": round(one.read, 3),
            "Ratio": round(one.mean, 3),
            "Least": round(min(one.ratios.values()), 3),
            "Greatest": round(max(one.ratios.values()), 3),
            "n": one.n,
            "Verdict": one.verdict,
            "Seeds of that verdict": f"{one.n_same} of {one.n}",
            "Apart from the next": told[apart_],
            "Weights": chosen.gallery.runs[one.key][min(one.ratios)].n_parameters,
        }
        for one, apart_ in zip(chosen.found, next_apart(chosen.found), strict=True)
    ]
    write(text["table"])
    st.dataframe(rows, hide_index=True, width="stretch", key="gal_numbers")


def draw_exercise(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Ask how many pairs of three encodings can be told apart by their seeds, and test them."""
    guess = ask(text, "gal_guess", 0, 3)
    if guess is None:
        return
    rows = {one.key: one for one in standings(chosen.gallery, BEYOND[0])}
    three = [rows[key] for key in SAME_MODEL]
    pairs = [(one, other) for place, one in enumerate(three) for other in three[place + 1 :]]
    told = [f"{one.title} and {other.title}" for one, other in pairs if apart(one, other)]
    ratios = "; ".join(f"{one.title} {', '.join(f'{value:.3f}' for value in one.ratios.values())}" for one in three)
    facts = {"count": len(told), "guess": guess, "told": joined(told), "ratios": ratios, "level": LEVEL}
    facts |= {"n": min(one.n for one in three)}
    judge(text, guess == len(told), facts)
