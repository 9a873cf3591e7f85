"""What an inspection found, in one sentence, and as the rows of a table."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from pe_core.models.axes import AXES
from pe_core.models.positions import AHEAD_AS_BACK, LayerGroup, Positions, QueryFactor, Rotation, named_lengths

STATIC = "static_ntk"  # NTK-aware scaling by a fixed `alpha`, at every length
MAX_NUMBERED = 16  # layers whose numbers are said
NTK = "ntk"  # of GTE's own code: a larger base, and all frequencies lower by one factor
RULES = {
    "linear": "position interpolation",
    "dynamic": "dynamic NTK",
    "yarn": "YaRN",
    "longrope": "LongRoPE",
    "llama3": "the rule of Llama 3",
    "proportional": "p-RoPE",
    STATIC: "static NTK",
    NTK: "fixed NTK",
}


def times(ratio: float) -> str:
    """Return how many times, with three digits, and never as a power of ten."""
    return f"{ratio:.3g}" if ratio < 999.5 else f"{float(f'{ratio:.3g}'):,.0f}"


def summary(
    kind: str, level: str, groups: list[LayerGroup], claimed: int | None, *, counted: bool, default: bool = False
) -> str:
    """Return what a model does with positions, in one sentence; layers are counted where the file tells how many.

    The length that is claimed may be the `default` of the class.
    """
    where = f"{kind} ({level})" if level else kind
    length = ""
    if claimed is not None:
        length = f"; its class has {claimed:,} tokens by default" if default else f"; it claims {claimed:,} tokens"
    if not any(group.rotation for group in groups):
        attends = [len(group.layers) for group in groups if "attention" in group.kind and group.layers is not None]
        total = sum(len(group.layers or ()) for group in groups)
        some = f"; {sum(attends)} of {total} layers have attention" if counted and 0 < sum(attends) < total else ""
        some += _numbered(groups) if counted else ""
        return f"{where} turns nothing{some}{length}."
    clauses = "; ".join(f"{_place(group, len(groups), counted)} {_does(group)}" for group in groups)
    if any(group.both_sides for group in groups):
        clauses += f"; {AHEAD_AS_BACK}"
    clauses += _numbered(groups) if counted else ""
    return f"{where}: {clauses}{length}."


def _numbered(groups: list[LayerGroup]) -> str:
    """Return clauses on the numbers of the layers of all groups of two or three but the largest, as far as few."""
    some = [group for group in groups if group.layers]
    if not 2 <= len(some) <= 3:
        return ""
    some.sort(key=lambda group: (len(group.layers or ()), group.rotation is None, group.window is not None))
    told = ""
    kinds = [group.kind for group in some]
    for fewer in some[:-1]:
        layers = fewer.layers or ()
        if kinds.count(fewer.kind) > 1:  # of other windows
            continue
        numbers = ", ".join(map(str, layers))
        if len(layers) > MAX_NUMBERED:
            if len({later - one for one, later in pairwise(layers)}) > 1:
                continue
            numbers = f"{layers[0]}, {layers[1]} and so on to {layers[-1]}"
        told += f"; the {_place(fewer, 2, False)} are {numbers}, counted from 0"
    return told


def _place(group: LayerGroup, n_groups: int, counted: bool) -> str:
    kind, *without = group.kind.replace("_", " ").split(" without ")
    suffix = f" without {without[0]}" if without else ""
    if group.layers is None:
        return f"layers of the kind {kind}" if kind != "all layers" else "its layers"
    if n_groups == 1:
        return f"all {len(group.layers)} layers" if counted else "all layers"
    return f"{len(group.layers)} {kind} layers{suffix}" if counted else f"{kind} layers{suffix}"


def _does(group: LayerGroup) -> str:
    reach = f", seeing at most {group.window:,} tokens" if group.window is not None else ""
    reach = f", seeing their block of {group.chunk:,} tokens" if group.chunk is not None else reach
    reach += ", with queries that grow with their position" if group.query_factor is not None else ""
    return (_turns(group.rotation) if group.rotation is not None else "turn nothing") + reach


def _turns(rotation: Rotation) -> str:
    n_turning = rotation.n_turning()
    channels = "all" if n_turning == rotation.head_dim else f"{n_turning} of"
    text = f"turn {channels} {rotation.head_dim} channels of a head by RoPE of base {rotation.base:,.0f}"
    if rotation.rule in RULES:
        text += f" with {RULES[rotation.rule]}"
        named = " of alpha" if rotation.rule == STATIC else ", factor"
        text += f"{named} {rotation.factor:g}" if rotation.factor is not None and rotation.factor != 1 else ""
        known = rotation.original_length is not None and rotation.rule in ("yarn", "longrope", "llama3", "dynamic")
        text += f" from {rotation.original_length:,} tokens" if known else ""
    if rotation.axes is not None:
        counts = " : ".join(str(int((rotation.axes == axis).sum())) for axis in range(len(AXES)))
        text += f", its pairs {counts} for time, height and width"
    return text


def grows(factor: QueryFactor, positions: Positions) -> str:
    """Return by what queries are multiplied: the formula, and its value at the end of each length that is told."""
    place = "m + 1" if factor.ahead else "m"
    formula = f"1 + {factor.strength:g} ln(1 + floor(({place}) / {factor.floor:,}))".replace("(m)", "m")
    lengths = named_lengths(positions.original_length, positions.claimed_length)
    values = [
        f"{factor.at_end(length):.4f} at the end of the {name} {length:,} tokens" for name, length in lengths.items()
    ]
    return " = ".join([formula, " and ".join(values)] if values else [formula])


def pairs(positions: Positions, group: LayerGroup, n_rows: int) -> list[dict[str, str]]:
    """Return rows for some pairs of a group, spread from the fastest to the slowest: frequency, wavelength, turns.

    They are those of a text of the claimed length. A pair that does not turn has the wavelength "never". A group
    without rotation has no rows.
    """
    rotation = group.rotation
    if rotation is None:
        return []
    read_with = rotation.at(positions.claimed_length)
    n_pairs = len(read_with)
    count = min(n_rows, n_pairs)
    chosen = sorted({round(i * (n_pairs - 1) / max(count - 1, 1)) for i in range(count)})
    lengths = named_lengths(rotation.original_length, positions.claimed_length)
    rows = []
    for pair in chosen:
        frequency = float(read_with[pair])
        axis = {} if rotation.axes is None else {"axis": AXES[int(rotation.axes[pair])]}
        row = {
            "pair": str(pair),
            **axis,
            "unscaled": f"{float(rotation.plain[pair]):.6g}",
            "frequency": f"{frequency:.6g}",
            "wavelength": f"{2 * math.pi / frequency:,.1f}" if frequency else "never",
        }
        for name, length in lengths.items():  # the original length was met before any rule
            met = float(rotation.plain[pair]) if name == "original" else frequency
            row[f"turns in {name} {length:,}"] = f"{met * length / (2 * math.pi):,.3f}"
        rows.append(row)
    return rows


def remote(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is told of a file that names code of the model's own; nothing of others."""
    told = (
        "auto_map names code of the model's own, which decides where it is trusted: what is told here is read from the "
    )
    return (f"{told}fields alone.",) if "auto_map" in given else ()
