"""Closer looks at the gallery beside papers: the order of a paper and ours, and the repairs of a trained model."""

from collections.abc import Mapping, Sequence
from functools import partial

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.results.gallery import BEYOND, Gallery, apart, repaired, standings
from pe_core.lab.results.papers import TABLES, Comparison, compare, multiples, nearest_multiple, order
from pe_core.pictures import gallery as pictures
from ui.charts import show
from ui.controls import choose_one
from ui.gallery import ABOVE, ROW, Chosen, joined, lead_to_lab
from ui.prose import fill, write

ASKED = "press_512"  # the table whose order is looked for with each seed
REPAIRED = "su"


def draw_papers(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the order of a paper beside ours, with Kendall's tau at every length that both have."""
    tables = {key: table for key, table in TABLES.items() if table.repairs_of is None}
    key = choose_one("gal_table", "Table", {key: table.title for key, table in tables.items()}, ASKED)
    _draw_comparison(chosen, key, text)
    if key == ASKED:
        _draw_asked(chosen.gallery, text)
    lead_to_lab([name for name in tables[key].rows if name in chosen.gallery.runs], text)


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
    facts = _said(found, pictures.titles(TABLES[ASKED])) | {"exchanged": joined(exchanged)}
    write(text["asked-not" if exchanged else "asked-all"], facts)


def draw_repairs(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw what repairs make of the trained models, and the order of Su's table beside ours."""
    encoding = TABLES[REPAIRED].repairs_of
    if encoding is None or encoding not in chosen.gallery.runs:
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
        "worse": joined(worse),
    }
    write(text["repairs"], facts)
    picture = partial(pictures.repairs, encoding=encoding, multiple=chosen.multiple)
    height = ABOVE + ROW * len(found)
    show(picture, key="gal_repairs", alternative=fill(text["repairs-alternative"], facts), height=height)
    _draw_comparison(chosen, REPAIRED, text)
