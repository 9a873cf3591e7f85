"""The parts of the gallery's page: the ranking of all encodings, and the closer looks below it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.lab.comparison import Comparison, compare, multiples, nearest_multiple, order
from pe_core.lab.gallery_file import KEPT, Gallery, read
from pe_core.lab.papers import TABLES
from pe_core.lab.repair import AS_TRAINED
from pe_core.lab.standings import (
    BEYOND,
    NOT_LEARNED,
    Standing,
    apart,
    next_apart,
    repaired,
    standings,
)
from pe_core.lab.training import MOST_ENCODINGS
from pe_core.measures.agreement import LEVEL
from pe_core.parameters import Parameter
from pe_core.pictures import gallery as pictures
from ui.charts import show
from ui.controls import choose_many, choose_one, control
from ui.exercise import ask, judge
from ui.prose import fill, write

ROW, ABOVE = 21, 130  # pixels of a row of a ranking, and of what stands above them
SHOWN = 4  # names of those that hold
FIRST_SEEN = ("none", "sinusoidal", "rope", "t5", "alibi")
SAME_MODEL = ("sinusoidal", "rope", "alibi")  # asked about in the exercise
ASKED = "press_512"  # the table whose order is looked for with each seed
REPAIRED = "su"

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
        "holding": _names(by_verdict["holds"][:SHOWN]),
        "degrades": len(by_verdict["degrades"]),
        "breaks": len(by_verdict["breaks"]),
        "not_learned": len(by_verdict[NOT_LEARNED]),
        "guessing": _names(by_verdict[NOT_LEARNED]),
        "untold": sum(one is False for one in told),
        "pairs": sum(one is not None for one in told),
        "first": found[0].title,
        "first_ratio": f"{found[0].mean:.2f}",
        "last": found[-1].title,
        "last_ratio": f"{found[-1].mean:.2f}",
        "best": best.title,
        "best_loss": f"{best.read:.3f}",
        "mixed": _names([f"{one.title} ({one.n_same} of {one.n})" for one in found if one.n_same < one.n]),
    }
    write(text["measured"], facts)
    picture = partial(pictures.ranking, multiple=chosen.multiple)
    height = ABOVE + ROW * len(found)
    show(picture, key="gal_ranking", alternative=fill(text["ranking-alternative"], facts), height=height)


def draw_origin(text: Mapping[str, str]) -> None:
    """Say where the numbers are from: settings, text, versions, sample sizes."""
    gallery = kept()
    names = ("train_length", "d_model", "n_heads", "n_layers", "steps", "batch_size", "peak_learning_rate")
    facts = {
        **{name: gallery.settings[name] for name in names},
        **_samples(gallery),
        "text": gallery.text.name,
        "sha": gallery.text.sha256[:12],
        "python": gallery.versions["python"],
        "torch": gallery.versions["torch"],
        "file": f"content/runs/{KEPT.name}",
        "guess": f"{gallery.text.unigram_loss:.3f}",
    }
    write(text["origin"], facts)


def _samples(gallery: Gallery) -> dict[str, object]:
    """Return how many encodings were trained with how many seeds, in words and as the whole number of trainings."""
    counts = [len(by_seed) for by_seed in gallery.trainings.values()]
    parts = [f"{counts.count(n)} encodings with {n} {'seed' if n == 1 else 'seeds'}" for n in sorted(set(counts))[::-1]]
    return {"trainings": sum(counts), "samples": ", ".join(parts), "encodings": len(counts)}


def _names(names: Sequence[str]) -> str:
    return "; ".join(names) or "none"


def draw_lengths(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the loss over the length for encodings of the visitor's choice, and lead into the lab with them."""
    gallery = chosen.gallery
    titles = {key: ENCODINGS[key].title for key in gallery.trainings}
    first = [key for key in FIRST_SEEN if key in titles]
    keys = choose_many("gal_encodings", "Encodings", titles, first)
    if not keys:
        write(text["lengths-none"])
        return
    if len(keys) > MOST_ENCODINGS:
        st.warning(fill(text["lengths-many"], {"most": MOST_ENCODINGS, "n": len(keys)}))
        keys = keys[:MOST_ENCODINGS]
    rows = {one.key: one for one in chosen.found}
    parts = [f"{rows[key].title} {rows[key].trained:.3f} and {rows[key].read:.3f} (n={rows[key].n})" for key in keys]
    facts = {"length": f"{chosen.length:,}", "trained": gallery.train_length, "losses": "; ".join(parts)}
    write(text["lengths"], facts)
    picture = partial(pictures.by_length, encodings=tuple(keys))
    show(picture, key="gal_lengths", alternative=fill(text["lengths-alternative"], facts), height=400)
    _lead_to_lab(keys, text)


