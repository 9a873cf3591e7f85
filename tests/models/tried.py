"""Small models of transformers' types with random weights, run: which layers turn, which channels pair, what they see.

All tokens that reach an attention layer are made equal, so that nothing but their places can tell one query or one key
from another: a layer whose scores are the same at every distance turns nothing, whatever rotary module the model has.
"""

import importlib

from tests.models.modules import made, read

N_TOKENS, WINDOW, N_LAYERS = 16, 5, 12
SMALL = {
    "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16, "global_head_dim": 16,
    "v_head_dim": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "q_lora_rank": 16, "kv_lora_rank": 16,
    "intermediate_size": 32, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16, "vocab_size": 64,
    "vocab_size_per_layer_input": 64, "hidden_size_per_layer_input": 8, "max_position_embeddings": 64,
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1,
    "topk_group": 1, "sliding_window": WINDOW, "local_attention": 2 * WINDOW, "attention_chunk_size": WINDOW,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
OWN = {  # of classes whose layers of attention are asked for by name
    "bamba": {"attn_layer_indices": [1, 3]},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"] * 6, "position_embedding_type": "rope"},
}
WAYS = (  # what a class may need beside its small settings
    {},
    {"head_dim": 16},
    {"num_key_value_heads": 4},
    {"num_experts_per_tok": 2},
    {"sliding_window": WINDOW},
    {"hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 64},
    {"hidden_size": 512, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 128},
)
MAX_SIZE = 20_000_000  # of parameters
MAX_LAYOUTS, MAX_ROWS = 3, 32  # layers of a model in which pairs are looked for, and rows of an output
NAME = "places"  # of the attention function that keeps what it is given


def small(maker, **more):
    """Return a small configuration of a class, or None where it cannot be made."""
    usual = made(maker)
    if usual is None:
        return None
    asked = {name: value for name, value in SMALL.items() if read(usual, name) is not None}
    if "mrope_section" in str(read(usual, "rope_parameters")):  # its sections are those of a whole head
        asked.pop("head_dim", None)
        asked |= {"hidden_size": 512, "num_attention_heads": 4, "num_key_value_heads": 4}
    if "qk_rope_head_dim" in asked:  # a head_dim beside it would replace it
        asked.pop("head_dim", None)
    kept = {name: value for name, value in asked.items() if name not in ("head_dim", "num_key_value_heads")}
    for own in (asked, kept, {}):
        for layers in ({"num_hidden_layers": N_LAYERS}, {}):
            config = made(maker, **(own | layers | OWN.get(usual.model_type, {}) | more))
            if config is not None:
                return config
    return None


def model_class(transformers, config):
    """Return the class of the model that has the layers of a configuration."""
    try:
        return transformers.AutoModel._model_mapping[type(config)]
    except KeyError:
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
        ends = ("Model", "Transformer", "Backbone")
        named = [one for name, one in vars(module).items() if name.endswith(ends) and "PreTrained" not in name]
        return next(one for one in named if getattr(one, "config_class", None) is type(config))


def run(config):
    """Return query, key, mask and more of every attention layer of a small model by its number; or why it fails."""
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    kept, outputs = {}, {}

    def attention(module, query, key, value, attention_mask, **given):
        number = read(module, "layer_idx", None)
        number = len(kept) if number is None else number
        causal = given.get("is_causal")
        causal = read(module, "is_causal", True) if causal is None else causal
        kept[number] = (module, query.detach(), key.detach(), attention_mask, causal)
        groups = query.shape[1] // value.shape[1]
        mixed = value.repeat_interleave(groups, dim=1).mean(dim=2, keepdim=True).expand(-1, -1, query.shape[2], -1)
        return mixed.transpose(1, 2).contiguous(), None

    masking = importlib.import_module("transformers.masking_utils")
    modelling = importlib.import_module("transformers.modeling_utils")
    modelling.ALL_ATTENTION_FUNCTIONS.register(NAME, attention)
    masking.ALL_MASK_ATTENTION_FUNCTIONS.register(NAME, masking.eager_mask)
    torch.manual_seed(0)
    try:
        config._attn_implementation = NAME
        maker = model_class(transformers, config)
        with torch.device("meta"):
            size = sum(one.numel() for one in maker(config).parameters())
        if size > MAX_SIZE:
            return "its smallest model is too large"
        model = maker(config).eval().float()
        for one in model.parameters():
            if one.dim() > 1:
                torch.nn.init.normal_(one, std=0.5)
        ids = torch.arange(N_TOKENS)[None] % 7 + 3
        with torch.no_grad():
            model(input_ids=ids)
            places = {id(one[0]) for one in kept.values()}
            for module in model.modules():
                if id(module) in places:
                    module.register_forward_pre_hook(_alike, with_kwargs=True)
                    for inner in module.modules():
                        if inner is not module and not list(inner.children()):
                            inner.register_forward_hook(_keep(outputs, module))
            kept.clear()
            outputs.clear()
            model(input_ids=ids)
    except Exception as error:  # whatever a class raises: it was not tried
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        return told.partition(" from '")[0][:120]  # where the library lies is that of one machine
    return {number: (*one[1:], outputs.get(id(one[0]), [])) for number, one in kept.items()}


def _alike(module, given, named):
    """Make all tokens equal that reach a layer of attention."""
    if given:
        first = given[0]
        return (first[:, :1].expand_as(first).contiguous(), *given[1:]), named
    first = named["hidden_states"]
    return given, {**named, "hidden_states": first[:, :1].expand_as(first).contiguous()}


def _keep(outputs, owner):
    def hook(module, given, output):
        if hasattr(output, "shape") and output.dim() >= 2:
            outputs.setdefault(id(owner), []).append(output.detach())

    return hook


def turns(query, key):
    """Return whether scores differ with the distance of query and key."""
    groups = query.shape[1] // key.shape[1]
    scores = (query @ key.repeat_interleave(groups, dim=1).transpose(2, 3))[0]
    return bool((scores - scores[:, :1, :1]).abs().max() > 1e-4 * scores.abs().max())


def layout(query, outputs):
    """Return "neighbours" or "halves", by which channels of the projection turn together; None where neither is so."""
    torch = importlib.import_module("torch")
    head = query[0, 0].double()  # tokens x channels
    moved = [i for i in range(head.shape[1]) if (head[:, i] - head[0, i]).abs().max() > 1e-4 * head.abs().max()]
    if len(moved) < 4:
        return None
    pairs = []
    for i in moved:
        sums = head[:, [i]] ** 2 + head[:, moved] ** 2
        fits = ((sums - sums[:1]).abs().amax(dim=0) / sums[0] < 1e-4).nonzero().flatten().tolist()
        pairs += [(i, moved[at]) for at in fits if moved[at] != i and len(fits) <= 2]
    before = [one for one in outputs if one.shape != query.shape or not torch.equal(one, query)]  # and not turned yet
    where = _origin(torch, head[0].float(), moved, before)
    if where is None or not pairs:
        return None
    gaps = {abs(where[one] - where[other]) for one, other in pairs}
    return None if len(gaps) > 1 else "neighbours" if gaps == {1} else "halves"


def _origin(torch, head, moved, outputs):
    """Return where the channels of a head stand in the last output of the layer's modules that has all of them.

    An attention factor multiplies all channels that turn alike.
    """
    wanted = head[moved]
    for output in reversed(outputs):
        rows = output.reshape(-1, output.shape[-1])  # a row for each token, and in four dimensions for each head, too
        for row in rows[: MAX_ROWS if output.dim() > 3 else 1]:
            factors = wanted[0] / row
            fits = factors[(factors > 0.5) & (factors < 3)]
            far = (wanted[None, :, None] - fits[:, None, None] * row[None, None, :]).abs()
            right = (far.amin(dim=2) < 1e-6 + 1e-4 * wanted.abs()).all(dim=1).nonzero().flatten().tolist()
            if right:
                return dict(zip(moved, far[right[0]].argmin(dim=1).tolist(), strict=True))
    return None


def seen(mask, causal):
    """Return how many tokens before and after its own one a token of the middle sees; None for all of a side."""
    middle = N_TOKENS // 2
    if mask is None or mask.dim() != 4:
        return [None, 0] if causal else [None, None]
    row = mask[0, 0, middle]
    fine = row if str(row.dtype) == "torch.bool" else row == 0
    before, after = int(fine[:middle].sum()), int(fine[middle + 1 :].sum())
    return [None if before == middle else before, None if after == N_TOKENS - middle - 1 else after]


def tried(maker):
    """Return what running a class tells, or why it cannot be run.

    `still` are the kinds of layers that turn nothing, `still_open` those where the file has no window, `both_sides`
    whether a token sees those after it, `pairs` the layout, None where it cannot be told, and `kinds` the layers of the
    class where they are no repeated pattern of kinds.
    """
    why, found, config = "no small configuration can be made", None, None
    for more in WAYS:
        config = small(maker, **more)
        found = run(config) if config is not None else why
        if isinstance(found, dict) and found:
            break
        why = found or "its attention cannot be looked at"
    else:
        return why
    still = _still(config, found)
    kinds = {"layer_types": ["full_attention"] * N_LAYERS} if read(config, "layer_types") else {}
    opened = small(maker, **{**more, **kinds, "sliding_window": None}) if read(config, "sliding_window") else None
    other = run(opened) if opened is not None else None
    turning = [one for one in found.values() if turns(one[0], one[1])][:MAX_LAYOUTS]
    layouts = {layout(one[0], one[4]) for one in turning} - {None}
    return {
        "still": still,
        "still_open": _still(opened, other) if isinstance(other, dict) and other else still,
        "both_sides": all(seen(one[2], one[3])[1] != 0 for one in found.values()),
        "pairs": next(iter(layouts)) if len(layouts) == 1 else None,
    }


def _still(config, found):
    """Return the kinds of layers none of which turns anything."""
    kinds = read(config, "layer_types") or []
    by_kind = {}
    for number, one in found.items():
        kind = kinds[number] if isinstance(number, int) and number < len(kinds) else ""
        by_kind.setdefault(kind, []).append(turns(one[0], one[1]))
    return sorted(kind for kind, told in by_kind.items() if not any(told))
