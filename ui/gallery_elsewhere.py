"""What the gallery has to say on other pages: losses of several seeds, before anything is trained there."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MAX_ENCODINGS
from pe_core.lab.results.gallery import BEYOND, Standing, standings
from pe_core.pictures import gallery as pictures
from ui.charts import show
from ui.gallery import joined, kept
from ui.gallery_looks import FIRST_SEEN
from ui.prose import fill, sections, write


def trained() -> dict[str, Standing]:
    """Return every encoding of the gallery at its longest length, by key."""
    return {one.key: one for one in standings(kept(), BEYOND[-1])}


def draw_trained(key: str, encodings: Sequence[str] = FIRST_SEEN) -> None:
    """Draw the loss over the length for some encodings, with bands over their seeds; nothing if it has none of them."""
    text, gallery, found = sections("gallery"), kept(), trained()
    chosen = tuple(one for one in encodings if one in found)[:MAX_ENCODINGS]
    if not chosen:
        return
    rows = [found[one] for one in chosen]
    facts = {
        "trained": gallery.train_length,
        "length": f"{BEYOND[-1] * gallery.train_length:,}",
        "losses": "; ".join(f"{one.title} {one.trained:.3f} and {one.read:.3f} (n={one.n})" for one in rows),
        "names": joined([f"{one.title} × {one.mean:.2f} (n={one.n}, {one.verdict})" for one in rows]),
        "all": len(found),
        "holds": sum(one.verdict == "holds" for one in found.values()),
        "multiple": BEYOND[-1],
    }
    write(text["elsewhere"], facts)
    picture = partial(pictures.by_length, encodings=chosen)
    show(picture, key=key, alternative=fill(text["lengths-alternative"], facts), height=400)
    st.page_link("pages/gallery.py", label=fill(text["elsewhere-link"], facts), icon=":material/leaderboard:")


def words_of(encoding: str) -> str:
    """Return what became of one encoding in training, in a sentence; that it was not trained, where it was not."""
    text, one = sections("gallery"), trained().get(encoding)
    if one is None:
        return fill(text["elsewhere-none"], {"title": ENCODINGS[encoding].title})
    facts = {"title": one.title, "n": one.n, "multiple": BEYOND[-1], "verdict": one.verdict, "ratio": f"{one.mean:.2f}"}
    facts |= {"least": f"{min(one.ratios.values()):.2f}", "greatest": f"{max(one.ratios.values()):.2f}"}
    return fill(text["elsewhere-one"], facts)