def _lead_to_lab(keys: Sequence[str], text: Mapping[str, str]) -> None:
    st.page_link(
        "pages/lab.py",
        label=fill(text["lab"], {"names": ", ".join(ENCODINGS[key].title for key in keys)}),
        icon=":material/science:",
        query_params=[("encodings", key) for key in keys],
    )


def draw_papers(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the order of a paper beside ours, with Kendall's tau at every length that both have."""
    tables = {key: table for key, table in TABLES.items() if table.repairs_of is None}
    key = choose_one("gal_table", "Table", {key: table.title for key, table in tables.items()}, ASKED)
    _draw_comparison(chosen, key, text)
    if key == ASKED:
        _draw_asked(chosen.gallery, text)
    _lead_to_lab([name for name in tables[key].rows if name in chosen.gallery.trainings], text)


def _draw_comparison(chosen: Chosen, key: str, text: Mapping[str, str]) -> None:
    table, names = TABLES[key], pictures.titles(TABLES[key])
    multiple = nearest_multiple(table, chosen.multiple)
    found = compare(table, chosen.gallery, multiple)
    if found is None:
        write(text["papers-none"], {"names": ", ".join(names)})
        return
    facts = _said(found, names) | {"source": f"[{table.source}]({table.link})", "measured": table.measured}
    facts |= {"train_length": f"{table.train_length:,}"}
    write(text["papers" if table.beyond else "papers-within"], facts)
    picture = partial(pictures.orders, table=key, multiple=multiple)
    height = 90 + 62 * len(names)
    show(picture, key=f"gal_orders_{key}", alternative=fill(text["orders-alternative"], facts), height=height)
    write(text["same" if found.tau == 1 else "other"], facts)
    lines = [text["papers-head"]]
    for possible in multiples(table):
        one = compare(table, chosen.gallery, possible)
        if one is not None:
            lines.append(fill(text["papers-row"], _said(one, names)))
    write("\n".join(lines))
    write(text[f"{key}-note"], {"steps": chosen.gallery.settings["steps"]})


def _said(found: Comparison, names: Sequence[str]) -> dict[str, object]:
    paper, ours = ([names[place] for place in order(values)] for values in (found.paper, found.ours))
    rank = {name: (paper.index(name), ours.index(name)) for name in names}
    swapped = [
        f"{one} and {other}"
        for place, one in enumerate(paper)
        for other in paper[place + 1 :]
        if rank[one][1] > rank[other][1]
    ]
    return {
        "multiple": found.multiple,
        "paper_length": f"{found.length:,}",
        "times": f"{found.times:.2f}",
        "paper_order": " < ".join(paper),
        "our_order": " < ".join(ours),
        "tau": f"{found.tau:.2f}",
        "n_same": found.n_same,
        "seeds": len(found.by_seed),
        "swapped": ", ".join(swapped) or "none",
    }


def _draw_asked(gallery: Gallery, text: Mapping[str, str]) -> None:
    """Say with how many seeds the four stand in the order of Press et al. at twice the training length."""
    found = compare(TABLES[ASKED], gallery, BEYOND[0])
    if found is None:
        return
    rows = {one.key: one for one in standings(gallery, BEYOND[0])}
    exchanged = [
        f"{rows[one].title} and {rows[other].title}"
        + ("" if apart(rows[one], rows[other]) else " (not distinguishable)")
        for one, other in found.exchanged
    ]
    facts = _said(found, pictures.titles(TABLES[ASKED])) | {"exchanged": _names(exchanged)}
    write(text["asked-not" if exchanged else "asked-all"], facts)


def draw_repairs(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw what repairs make of the trained models, and the order of Su's table beside ours."""
    encoding = TABLES[REPAIRED].repairs_of
    if encoding is None or encoding not in chosen.gallery.trainings:
        return
    found = repaired(chosen.gallery, encoding, chosen.multiple)
    plain = next(one for one in found if one.key == AS_TRAINED.key)
    worse = [one.title for one in found if one.mean > plain.mean]
    facts = {
        "title": ENCODINGS[encoding].title,
        "multiple": chosen.multiple,
        "plain": f"{plain.mean:.2f}",
        "n": plain.n,
        "best": found[0].title,
        "best_ratio": f"{found[0].mean:.2f}",
        "worse": _names(worse),
    }
    write(text["repairs"], facts)
    picture = partial(pictures.repairs, encoding=encoding, multiple=chosen.multiple)
    height = ABOVE + ROW * len(found)
    show(picture, key="gal_repairs", alternative=fill(text["repairs-alternative"], facts), height=height)
    _draw_comparison(chosen, REPAIRED, text)


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
            "Weights": chosen.gallery.trainings[one.key][min(one.ratios)].n_weights,
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
    facts = {"count": len(told), "guess": guess, "told": _names(told), "ratios": ratios, "level": LEVEL}
    facts |= {"n": min(one.n for one in three)}
    judge(text, guess == len(told), facts)
