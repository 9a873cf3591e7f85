"""The gallery beside others: orders of papers, another text, and larger models, with repairs of RoPE there.

Arguments `file` and `second` are galleries, and `measure` is that of `standings`.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import torch
from torch import Tensor

from pe_core.chapters.gallery import KEPT_FILE, SHOWN, gallery_of, order, trained
from pe_core.chapters.wording import counted, formatted, joined, rows
from pe_core.encodings import ENCODINGS
from pe_core.figures import ranking
from pe_core.figures.figure import Facts, Figure
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results import papers
from pe_core.lab.results.comparison import paired, told_apart
from pe_core.lab.results.gallery import (
    BEYOND,
    EARLY,
    END,
    KEPT_PROGRAM,
    LARGER,
    TUNED,
    WHOLE,
    Standing,
    next_apart,
    repaired,
)
from pe_core.lab.results.papers import TABLES, Comparison, Table, compare, multiples, nearest_multiple
from pe_core.lab.results.statistics import NOT_LEARNED
from pe_core.measures.uncertainty import kendall_tau, rank_interval, ranks, spearman
from pe_core.parameters import Choice, require

SECOND_FILE, LARGER_FILE, EARLY_FILE, TUNED_FILE = map(str, (KEPT_PROGRAM, LARGER, EARLY, TUNED))
LITTLE = 2.0  # nats per character within the training length: what has learned more in these runs is below 1.8
ASKED = "press_512"  # the table whose order is looked for with each seed
REPAIRED = "su"  # the table whose rows are repairs
REPAIRED_ENCODING = TABLES[REPAIRED].repairs_of or ""
TABLE = Choice("gal_table", "Table", {key: one.title for key, one in TABLES.items() if one.repairs_of is None}, ASKED)


def orders(table: str, multiple: int, measure: str = END, file: str = KEPT_FILE) -> Figure:
    """Return the order of a paper beside ours, at the multiple nearest to this one; `ValueError` without a system."""
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


def systems(table: str) -> Facts:
    """Return the names of the systems of a table."""
    return {"names": ", ".join(titles(TABLES[table]))}


def titles(table: Table) -> list[str]:
    """Return the names of the systems of a table."""
    if table.repairs_of is None:
        return [ENCODINGS[key].title for key in table.rows]
    return [AS_TRAINED.title if name == AS_TRAINED.key else named(name).title for name in table.rows]


def _said(found: Comparison, names: Sequence[str]) -> Facts:
    paper, ours = ([names[place] for place in papers.order(values)] for values in (found.paper, found.ours))
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
    """Return with how many seeds the four stand as in Press et al.; the fact `asked` is empty for other tables."""
    found = compare(TABLES[table], gallery_of(KEPT_FILE), BEYOND[0], measure) if table == ASKED else None
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


def two_texts(multiple: int, measure: str = END, file: str = KEPT_FILE, second: str = SECOND_FILE) -> Figure:
    """Return what two texts say of each encoding that has learned both; `ValueError` where fewer than two have."""
    ours, others = order(file, multiple, measure), trained(multiple, measure, second)
    both = [(one, others[one.key]) for one in ours if one.key in others]
    pairs = [pair for pair in both if NOT_LEARNED not in {one.verdict for one in pair}]
    require(len(pairs) > 1, "second", f"be a gallery with two encodings of {file}", second)
    changed = [
        f"{one.title} *{one.verdict}* on the first and *{other.verdict}* on the second"
        for one, other in pairs
        if one.verdict != other.verdict
    ]
    shared = {one.key for one, _ in pairs}
    told = [
        (better, worse)
        for better, worse, apart in zip(ours, ours[1:], next_apart(ours), strict=False)  # the last one has no next
        if apart and {better.key, worse.key} <= shared
    ]
    lost = [(better, worse) for better, worse in told if others[better.key].mean >= others[worse.key].mean]
    far, far_second = max(pairs, key=_apart)
    facts = {
        "first": gallery_of(file).text.name,
        "second": gallery_of(second).text.name,
        "n": len(pairs),
        "seeds": min(one.n for pair in pairs for one in pair),
        "tau": kendall_tau(*_ratios(pairs)),
        "same": len(pairs) - len(changed),
        "changed": joined(changed[:SHOWN]),
        "apart": len(told),
        "kept": len(told) - len(lost),
        "lost": joined([f"{better.title} and {worse.title}" for better, worse in lost]),
        "far": far.title,
        "far-first": far.mean,
        "far-second": far_second.mean,
    }
    return ranking.points(pairs, {far.key}).with_facts(facts)


def sizes(multiple: int, measure: str = END, file: str = SECOND_FILE, second: str = LARGER_FILE) -> Figure:
    """Return what small and larger models say of each encoding; `ValueError` where fewer than three are in both."""
    others = trained(multiple, measure, second)
    pairs = [(one, others[one.key]) for one in order(file, multiple, measure) if one.key in others]
    require(len(pairs) > 2, "second", f"be a gallery with three encodings of {file}", second)
    small, large = zip(*pairs, strict=True)
    means = _ratios(pairs)
    places = [list(map(round, ranks(side).tolist())) for side in means]
    furthest = max(abs(before - after) for before, after in zip(*places, strict=True))
    moved = {
        one.key: f"{one.title} from place {before} to {after}"
        for one, before, after in zip(small, *places, strict=True)
        if furthest and abs(before - after) == furthest
    }
    changed = [
        f"{one.title} *{one.verdict}* in the small and *{other.verdict}* in the larger"
        for one, other in pairs
        if one.verdict != other.verdict
    ]
    by_seed = _by_seed(small), _by_seed(large)
    low, high = rank_interval(*by_seed)
    seeds_low, seeds_high = rank_interval(*by_seed, systems=False)
    facts = {
        "n": len(pairs),
        "rho": float(spearman(*means)),
        "low": low,
        "high": high,
        "seeds-low": seeds_low,
        "seeds-high": seeds_high,
        "by-seeds": f"goes from {seeds_low:.2f} to {seeds_high:.2f}"
        if seeds_low < seeds_high
        else f"stays {seeds_low:.2f}",
        "moved": joined(list(moved.values())),
        "places": furthest,
        "changed": joined(changed),
        "same": len(pairs) - len(changed),
        "worse": sum(other.mean > one.mean for one, other in pairs),
        "far": max(pairs, key=_apart)[0].title,
        "large-high": float(means[1].max()),
        "small-high": float(means[0].max()),
        **_models(file, second, list(others)),
    }
    return ranking.points(pairs, moved, ranking.SIZES).with_facts(facts)


def _ratios(pairs: Sequence[tuple[Standing, Standing]]) -> Tensor:
    """Return the ratios of the losses of pairs, float64, (2, N), a row for each side."""
    return torch.tensor([[one.mean for one in pair] for pair in pairs], dtype=torch.float64).T


def _apart(pair: tuple[Standing, Standing]) -> float:
    return abs(pair[0].mean - pair[1].mean)


def _by_seed(found: Sequence[Standing]) -> Tensor:
    return torch.tensor([list(one.grades.values()) for one in found], dtype=torch.float64)


def _models(file: str, second: str, keys: Sequence[str]) -> Facts:
    """Return the sizes of both models, without what an encoding adds to them, and how they were trained."""
    small, large = gallery_of(file), gallery_of(second)
    n_small, n_large = (
        min(one.n_parameters for key in keys for one in side.runs.get(key, {}).values()) for side in (small, large)
    )
    return {
        "parameters": n_small,
        "large-parameters": n_large,
        "times": n_large / n_small,
        "length": small.train_length,
        "large-length": large.train_length,
        "steps": small.settings["steps"],
        "large-steps": large.settings["steps"],
        "batch": small.settings["batch_size"],
        "large-batch": large.settings["batch_size"],
        "seeds": len(small.seeds),
        "large-seeds": counted(len(large.seeds), "seed"),
        "large-torch": large.versions["torch"],
    }


def early(multiple: int, measure: str = END) -> Facts:
    """Return the ratios of all sizes and lengths of training as rows of a table, and how much the early learned."""
    sides = [trained(multiple, measure, file) for file in (SECOND_FILE, LARGER_FILE, EARLY_FILE)]
    keys = [key for key in sides[0] if all(key in side for side in sides)]
    cells = [
        (
            ENCODINGS[key].title,
            *(formatted(value, ".2f") for side in sides for value in (side[key].trained, side[key].mean)),
        )
        for key in keys
    ]
    gallery, ratios = gallery_of(EARLY_FILE), [sides[2][key].mean for key in keys]
    return {
        "rows": rows(cells),
        "early-steps": gallery.settings["steps"],
        "early-seeds": len(gallery.seeds),
        "little": sum(sides[2][key].trained > LITTLE for key in keys),
        "later-little": sum(sides[1][key].trained > LITTLE for key in keys),
        "bound": LITTLE,
        "n": len(keys),
        "early-low": min(ratios),
        "early-high": max(ratios),
    }


def large_repairs(multiple: int, measure: str = END) -> Facts:
    """Return RoPE as trained and under repairs, in both sizes and after a fine-tuning, as rows of a table of ratios."""
    of_most = gallery_of(TUNED_FILE).settings["steps"] == gallery_of(LARGER_FILE).settings["steps"]
    files = (SECOND_FILE, LARGER_FILE, *(() if of_most else (EARLY_FILE,)), TUNED_FILE)
    sides: list[Mapping[str, Standing]] = [
        {one.key: one for one in repaired(gallery_of(file), REPAIRED_ENCODING, multiple, measure)} for file in files
    ]
    keys = [key for key in sides[0] if all(key in side for side in sides)]
    cells = [(sides[0][key].title, *(formatted(side[key].mean, ".2f") for side in sides)) for key in keys]
    worse, best = [], []
    for side in sides:
        own = [side[key] for key in keys]
        worse.append(joined([one.title for one in own if one.mean > side[AS_TRAINED.key].mean]))
        best.append(min(own, key=lambda one: one.mean))
    tuned, plain = gallery_of(TUNED_FILE), sides[-1][AS_TRAINED.key]
    return {
        "section": "larger-repairs" if of_most else "larger-repairs-early",
        "title": ENCODINGS[REPAIRED_ENCODING].title,
        "rows": rows(cells),
        "worse": worse[0],
        "large-worse": worse[1],
        "best": best[0].title,
        "large-best": best[1].title,
        "large-best-ratio": best[1].mean,
        "tune-steps": tuned.settings["tune_steps"],
        "tuned-seeds": len(tuned.seeds),
        "early-steps": tuned.settings["steps"],
        "tuned-length": tuned.train_length * MULTIPLES[-1],
        "tuned-plain": plain.mean,
        "tuned-best": best[-1].title,
        "tuned-best-ratio": best[-1].mean,
    }
