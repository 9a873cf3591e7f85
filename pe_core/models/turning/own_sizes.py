"""Files whose own names and sizes of layers a class takes as others, before it reads them."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.classes import ModelClass
from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.reading import Json
from pe_core.models.turning.dialects import of_step

PART, LAYERS = "partial_rotary_factor", "per_layer_config"
CROSSED = (3, 8, 13, 18, 23, 28, 33, 38)  # the layers of Mllama that read the image, by default
OF_GEMMA = ("diffusion_gemma_text", "gemma4_text", "gemma4_unified_text")
SPARSE = {  # names in the released file of MiniMax M3, and in transformers
    "sparse_num_index_heads": "index_n_heads",
    "sparse_index_dim": "index_head_dim",
    "sparse_block_size": "index_block_size",
    "sparse_topk_blocks": "index_topk_blocks",
}


def taken(kind: str, given: Json, model: ModelClass) -> tuple[Json, ModelClass]:
    """Return the fields of a file of this type as its class takes them, and the class with what they change of it."""
    if kind == "step3p5":
        return of_step(given, model)
    if kind == "dots3_note_text":
        return _of_dots(given, model)
    if kind == "mllama_text_model" and given.get("cross_attention_layers") is None:
        count = given.get("num_hidden_layers")
        crossed = [layer for layer in CROSSED if not isinstance(count, int) or layer < count]
        return {**given, "cross_attention_layers": crossed}, model
    if kind == "minimax_m3_vl_text":
        return _of_minimax(given), model
    if kind == "qwen4_exp_text" and isinstance(kinds := given.get("layer_types"), list):  # each of them has an indexer
        named = ["indexed_attention" if one == "full_attention" else one for one in kinds]
        return {**given, "layer_types": named}, model
    if kind in OF_GEMMA and isinstance(given.get(LAYERS), Mapping):  # saved anew
        sizes = [one.get("head_dim") for one in given[LAYERS].values() if isinstance(one, Mapping)]
        width = next((one for one in sizes if one is not None), None)
        return ({**given, "global_head_dim": width} if width is not None else given), model
    return given, model


def _of_dots(given: Json, model: ModelClass) -> tuple[Json, ModelClass]:
    """Return fields and class of dots3, whose layers with a window have sizes of their own.

    These stand under names that begin with swa_, or by the numbers of layers where transformers has saved the file. The
    fraction that turns follows from them, whatever the file says.
    """
    saved = given.get(LAYERS)
    single = next((one for one in saved.values() if isinstance(one, Mapping)), {}) if isinstance(saved, Mapping) else {}
    named = {name.removeprefix("swa_"): value for name, value in given.items() if name.startswith("swa_")}
    near = Fields({"head_dim": 256, "qk_nope_head_dim": 192, **named, **single}, {}, "swa_")
    far = Fields({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128, **given}, {}, "")
    width = near.whole("head_dim", minimum=2, maximum=MAX_SIZE)
    own = width - near.whole("qk_nope_head_dim", minimum=0, maximum=width - 1)
    own = near.whole("qk_rope_head_dim", maximum=width) if near.says("qk_rope_head_dim") else own
    turned, stays = (far.whole(name, maximum=MAX_SIZE) for name in ("qk_rope_head_dim", "qk_nope_head_dim"))
    parts = {"indexed_attention": turned / (turned + stays), "sliding_attention": own / width}
    sizes = ("head_dim", "qk_rope_head_dim", "qk_nope_head_dim", LAYERS)
    found = {
        name: value
        for name, value in given.items()
        if name not in sizes and (name == "swa_rope_theta" or not name.startswith("swa_"))
    }
    if isinstance(rope := given.get("rope_parameters"), Mapping):
        found["rope_parameters"] = {
            key: {name: one for name, one in value.items() if name != PART} if isinstance(value, Mapping) else value
            for key, value in rope.items()
            if key != PART
        }
    return found, replace(
        model,
        fields={**model.fields, "qk_rope_head_dim": turned},
        bases={**model.bases, "sliding_attention": ["swa_rope_theta"]},
        head_dims={"indexed_attention": turned + stays, "sliding_attention": width},
        rope={kind: {**(one or {}), PART: parts[kind]} for kind, one in model.rope.items()},
        kept_parts=parts,
        plain_parts=parts,
    )


def _of_minimax(given: Json) -> Json:
    """Return the fields of a file of MiniMax M3 by the names of transformers: which layers have an indexer, and how."""
    inner = given.get("sparse_attention_config")
    inner = inner if isinstance(inner, Mapping) else {}
    found = {**given, **{name: inner[old] for old, name in SPARSE.items() if old in inner}}
    flags = inner.get("sparse_attention_freq")
    if isinstance(kinds := found.get("layer_types"), list):
        found["layer_types"] = ["indexed_attention" if one == "minimax_m3_sparse" else one for one in kinds]
    elif isinstance(flags, list):
        found["layer_types"] = ["indexed_attention" if one else "full_attention" for one in flags]
    return found
