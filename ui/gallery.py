"""The gallery's page: the ranking of all encodings, and where its numbers are from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pe_core.lab.results.gallery import BEYOND, KEPT, Gallery, Standing, next_apart, read, standings
from pe_core.lab.results.statistics import NOT_LEARNED
from pe_core.parameters import Parameter
from pe_core.pictures import gallery as pictures
from ui.charts import show
from ui.controls import control
from ui.prose import fill, write

ROW, ABOVE = 21, 130  # pixels of a row of a ranking, and of what stands above them
SHOWN = 4  # names of those that hold
MULTIPLE = Parameter(
    "gal_multiple", "Times the training length", BEYOND[-1], "How long the text is that is read.", choices=BEYOND
)


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen, with the gallery and the order that follow from it."""

    multiple: int
    gallery: Gallery
    found: tuple[Standing, ...]

    @property
    def length(self) -> int:
        """The length that is read."""
        return self.multiple * self.gallery.train_length


def kept() -> Gallery:
    """Return the gallery that comes with the project, as it is now: it may be rebuilt while the app runs."""
    return _read_once(KEPT.stat().st_mtime_ns)


@st.cache_resource(max_entries=1, show_spinner=False)
def _read_once(changed: int) -> Gallery:
    """Return the gallery as it was `changed` then, which tells the cache one state of the file from another."""
    return read(KEPT)


def choose() -> Chosen:
    """Draw the control and return what it says."""
    multiple, gallery = int(control(MULTIPLE)), kept()
    return Chosen(multiple, gallery, tuple(standings(gallery, multiple)))


def draw_ranking(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw all encodings in their order, and say who holds, who cannot be told apart, and who reads best."""
    found, told = chosen.found, next_apart(chosen.found)
    by_verdict = {
        verdict: [one.title for one in found if one.verdict == verdict]
        for verdict in ("holds", "degrades", "breaks", NOT_LEARNED)
    }
    best = min((one for one in found if one.verdict != NOT_LEARNED), key=lambda one: one.read)
    facts = {
        **_samples(chosen.gallery),
        "multiple": chosen.multiple,
        "length": f"{chosen.length:,}",
        "n": len(found),
        "holds": len(by_verdict["holds"]),
        "holding": joined(by_verdict["holds"][:SHOWN]),
        "degrades": len(by_verdict["degrades"]),
        "breaks": len(by_verdict["breaks"]),
        "not_learned": len(by_verdict[NOT_LEARNED]),
        "guessing": joined(by_verdict[NOT_LEARNED]),
        "untold": sum(one is False for one in told),
        "pairs": sum(one is not None for one in told),
        "first": found[0].title,
        "first_ratio": f"{found[0].mean:.2f}",
        "last": found[-1].title,
        "last_ratio": f"{found[-1].mean:.2f}",
        "best": best.title,
        "best_loss": f"{best.read:.3f}",
        "mixed": joined([f"{one.title} ({one.n_same} of {one.n})" for one in found if one.n_same < one.n]),
    }
    write(text["measured"], facts)
    picture = partial(pictures.ranking, multiple=chosen.multiple)
    height = ABOVE + ROW * len(found)
    show(picture, key="gal_ranking", alternative=fill(text["ranking-alternative"], facts), height=height)


def draw_origin(text: Mapping[str, str]) -> None:
    """Say where the numbers are from: settings, text, versions, sample sizes."""
    gallery = kept()
    facts = {
        **gallery.settings,
        **_samples(gallery),
        "text": gallery.text.name,
        "sha": gallery.text.sha256[:12],
        "python": gallery.versions["python"],
        "torch": gallery.versions["torch"],
        "file": f"content/runs/{KEPT.name}",
        "guess": f"{gallery.text.unigram_loss:.3f}",
    }
    write(text["origin"], facts)


def joined(names: Sequence[str]) -> str:
    """Return names for a sentence."""
    return "; ".join(names) or "none"


def lead_to_lab(keys: Sequence[str], text: Mapping[str, str]) -> None:
    """Draw a link to the lab with these encodings chosen."""
    st.page_link(
        "pages/lab.py",
        label=text["lab"],
        icon=":material/science:",
        query_params=[("encodings", key) for key in keys],
    )


def _samples(gallery: Gallery) -> dict[str, object]:
    """Return how many encodings were trained with how many seeds, in words and as the whole number of trainings."""
    counts = [len(by_seed) for by_seed in gallery.runs.values()]
    parts = [f"{counts.count(n)} encodings with {n} {'seed' if n == 1 else 'seeds'}" for n in sorted(set(counts))[::-1]]
    return {"trainings": sum(counts), "samples": ", ".join(parts), "encodings": len(counts)}
