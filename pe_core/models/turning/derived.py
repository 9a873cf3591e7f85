"""Fields that classes of decoders make of others before they read them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pe_core.models.classes import ModelClass
from pe_core.models.reading import is_whole
from pe_core.models.turning.layers import MAX_LAYERS

# Types whose layers all have the window, and which read no layer_types.
ONE_WINDOW = "doge ministral3 mixtral phi3 phimoe qwen3_moe starcoder2"
OF_SPARSE = {  # fields of MiniMax M3, and what they are called in the object of its files
    "index_n_heads": "sparse_num_index_heads",
    "index_head_dim": "sparse_index_dim",
    "index_block_size": "sparse_block_size",
    "index_topk_blocks": "sparse_topk_blocks",
    "index_local_blocks": "sparse_local_block",
}


def derived(kind: str, given: Mapping[str, Any], model: ModelClass) -> tuple[dict[str, Any], ModelClass]:
    """Return the fields as the class of this type has them, and the class with what they change of it."""
    found, count = dict(given), given.get("num_hidden_layers", model.fields.get("num_hidden_layers"))
    layers = range(count) if is_whole(count, 1, MAX_LAYERS) else range(0)
    kinds = given.get("layer_types")
    if kind in ONE_WINDOW.split() and given.get("use_sliding_window", model.fields.get("use_sliding_window", True)):
        found.pop("layer_types", None)
    match kind:
        case "dots3_note_text":
            model = replace(model, pairs="neighbours", bases={**model.bases, "sliding_attention": ["swa_rope_theta"]})
            whole = "full_attention" if given.get("use_dsa") is False else "indexed_attention"
            windows = given.get("use_sliding_window") is not False
            found["layer_types"] = (
                [whole if one == "full_attention" else one for one in kinds]
                if isinstance(kinds, list)
                else ["sliding_attention" if windows and i > 1 and i % 4 != 1 else whole for i in layers]
            )
        case "qwen4_exp_text" if isinstance(kinds, list):
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
        case "minimax_m3_vl_text" if isinstance(kinds, list):
            found["layer_types"] = ["sparse_attention" if one == "minimax_m3_sparse" else one for one in kinds]
        case "minimax_m3_vl_text" if isinstance(sparse := given.get("sparse_attention_config"), dict):
            found |= {name: sparse[one] for name, one in OF_SPARSE.items() if one in sparse}
            if isinstance(flags := sparse.get("sparse_attention_freq"), list):
                found["layer_types"] = ["sparse_attention" if one else "full_attention" for one in flags]
    return found, model
