"""Files without a known type that have the fields of a known one."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pe_core.models.guessing.by_mechanism import OWN_POSITIONS
from pe_core.models.guessing.level import Level, like
from pe_core.models.guessing.named import FLAGS, NAMED, ROTARY, TURNS
from pe_core.models.guessing.rotary_fields import FRACTIONS, META, OF_AXES, by_rotary_fields
from pe_core.models.guessing.signs import by_own_names, in_its_names
from pe_core.models.kinds.sizes import kept_sizes
from pe_core.models.names import LENGTH, SYNONYMS, canonical
from pe_core.models.reading import Json

BY_KIND = {"full_attention", "sliding_attention"}  # settings of RoPE of each kind of layer
HEADS = {"num_attention_heads", "head_dim"}
OF_GPT = {"emb_dim", "n_heads", "n_positions", "drop_rate"}
OF_LLAMA = {*META, "multiple_of"}  # of Llama 1 and 2, whose code has the base 10,000 and no field of it
METAS = "dim and n_heads are Meta's names: weights that were not converted turn pairs of neighbours."


def by_looks(before: Json) -> Level | None:
    """Return the reading of fields by names that a class has, those of other code among them."""
    given = before
    if (looks := by_fields(given)) is None:
        given = canonical(given)
        looks = by_fields(given)
    if looks is None and LENGTH in given:
        given = {**before, "n_positions": given[LENGTH]}
        looks = by_fields(given)
    if looks is None:
        return None
    kind, names = looks[0], _as_the_file_says(looks[1], before)
    own = [OWN_POSITIONS] if names.startswith("n_embd") else []
    metas = [METAS] if before.keys() >= META else []
    if kind == "bloom":
        return like(kind, kept_sizes(before) | {"seq_length": canonical(before).get(LENGTH)}, f"it has {names}", *own)
    if kind == "llama":
        turning = by_rotary_fields(before, f"it has {names}")
        return replace(turning, told=(*turning.told, *metas))
    if kind == "mamba" and isinstance(own_code := given.get("ssm_cfg"), Mapping):  # of its authors' code
        given = {**given, "conv_kernel": own_code.get("d_conv", 4)}
    given = in_its_names(given, kind)
    return like(kind, given, f"it has {names}", *own, *metas)


def _as_the_file_says(why: str, given: Json) -> str:
    """Return a reason with the names of fields that the file has, where the reason has those of transformers."""
    for name, others in (*SYNONYMS.items(), ("n_positions", SYNONYMS[LENGTH])):
        own = next((one for one in others if one in given), None)
        if own is not None and name not in given:
            why = re.sub(rf"\b{name}\b", own, why)
    return why


def lowers(given: Mapping[str, Any]) -> bool:
    """Return whether a field says that scores are lowered with the distance, by ALiBi."""
    if given.get("alibi") is not None:
        return given["alibi"] is True
    named = given.get("position_embedding_type") == "alibi"
    return named or any(name.startswith("alibi_") and value for name, value in given.items())


def by_fields(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the type that the fields look like, and which fields; None where they look like none."""
    parameters, turned = given.get("rope_parameters"), any(map(TURNS.search, given))
    parameters = parameters if isinstance(parameters, Mapping) else {}
    image = "vision_config" not in given
    if parameters.get("rope_type") == "axial" and image:
        return "pixtral", "rope_parameters.rope_type axial"
    if lowers(given):
        return "bloom", "alibi"
    if (own := by_own_names(given)) is not None and (not turned or own[0] == "roformer"):
        return own
    if parameters.keys() >= BY_KIND and "layer_types" in given:
        return "laguna", "rope_parameters.full_attention and rope_parameters.sliding_attention"
    looks = _of_a_width(given, turned) if "hidden_size" in given and given.keys() & HEADS else []
    heads = next((name for name in ("n_head", "n_heads", "num_heads") if name in given), None)
    decodes = all(isinstance(given.get(name), int) for name in ("decoder_layers", "decoder_attention_heads", LENGTH))
    looks += [
        (
            given.keys() >= {"n_embd", "n_positions"} and heads and not turned,
            "gpt2",
            f"n_embd, {heads} and n_positions",
        ),
        (given.keys() >= OF_GPT and not turned, "gpt2", "emb_dim, n_heads and drop_rate"),
        (decodes and not turned, "bart", f"decoder_layers, decoder_attention_heads and {LENGTH}"),
        (given.keys() >= OF_LLAMA, "llama", "dim, n_heads and multiple_of"),
        ("ssm_cfg" in given and not given.get("attn_layer_idx"), "mamba", "ssm_cfg"),
        ("position_bucket_size" in given, "ltg_bert", "position_bucket_size"),
        ("relative_attention_num_buckets" in given, "t5", "relative_attention_num_buckets"),
    ]
    return next(((kind, names) for fits, kind, names in looks if fits), None)


def _of_a_width(given: Mapping[str, Any], turned: bool) -> list[tuple[object, str, str]]:
    """Return what fields with a width and heads may look like: whether they do, the type, and which fields."""
    off, named = any(given.get(name) is False for name in FLAGS), given.get("position_embedding_type")
    rope = next((name for name in ("rope_theta", "rope_parameters", "rope_scaling") if given.get(name)), None)
    several = bool(given.keys() & OF_AXES)
    rope = None if off or several else rope
    part = next((name for name in FRACTIONS if type(given.get(name)) in (int, float) and given[name] > 0), "")
    windows = any("window" in name for name in given)
    # A film has patches with three sides.
    seen = given.keys() >= {"image_size", "patch_size"} and "num_frames" not in given and not windows
    table, told = LENGTH in given and not turned, off or several or any(map(NAMED.fullmatch, given))
    # RoBERTa knows one kind of sentence, and words: a model of proteins has a letter for each token.
    words = given.get("type_vocab_size") == 1 and given.get("vocab_size") not in range(100)
    heads = "num_attention_heads" in given and not told
    return [
        (
            rope and "patch_size" in given and not {"vision_config", LENGTH} & given.keys(),
            "pixtral",
            f"{rope} and patch_size",
        ),
        (rope, "llama", f"{rope}, hidden_size and num_attention_heads"),
        (named in ROTARY, "llama", f"position_embedding_type {named}"),
        (part and not off, "llama", part),
        (isinstance(given.get("qk_rope_head_dim"), int), "llama", "qk_rope_head_dim"),
        (seen and given.get("use_sine") is True, "vit_mae", "use_sine"),
        (seen, "vit", "image_size and patch_size"),
        (
            (named == "absolute" and LENGTH in given) or (table and "type_vocab_size" in given),
            "roberta" if words else "bert",
            f"type_vocab_size and {LENGTH}" if "type_vocab_size" in given else "position_embedding_type absolute",
        ),
        # of BERT's first code
        (table and "attention_probs_dropout_prob" in given, "bert", f"attention_probs_dropout_prob and {LENGTH}"),
        (heads and "num_key_value_heads" in given, "llama", "num_key_value_heads"),
        (heads and "rms_norm_eps" in given and LENGTH in given, "llama", "rms_norm_eps"),
    ]
