"""What a text of a given length means to a model: inside what it was trained on, or beyond it, and what is new there.

A pair meets a new angle where its angle at the farthest distance is beyond both the largest one of training and a full
turn: after a full turn its angles lie all around the circle. Angles of training are those of texts of the original
length, before the rule; many models were trained further under it, which no field tells. That tells what is new, and
not how well a model copes with it.
"""

import math
from dataclasses import dataclass
from typing import Any

from pe_core.encodings.alibi import slopes
from pe_core.measures.rotation import turned_through
from pe_core.models.fields import MAX_LENGTH
from pe_core.models.positions import LayerGroup, Positions
from pe_core.models.sentences import RULES, STATIC, times
from pe_core.parameters import OptionalNumber

LENGTH = OptionalNumber(
    "model_length", "Length of the text", "How many tokens a text has.", 1, MAX_LENGTH, int, "the claimed length"
)
# Classes that keep the sines of so many positions, and fail behind them.
SINES_IN_A_TABLE = ("gptj", "codegen", "roformer", "marian", "pegasus", "ctrl", "speecht5")
BIASES_IN_A_TABLE = ("mpt",)  # and one that keeps so many biases
COMPUTED = "sinusoids of more positions are computed"
DISTANCES = "sinusoids of distances are computed for each text"
FRAMES = "its convolution goes over as many frames as there are"
SIDES = "rows and columns are turned, however many there are"
COMPUTING = "IndicTrans fsmt kosmos_2_5_text_model kosmos_2_text_model m2m_100 musicgen_decoder "
COMPUTING += "musicgen_melody_decoder nllb-moe pegasus_x seamless_m4t seamless_m4t_v2 speech_to_text xglm"
ANEW = "reset_position_index_per_cell"  # without which TAPAS has a table as others have
NO_TABLE = {  # classes that were run behind their length, and why they do not fail there
    **dict.fromkeys(COMPUTING.split(), COMPUTED),
    "tapas": "later positions of a cell share the last row",
    **dict.fromkeys(("funnel", "xlnet"), DISTANCES),
    **dict.fromkeys(("hubert", "wav2vec2", "wavlm"), FRAMES),
    **dict.fromkeys(("dinov3_vit", "pixtral"), SIDES),
    **dict.fromkeys(("swin", "swinv2"), "its biases count offsets within a window"),
    **dict.fromkeys(("wav2vec2-bert", "wav2vec2-conformer"), "positions enter its scores as distances alone"),
}


@dataclass(frozen=True)
class NewAngles:
    """In one kind of layer: how many of its pairs meet angles that training did not have, and how many there are."""

    kind: str
    new: int
    pairs: int


def reach(group: LayerGroup, length: int) -> int:
    """Return how many tokens, itself included, the last token of a text sees in these layers."""
    return min(one for one in (length, group.window, group.chunk) if one is not None)


def new_angles(found: Positions, length: int) -> list[NewAngles] | None:
    """Return how many pairs of each kind of layer meet new angles; None where no original length is told."""
    told = []
    for group in found.groups:
        rotation = group.rotation
        if rotation is None:
            continue
        if rotation.original_length is None:
            return None
        seen = reach(group, length)  # half of them on each side where a window has both
        distance = (seen + 1) // 2 if group.both_sides and group.window is not None and group.window < length else seen
        # To the end of the last token: so a rule that divides by just as much as a text is longer leaves all in range.
        farthest = distance * rotation.at(length)
        met = turned_through(rotation.plain, rotation.original_length)
        trained = rotation.original_length * rotation.plain
        beyond = (met < 1) & (farthest > trained * (1 + 1e-9))
        told.append(NewAngles(group.kind.replace("_", " "), int(beyond.sum()), len(rotation.plain)))
    return told


def at_length(found: Positions, length: int) -> list[str]:
    """Return what a text of `length` tokens means to a model, as transformers 5.23 reads it.

    The first sentence is the answer, those that may follow are about the length and about layers that see less.
    """
    claimed, kind, mechanism = found.claimed_length, found.model_type, found.mechanism
    if found.cut is not None and length > found.cut:
        return [f"A text of {length:,} tokens is cut: the model reads {found.cut:,} of them."]
    if kind in SINES_IN_A_TABLE and claimed is not None and length > claimed:
        return [_ends(length, claimed, "sines")]
    if mechanism == "rope":
        return _rope(found, length)
    if kind in NO_TABLE and mechanism != "none" and _field(found, ANEW) is not False:
        return [f"No table ends within {length:,} places: {NO_TABLE[kind]}.", *_times(claimed, length)]
    if mechanism in ("learned", "disentangled") and _field(found, "position_biased_input") is not False:
        if claimed is None:
            return [_untold(None, length)]
        if length > claimed:
            return [_ends(length, claimed, "vectors")]
        return [f"A text of {length:,} tokens fits: the table has a row for each of {claimed:,} positions."]
    if mechanism == "disentangled":
        return [f"No table ends within {length:,} tokens: all far distances in one direction share one learned vector."]
    if mechanism == "alibi":
        return _alibi(found, length)
    if mechanism == "buckets":
        return [_buckets(found, length)]
    if kind in SINES_IN_A_TABLE and claimed is not None:
        return [f"A text of {length:,} tokens fits: the class has a sinusoid for each of {claimed:,} positions."]
    if mechanism in ("none", "learned"):
        return ["No layer is told a position, so no length brings a new one."]
    if claimed is not None:
        place = "within" if length <= claimed else "longer than"
        return [f"A text of {length:,} tokens is {place} the {claimed:,} that the model is made for."]
    return [f"What a text of {length:,} tokens brings cannot be told from this configuration."]


