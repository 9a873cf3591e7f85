"""Inspect a model: what its configuration says about positions, as a picture of wavelengths and as sentences.

What a change of rule, base, factor or rotated part would do is drawn too, with the lines to paste back. `source` is the
key of a known model (`pe_core.models.KNOWN`) or the text of a `config.json`; `long_factors` are listed for the rule
longrope alone.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.chapters.extension import FACTORS
from pe_core.chapters.wording import joined, listed
from pe_core.encodings import rotary, sinusoidal
from pe_core.figures.curves import DOTTED, across, levels, lines, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.measures.channels import evenly, unfinished
from pe_core.measures.rotation import first_negative
from pe_core.models import KNOWN, Positions, Rotation, inspected
from pe_core.models.at_length import LENGTH, at_length
from pe_core.models.axes import in_words
from pe_core.models.engines import Engine, engines
from pe_core.models.positions import named_lengths
from pe_core.models.reading import shown
from pe_core.models.sentences import RULES, grows
from pe_core.models.what_if import RULES as CHANGES
from pe_core.models.what_if import what_if
from pe_core.parameters import Choice, OptionalNumber, Parameter, Words, quoted, require

FARTHEST = 2**17  # tokens up to which a negative score is looked for
NOT_TOLD = "not told"
BY_FILE, BY_CLASS = "the file", "the class"
MAX_PAIRS = 512  # of a line that are drawn; a head may have thousands
MAX_DOTTED = 64  # pairs that get a dot each; more would run together
EXERCISE_WIDTH, EXERCISE_BASE, EXERCISE_LENGTH = 8, 10_000, 1_000

_LIST = re.compile(r"\[[^\[\]{}]*\]")

AT = LENGTH
MODEL = Choice("model", "Model", {key: known.title for key, known in KNOWN.items()}, "llama_3_1_8b")
AS_IT_IS = "as it is"
MAX_FACTORS = 512  # of LongRoPE: pairs of a head
RULE = Choice("model_rule", "Rule", {key: RULES.get(key, "no rule") for key in CHANGES}, "yarn")
FACTOR = Parameter("model_factor", "Factor", 4, "How many times the original length the text has.", choices=FACTORS)
BASE = OptionalNumber("model_base", "Base", "Base of the frequencies.", 1, 10**9, int, AS_IT_IS)
PART = OptionalNumber(
    "model_part", "Rotated part", "Which part of a head is turned, from 0 to 1.", 0.0, 1.0, float, AS_IT_IS
)


@dataclass(frozen=True)
class Turned:
    """Layers that turn alike: what they are called, how many they are (None if unknown), and how they turn."""

    name: str
    count: int | None
    reach: str
    rotation: Rotation


def positions(source: str) -> Positions:
    """Return what the configuration of a model says about positions; `ConfigError` for what is none."""
    return inspected(KNOWN[source].config if source in KNOWN else source)


def turned(found: Positions) -> list[Turned]:
    """Return the kinds of layers that turn, those together that turn alike."""
    alike: dict[object, list[Turned]] = {}
    for group in found.groups:
        rotation = group.rotation
        if rotation is not None:
            count = None if group.layers is None else len(group.layers)
            reach = "all tokens" if group.both_sides else "all tokens up to itself"
            reach = f"{group.window:,} tokens" if group.window is not None else reach
            reach = f"a block of {group.chunk:,}" if group.chunk is not None else reach
            one = Turned(group.kind.replace("_", " "), count, reach, rotation)
            turns = *map(tuple, (rotation.frequencies.tolist(), rotation.plain.tolist())), rotation.rule
            alike.setdefault(turns, []).append(one)
    kinds = []
    for together in alike.values():
        names, counts, reaches = ([getattr(one, field) for one in together] for field in ("name", "count", "reach"))
        total = None if None in counts else sum(counts)
        kinds.append(Turned(" and ".join(names), total, "; ".join(reaches), together[0].rotation))
    return kinds


def wavelengths(source: str) -> Figure:
    """Return the wavelength of every pair, a line for each kind of layer that turns, with lines at both lengths.

    Where a rule scales, pairs before it are dashed; where a longer text has other frequencies, they have a line, too.
    Raises `ValueError` for a model that turns nothing.
    """
    found = positions(source)
    before, after = {}, {}
    for one in turned(found):
        rotation = one.rotation
        after[one.name] = rotation.frequencies
        if not torch.equal(rotation.frequencies, rotation.plain):
            before[f"{one.name}, before scaling"] = rotation.plain
        if rotation.beyond is not None:
            after[f"{one.name}, in a longer text"] = rotation.beyond
    lengths = named_lengths(found.original_length, found.claimed_length)
    marks = [(f"{name} {length:,}", length) for name, length in lengths.items()]
    return _wavelengths(before, after, marks).with_facts(_facts(found))


def _facts(found: Positions) -> dict[str, object]:
    groups = turned(found)
    scaled = [one for one in groups if not torch.equal(one.rotation.plain, one.rotation.frequencies)]
    length = found.claimed_length
    original = found.original_length if found.original_length is not None else length
    slowed = {one.name: _slowed(one.rotation) for one in scaled}
    warm = {
        one.name: f"cosines and sines times {one.rotation.attention_factor:.4f}, "
        f"scores times {one.rotation.softmax_scale:.4f}"
        for one in groups
        if (one.rotation.attention_factor, one.rotation.softmax_scale) != (1, 1)
    }
    axes = {one.name: in_words(one.rotation.axes) for one in groups if one.rotation.axes is not None}
    return {
        "original": NOT_TOLD if found.original_length is None else f"{found.original_length:,} tokens",
        "claimed": NOT_TOLD if length is None else f"{length:,} tokens",
        "never": _never(groups, length, lambda rotation: rotation.at(length)),
        "never-before": _never(scaled, original, lambda rotation: rotation.plain),
        "of-length": "the claimed length" if length is None else f"{length:,} tokens",
        "of-original": "the original length" if original is None else f"{original:,} tokens",
        "scaled": "scaled" if slowed else "not-scaled",
        "slowed": listed(slowed, between="; "),
        "preferred": listed({one.name: preferred(one.rotation.frequencies) for one in groups}, between="; "),
        "sharper": "sharper" if warm else "",
        "attention": listed(warm, between="; "),
        "by-axis": "by-axis" if axes else "",
        "axes": "; ".join(axes.values() if len(axes) == 1 else (f"{said} ({name})" for name, said in axes.items())),
    }


def _slowed(rotation: Rotation) -> str:
    """Return how many times slower the slowest pair has become, pairs that stand still aside."""
    turns = rotation.frequencies > 0
    return f"up to {float((rotation.plain[turns] / rotation.frequencies[turns]).max()):.3g} times"


def _never(groups: list[Turned], length: int | None, of: Callable[[Rotation], Tensor]) -> str:
    """Return for each kind of layer how many of its pairs never complete a turn within `length` tokens."""
    if length is None:
        return NOT_TOLD
    return "; ".join(
        f"{unfinished(of(one.rotation), length)} of {len(of(one.rotation))} in {one.name}" for one in groups
    )


def preferred(frequencies: Tensor) -> str:
    """Return up to which distance equal content is preferred to random content, for a sentence.

    That is the last one before the sum of cosines falls below 0 (Men et al. 2024). A head of more than 512 pairs is not
    measured.
    """
    if len(frequencies) > MAX_PAIRS:
        return "not measured"
    first = first_negative(frequencies, farthest=FARTHEST)
    return f"for at least {FARTHEST:,} tokens" if first is None else f"up to {first - 1:,} tokens"


def missing(source: str) -> str:
    """Return the section that says why there is no picture; empty for a model that turns pairs."""
    found = positions(source)
    return "" if turned(found) else f"mechanism-{found.mechanism}"


def told(source: str) -> Facts:
    """Return where a model is from, how many fields say so, and what cannot be known."""
    found = positions(source)
    known = KNOWN.get(source)
    factors = {one.kind.replace("_", " "): grows(one.query_factor, found) for one in found.groups if one.query_factor}
    return {
        "growing": "growing" if factors else "",
        "factors": listed(factors, between="; "),
        "origin": f"origin-{known.label}" if known else "origin-own",
        "title": known.title if known else "",
        "reference": known.source if known else "",
        "unknown": joined(found.unknown),
        "said": sum(row["From"] == BY_FILE for row in fields(source)),
        "filled": sum(row["From"] == BY_CLASS for row in fields(source)),
    }


def at(source: str, length: int | None) -> Facts:
    """Return what a text of `length` tokens meets, of the claimed length where that is None."""
    found = positions(source)
    tokens = found.claimed_length if length is None else length
    if tokens is None:
        return {"at": "no-length", "and-more": ""}
    answer, *more = at_length(found, tokens)
    return {"at": "at-length", "answer": answer, "and-more": "more" if more else "", "more": "\n".join(more)}


def differing(source: str, length: int | None) -> list[Engine]:
    """Return what engines do with the same file, where they differ at this length, or at the claimed one for None."""
    found = positions(source)
    tokens = found.claimed_length if length is None else length
    return [] if tokens is None else engines(found, tokens)


def layers(source: str) -> list[dict[str, object]]:
    """Return a line for each kind of layer that turns: what it sees, how it turns, and which pairs never turn once."""
    found = positions(source)
    return [
        {
            "Kind of layer": one.name,
            "How many": NOT_TOLD if one.count is None else str(one.count),
            "See": one.reach,
            "Base": f"{one.rotation.base:,.10g}",
            "Rule": RULES.get(one.rotation.rule, "none"),
            "Factor": "" if one.rotation.factor is None else f"{one.rotation.factor:g}",
            "Channels turned": f"{one.rotation.n_rotated} of {one.rotation.head_dim}",
            "Pairs that never complete a turn": _never(
                [one], found.claimed_length, lambda rotation: rotation.at(found.claimed_length)
            ).removesuffix(f" in {one.name}"),
        }
        for one in turned(found)
    ]


def fields(source: str) -> list[dict[str, str]]:
    """Return the fields that count, with their values as JSON has them, and who says so: the file or the class."""
    found = positions(source)
    return [
        {"Field": name[:MAX_PAIRS], "Value": shown(value), "From": who}
        for who, values in ((BY_FILE, found.said), (BY_CLASS, found.filled))
        for name, value in sorted(values.items())
        if not isinstance(value, Mapping)  # its fields have lines of their own
    ]


def never_turning(guess: int) -> tuple[bool, Facts]:
    """Return whether so many pairs of the exercise's head never complete a turn, with the longest wavelengths."""
    frequencies = rotary.frequencies(EXERCISE_WIDTH, EXERCISE_BASE)
    never = unfinished(frequencies, EXERCISE_LENGTH)
    waves = ", ".join(f"{wave:,.0f}" for wave in sinusoidal.wavelengths(frequencies).tolist())
    return guess == never, {"never": never, "waves": waves}


