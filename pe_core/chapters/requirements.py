"""What an encoding must do: seven requirements, each with an encoding that fails it, one that meets it, and a table."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import torch
from torch import Tensor

from pe_core.chapters import gallery
from pe_core.chapters.wording import formatted, joined, number
from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape, binary
from pe_core.figures.curves import across, levels, lines, reach, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.looks.palette import CATEGORICAL
from pe_core.lab.results.gallery import BEYOND
from pe_core.measures import profile, requirements, within
from pe_core.measures.cards import SIZE, shape_of
from pe_core.measures.pairs import uniqueness
from pe_core.measures.requirements import REQUIREMENTS
from pe_core.parameters import Choice, require

COMPARED = ("none", "integer", "normalised", "binary", "sinusoidal", "learned", "rope", "alibi")
SHAPE = shape_of(**SIZE)
MARKS = {True: "✓", False: "✗", None: "–"}
N_CODES = 32  # that are compared for being different
OF, OFFSET = 3, 5  # the position whose code is compared with all; the offset whose scores are shown
LENGTHS = tuple(64 * 2**power for power in range(7))  # of the longest text, for what an encoding costs
FAILS, MEETS = (CATEGORICAL[4],), (CATEGORICAL[0],)  # colours

CHOSEN = Choice(
    "requirement", "Requirement", {key: one.title for key, one in REQUIREMENTS.items()}, next(iter(REQUIREMENTS))
)
# Of each requirement the x axis, the title of the y axis, and how far that reaches in both pictures: as far as the
# larger of the two.
AXES = {
    "own": (across("Position"), f"Distance from the code of position {OF}", 2.5),
    "bounded": (across("Position"), "Length of the added vector", 100),
    "offset": (across("Position of the query"), f"Score of the key {OFFSET} positions on", 1),
    "near": (across("Position"), "Step to the next code", 1.5),
    "order": (across("Position"), "Position that is read off", 80),
    "longer": (across("Length, in training lengths"), "Loss, over that in training", 2.5),
    "cheap": (across("Longest text", log=True, ticks=(64, 256, 1024, 4096)), "Parameters, in attention layers", 18),
}
SMOOTH = ("bounded", "offset", "cheap")  # those whose lines have no dots


@lru_cache
def value(requirement: str, encoding: str) -> float | None:
    """Return the number of an encoding for a requirement, as it is built; None where there is none.

    Whether it works on longer texts is the mean over the seeds of the gallery, which has no formulas of visitors.
    """
    measure = REQUIREMENTS[requirement].measure
    if measure is None:
        trained = gallery.trained().get(encoding)
        return trained.mean if trained else None
    return measure(_built(encoding), SHAPE)


def verdict(requirement: str, encoding: str) -> bool | None:
    """Return whether an encoding meets a requirement; None where there is no number to judge."""
    return REQUIREMENTS[requirement].meets(value(requirement, encoding))


def _built(encoding: str) -> PositionalEncoding:
    return profile.initial(ENCODINGS[encoding].build(SHAPE))


# For each requirement an encoding that fails it, and one that meets it; of the binary code the number of its bits.
EXAMPLES: Mapping[str, tuple[str | int, str | int]] = {
    "own": (4, 5),
    "bounded": ("integer", "sinusoidal"),
    "offset": ("binary", "sinusoidal"),
    "near": ("binary", "sinusoidal"),
    "order": ("learned", "sinusoidal"),
    "longer": ("rope", "alibi"),
    "cheap": ("learned", "sinusoidal"),
}


def _example(requirement: str, which: int) -> tuple[str, float | None, Tensor, Tensor]:
    """Return the name of an example, its number for the requirement, and what its picture shows, x and y (N,)."""
    key = EXAMPLES[requirement][which]
    if isinstance(key, int):
        codes = binary.table(torch.arange(N_CODES), key, dtype=torch.float64)
        apart = (codes - codes[OF]).norm(dim=-1)
        return f"Binary code, {key} bits", uniqueness(codes), torch.arange(N_CODES), apart
    return ENCODINGS[key].title, value(requirement, key), *_shown(requirement, key)


def _shown(requirement: str, key: str) -> tuple[Tensor, Tensor]:
    """Return what the picture of a requirement shows of an encoding, x and y (N,)."""
    if requirement == "longer":
        ratios = [gallery.trained(multiple)[key].mean for multiple in BEYOND]
        return torch.tensor([1, *BEYOND]), torch.tensor([1.0, *ratios])
    if requirement == "cheap":
        shapes = [Shape(SHAPE.d_model, SHAPE.n_heads, SHAPE.train_length, length) for length in LENGTHS]
        costs = [requirements.relative_cost(ENCODINGS[key].build(shape), shape) for shape in shapes]
        return torch.tensor(LENGTHS), torch.tensor(costs)
    encoding, positions = _built(key), within.start(SHAPE)
    if requirement == "bounded":
        every = torch.arange(SHAPE.max_length)
        return every, profile.effects(encoding, SHAPE, every).vectors.norm(dim=-1)
    if requirement == "offset":
        scores = profile.profile(encoding, SHAPE, positions)[0]
        return positions[:-OFFSET], scores.diagonal(OFFSET) / scores.abs().max()
    codes = profile.codes(encoding, SHAPE, positions)
    if requirement == "order":
        return requirements.read_out(codes)
    steps = requirements.relative_steps(codes)
    assert steps is not None  # no code of the examples is that of most others
    return torch.arange(len(steps)), steps


LEVELS = {"near": requirements.NEAR, "longer": requirements.HOLDS, "cheap": requirements.ONE_LAYER}  # seen in a picture


def failing(requirement: str) -> Figure:
    """Return the picture of an encoding that fails a requirement."""
    return _picture(requirement, 0, FAILS)


def meeting(requirement: str) -> Figure:
    """Return the picture of an encoding that meets a requirement."""
    return _picture(requirement, 1, MEETS)


def _picture(requirement: str, which: int, colours: tuple[str, ...]) -> Figure:
    require(requirement in EXAMPLES, "requirement", f"be one of {', '.join(EXAMPLES)}", requirement)
    asked, (axis, title, top) = REQUIREMENTS[requirement], AXES[requirement]
    name, found, x, y = _example(requirement, which)
    parts = [reach(0, top)]
    if requirement in LEVELS:
        parts.append(levels([(f"threshold {LEVELS[requirement]:g}", LEVELS[requirement])]))
    dots = requirement not in SMOOTH
    picture = lines(x, {name: y}, axis, upwards(title), *parts, colours=colours, dots=dots)
    side = "meets" if asked.meets(found) else "fails"
    ends = f"from {number(float(y.min()))} to {number(float(y.max()))}"
    return picture.with_facts({f"{side}-name": name, f"{side}-value": _short(found), f"{side}-ends": ends})


def told(requirement: str) -> Facts:
    """Return the sections and numbers of a requirement, and which of the compared encodings meet it."""
    asked = REQUIREMENTS[requirement]
    found: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for key in COMPARED:
        measured = value(requirement, key)
        quoted = "" if measured is None else f" {_short(measured)}"
        found[asked.meets(measured)].append(ENCODINGS[key].title + quoted)
    return {
        "need": f"need-{requirement}",
        "seen": f"seen-{requirement}",
        "title": asked.title,
        "summary": asked.summary,
        "side": asked.side,
        "threshold": asked.threshold,
        "meeting": joined(found[True]),
        "failing": joined(found[False]),
        "unjudged": joined(found[None]),
        "unjudged-section": "unjudged" if found[None] else "",
    }


def _short(value: float | None) -> str:
    """Return a number with three digits, without what rounding leaves around zero; nothing where there is none."""
    return "" if value is None else formatted(0.0 if abs(value) < 1e-9 else value, ".3g")


def table() -> Sequence[Mapping[str, str]]:
    """Return a row for each requirement: a mark and a number for each of the compared encodings."""
    rows = []
    for key, asked in REQUIREMENTS.items():
        cells = {}
        for encoding in COMPARED:
            found = value(key, encoding)
            cells[ENCODINGS[encoding].title] = f"{MARKS[asked.meets(found)]} {_short(found)}".strip()
        rows.append({"Requirement": asked.title, **cells})
    return rows


def how_many_miss_one(guess: int) -> tuple[bool, Facts]:
    """Return whether so many of the compared encodings miss a single requirement, and which they are and miss."""
    missed = {
        ENCODINGS[key].title: [asked.short for name, asked in REQUIREMENTS.items() if not verdict(name, key)]
        for key in COMPARED
    }
    found = [f"{title} ({names[0]})" for title, names in missed.items() if len(names) == 1]
    return guess == len(found), {"count": len(found), "names": "; ".join(found)}


def proof(requirement: str) -> tuple[Callable[..., object], ...]:
    """Return the functions whose source says how a requirement is measured."""
    measure = REQUIREMENTS[requirement].measure
    return (measure,) if measure else (gallery.trained,)
