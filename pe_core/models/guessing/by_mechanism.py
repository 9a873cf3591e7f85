"""Files without a known type of which a field names the mechanism, or a table is all that they tell."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.guessing.level import Level, like
from pe_core.models.guessing.named import TURNS, is_named, mechanism
from pe_core.models.guessing.rotary_fields import by_rotary_fields
from pe_core.models.guessing.signs import of_a_table, of_the_tutorial
from pe_core.models.kinds.sizes import kept_sizes
from pe_core.models.names import LENGTH, canonical
from pe_core.models.reading import Json

IN_UER: Mapping[str, str] = {"pos": "gpt2", "sinusoidalpos": "ctrl"}  # the vectors of positions of UER
OWN_POSITIONS = "Code of its own may have RoPE or sinusoids without a field of them."


def by_name(fields: Json) -> Level | None:
    """Return the reading of fields of which one names the positions.

    None where no field does, or where a table would have no length.
    """
    inside = (value for name, value in fields.items() if is_named(name, value))
    given = canonical({**next(inside, {}), **fields})
    name = next((name for name in given if mechanism(given, name)), None)
    kind = mechanism(given, name) if name else None
    if name is None or kind is None or "num_attention_heads" not in given or "hidden_size" not in given:
        return None
    why = "it has " + (name if given[name] is True else f"{name} {given[name]}")
    others = [one for one in given if mechanism(given, one) not in (None, kind)]
    more = [f"{others[0]} names another encoding, which is not read."] if others else []
    if kind == "llama" and "patch_size" in given and "vocab_size" not in given:
        return like("pixtral", given, why, *more)
    if kind == "llama":
        level = by_rotary_fields(fields, why)
        kept = {one: value for one, value in level.given.items() if one != name and not is_named(one, value)}
        return replace(level, given=kept, told=(*level.told, *more))
    if kind == "esm":
        return like(kind, {"position_embedding_type": "none"}, why, *more)
    if LENGTH not in given and kind == "ctrl":
        return like("uer", {**kept_sizes(given), "learned": False}, why, *more)
    if LENGTH not in given and kind != "bloom":
        return None
    length = "seq_length" if kind == "bloom" else "n_positions"
    return like(kind, kept_sizes(given) | {length: given.get(LENGTH)}, why, *more)


def by_fairseq(given: Json) -> Level | None:
    """Return the reading of settings of fairseq, whose decoder has a learned table or sinusoids."""
    learns, length = given.get("decoder_learned_pos"), given.get("max_target_positions", given.get("tokens_per_sample"))
    if not isinstance(learns, bool) or length is None:
        return None
    found = {"n_positions" if learns else LENGTH: length, "hidden_size": given.get("decoder_embed_dim")}
    return like("gpt2" if learns else "xglm", found, "it has decoder_learned_pos")


def by_uer(given: Json) -> Level | None:
    """Return the reading of settings of UER and TencentPretrain, which name the vectors that they add up."""
    sizes, named = canonical(given), ("embedding", "tgt_embedding")
    length = sizes.get(LENGTH)
    name = next((one for one in named if any(map(IN_UER.get, _added(given, one)))), None)
    if name is None or (length is None and "num_attention_heads" not in sizes):
        return None
    kind = next(filter(None, map(IN_UER.get, _added(given, name))))
    told = []
    if name == "embedding" and (other := next(filter(None, map(IN_UER.get, _added(given, "tgt_embedding"))), None)):
        told.append(f"What is written {'has a learned table' if other == 'gpt2' else 'has sinusoids'}: tgt_embedding.")
    if "patch" in _added(given, name):
        told.append("Its places are those of patches of an image.")
    if "speech" in _added(given, name):
        told.append("Its places are those of frames of sound.")
    if length is not None:
        return like(kind, kept_sizes(given) | {"n_positions": length}, f"it has {name}", *told)
    told.append("The file has no length, and how many rows a table has is not known.")
    return like("uer", {**kept_sizes(given), "learned": kind == "gpt2"}, f"it has {name}", *told)


def _added(given: Json, name: str) -> list[str]:
    """Return the vectors that UER adds up, which a file has as a list or in one text."""
    added = given.get(name)
    added = added.split("_") if isinstance(added, str) else added
    return [one for one in added if isinstance(one, str)] if isinstance(added, list) else []


def by_table(given: Json) -> Level | None:
    """Return the reading of fields that have a length and a width, and nothing else on positions, as a table."""
    if any(map(TURNS.search, given)) or (found := of_a_table(given)) is None:
        return None
    length, sizes, name = found
    why = f"it has {name}, and nothing else on positions"
    return like("ctrl" if of_the_tutorial(given) else "gpt2", {**sizes, "n_positions": length}, why, OWN_POSITIONS)
