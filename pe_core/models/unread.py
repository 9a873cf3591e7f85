"""What an engineer should know of a file that is read without a mistake: fields that nothing reads, lengths, formats.

A misspelt field is no error to transformers: it is kept, and nothing reads it. Which fields the code of a class reads,
though nothing here does, lies in `obeyed.json`, which `python -m tests.models.make_obeyed` writes.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import torch

from pe_core.models.classes import ModelClass
from pe_core.models.fields import MAX_LENGTH, Fields
from pe_core.models.names import SYNONYMS
from pe_core.models.positions import LayerGroup
from pe_core.models.reading import facts, is_whole

LENGTH = "max_position_embeddings"
OF_POSITIONS = re.compile(
    r"rope|rotary|theta|yarn|ntk|alibi|(?<!com)position(?!ing|al_dropout)|(?<!route[dr]_)scaling_(type|factor)|seq_len|max_seq|sequence_length|"
    r"model_max_length|context_len|n_ctx|sliding|window|compress_pos|alpha_value|(^|_)swa_|rel(ative)?_pos|logn_|(^|_)nope_(?!head)|attn_type_list|full_attn_idxs"
)
# Of which another one may be a misspelling.
NAMES = (
    "rope_theta", "rope_scaling", "rope_parameters", "rope_local_base_freq", "partial_rotary_factor", "rotary_emb_base",
    "rotary_pct", "rotary_dim", "max_position_embeddings", "original_max_position_embeddings",
    "position_embedding_type", "sliding_window", "use_sliding_window", "max_window_layers", "sliding_window_pattern",
)  # fmt: skip
# Megatron has `add_position_embedding` beside position_embedding_type, and transformers 4 itself writes the pattern
# beside layer_types.
READ_ELSEWHERE = frozenset([
    "rope_scaling", "rope_parameters", "layer_types", "no_rope_layers", "layer_rope_theta", "local_attention",
    "add_position_embedding", "rope_traditional", "_sliding_window_pattern", "position_id_per_seconds",
])  # fmt: skip
NO_PLACES = READ_ELSEWHERE | {"alibi", "qk_rope_head_dim"}  # which is obeyed, and a width where nothing turns
MAX_NAME, MAX_FIELDS = 60, 200  # what is longer, or beyond, is not compared with names that are known
EXACT = {"bfloat16": 2**8, "float16": 2**11}  # the whole number up to which all are exact in a format
INFINITE = {"float16": 65_520}  # from here on a number of the format is infinite
UNREAD = "Not read by this model, though the name speaks of positions"
OF_OWN_CODE = "No class of transformers reads these fields, and code of the model's own may"
OF_A_GUESS = "What these fields do to positions is not known, because the type is a guess"
OF_TOKENIZERS = "model_max_length"  # of their files, and in that of Command R the length for which it was trained
NO_RULE = "are claimed, and no rule scales: a larger base or a rule may be missing."
FEW = 100  # of so many positions of the claimed length at most one has a number of its own


OBEYED: Mapping[str, list[str]] = facts("obeyed.json")["obeyed"]


def unread(top: Fields, model: ModelClass, kind: str) -> list[str]:
    """Return a sentence for each misspelt field, and those on others that speak of positions and are not read here.

    The fields are read as those of the type `kind`.
    """
    read = {*top.said, *top.filled} | {top.place(name) for name in _known(model)}
    left = [name for name, value in top.given.items() if top.place(name) not in read and _says_something(value)]
    told, others, elsewhere = [], dict[str, object](), _length_elsewhere(top)
    if top.given.get("mla_use_nope") is True:
        told.append(f"{top.place('mla_use_nope')} says that no layer turns: only code of that model obeys it.")
    if top.given.get("rope_traditional") is True:
        told.append(f"{top.place('rope_traditional')} is obeyed by MLX alone, which turns pairs of neighbours.")
    if "hidden_size" not in top.given and {"dim", "n_heads"} <= top.given.keys():
        told.append("dim and n_heads are Meta's names, which no class reads: the sizes here are defaults of the class.")
    for name in [name for name in left if len(name) <= MAX_NAME][:MAX_FIELDS]:
        near = [] if name in NAMES else get_close_matches(name, NAMES, n=1, cutoff=0.85)
        if near:
            told.append(f"{top.place(name)} is not read by this model: did you mean {near[0]}?")
        elif OF_POSITIONS.search(name) and top.place(name) != elsewhere:
            others[top.place(name)] = top.given[name]
    return told + _named(others, {kind, top.given.get("model_type")})


def left_over(
    given: Mapping[str, Any],
    read: Collection[str],
    known: Iterable[object],
    kind: str,
    path: str = "",
    *,
    searched: bool = True,
) -> list[str]:
    """Return sentences on fields that speak of positions and are not `read`, but for those with a `known` value.

    They stand at `path`, and are read as those of the type `kind`. Where its code was not `searched` for the names of
    its fields, it is not said that nothing reads them.
    """
    values = [one for one in known if isinstance(one, int | float)]
    left = (name for name, value in given.items() if _says_something(value) and value not in (-1, *values))
    found = {path + name: given[name] for name in left if speaks(name) and path + name not in read}
    if found and not searched:
        return [f"What these fields do to positions is not said here: {few(list(found))}."]
    return _named(found, (kind, given.get("model_type")))


def speaks(name: str) -> bool:
    """Return whether the name of a field speaks of positions, and is none that is read elsewhere."""
    return len(name) <= MAX_NAME and OF_POSITIONS.search(name) is not None and name not in NO_PLACES


def _named(fields: Mapping[str, object], kinds: Collection[object]) -> list[str]:
    """Return what is said of fields that are not read here: whether the code of one of these types reads them.

    Of one that nothing reads its value is told, too, where that is a number.
    """
    names = _obeyed(kinds)
    obeyed = [field for field in fields if field.rpartition(".")[2] in names]
    others = [field + _number(value) for field, value in fields.items() if field not in obeyed]
    told = [f"The class reads these fields, and what they do to positions is not said here: {few(obeyed)}."]
    told += [f"{UNREAD}: {few(others)}."]
    return [line for line, named in zip(told, (obeyed, others), strict=True) if named]


def _number(value: object) -> str:
    """Return a number in brackets, as that of a length; empty for what is none."""
    return f" ({value:,})" if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _obeyed(kinds: Iterable[object]) -> set[str]:
    return {name for kind in kinds if isinstance(kind, str) for name in OBEYED.get(kind, ())}


def few(fields: list[str]) -> str:
    """Return the first three of some fields, and how many more there are."""
    return ", ".join(fields[:3]) + (f" and {len(fields) - 3} more" if len(fields) > 3 else "")


def _known(model: ModelClass) -> Iterable[str]:
    yield from READ_ELSEWHERE
    for names in (model.fields, model.names, model.pattern_fields, *model.bases.values(), *model.parts.values()):
        yield from names


def _says_something(value: object) -> bool:
    return value not in (None, False, {}, [], "absolute", "rope", -1)


def on_lengths(top: Fields, groups: Iterable[LayerGroup], claimed: int | None) -> list[str]:
    """Return sentences on a length that is not told, is beyond the rotation, or beyond what a format counts exactly."""
    told = []
    if claimed is not None and top.says(LENGTH) and (name := _length_elsewhere(top)) is not None:
        told.append(
            f"{name} {top.given[name]:,} is read by no class, and is more than {LENGTH}: the released model may be "
            "made for so many tokens."
        )
    elif claimed is not None and (name := _length_elsewhere(top)) is not None:
        told.append(
            f"{name} {top.given[name]:,} is not read by this class: {claimed:,}, its own default, counts as {LENGTH}."
        )
    elif claimed is not None and not top.says(LENGTH):
        told.append(
            f"No length is given: {claimed:,} is the default of the class; the released model may have another."
        )
    for group in groups:
        rotation = group.rotation
        if rotation is None or rotation.rule != "default" or claimed is None or group.window or group.chunk:
            continue
        if not top.says(LENGTH):  # the length is the default of the class
            continue
        slowest = 2 * math.pi / float(rotation.frequencies.min())
        if claimed > slowest:
            told.append(
                f"Even the slowest pair turns once in about {slowest:,.0f} tokens, fewer than the {claimed:,} that "
                f"{NO_RULE}"
            )
    precision = top.given.get("dtype", top.given.get("torch_dtype"))
    exact = EXACT.get(precision) if isinstance(precision, str) else None
    if exact is not None and claimed is not None and (numbers := distinct(precision, claimed)) * FEW <= claimed:
        told.append(
            f"In {precision} some neighbouring positions are equal from {exact + 1:,} on, and {claimed:,} positions "
            f"are {numbers:,} different numbers: angles have to be computed in float32, as transformers does."
        )
    return told


def _length_elsewhere(top: Fields) -> str | None:
    """Return the field of another name that tells a length, None where the class reads one of the file's fields.

    Beside a length that is read it is the one of tokenizers, where it is longer.
    """
    if LENGTH not in top.defaults:
        return None
    if top.says(LENGTH):
        own = top.given.get(LENGTH)
        longer = is_whole(own) and is_whole(top.given.get(OF_TOKENIZERS), own + 1, MAX_LENGTH)
        return OF_TOKENIZERS if longer else None
    read = {*top.said, *_obeyed({top.given.get("model_type")})}
    names = (name for name in SYNONYMS[LENGTH] if isinstance(top.given.get(name), int) and name not in read)
    return next(names, None)


def distinct(precision: str, length: int) -> int:
    """Return how many numbers the positions 0 to `length` - 1 are in a format, one of `EXACT`."""
    exact = EXACT[precision]
    finite = min(length, INFINITE.get(precision, length))
    most = int(torch.tensor(finite - 1.0, dtype=getattr(torch, precision))) + 1  # the last one may be rounded up
    numbers, start, step = min(most, exact), exact, 2
    while start < most:
        numbers += math.ceil((min(most, 2 * start) - start) / step)
        start, step = 2 * start, 2 * step
    return numbers + (finite < length)
