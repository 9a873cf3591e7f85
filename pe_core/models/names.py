"""The names that other code has for the fields of a configuration, brought to those of transformers."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pe_core.models.reading import Json

Told = tuple[str, ...]  # sentences
MAX_NAME, LENGTH = 100, "max_position_embeddings"
CAMEL = re.compile("(?<=[a-z])[A-Z]")  # names of JavaScript, as nEmbd and blockSize
# What other code calls a field, the first that is given, where the file has none of the name that it has here.
SYNONYMS: Mapping[str, list[str]] = {
    name: others.split()
    for name, others in {
        "hidden_size": "n_embd d_model dim n_embed model_dim embedding_dim emb_dim embed_dim d_embed emb_size "
        "embedding_size width hidden_dim dim_model",
        "num_attention_heads": "n_head n_heads num_heads n_query_heads num_query_heads nhead heads heads_num nheads",
        "num_hidden_layers": "n_layer n_layers num_layers num_transformer_layers layers depth layers_num nlayers",
        "num_key_value_heads": "n_kv_heads n_kv_head num_kv_heads n_head_kv n_query_groups num_query_groups kv_heads",
        "head_dim": "kv_channels head_size head_dimension attention_head_dim dim_head d_head d_kv",
        "max_position_embeddings": "n_positions max_position_embedding max_position max_sequence_length "
        "model_max_length seq_length max_seq_len max_seq_length seq_len n_ctx context_length max_context_length "
        "block_size max_len sequence_length sequence_len context_size context_len ctx_size ctx_len context "
        "max_positions max_seqlen maxlen model_length seq block",
        "rope_theta": "rotary_emb_base rope_embedding_base rope_base rotary_base rope_freq_constant "
        "position_embedding_base rope_freq_base rope_max_timescale rope_max_wavelength theta",
        "image_size": "img_size",
        "no_rope_layer_interval": "nope_layer_interval every_n_layers_nope",
        "partial_rotary_factor": "rope_pct rotary_pct rotary_percent rotary_percentage rotary_emb_fraction",
        "rotary_dim": "pe_rotary_dims",
    }.items()
}
ORIGINAL, LONG = "original_max_position_embeddings", 131_072  # tokens, of Llama 3.1 and 3.2
OF_RULES = frozenset([
    "original_seq_len", "rope_factor", "beta_fast", "beta_slow", "rope_adjustments", "rope_n_elem", "rope_freq", "yarn",
    "rotary_scaling", "use_NTK_by_parts_rope", "NTK_original_ctx_len", "NTK_by_parts_factor",
    "NTK_by_parts_low_freq_factor", "NTK_by_parts_high_freq_factor", "scaling_factor", "extrapolation_factor",
    "attn_factor", "rope_type",
])  # fmt: skip
# What other code calls the factor by which it divides positions, 1 for none.
INTERPOLATED = (
    "rotary_emb_scaling_factor", "rope_condense_ratio", "rotary_seq_len_interpolation_factor",
    "seq_len_interpolation_factor",
)  # fmt: skip


def known_as(program: str) -> str:
    """Return the sentence on fields whose names are those of another program, and mean the same."""
    return f"The names are those of {program}: they are read by those of transformers."


def renamed(given: Mapping[str, Any], names: Mapping[str, str]) -> Json:
    """Return the fields that `names` has, each by the name behind its own."""
    return {name: given[own] for own, name in names.items() if own in given}


def kept(given: Mapping[str, Any], names: Iterable[str]) -> Json:
    """Return the fields of these names that are there."""
    return {name: given[name] for name in names if name in given}


def without(given: Mapping[str, Any], *names: str) -> Json:
    """Return the fields but for those of these names."""
    gone = {*names}
    return {name: value for name, value in given.items() if name not in gone}


def first_class(given: Mapping[str, Any]) -> str:
    """Return the first class that `architectures` names, empty where it names none."""
    listed = given.get("architectures")
    return listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], str) else ""


def has_sizes(value: object) -> bool:
    """Return whether an object has a width and heads, by the names of any code."""
    return isinstance(value, dict) and {"hidden_size", "num_attention_heads"} <= canonical(value).keys()


def sizes_of(given: Json) -> str:
    """Return by which size an object looks like a model, in words."""
    found = canonical(given)
    if "hidden_size" not in found and "vocab_size" not in given:
        return "sizes of a model"
    heads = " and heads" if "num_attention_heads" in found else ""
    return ("a vocabulary" if "vocab_size" in given else "a width") + heads


def canonical(given: Json) -> Json:
    """Return the fields with those of other code under the names that they have here."""
    plain = {name for name, value in given.items() if value is None or isinstance(value, int | float)}
    own = {
        name: next((one for one in others if one in plain), "")
        for name, others in SYNONYMS.items()
        if name not in given
    }
    taken = {other: name for name, other in own.items() if other}
    found = without(given, *taken)
    found |= {name: given[other] for name, other in own.items() if other}
    if not found.get("rope_scaling") and (rule := _rule_of_other_code(found)) is not None:
        found = {name: value for name, value in found.items() if name not in OF_RULES.union(INTERPOLATED)}
        found["rope_scaling"] = rule
        found.setdefault(LENGTH, LONG if found.get("use_scaled_rope") is True else None)
    return {name: value for name, value in found.items() if name != LENGTH or value is not None}


def _rule_of_other_code(given: Mapping[str, Any]) -> Json | None:
    """Return a rule for long texts that other code has under names of its own, None without one."""
    factor = next((given[name] for name in INTERPOLATED if name in given), None)
    if isinstance(factor, int | float) and factor > 1:
        return {"rope_type": "linear", "factor": factor}
    original, length, factor = (given.get(name) for name in ("original_seq_len", LENGTH, "rope_factor"))
    if isinstance(original, int) and isinstance(length, int) and original < length and factor is not None:  # DeepSeek's
        return {"rope_type": "yarn", "factor": factor, ORIGINAL: original, **kept(given, ("beta_fast", "beta_slow"))}
    if given.get("rope_type") == "rope_extended" and "scaling_factor" in given:  # of Grok 2
        names = ("beta_fast", "beta_slow", ORIGINAL)
        return {"rope_type": "yarn", "factor": given["scaling_factor"], **{one: given.get(one) for one in names}}
    for name, length in (("rope_adjustments", "original_max_seq_len"), ("rope_freq", "original_context_length")):
        bands = given.get(name)  # of LitGPT, and of Raschka's book
        if isinstance(bands, dict) and "low_freq_factor" in bands:
            rest = without(bands, length)
            return {"rope_type": "llama3", **rest, ORIGINAL: bands.get(length)}
    if isinstance(yarn := given.get("yarn"), dict):  # of Mistral's params.json
        betas = renamed(yarn, {"beta": "beta_fast", "alpha": "beta_slow"})
        rule = {"rope_type": "yarn", "factor": yarn.get("factor"), ORIGINAL: yarn.get(ORIGINAL), **betas}
        return rule if yarn.get("apply_scale", True) else {**rule, "attention_factor": 1.0}
    if isinstance(named := given.get("rotary_scaling"), dict):  # of TensorRT-LLM, which copies that of transformers
        return named
    if given.get("use_NTK_by_parts_rope") is True:  # of TransformerLens, which has the names of Llama 3.1's rule
        parts = renamed(
            given, {f"NTK_by_parts_{name}": name for name in ("factor", "low_freq_factor", "high_freq_factor")}
        )
        return {"rope_type": "llama3", **parts, ORIGINAL: given.get("NTK_original_ctx_len", 8192)}
    if given.get("use_scaled_rope") is True:  # of Llama 3.1, whose code has these numbers
        rule = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, ORIGINAL: 8192}
        own = {"factor": given.get("rope_scaling_factor"), "high_freq_factor": given.get("high_freq_factor")}
        return rule | {name: value for name, value in own.items() if value is not None}
    return None