def _rope(found: Positions, length: int) -> list[str]:
    trained, claimed = found.original_length, found.claimed_length
    told = new_angles(found, length)
    if told is None or trained is None:
        return [_untold(claimed, length), *_seen(found, length)]
    known = f"the {'claimed' if trained == claimed else 'original'} {trained:,}"
    if length <= trained:
        return [f"A text of {length:,} tokens is within {known}: no pair meets a new angle.", *_seen(found, length)]
    answer = f"A text of {length:,} tokens is {times(length / trained)} times {known}, and {_rules(found)}: "
    answer += f"{_counted(told, trained)}."
    too_long = claimed is not None and length > claimed > trained
    more = [f"It is longer than the claimed {claimed:,} tokens, too."] if too_long else []
    return [answer, *more, *_seen(found, length)]


def _untold(claimed: int | None, length: int) -> str:
    """Return what is left to say where no original length is told: how long the text is against the claimed length."""
    if claimed is None:
        return f"The file tells no length, so what is new in a text of {length:,} tokens cannot be told."
    inside = "within" if length <= claimed else "longer than"
    unknown = "the original length is not told, so new angles cannot be counted"
    return f"A text of {length:,} tokens is {inside} the claimed {claimed:,}; {unknown}."


def _rules(found: Positions) -> str:
    """Return the rules that scale, with their factors."""
    rotations = [group.rotation for group in found.groups if group.rotation is not None]
    scaling = [(one.rule, one.factor) for one in rotations if one.factor not in (None, 1)]
    named = [f"{RULES[rule]} scales {'with an alpha of' if rule == STATIC else 'by'} {by:g}" for rule, by in scaling]
    return " and ".join(dict.fromkeys(named)) or "no rule scales"


def _counted(told: list[NewAngles], trained: int) -> str:
    """Return how many pairs meet angles that are new, by kind of layer where there are several."""
    new = [one for one in told if one.new]
    if not new:
        return "no pair leaves the range of its angles"
    where = [f"{one.new} of {one.pairs} pairs" + (f" of {one.kind}" if len(told) > 1 else "") for one in new]
    return f"{' and '.join(where)} leave the range of angles of texts of {trained:,} tokens"


def _seen(found: Positions, length: int) -> list[str]:
    """Return which layers see less than the text, in a sentence; none where all see it whole."""
    near = {group.kind.split(" without ")[0].replace("_", " "): reach(group, length) for group in found.groups}
    return [f"In {kind} a token sees {seen:,} tokens at most." for kind, seen in near.items() if seen < length]


def _field(found: Positions, name: str) -> Any:
    """Return a field that counts, None where there is none of this name."""
    return {**found.filled, **found.said}.get(f"{found.level}.{name}" if found.level else name)


def _ends(length: int, rows: int, what: str) -> str:
    return (
        f"A text of {length:,} tokens does not fit: the class has a table of {what} for {rows:,} positions, and "
        f"transformers fails at token {rows + 1:,}."
    )


def _alibi(found: Positions, length: int) -> list[str]:
    claimed = found.claimed_length
    if found.model_type in BIASES_IN_A_TABLE and claimed is not None and length > claimed:
        return [_ends(length, claimed, "biases")]
    flattest = float(slopes(8).min())  # of any number of heads: 2^-8 is among their slopes, and the smallest
    far = math.sqrt(length - 1) if found.model_type == "step1" else length - 1
    most = f"{flattest * far:,.1f}"
    start = f"No table ends within {length:,} tokens: "
    if found.model_type in BIASES_IN_A_TABLE and claimed is not None:
        start = f"A text of {length:,} tokens fits the class's table of biases for {claimed:,} positions: "
    answer = f"{start}ALiBi lowers the score of its farthest key by about {most} "
    answer += "in the head with the flattest slope, 1/256"
    answer += ", before the division by the root of the head width." if found.model_type == "falcon" else "."
    return [answer, *_times(claimed, length, " tokens")]


def _times(claimed: int | None, length: int, unit: str = "") -> list[str]:
    """Return how many times the claimed length a text has, in a sentence; none where it is not longer, or unknown."""
    if claimed is None or length <= claimed:
        return []
    return [f"It is {times(length / claimed)} times the claimed {claimed:,}{unit}."]


def _buckets(found: Positions, length: int) -> str:
    fields = (_field(found, name) for name in ("relative_attention_max_distance", "position_bias_max_distance"))
    far = int(next(one for one in fields if one is not None))
    if length <= far:
        shared = "from where all in one direction share one bias"
        return f"A text of {length:,} tokens has no distance of {far:,} or more, {shared}."
    share = f"the {length - far:,} from {far:,} on share one bias in each direction"
    return f"No table ends within {length:,} tokens: of its {length:,} distances, {share}."
