"""Fields that classes of decoders make of others before they read them, and files whose own names stand for them."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.classes import ModelClass
from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.reading import Json, is_whole
from pe_core.models.turning.dialects import of_step
from pe_core.models.turning.layers import MAX_LAYERS

PART, BY_LAYER = "partial_rotary_factor", "per_layer_config"
# Types whose layers all have the window, and which read no layer_types.
ONE_WINDOW = "doge ministral3 mixtral phi3 phimoe qwen3_moe starcoder2"
CROSSED = (3, 8, 13, 18, 23, 28, 33, 38)  # the layers of Mllama that read the image, by default
OF_SPARSE = {  # fields of MiniMax M3, and what they are called in the object of its files
    "index_n_heads": "sparse_num_index_heads",
    "index_head_dim": "sparse_index_dim",
    "index_block_size": "sparse_block_size",
    "index_topk_blocks": "sparse_topk_blocks",
}


def derived(kind: str, given: Json, model: ModelClass) -> tuple[Json, ModelClass]:
    """Return the fields as the class of this type has them, and the class with what they change of it."""
    found, count = dict(given), given.get("num_hidden_layers", model.fields.get("num_hidden_layers"))
    layers = range(count) if is_whole(count, 1, MAX_LAYERS) else range(0)
    kinds = given.get("layer_types")
    if kind in ONE_WINDOW.split() and given.get("use_sliding_window", model.fields.get("use_sliding_window", True)):
        found.pop("layer_types", None)
    match kind:
        case "step3p5":
            return of_step(given, model)
        case "dots3_note_text":
            found, model = _of_dots(given, model)
            whole = "full_attention" if given.get("use_dsa") is False else "indexed_attention"
            windows = given.get("use_sliding_window") is not False
            found["layer_types"] = (
                [whole if one == "full_attention" else one for one in kinds]
                if isinstance(kinds, list)
                else ["sliding_attention" if windows and i > 1 and i % 4 != 1 else whole for i in layers]
            )
        case "qwen4_exp_text" if isinstance(kinds, list):  # each of them has an indexer
            found["layer_types"] = ["indexed_attention" if one == "full_attention" else one for one in kinds]
        case "qwen4_exp_text" if is_whole(every := given.get("full_attention_interval")):
            found["layer_types"] = ["linear_attention" if (i + 1) % every else "indexed_attention" for i in layers]
        case "modernbert-decoder" if kinds is None and is_whole(every := given.get("global_attn_every_n_layers")):
            found["layer_types"] = ["sliding_attention" if i % every else "full_attention" for i in layers]
        case "longcat_flash" if "num_hidden_layers" not in given and is_whole(own := given.get("num_layers")):
            found["num_hidden_layers"] = 2 * own  # each has attention twice
        case "hrm_text" if "num_layers_per_stack" not in given and "num_hidden_layers" in given:
            high, low = given.get("H_cycles", 2), given.get("L_cycles", 3)
            if is_whole(count) and is_whole(high, 1, MAX_LAYERS) and is_whole(low, 1, MAX_LAYERS):
                found["num_hidden_layers"] = count * high * (low + 1)
        case "mllama_text_model" if given.get("cross_attention_layers") is None:
            found["cross_attention_layers"] = [layer for layer in CROSSED if not is_whole(count) or layer < count]
        case "minimax_m3_vl_text":
            inner = given.get("sparse_attention_config")
            sparse = inner if isinstance(inner, Mapping) else {}
            found |= {name: sparse[one] for name, one in OF_SPARSE.items() if one in sparse}
            if isinstance(kinds, list):
                found["layer_types"] = ["indexed_attention" if one == "minimax_m3_sparse" else one for one in kinds]
            elif isinstance(flags := sparse.get("sparse_attention_freq"), list):
                found["layer_types"] = ["indexed_attention" if one else "full_attention" for one in flags]
        case "diffusion_gemma_text" | "gemma4_text" | "gemma4_unified_text" if isinstance(
            saved := given.get(BY_LAYER), Mapping
        ):
            sizes = [one.get("head_dim") for one in saved.values() if isinstance(one, Mapping)]
            width = next((one for one in sizes if one is not None), None)
            found |= {} if width is None else {"global_head_dim": width}
    return found, model


def _of_dots(given: Json, model: ModelClass) -> tuple[Json, ModelClass]:
    """Return fields and class of dots3, whose layers with a window have sizes of their own.

    These stand under names that begin with swa_, or by the numbers of layers where transformers has saved the file. The
    fraction that turns follows from them, whatever the file says.
    """
    saved = given.get(BY_LAYER)
    single = next((one for one in saved.values() if isinstance(one, Mapping)), {}) if isinstance(saved, Mapping) else {}
    named = {name.removeprefix("swa_"): value for name, value in given.items() if name.startswith("swa_")}
    near = Fields({"head_dim": 256, "qk_nope_head_dim": 192, **named, **single}, {}, "swa_")
    far = Fields({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128, **given}, {}, "")
    width = near.whole("head_dim", minimum=2, maximum=MAX_SIZE)
    own = width - near.whole("qk_nope_head_dim", minimum=0, maximum=width - 1)
    own = near.whole("qk_rope_head_dim", maximum=width) if near.says("qk_rope_head_dim") else own
    turned, stays = (far.whole(name, maximum=MAX_SIZE) for name in ("qk_rope_head_dim", "qk_nope_head_dim"))
    parts = {"indexed_attention": turned / (turned + stays), "sliding_attention": own / width}
    sizes = ("head_dim", "qk_rope_head_dim", "qk_nope_head_dim", BY_LAYER)
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
        pairs="neighbours",
        fields={**model.fields, "qk_rope_head_dim": turned},
        bases={**model.bases, "sliding_attention": ["swa_rope_theta"]},
        head_dims={"indexed_attention": turned + stays, "sliding_attention": width},
        rope={kind: {**(one or {}), PART: parts[kind]} for kind, one in model.rope.items()},
        kept_parts=parts,
        plain_parts=parts,
    )
