"""Which layers see how far, and which go without RoPE."""

from collections.abc import Mapping

from pe_core.models.classes import CLASSES, ModelClass
from pe_core.models.fields import MAX_LENGTH, Fields
from pe_core.models.positions import LayerGroup
from pe_core.models.reading import is_whole, refuse, shown

MAX_LAYERS = 10_000
KINDS = frozenset([
    "full_attention", "sliding_attention", "chunked_attention", "linear_attention", "indexed_attention", "hybrid",
    "hybrid_sliding", "mamba", "conv", "attention", "moe", "compressed_sparse_attention",
    "heavily_compressed_attention", "reference_sliding_attention", "recurrent",
])  # fmt: skip
WITHOUT_TURNING = frozenset({"linear_attention", "mamba", "conv", "moe", "recurrent", "cross_attention"})
OLDER = {
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
BLOCKS = {"recurrent": "recurrent", "attention": "sliding_attention"}  # the kinds of RecurrentGemma
# Fields with the numbers of the layers that have attention: the kinds of these and of the others, and of all for null.
NUMBERED = {
    "attn_layer_indices": ("full_attention", "linear_attention", "linear_attention"),
    "full_attn_idxs": ("full_attention", "conv", "full_attention"),
}
# What `compress_ratios` of DeepSeek-V4 says of each layer, and by which settings of RoPE each kind of them turns.
RATIOS = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
TURNS_AS = {"sliding_attention": "main"} | dict.fromkeys((RATIOS[4], RATIOS[128]), "compress")
TURNS_AS["full_attention"] = "indexed_attention"  # of dots3, whose layers have no indexer without use_dsa
# Fields of how many tokens the convolution reads with which recurrent and linear layers begin.
CONVOLVED = (
    "linear_conv_kernel_dim",
    "conv_kernel",
    "mamba_d_conv",
    "conv_L_cache",
    "conv1d_width",
    "d_conv",
    "short_conv_kernel_size",
)
# These fields and their defaults, by type.
CONVOLVED_BY_DEFAULT = {
    kind: (name, count)
    for name, count, kinds in (
        (
            "linear_conv_kernel_dim",
            4,
            "glm5_next_text kimi_linear olmo_hybrid qwen3_5_moe_text qwen3_5_text qwen3_next qwen4_exp_text",
        ),
        ("conv_kernel", 4, "falcon_mamba mamba mamba2 nemotron_h"),
        ("mamba_d_conv", 4, "bamba granitemoehybrid jamba zamba zamba2"),
        ("conv_L_cache", 3, "lfm2 lfm2_moe"),
        ("conv_L_cache", 7, "lfm3"),
        ("conv1d_width", 4, "recurrent_gemma"),
    )
    for kind in kinds.split()
}
INTERVALS = ("full_attention_interval", "layer_group_size")  # of layers with attention among those without
DENSE = "prefix_dense_sliding_window_pattern"  # of so many dense layers the last one sees all tokens
ALL_LAYERS = "all layers"
WITHOUT = " without RoPE"


COUNTS_BOTH = "t5gemma2_text"  # the type whose window counts the tokens of both sides
BOTH_WAYS = "use_bidirectional_attention"
OBEY_BOTH_WAYS: Mapping[str, bool | str] = {  # the value by which each class that has the field sees both ways in texts
    "gemma": True,
    "gemma3_text": True,
    "gemma4_text": "all",
    "gemma4_unified_text": "all",
}


def convolved(top: Fields) -> str:
    """Return which tokens the convolutions of recurrent and linear layers read, empty where nothing tells."""
    inner = top.given.get("linear_attn_config")  # of Kimi Linear
    fields = {**(inner if isinstance(inner, Mapping) else {}), **top.given}
    given = {name: fields[name] for name in CONVOLVED if isinstance(fields.get(name), int)}
    name, count = next(((name, count) for name, count in given.items() if 1 < count <= MAX_LAYERS), ("", 0))
    kind = top.given.get("model_type")
    if not name and isinstance(kind, str) and kind in CONVOLVED_BY_DEFAULT:
        name, count = CONVOLVED_BY_DEFAULT[kind]
        if name in fields:
            return ""
        top.filled[top.place(name)] = count
    return f"a convolution in recurrent or convolutional layers reads {count} tokens at a time ({name})" if name else ""


def layer_groups(
    top: Fields, model: ModelClass, unknown: list[str], *, counts_both: bool, by_layer: bool
) -> list[LayerGroup]:
    """Return groups of layers of the same kind, of the same reach, and with or without RoPE; none has a rotation yet.

    A layer without RoPE has " without RoPE" behind its kind. A window `counts_both` sides where its class counts the
    tokens of both sides, and not those of one; it may have others `by_layer`. Raises `ConfigError`.
    """
    count = top.whole("num_hidden_layers", maximum=MAX_LAYERS)
    window = _window(top, model)
    kinds = _kinds(top, model, count, window)
    if model.still is None:
        unknown.append("whether a layer does without its rotation: this class was not run")
    known = kinds is not None
    if kinds is None:
        unknown.append("which layers are of which kind: the class has a rule of its own, and the file no layer_types")
        kinds = list(dict.fromkeys(model.kinds)) or [ALL_LAYERS]
    turned = _turned(top, model, kinds, count, window) if known else _by_kind(model, kinds, window)
    names = [kind if turns else f"{kind}{WITHOUT}" for kind, turns in zip(kinds, turned, strict=True)]
    needs = "use_sliding_window" in top.defaults or (top.given.get("model_type") in CLASSES and not model.windows)
    if window is None and "sliding_attention" in kinds and needs:
        top.warn(
            "layer_types has sliding_attention, and there is no window: transformers fails when the model reads a text."
        )
    if any(RATIOS[ratio] in kinds for ratio in (4, 128)) and window is not None:
        top.warn(f"Where attention is compressed a token sees the last {window:,} tokens, and others in blocks.")
        top.warn(_blocks(top))
    if top.given.get(BOTH_WAYS) and not _reads_both_ways(top):
        top.warn(f"{top.place(BOTH_WAYS)} {shown(top.given[BOTH_WAYS])} lets no token of a text see those after it.")
    if top.given.get("model_type") == "gemma" and not top.path and _reads_both_ways(top):
        top.warn("Where a mask is made, as beside padding, its class lets no token see those after it, all the same.")
    near = ["full_attention"] if "linear_attention" in kinds else []  # of MiniMax, where no kind slides
    groups = []
    windows = _windows(top, kinds, window) if by_layer and known else [window] * len(names)
    each = list(zip(names, windows, strict=True))
    for name, window in dict.fromkeys(each):
        layers = tuple(i for i, own in enumerate(each) if own == (name, window)) if known else None
        slides = "sliding" in name and not name.startswith("reference")
        slides |= name.startswith((ALL_LAYERS, *near)) and window is not None
        chunk = top.whole_or_none("attention_chunk_size") if "chunked" in name else None
        own = window if slides else None
        both = bool(model.both_sides) or top.given.get("is_causal") is False or _reads_both_ways(top)
        if own is not None and both and not counts_both:
            own = 2 * own + 1
        groups.append(LayerGroup(name, layers, own, both, chunk))
    return groups


def _window(top: Fields, model: ModelClass) -> int | None:
    for name, more in model.windows.items():
        if top.value(name) is not None:
            return top.whole(name) + more
    if "sliding_window" not in top.defaults and "local_attention" not in top.given:
        return None  # the class knows none, whatever the file says
    window = top.whole_or_none("sliding_window") if top.value("sliding_window") != 0 else None  # 0 is none in qwen2_moe
    if "use_sliding_window" in top.defaults and not top.flag("use_sliding_window", False):
        if window is not None and top.says("sliding_window"):
            top.warn(f"sliding_window ({window:,}) is switched off by use_sliding_window.")
        return None
    if "local_attention" in top.given and top.given.get("sliding_window") is None:  # both sides of ModernBERT's window
        return top.whole("local_attention") // 2
    if _reads_both_ways(top) and window is not None:  # likewise in EmbeddingGemma, and one more in Gemma 4
        return window // 2 + int(top.given[BOTH_WAYS] == "all")
    return window


def _windows(top: Fields, kinds: list[str], window: int | None) -> list[int | None]:
    """Return the window of each layer of NeoMME: every second one is long where the file has none by layer."""
    given, sliding = top.object("per_layer_config"), [i for i, kind in enumerate(kinds) if kind == "sliding_attention"]
    own = None if given is None else {name.lstrip("0") or "0": one for name, one in given.items()}  # from "00" on
    found = dict.fromkeys(sliding, window)
    long = Fields(top.given, {"default_long_sliding_window": 1024}, top.path).whole("default_long_sliding_window")
    for place, layer in enumerate(sliding):
        one = {"sliding_window": long if place % 2 else window} if own is None else own.get(str(layer))
        if isinstance(one, Mapping) and is_whole(size := one.get("sliding_window"), 1, MAX_LENGTH):
            found[layer] = size
    return [found.get(i) for i in range(len(kinds))]


def _blocks(top: Fields) -> str:
    """Return of how many tokens the blocks of DeepSeek-V4 are, and how many of them a token sees."""
    own = {**dict(zip((RATIOS[4], RATIOS[128]), (4, 128), strict=True)), **(top.object("compress_rates") or {})}
    rates = Fields(own, {}, top.place("compress_rates") + ".")
    few, many = rates.whole(RATIOS[4]), rates.whole(RATIOS[128])
    picked = Fields(top.given, {"index_topk": 512}, top.path).whole("index_topk")
    told = f"Heavily compressed layers see all blocks of {many:,} tokens, and the others {picked:,} of their blocks of "
    return f"{told}{few:,}, which an indexer picks; a learned vector for each place in a block weighs its tokens."


def _reads_both_ways(top: Fields) -> bool:
    """Return whether the field of Gemma lets a token see those after it, in a class that obeys it, or in own code."""
    given, kind = top.given.get(BOTH_WAYS), top.given.get("model_type")
    return given is not None and given == (OBEY_BOTH_WAYS.get(kind) if kind in CLASSES else True)


def _kinds(top: Fields, model: ModelClass, count: int, window: int | None) -> list[str] | None:
    given = top.value("layer_types")
    if given is None and (blocks := top.value("block_types")) is not None:
        if not isinstance(blocks, list) or not blocks or any(one not in list(BLOCKS) for one in blocks):
            refuse("block_types", f"be a list of {' and '.join(BLOCKS)}", blocks)
        return [BLOCKS[blocks[i % len(blocks)]] for i in range(count)]
    if given is None and "compress" in model.rope and (ratios := top.value("compress_ratios")) is not None:
        if not isinstance(ratios, list) or len(ratios) < count or any(one not in list(RATIOS) for one in ratios):
            refuse("compress_ratios", f"have 0, 4 or 128 for each of {count} layers", ratios)
        return [RATIOS[one] for one in ratios[:count]]
    if given is not None:
        if not isinstance(given, list) or len(given) != count:
            size = len(given) if isinstance(given, list) else given
            refuse("layer_types", f"have one kind per layer ({count})", size)
        given = [OLDER.get(kind, kind) if isinstance(kind, str) else kind for kind in given]
        for kind in given:
            if not isinstance(kind, str) or kind not in KINDS | set(model.rope):
                refuse("layer_types", f"have kinds among {', '.join(sorted(KINDS))}", kind)
        return _with_last(given, model) if model.forces_last else given
    if (name := next((name for name in NUMBERED if name in top.defaults), None)) is not None:
        return _numbered(top, name, count)
    if "max_window_layers" in top.defaults:
        first = top.whole("max_window_layers", minimum=0)
        near = range(0, min(first, count), 2) if model.alternates else range(first, count)
        return ["sliding_attention" if window is not None and i in near else "full_attention" for i in range(count)]
    if model.no_rope_layers and "use_sliding_window" in top.defaults and window is not None:
        turned = _turned(top, model, ["full_attention"] * count, count, window)
        return ["full_attention" if one else "sliding_attention" for one in turned]
    if model.no_rope_layers and "attention_chunk_size" in top.defaults:  # of Llama 4, as its configuration has it
        turned = _turned(top, model, ["chunked_attention"] * count, count, window)
        return ["chunked_attention" if one else "full_attention" for one in turned]
    if not model.has_layer_types:
        crossed = top.value("cross_attention_layers")  # of Mllama: they read the image, and turn nothing
        kinds = ["self_attention" if crossed else ALL_LAYERS] * count
        for layer in crossed if isinstance(crossed, list) else []:
            if not is_whole(layer, 0, count - 1):
                refuse("cross_attention_layers", f"have numbers of layers from 0 to {count - 1}", layer)
            kinds[layer] = "cross_attention"
        return kinds
    if model.layers is None:
        return model.kinds if len(model.kinds) == count else None
    period = model.layers
    name = next((name for name in model.pattern_fields if top.says(name)), None)
    if name is not None and top.value(name) is not None:
        size = top.whole(name, maximum=MAX_LAYERS)
        rest = "linear_attention" if name in INTERVALS else "sliding_attention"
        period = [rest] * (size - 1) + ["full_attention"]
    first, size = (_prefix(top, count), top.whole(DENSE, maximum=MAX_LAYERS)) if DENSE in top.defaults else (0, 1)
    prefix = ["sliding_attention" if (i + 1) % size else "full_attention" for i in range(first)]
    return _with_last(prefix + [period[i % len(period)] for i in range(count - first)], model)


def _with_last(kinds: list[str], model: ModelClass) -> list[str]:
    """Return the kinds with that of the last layer which the class has, whatever the period."""
    return kinds if model.last_layer is None else [*kinds[:-1], model.last_layer]


def _numbered(top: Fields, name: str, count: int) -> list[str]:
    """Return the kind of each layer where a field has the numbers of those with attention."""
    own, other, every = NUMBERED[name]
    numbers = top.value(name)
    if numbers is None:
        return [every] * count
    if not isinstance(numbers, list) or any(isinstance(i, bool) or not isinstance(i, int) for i in numbers):
        refuse(top.place(name), "be a list of numbers of layers", numbers)
    return [own if i in numbers else other for i in range(count)]


def _turned(top: Fields, model: ModelClass, kinds: list[str], count: int, window: int | None) -> list[bool]:
    bases = top.value("layer_rope_theta")
    if isinstance(bases, list) and len(bases) == count:
        return [bool(base) for base in bases]
    if not model.no_rope_layers:
        turned, forced = _by_kind(model, kinds, window), _forced(top, count)
        return [one or i in forced for i, one in enumerate(turned)]
    given = top.value("no_rope_layers")
    if given is not None:
        if not isinstance(given, list) or any(flag not in (0, 1) or isinstance(flag, float) for flag in given):
            refuse("no_rope_layers", "be a list of 0 and 1, 1 for a layer with RoPE", given)
        if given and len(given) < count:
            refuse("no_rope_layers", f"have one flag per layer ({count})", len(given))
        if given:
            return [bool(flag) for flag in given[:count]]
    if given == [] and "attention_chunk_size" not in top.defaults:
        refuse(top.place("no_rope_layers"), f"have one flag per layer ({count})", 0)
    if top.value("no_rope_layer_interval") is None:
        return [True] * count
    interval = top.whole("no_rope_layer_interval")
    return [bool((i + 1) % interval) for i in range(count)]


def _forced(top: Fields, count: int) -> set[int]:
    """Return the dense layers of Cohere2-MoE, which turn whatever their kind, if its prefix has no windows."""
    if DENSE not in top.defaults or top.whole(DENSE, maximum=MAX_LAYERS) != 1:
        return set()
    kinds = top.value("mlp_layer_types")
    if isinstance(kinds, list):
        return {i for i, kind in enumerate(kinds) if kind == "dense"}
    return set(range(_prefix(top, count)))


def _prefix(top: Fields, count: int) -> int:
    """Return how many dense layers stand first."""
    return min(top.whole("first_k_dense_replace", minimum=0), count) if top.says("first_k_dense_replace") else 0


def _by_kind(model: ModelClass, kinds: list[str], window: int | None) -> list[bool]:
    """Return whether layers of these kinds turned something when the class was run, with a window or without."""
    still = (model.still if window is not None else model.still_open) or []
    return [kind not in still for kind in kinds]
