"""The gallery: every encoding trained with several seeds, who keeps its loss on longer texts, and what papers found.

`file` is what `python -m pe_core.lab.gallery` has written; unless given, the gallery that comes with the project.
`multiple` is that of the training length, `measure` that of `standings`.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from pe_core.chapters.lab import losses_by_length
from pe_core.chapters.wording import joined
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.ranking import families, ratios
from pe_core.files import until_changed
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.results.comparison import n_tests, next_told, paired, told_apart
from pe_core.lab.results.gallery import (
    BEYOND,
    END,
    KEPT,
    KEPT_PROGRAM,
    WHOLE,
    Gallery,
    Standing,
    next_apart,
    read,
    repaired,
    standings,
)
from pe_core.lab.results.statistics import NOT_LEARNED, bits
from pe_core.lab.results.table import named_ends
from pe_core.measures.uncertainty import LEVEL
from pe_core.parameters import Choice, Parameter, require

KEPT_FILE = str(KEPT)
SECOND_FILE = str(KEPT_PROGRAM)
SHOWN = 4  # names of those that hold, or whose verdict changes
FIRST_SEEN = ("none", "sinusoidal", "rope", "alibi", "t5")  # in the order of the run of the lab
SAME_MODEL = ("sinusoidal", "rope", "alibi")  # asked about in the exercise

LENGTH = Parameter(
    "gal_multiple", "Times the training length", BEYOND[-1], "How long the evaluated text is.", choices=BEYOND
)
MEASURE = Choice(
    "gal_measure",
    "What length costs",
    {END: "End of window, same characters", WHOLE: "Whole window, as in Press et al."},
    END,
)


@until_changed(2)
def gallery_of(file: str) -> Gallery:
    """Return the gallery of a file as it is now: it may be rebuilt while the app runs."""
    return read(file)


@until_changed(8 * len(BEYOND))  # two measures; two texts, and two lengths of training of larger models
def order(file: str, multiple: int, measure: str) -> Sequence[Standing]:
    """Return the `standings` of the gallery in a file; they and their intervals are computed once, for all visitors."""
    return tuple(standings(gallery_of(file), multiple, measure))


def by_family(multiple: int, measure: str = END, file: str = KEPT_FILE) -> Figure:
    """Return all encodings, family by family, by the ratio of their loss; the axis has room for every multiple."""
    every = [one.mean for length in BEYOND for one in order(file, length, measure)]
    figure = families(order(file, multiple, measure), (min(every), max(every)), FIRST_SEEN[1:])
    return figure.with_facts(ranking(multiple, measure, file).facts)


def ranking(multiple: int, measure: str = END, file: str = KEPT_FILE) -> Figure:
    """Return all encodings by the ratio of their loss at `multiple` times the training length, the smallest first."""
    gallery = gallery_of(file)
    found = order(file, multiple, measure)
    told = next_apart(found)
    of = {
        verdict: [one.title for one in found if one.verdict == verdict]
        for verdict in ("holds", "degrades", "breaks", NOT_LEARNED)
    }
    best = min((one for one in found if one.verdict != NOT_LEARNED), key=lambda one: one.read)
    facts = {
        "length": multiple * gallery.train_length,
        "n": len(found),
        **{verdict.replace(" ", "-"): len(names) for verdict, names in of.items()},
        "holding": joined(of["holds"][:SHOWN]),
        "untold": sum(one is False for one in told),
        "pairs": n_tests(next_told(found)),
        "apart": sum(one is True for one in told),
        "level": LEVEL,
        "seeds": max(one.n for one in found),
        "first": found[0].title,
        "first-ratio": found[0].mean,
        "last": found[-1].title,
        "last-ratio": found[-1].mean,
        "best": best.title,
        "best-loss": best.read,
        "best-bits": bits(best.read),
    }
    return ratios(found, told).with_facts(facts)


def both_measures(multiple: int, measure: str, file: str = KEPT_FILE) -> Facts:
    """Return the name of the sentence that says which measure is shown, and where the other one says otherwise."""
    gallery = gallery_of(file)
    end, whole = (trained(multiple, which, file) for which in (END, WHOLE))
    other = [
        f"{one.title} *{one.verdict}* by the one and *{whole[key].verdict}* by the other"
        for key, one in end.items()
        if one.verdict != whole[key].verdict
    ]
    return {
        "by": "by-end" if measure == END else "by-whole",
        "n": len(end),
        "n-other": len(other),
        "other": "; ".join(other[:SHOWN]) or "none",
        "inside": 1 / multiple,
        "half": gallery.train_length // 2,
        "before": round((multiple - 0.5) * gallery.train_length),
    }


def origin() -> Facts:
    """Return where the numbers are from: settings, text, versions, and how many runs there are."""
    gallery = gallery_of(KEPT_FILE)
    counts = [len(by_seed) for by_seed in gallery.runs.values()]
    parts = [f"{counts.count(n)} encodings with {n} {'seed' if n == 1 else 'seeds'}" for n in sorted(set(counts))[::-1]]
    return {
        **gallery.settings,
        "runs": sum(counts),
        "samples": ", ".join(parts),
        "text": gallery.text.name,
        "sha": gallery.text.sha256[:12],
        "python": gallery.versions["python"],
        "torch": gallery.versions["torch"],
        "file": f"pe_core/runs/{KEPT.name}",
        "guess": gallery.text.unigram_loss,
    }


def by_length(encodings: Sequence[str], file: str = KEPT_FILE) -> Figure:
    """Return the loss over the length for the encodings of these keys, with bands over the seeds."""
    gallery = gallery_of(file)
    for key in encodings:
        require(key in gallery.runs, "encodings", f"be among {', '.join(gallery.runs)}", key)
    losses = {ENCODINGS[key].title: [training.lengths for training in gallery.runs[key].values()] for key in encodings}
    return losses_by_length(losses, train_length=gallery.train_length, guess=gallery.text.unigram_loss)


def losses(encodings: Sequence[str], multiple: int) -> Facts:
    """Return the mean losses of some encodings over whole windows at the training length and at a multiple of it."""
    gallery, found = gallery_of(KEPT_FILE), trained(multiple, WHOLE)
    each = [f"{one.title}, n={one.n}: {one.trained:.3f} and {one.read:.3f}" for one in map(found.get, encodings) if one]
    return {"trained": gallery.train_length, "length": multiple * gallery.train_length, "losses": "; ".join(each)}


def numbers(multiple: int, measure: str = END) -> list[dict[str, object]]:
    """Return all numbers of the ranking, a row for each encoding."""
    gallery = gallery_of(KEPT_FILE)
    found = order(KEPT_FILE, multiple, measure)
    told = {True: "yes", False: "not distinguishable", None: ""}
    return [
        {
            "Encoding": one.title,
            "Family": one.group,
            "Loss within": round(one.trained, 3),
            f"Loss at {multiple * gallery.train_length}": round(one.read, 3),
            "Ratio": round(one.mean, 3),
            "Minimum": round(min(one.grades.values()), 3),
            "Maximum": round(max(one.grades.values()), 3),
            "Bits more": round(one.more_bits, 3),
            **{name: round(end, 3) for name, end in named_ends(one.interval).items()},
            "n": one.n,
            "Verdict": one.verdict,
            "Seeds of that verdict": f"{one.n_same} of {one.n}",
            "Differs from the next row": told[from_next],
            "Parameters": gallery.runs[one.key][min(one.grades)].n_parameters,
        }
        for one, from_next in zip(found, next_apart(found), strict=True)
    ]


def repairs(encoding: str, multiple: int, measure: str = END, file: str = KEPT_FILE) -> Figure:
    """Return an encoding as it was trained and under its repairs by the ratio of the loss, the smallest first."""
    found = repaired(gallery_of(file), encoding, multiple, measure)
    plain = next(one for one in found if one.key == AS_TRAINED.key)
    facts = {
        "title": ENCODINGS[encoding].title,
        "plain": plain.mean,
        "n": plain.n,
        "best": found[0].title,
        "best-ratio": found[0].mean,
        "best-bits": plain.more_bits - found[0].more_bits,
        "worse": joined([one.title for one in found if one.mean > plain.mean]),
    }
    return ratios(found, next_apart(found), repairs=True).with_facts(facts)


def pairs_apart(guess: int) -> tuple[bool, Facts]:
    """Return whether so many of three pairs of encodings are told apart by their seeds at twice the length."""
    found = trained(BEYOND[0])
    three = [found[key] for key in SAME_MODEL]
    pairs = list(combinations(three, 2))
    said = told_apart([paired(one.grades, other.grades) for one, other in pairs])
    told = [f"{one.title} and {other.title}" for (one, other), how in zip(pairs, said, strict=True) if how == "yes"]
    ratios = "; ".join(f"{one.title} {', '.join(f'{value:.3f}' for value in one.grades.values())}" for one in three)
    facts = {"count": len(told), "told": joined(told), "ratios": ratios, "level": LEVEL}
    return guess == len(told), {**facts, "n": min(one.n for one in three)}


def trained(multiple: int = BEYOND[-1], measure: str = END, file: str = KEPT_FILE) -> Mapping[str, Standing]:
    """Return every encoding of the gallery by key, at a multiple of the training length; by default at the longest."""
    return {one.key: one for one in order(file, multiple, measure)}


def whole_texts(encodings: Sequence[str]) -> Facts:
    """Return the mean loss of each encoding at the training length and at the longest text, over whole texts."""
    found = trained(measure=WHOLE)
    facts: dict[str, object] = {"multiple": BEYOND[-1], "train-length": gallery_of(KEPT_FILE).train_length}
    for key in encodings:
        one = found[key]
        facts |= {f"{key}-trained": one.trained, f"{key}-read": one.read, f"{key}-verdict": one.verdict}
    return {**facts, "seeds": min(found[key].n for key in encodings)}


def several(encodings: Sequence[str]) -> Facts:
    """Return what other pages say of some encodings that were trained with several seeds."""
    found = trained()
    own = [found[key] for key in encodings]
    return {
        **losses(encodings, BEYOND[-1]),
        "names": joined([f"{one.title} × {one.mean:.2f} (n={one.n}, {one.verdict})" for one in own]),
        "all": len(found),
        "holds": sum(one.verdict == "holds" for one in found.values()),
        "multiple": BEYOND[-1],
    }


def one_encoding(encoding: str) -> Facts:
    """Return what became of one encoding in training; the fact `section` names the sentence that says it."""
    one = trained().get(encoding)
    if one is None:
        return {"section": "elsewhere-none", "title": ENCODINGS[encoding].title}
    facts = {"title": one.title, "n": one.n, "multiple": BEYOND[-1], "verdict": one.verdict, "ratio": one.mean}
    ends = {"min": min(one.grades.values()), "max": max(one.grades.values())}
    return {"section": "elsewhere-one", **facts, **ends}
