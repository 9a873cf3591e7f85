"""Fields in which other code names how it encodes positions."""

import re
from collections.abc import Mapping
from typing import Any

from pe_core.models.names import MAX_NAME

TURNS = re.compile("rope|rotary|alibi")
FLAGS = ("rope", "rotary", "use_rope", "use_rotary", "rope_embeddings", "use_rotary_embeddings")
ROTARY = ("rope", "rotary")  # position_embedding_type of models that turn, which of transformers' classes ESM obeys
# Flags of other code that say the same.
FLAGGED: Mapping[str, re.Pattern[str]] = {
    "llama": re.compile("^(?!no_|disable_).*(?<![a-z])(rope|rotary)(?![a-z])"),
    "bloom": re.compile("^(?!no_|disable_).*(?<![a-z])alibi(?![a-z])"),
    "gpt2": re.compile("learn[a-z]*_(abs|pe|pos)|pos[a-z_]*_learn"),
    "ctrl": re.compile("^(?!no_|disable_).*sinusoid"),
}
OF_PARTS = re.compile("video|vision|visual|image|audio|[23]d")  # flags of parts beside the text, and of their axes
# Fields in which other code names its positions, and the type of transformers with such ones.
NAMED = re.compile(r"pe|(pos|position|positional)(_?(enc|emb)[a-z]*)?(_(type|kind|method))?")
MECHANISMS: Mapping[str, str] = {
    **dict.fromkeys(("rope", "rotary"), "llama"),
    "alibi": "bloom",
    **dict.fromkeys(("none", "nope"), "esm"),
    **dict.fromkeys(("learned", "learnable", "learned_absolute"), "gpt2"),
    **dict.fromkeys(("sinusoidal", "sinusoid", "sine", "sin", "sincos"), "ctrl"),
}
FILLING = re.compile("pos|pe|positional?|positions?|emb|embeddings?|enc|encodings?|absolute")


def mechanism(given: Mapping[str, Any], name: str) -> str | None:
    """Return the type whose positions a field of other code names, None for a field that names none."""
    value = given[name]
    if len(name) > MAX_NAME:
        return None
    if value is True and not OF_PARTS.search(name):
        return next((like for like, flag in FLAGGED.items() if flag.search(name)), None)
    return _named(value) if isinstance(value, str) and NAMED.fullmatch(name) else None


def _named(value: str) -> str | None:
    """Return the type whose positions a text names, as "learned positional embeddings" does."""
    words = [word for word in re.split("[^a-z]+", value.lower()[:MAX_NAME]) if word and not FILLING.fullmatch(word)]
    found = {MECHANISMS.get(value.lower()) or MECHANISMS.get("_".join(words)), *map(MECHANISMS.get, words)}
    return next(iter(found)) if len(found) == 1 else MECHANISMS.get(value.lower())


def is_named(name: str, value: object) -> bool:
    """Return whether a field is an object of flags that name positions."""
    return isinstance(value, dict) and NAMED.fullmatch(name[:MAX_NAME]) is not None
