"""Classes that have no reader of their own: what they are built of, and which types their parts have.

The facts lie in `parts.json`, which `python -m tests.models.make_parts` writes: it builds each class of transformers
without memory, looks at the names and sizes of what it holds, and changes one field at a time to see which a table
follows. What the code does with a part is not known, so such a reading is a guess, and is told as one.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pe_core.models.fields import Fields
from pe_core.models.kinds.found import Found, Other
from pe_core.models.kinds.images import filled_grid, grid
from pe_core.models.kinds.images_turned import TURNS, turned
from pe_core.models.positions import Mechanism
from pe_core.models.reading import facts, refuse

Part = Mapping[str, Any]
MECHANISMS: Mapping[str, Mechanism] = {  # that which counts first stands first
    "axes": "axial",
    "learned": "learned",
    "fixed": "sinusoidal",
    "bias": "relative",
    "distances": "relative",
}


def of_parts(parts: list[Part], *, reads_tokens: bool) -> Callable[[Fields], Found]:
    """Return the reader of a class that is built of these parts; the length of a table counts if it reads tokens."""

    def read(top: Fields) -> Found:
        if not parts:
            return Found("convolution", "has no attention, and no table of positions", None)
        told = [_told(part, top) for part in parts]
        lengths = [length for _, length in told if length is not None]
        kinds = {part["what"] for part in parts}
        mechanism = next(mechanism for what, mechanism in MECHANISMS.items() if what in kinds)
        clause = "; it ".join(dict.fromkeys(clause for clause, _ in told))
        counts = reads_tokens and mechanism == "learned" and len(lengths) == 1
        return Found(mechanism, clause, lengths[0] if counts else None)

    return read


def _told(part: Part, top: Fields) -> tuple[str, int | None]:
    """Return a clause on one part, and the length that a table of positions has."""
    what, more = part["what"], part.get("more", 0)
    if what == "axes":
        return f"{TURNS}; {turned(top)}" if "rope_theta" in top.defaults else TURNS, None
    if what == "distances":
        return "compares its queries with sinusoids of distances", None
    named = {"learned": "a learned table", "fixed": "a fixed table", "bias": "learned biases or vectors of distances"}
    if "patches" in part:
        rows, columns = filled_grid(top) if more < 1 else grid(top)
        others = f" and {more} more" if more > 0 else ""
        return f"has {named[what]} for {rows} x {columns} patches{others}", None
    if "field" in part:
        value = top.whole(part["field"])
        count = part["times"] * value + more
        if count < 1:
            refuse(top.place(part["field"]), f"give a table of at least 1 row, not {count}", value)
        return f"has {named[what]} of {count:,} rows", value if part["times"] == 1 and more >= 0 else None
    if "rows" in part:
        return f"has {named[what]} of {part['rows']:,} rows by default", None
    return f"has {named[what]}", None


# Parts of a class whose own classes have no type.
UNNAMED: Mapping[str, Mapping[str, str]] = {
    "rag": {"generator": "bart", "question_encoder": "dpr"},
    "qwen3_omni_moe": {
        "thinker_config": "qwen3_omni_moe_thinker",
        "talker_config": "qwen3_omni_moe_talker",
        "code2wav_config": "qwen3_omni_moe_code2wav",
    },
    "qwen3_omni_moe_talker": {
        "text_config": "qwen3_omni_moe_talker_text",
        "code_predictor_config": "qwen3_omni_moe_talker_code_predictor",
    },
}


def _load() -> tuple[Mapping[str, Other], Mapping[str, Mapping[str, str]], frozenset[str]]:
    kept = facts("parts.json")
    built = {
        kind: Other(one["fields"], of_parts(one["parts"], reads_tokens=one["reads_tokens"]))
        for kind, one in kept["built"].items()
        if (one["parts"] or not one["attends"])
        and {"what": "turns"} not in one["parts"]  # other RoPE is read by fields
    }
    return built, kept["levels"] | UNNAMED, frozenset(kept["attend_themselves"])


BUILT, LEVELS_OF, ATTEND_THEMSELVES = _load()
