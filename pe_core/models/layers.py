"""Which layers see how far, and which go without RoPE."""

from pe_core.models.classes import ModelClass
from pe_core.models.fields import Fields
from pe_core.models.positions import LayerGroup
from pe_core.models.reading import refuse

MAX_LAYERS = 10_000
KINDS = frozenset(
    [
        "full_attention",
        "sliding_attention",
        "chunked_attention",
        "linear_attention",
        "indexed_attention",
        "hybrid",
        "hybrid_sliding",
        "mamba",
        "conv",
        "attention",
        "moe",
        "compressed_sparse_attention",
        "heavily_compressed_attention",
        "reference_sliding_attention",
        "recurrent",
    ]
)
WITHOUT_TURNING = frozenset({"linear_attention", "mamba", "conv", "moe", "recurrent"})
ALL_LAYERS = "all layers"


def layer_groups(top: Fields, model: ModelClass, warnings: list[str], unknown: list[str]) -> list[LayerGroup]:
    """Return groups of layers of the same kind, of the same reach, and with or without RoPE; none has a rotation yet.

    A layer without RoPE has " without RoPE" behind its kind. Raises `ConfigError`.
    """
    count = top.whole("num_hidden_layers", maximum=MAX_LAYERS)
    window = _window(top, warnings)
    kinds = _kinds(top, model, count, window)
    if kinds is None:
        unknown.append("which layers are of which kind: the class has a rule of its own, and the file no layer_types")
        return [LayerGroup(ALL_LAYERS, None, window=window)]
    turned = _turned(top, model, count)
    names = [kind if turns else f"{kind} without RoPE" for kind, turns in zip(kinds, turned, strict=True)]
    groups = []
    for name in dict.fromkeys(names):
        layers = tuple(i for i, own in enumerate(names) if own == name)
        slides = "sliding" in name or (name.startswith(ALL_LAYERS) and window is not None)
        chunk = top.whole_or_none("attention_chunk_size") if "chunked" in name else None
        groups.append(LayerGroup(name, layers, window=window if slides else None, chunk=chunk))
    return groups


def _window(top: Fields, warnings: list[str]) -> int | None:
    window = top.whole_or_none("sliding_window") if top.value("sliding_window") != 0 else None  # 0 is none in qwen2_moe
    if "use_sliding_window" in top.defaults and not top.flag("use_sliding_window", False):
        if window is not None:
            warnings.append(f"sliding_window ({window:,}) is switched off by use_sliding_window.")
        return None
    if "local_attention" in top.given:  # the whole window of ModernBERT, of which half lies on each side
        return top.whole("local_attention") // 2
    return window


def _kinds(top: Fields, model: ModelClass, count: int, window: int | None) -> list[str] | None:
    given = top.value("layer_types")
    if given is not None:
        if not isinstance(given, list) or len(given) != count:
            size = len(given) if isinstance(given, list) else given
            refuse("layer_types", f"have one kind per layer ({count})", size)
        for kind in given:
            if not isinstance(kind, str) or kind not in KINDS | set(model.rope):
                refuse("layer_types", f"have kinds among {', '.join(sorted(KINDS))}", kind)
        return list(given)
    if "max_window_layers" in top.defaults:
        first = top.whole("max_window_layers", minimum=0) if window is not None else count
        return ["sliding_attention" if i >= first else "full_attention" for i in range(count)]
    if not model.has_layer_types:
        return [ALL_LAYERS] * count
    if model.layers is None:
        return None
    period = model.layers
    name = next((name for name in model.pattern_fields if top.says(name)), None)
    if name is not None and top.value(name) is not None:
        size = top.whole(name, maximum=MAX_LAYERS)
        period = ["sliding_attention"] * (size - 1) + ["full_attention"]
    return [period[i % len(period)] for i in range(count)]


def _turned(top: Fields, model: ModelClass, count: int) -> list[bool]:
    if not model.no_rope_layers:
        return [True] * count
    given = top.value("no_rope_layers")
    if given is not None:
        if not isinstance(given, list) or any(flag not in (0, 1) or isinstance(flag, float) for flag in given):
            refuse("no_rope_layers", "be a list of 0 and 1, 1 for a layer with RoPE", given)
        if given and len(given) < count:
            refuse("no_rope_layers", f"have one flag per layer ({count})", len(given))
        if given:
            return [bool(flag) for flag in given[:count]]
    if not given and top.says("no_rope_layers") and "attention_chunk_size" not in top.defaults:
        refuse(top.place("no_rope_layers"), f"have one flag per layer ({count})", 0)
    if top.value("no_rope_layer_interval") is None:
        return [True] * count
    interval = top.whole("no_rope_layer_interval")
    return [bool((i + 1) % interval) for i in range(count)]