def listed_factors(text: str) -> list[float] | None:
    """Return the factors that a text has, separated by commas; None for an empty one, `ValueError` for others."""
    if not text.strip():
        return None
    try:
        found = [float(one) for one in text.split(",")]
    except ValueError:
        found = []
    fine = 1 <= len(found) <= MAX_FACTORS and all(1e-6 <= one <= 1e6 for one in found)
    rule = f"be 1 to {MAX_FACTORS} numbers from 0.000001 to 1,000,000, separated by commas"
    require(fine, "long_factors", rule, quoted(text))
    return found


LONG_FACTORS = Words(
    "model_long",
    "Long factors",
    "",
    "How many times slower each pair turns in long texts: one number for each pair, or one for all. Empty: the "
    "configuration's own.",
    checked=listed_factors,
    max_length=4_000,
)


def changed_wavelengths(
    source: str, rule: str, factor: int, base: int | None = None, part: float | None = None, long_factors: str = ""
) -> Figure:
    """Return the wavelength of every pair as it is, dashed, and after the change, with lines at both lengths.

    Base and part stay where they are None. Raises `ConfigError` for a model that does not take the change. The fact
    "lines" is the change as JSON, each list on one line.
    """
    config = KNOWN[source].config if source in KNOWN else source
    found = what_if(config, rule=rule, factor=factor, base=base, part=part, long_factors=listed_factors(long_factors))
    after = found.after.frequencies if found.after.beyond is None or factor == 1 else found.after.beyond
    told_so = found.before.original_length is not None
    marks = [
        (f"{'original' if told_so else 'claimed'} {found.trained:,}", found.trained),
        (f"what if {found.length:,}", found.length),
    ]
    now = found.before.frequencies
    facts = {
        "kind": found.kind.replace("_", " "),
        "target": found.length,
        "pairs": len(now),
        "pairs-then": len(after),
        "still": int((after == 0).sum()),
        "stands-still": "stands-still" if bool((after == 0).any()) else "",
        "new-base": f"{found.after.base:,.10g}",
        "never-now": unfinished(now, found.length),
        "never-then": unfinished(after, found.length),
        "preferred-now": preferred(now),
        "preferred-then": preferred(after),
        "where": f"`{found.level}`" if found.level else "the outermost object",
        "stands-in": "" if told_so else "stands-in",
        "instead": found.trained,
        "factor-of-attention": found.after.attention_factor,
        "lines": re.sub(_LIST, lambda one: " ".join(one.group().split()), json.dumps(found.lines, indent=2)),
    }
    return _wavelengths({AS_IT_IS: now}, {"what if": after}, marks[: 1 if factor == 1 else 2]).with_facts(facts)


def _wavelengths(
    before: Mapping[str, Tensor], after: Mapping[str, Tensor], lengths: Sequence[tuple[str, float]]
) -> Figure:
    """Return the wavelengths of named frequencies (P,), those of `before` dashed; `ValueError` where there are none."""
    named = {**before, **after}
    if not named:
        raise ValueError("the model must turn pairs to have wavelengths, got one that turns nothing")
    width = max(len(one) for one in named.values())
    chosen = torch.tensor(evenly(width, MAX_PAIRS))
    waves = {}
    for name, frequencies in named.items():
        padded = torch.zeros(width, dtype=torch.float64)  # a frequency of 0 has no dot
        padded[: len(frequencies)] = frequencies
        waves[name] = sinusoidal.wavelengths(padded)[chosen]
    x, y, dash = across("Pair"), upwards("Wavelength (tokens)", log=True), {"dash": DOTTED} if before else {}
    at, dots = [levels(lengths, **dash)] if lengths else [], width <= MAX_DOTTED
    return lines(chosen, waves, x, y, *at, rules=tuple(before), dots=dots, line="Kind of layer")
