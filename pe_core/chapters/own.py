"""Write your own: a typed formula as a picture, its scores by distance, and what the scorecard measures of it.

`formula` is the key of an own encoding, which holds all of it (`pe_core.encodings.own`).
"""

from dataclasses import replace

import torch

from pe_core.chapters import requirements, scorecard
from pe_core.chapters.catalogue import against_distance
from pe_core.chapters.wording import joined, number
from pe_core.encodings import ENCODINGS
from pe_core.encodings.own import KINDS, LEARNED, Formula, OwnAngle, read
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import matrix
from pe_core.measures.cards import ROUNDING, SIZE, shape_of
from pe_core.measures.criteria import CRITERIA
from pe_core.measures.pairs import read_by_heads
from pe_core.measures.profile import effects, initial, profile_of
from pe_core.measures.requirements import REQUIREMENTS
from pe_core.parameters import Choice, Parameter, Value

MAX_LENGTH = 128  # tokens of the pictures
MAX_GUESS = 100
EXERCISE = "own:bias:-2**(-8*(h+1)/heads)*distance"
EXERCISE_HEAD, EXERCISE_DISTANCE = 1, 48


STARTS = {
    "alibi": Formula("bias", "-2**(-8*(h+1)/heads)*distance", {}),
    "kerple": Formula("bias", "-abs(a)*log(1+abs(b)*distance)", {"a": 1.0, "b": 0.5}),
    "sinusoid": Formula(
        "embedding", "where(channel == 2*i, sin(m*10000**(-2*i/width)), cos(m*10000**(-2*i/width)))", {}
    ),
    "rope": Formula("angle", "a*m*10000**(-2*i/head_width)", {"a": 1.0}),
    "wrong": Formula("embedding", "cos(pi*m)", {}),
}
_TITLES = ("ALiBi", "KERPLE, logarithmic", "Sinusoid", "RoPE that learns its turns", "A wrong one")
START = Choice("own_start", "Start from", dict(zip(STARTS, _TITLES, strict=True)), "alibi")
KIND = Parameter(
    "own_kind", "The formula is", "bias", "Where its value enters the model.", choices=tuple(reversed(KINDS))
)
NUMBERS: dict[str, Parameter[Value]] = {
    name: replace(parameter, name=f"own_{name}") for name, parameter in LEARNED.items()
}
LENGTH = Parameter("own_length", "Length", 64, "Tokens of the text that is shown.", 16, MAX_LENGTH, 16)
HEAD = Parameter("own_head", "Head", 1, "One of four heads. In the formula, h is one less.", 1, SIZE["n_heads"])


ANSWERS = {True: "yes", False: "no", None: "not measured"}


def problem(formula: str) -> str:
    """Return what is wrong with a formula in a sentence, empty if it can be drawn at every length of the page."""
    shape = shape_of(**SIZE)
    try:
        effects(ENCODINGS[formula].build(shape), shape, torch.arange(MAX_LENGTH))
    except ValueError as error:
        return str(error)
    return ""


def values(formula: str, length: int, head: int) -> Figure:
    """Return the heatmap of what a formula gives: of each channel, of each pair in radians, or of one head's bias.

    Heads are counted from 1. The colours of a bias are those of all heads.
    """
    shape, positions = shape_of(**SIZE), torch.arange(length)
    encoding = initial(ENCODINGS[formula].build(shape))
    found = effects(encoding, shape, positions)
    kind = read(formula).kind
    if isinstance(encoding, OwnAngle):
        table, rows, columns, title = encoding.angles(positions), "Position m", "Pair i", "Angle"
    elif kind == "embedding":
        table, rows, columns, title = found.vectors, "Position m", "Channel", "Value"
    else:
        table, rows, columns, title = found.bias[head - 1], "Query m", "Key n", f"Bias of head {head}"
    table = table.detach()
    finite = table[table.isfinite()]
    facts = {
        "kind": kind,
        "rows": rows,
        "columns": columns,
        "lowest": float(finite.min()),
        "highest": float(finite.max()),
    }
    among = found.bias.detach() if kind == "bias" else table
    return matrix(table, rows=rows, columns=columns, title=title, among=among).with_facts(facts)


def scores(formula: str, length: int) -> Figure:
    """Return the score of tokens that are all alike against their distance, a line per head with its whole range."""
    shape = shape_of(**SIZE)
    profile = profile_of(effects(initial(ENCODINGS[formula].build(shape)), shape, torch.arange(length)))
    found = read_by_heads(profile)
    first = next(iter(found.values()))
    facts = {
        "near": _measured(float(first.means[first.distances == 0])),
        "far": _measured(float(first.means[-1])),
        "distance": int(first.distances[-1]),
        "spread": number(_measured(first.spread)),
    }
    # Tokens that are all alike have no other score than the bias.
    title = "Bias" if read(formula).kind == "bias" else "Score"
    return against_distance(found, title=title).with_facts(facts)


def _measured(value: float) -> float:
    """Return a measured number; one that only rounding keeps from 0 is 0."""
    return 0.0 if abs(value) < ROUNDING else value


def met(formula: str) -> dict[str, bool | None]:
    """Return whether a formula meets each of the seven requirements, by their keys; None where there is no number."""
    return {key: requirements.verdict(key, formula) for key in REQUIREMENTS}


def required(formula: str) -> list[dict[str, object]]:
    """Return a line for each requirement: whether a formula meets it, its number, and the threshold."""
    lines: list[dict[str, object]] = []
    for key, answer in met(formula).items():
        asked, value = REQUIREMENTS[key], requirements.value(key, formula)
        lines.append(
            {
                "Requirement": asked.title,
                "Met": ANSWERS[answer],
                "Measured": value if value is None else _measured(value),
                "Required": f"{asked.side} {asked.threshold:g}",
                "What is measured": asked.summary,
            }
        )
    return lines


def row(formula: str) -> list[dict[str, object]]:
    """Return the row of a formula in the scorecard, a line for each criterion."""
    card = scorecard.card(formula)
    return [
        {"Criterion": criterion.title, "Measured": card[key], "Unit": criterion.unit}
        for key, criterion in CRITERIA.items()
    ]


def verdict(formula: str) -> Facts:
    """Return which of the seven requirements a formula meets, and how many numbers it learns."""
    titles: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for key, answer in met(formula).items():
        titles[answer].append(REQUIREMENTS[key].title)
    return {
        "typed": read(formula).text.strip(),
        "met": len(titles[True]),
        "required": len(REQUIREMENTS),
        "yes": joined(titles[True]),
        "no": joined(titles[False]),
        "open": joined(titles[None]),
        "learned": int(scorecard.card(formula)["parameters"] or 0),
    }


def bias_of_head(guess: int) -> tuple[bool, Facts]:
    """Return whether ALiBi as a formula takes so much off the score at the distance of the exercise."""
    shape = shape_of(d_model=64, n_heads=8, train_length=64)
    found = effects(ENCODINGS[EXERCISE].build(shape), shape, torch.arange(EXERCISE_DISTANCE + 1))
    cost = round(-float(found.bias[EXERCISE_HEAD, -1, 0]))
    return guess == cost, {"cost": cost}
