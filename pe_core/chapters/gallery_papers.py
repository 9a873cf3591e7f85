"""Orders of papers beside that of the gallery: by either measure of what length costs, in the mean and by seed."""

from collections.abc import Sequence
from itertools import combinations

from pe_core.chapters.gallery import KEPT_FILE, gallery_of, trained
from pe_core.chapters.wording import formatted, joined, rows
from pe_core.encodings import ENCODINGS
from pe_core.figures import ranking
from pe_core.figures.figure import Facts, Figure
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.results.comparison import paired, told_apart
from pe_core.lab.results.gallery import BEYOND, END, WHOLE
from pe_core.lab.results.papers import TABLES, Comparison, Table, compare, multiples, nearest_multiple, order
from pe_core.parameters import Choice

ASKED = "press_512"  # the table whose order is looked for with each seed
REPAIRED = "su"  # the table whose rows are repairs
REPAIRED_ENCODING = TABLES[REPAIRED].repairs_of or ""
TABLE = Choice("gal_table", "Table", {key: one.title for key, one in TABLES.items() if one.repairs_of is None}, ASKED)


def orders(table: str, multiple: int, measure: str = END, file: str = KEPT_FILE) -> Figure:
    """Return the order of a paper beside ours, at the multiple of the training length nearest to the given one.

    `table` is a key of `TABLES`, `measure` that of `standings`. Raises `ValueError` where the gallery lacks a
    system of it.
    """
    paper, gallery = TABLES[table], gallery_of(file)
    found = compare(paper, gallery, nearest_multiple(paper, multiple), measure)
    if found is None:
        raise ValueError(f"file must have every system of {paper.source} with a common seed, got {file}")
    every = [
        (one, compare(paper, gallery, possible, WHOLE))
        for possible in multiples(paper)
        if (one := compare(paper, gallery, possible, measure))
    ]
    facts = {
        **_said(found, titles(paper)),
        "steps": gallery.settings["steps"],
        "source": f"[{paper.source}]({paper.link})",
        "measured": paper.measured,
        "train-length": paper.train_length,
        "papers": "papers" if paper.beyond else "papers-within",
        "verdict": "same" if found.tau == 1 else "other",
        "rows": rows(_row(one, whole, titles(paper)) for one, whole in every),
    }
    return ranking.orders(found, titles(paper)).with_facts(facts)


def orders_height(table: str) -> int:
    """Return how many pixels high the picture of two orders is."""
    return 90 + 62 * len(TABLES[table].rows)


def missing(table: str) -> str:
    """Return the section that says so where the gallery lacks a system of a table."""
    return "papers-none" if compare(TABLES[table], gallery_of(), multiples(TABLES[table])[0]) is None else ""


def systems(table: str) -> Facts:
    """Return the names of the systems of a table."""
    return {"names": ", ".join(titles(TABLES[table]))}


def titles(table: Table) -> list[str]:
    """Return the names of the systems of a table."""
    if table.repairs_of is None:
        return [ENCODINGS[key].title for key in table.rows]
    return [AS_TRAINED.title if name == AS_TRAINED.key else named(name).title for name in table.rows]


def _said(found: Comparison, names: Sequence[str]) -> Facts:
    paper, ours = ([names[place] for place in order(values)] for values in (found.paper, found.ours))
    swapped = [f"{one} and {other}" for one, other in combinations(paper, 2) if ours.index(one) > ours.index(other)]
    return {
        "at": found.multiple,
        "paper-length": found.length,
        "times": found.times,
        "paper-order": " < ".join(paper),
        "our-order": " < ".join(ours),
        "tau": found.tau,
        "n-same": found.n_same,
        "seeds": len(found.by_seed),
        "swapped": ", ".join(swapped) or "none",
    }


def _row(found: Comparison, whole: Comparison | None, names: Sequence[str]) -> tuple[str, ...]:
    said = _said(found, names)
    each = ", ".join(formatted(tau, ".2f") for tau in found.taus.values())
    press = "" if whole is None else formatted(whole.tau, ".2f")
    return f"{found.multiple} ×", f"{found.times:.2f} ×", formatted(found.tau, ".2f"), each, press, str(said["swapped"])


def seed_by_seed(table: str, measure: str = END) -> Facts:
    """Return with how many seeds the four stand in the order of Press et al. at twice the training length.

    The pairs that are the other way round are tested together, with Holm's correction. For any other table, the fact
    `asked`, which names the sentence, is empty.
    """
    found = compare(TABLES[table], gallery_of(), BEYOND[0], measure) if table == ASKED else None
    if found is None:
        return {"asked": ""}
    own = trained(BEYOND[0], measure)
    told = told_apart([paired(own[one].grades, own[other].grades) for one, other in found.exchanged])
    exchanged = [
        f"{own[one].title} and {own[other].title}" + ("" if how == "yes" else " (not distinguishable)")
        for (one, other), how in zip(found.exchanged, told, strict=True)
    ]
    return {
        "asked": "asked-not" if exchanged else "asked-all",
        "asked-tau": found.tau,
        "asked-same": found.n_same,
        "asked-seeds": len(found.by_seed),
        "exchanged": joined(exchanged),
    }
