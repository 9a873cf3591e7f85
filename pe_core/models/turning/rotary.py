"""What a model whose layers turn says of its positions, from the settings of one level."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models import sentences
from pe_core.models.classes import ModelClass
from pe_core.models.fields import MAX_SIZE, Fields, defaults_in
from pe_core.models.positions import LayerGroup, Positions, Rotation
from pe_core.models.reading import is_whole, refuse, shown
from pe_core.models.sentences import remote
from pe_core.models.turning.dialects import ropes
from pe_core.models.turning.layers import (
    ALL_LAYERS,
    COUNTS_BOTH,
    TURNS_AS,
    WITHOUT,
    WITHOUT_TURNING,
    convolved,
    layer_groups,
)
from pe_core.models.turning.query_factor import remarks, with_factors
from pe_core.models.turning.rotation import rotation
from pe_core.models.unread import on_lengths, unread

CANNOT_KNOW = (
    "the settings of the released model where the file is silent: the class fills in its own",
    "whether the weights are for pairs of neighbours or of halves",
)
PLACES = "This class reads no tokens of text: its positions and lengths count frames, patches or points in time."
INDEXED: Mapping[str, str] = {  # which channels the indexer of a class pairs, as its code in transformers 5.23 has it
    **dict.fromkeys(("axk2", "deepseek_v32", "hy_v4"), "halves"),
    **dict.fromkeys(("dots3_note_text", "glm_moe_dsa", "mistral_large4_text"), "neighbours"),
}
PICKED: Mapping[str, str] = {  # what a class reads whose indexer picks blocks and no tokens
    "minimax_m3_vl_text": "A token reads at most {index_topk_blocks=16} blocks of {index_block_size=128} tokens, its "
    "own among them, which an indexer of {index_n_heads=4} heads of {index_head_dim=128} channels picks, and "
    "it turns, too.",
    "qwen4_exp_text": "A token reads at most {indexer_budget:,} tokens in blocks of {indexer_compress_ratio}, which an "
    "indexer of {indexer_n_heads} heads of {indexer_head_dim} channels picks, and it turns, too; the last "
    "tokens, which fill no block, are read anyway.",
}
NO_HEAD_DIM = frozenset({"dynamic", "yarn", "longrope"})  # rules that take a head_dim of null as it is


def rotary(kind: str, level: str, model: ModelClass, top: Fields) -> Positions:
    """Return what the fields of one level say, as a class of type `kind` reads them."""
    frames = not model.reads_tokens and not kind.endswith("_assistant")  # these go on from what another one has read
    top.warnings.extend([*([PLACES] if frames else []), *remarks(kind, top), *remote(top.given)])
    unknown = list(CANNOT_KNOW if model.pairs is None and "rope_interleave" not in top.defaults else CANNOT_KNOW[:1])
    claimed = top.whole("max_position_embeddings") if "max_position_embeddings" in {*top.given, *top.defaults} else None
    groups = layer_groups(top, model, unknown, counts_both=kind == COUNTS_BOTH, by_layer=kind == "neomme")
    settings = ropes(top, model)
    if kind == "olmo_hybrid" and (only := settings[""]) is not None and only.value("rope_theta") is None:
        settings = {"": None}  # as its released models have it, which turn nothing
    _original_at_top(top, settings.get(""))
    rotations: dict[str, Rotation | None] = dict.fromkeys(settings)
    known = {name: one for name, one in settings.items() if one is not None}
    for name, one in known.items():
        width = _head_dim(top, model, name, one)
        own = rotation(one, model_type=kind, model=model, head_dim=width, claimed=claimed)
        if width % 2 and own.n_rotated == width and (model.derives_head_dim or top.value("head_dim")):
            refuse("head_dim", "be even where all channels turn", width)
        staying = _staying(top, model, width)
        if kind == "dots3_note_text" and name == "indexed_attention":  # whose heads are narrower than head_dim says
            staying = own.n_rotated + top.whole("qk_nope_head_dim", maximum=MAX_SIZE) - width
        rotations[name] = replace(own, head_dim=width + staying)
    groups = with_factors(groups, top, model, settings.get(""))
    for one in known.values():
        top.said.update(one.said)
        top.filled.update({key: value for key, value in one.filled.items() if key not in top.said})
    turned = _partly_scaled(_joined(groups, rotations), top)
    if "position_embedding_type" in top.defaults and top.text("position_embedding_type") != "rope":
        turned = [replace(group, rotation=None) for group in turned]
        top.warn('position_embedding_type is not "rope": nothing is turned, whatever the base.')
    without = [name for name, one in known.items() if one.place("rope_theta") in one.filled]
    if without == [""] and top.says("rope_theta"):
        top.warn("rope_theta at the top is not read by this class: its own base is used.")
    elif without and top.says("rope_theta"):
        top.warn(f"rope_theta at the top does not reach {without[0]}: the base of the class is used there.")
    elif without:
        top.warn("No base is given. The base of the class is used; the released model may have another one.")
    layout = model.pairs
    if "rope_interleave" in top.defaults:
        layout = pairs = "neighbours" if top.flag("rope_interleave", True) else "halves"
        top.warn(f"Channels are turned in pairs of {pairs}: parameters of the other layout must be reordered.")
    if isinstance(inner := top.given.get("attn_config"), Mapping) and inner.get("rope_theta") is not None:
        told = f"attn_config.rope_theta {shown(inner['rope_theta'])} is ignored by transformers 5.23, which reads"
        top.warn(f"{told} rope_theta at the top: the released model was trained with that of attn_config.")
    if kind == "lfm2_moe" and not top.says("layer_types"):
        top.warn("layer_types is missing: transformers fails when it builds the model.")
    if kind == "moonshine":
        count = top.given.get("encoder_num_hidden_layers", model.fields["num_hidden_layers"])
        top.warn(
            f"These are the layers of the decoder: the {shown(count)} of its encoder turn alike, and see both ways."
        )
    served = _served(top, settings.get(""), turned, claimed)
    top.warnings.extend(unread(top, model, kind) + on_lengths(top, turned, served))
    if any(group.kind in WITHOUT_TURNING for group in turned) and (line := convolved(top)):
        top.warn(f"{line[0].upper()}{line[1:]}.")
    if any(group.kind == "indexed_attention" for group in turned) and "index_topk" in {*top.given, *top.defaults}:
        most = top.whole("index_topk")
        heads, width = (top.value(name) for name in ("index_n_heads", "index_head_dim"))
        sizes, turns = "", ""
        if type(heads) is type(width) is int:
            sizes = f" of {heads:,} heads of {width:,} channels"
            some = top.value("qk_rope_head_dim")
            turns = f"; it turns {some} of them, in pairs of {INDEXED[kind]}" if kind in INDEXED else ""
        top.warn(f"A token reads at most {most:,} tokens, which an indexer{sizes} picks (index_topk){turns}.")
    if any(group.kind == "indexed_attention" for group in turned) and kind in PICKED:
        picked = Fields(top.given, defaults_in(PICKED[kind]), top.path)
        if kind != "qwen4_exp_text" or picked.value("indexer_budget") is not None:  # without it there is no indexer
            top.warn(PICKED[kind].format_map(picked))
    chunked = _chunked(top, served)
    first = next((group.rotation for group in turned if group.rotation is not None), None)
    lengths = {group.rotation.original_length for group in turned if group.rotation is not None}
    trained = min((length for length in lengths if length is not None), default=None)
    if served != claimed:
        trained = claimed
    elif first is not None and None in lengths:
        why = "the file tells no length" if claimed is None else "which the rule linear does not need"
        unknown.append(f"the original length, {why}")
        trained = None
    found = Positions(
        model_type=kind,
        level=level,
        mechanism="rope" if first is not None else "none",
        parts=(
            sentences.summary(
                kind,
                level,
                turned,
                served,
                counted=top.says("num_hidden_layers"),
                default=served == claimed and not top.says("max_position_embeddings"),
            ),
        ),
        groups=tuple(turned),
        pairs=layout if first is not None else None,
        original_length=trained,
        claimed_length=served,
        said=top.said,
        filled=top.filled,
        unknown=tuple(unknown),
        warnings=tuple(dict.fromkeys(top.warnings)),
    )
    seen = chunked or (claimed if served != claimed else None)
    return found if seen is None else found.trained(seen)


def _chunked(top: Fields, claimed: int | None) -> int | None:
    """Return the trained length of a file with Dual Chunk Attention, None of others; say what engines do with it."""
    own = top.given.get("dual_chunk_attention_config")
    if own is None:
        return None
    told = "dual_chunk_attention_config is ignored by transformers; some engines obey it"
    inner = own if isinstance(own, Mapping) else {}
    original, size = inner.get("original_max_position_embeddings"), inner.get("chunk_size")
    if type(original) is not int or type(size) is not int or claimed is None or not 0 < original <= claimed:
        top.warn(f"{told}.")
        return None
    top.warn(f"{told}: they number a text by chunks of {size:,}, so that no distance is beyond {original:,}.")
    return original


def _partly_scaled(groups: list[LayerGroup], top: Fields) -> list[LayerGroup]:
    """Return the groups with the layers apart that Molmo 2 turns as before its rule: all but `rope_scaling_layers`."""
    if top.given.get("model_type") != "molmo2_text" or top.value("rope_scaling_layers") is None:
        return groups
    [whole], given = groups, top.value("rope_scaling_layers")
    layers, rotation = whole.layers or (), whole.rotation
    numbers = [one for one in given if type(one) is int and 0 <= one < len(layers)] if isinstance(given, list) else None
    if numbers is None or len(numbers) < len(given):
        refuse(top.place("rope_scaling_layers"), f"be a list of numbers of layers from 0 to {len(layers) - 1}", given)
    if rotation is None or rotation.rule == "default":
        return groups
    plain = replace(rotation, rule="default", factor=None, frequencies=rotation.plain, beyond=None, attention_factor=1)
    scaled = set(numbers)
    apart = (
        LayerGroup("scaled", tuple(layer for layer in layers if layer in scaled), rotation=rotation),
        LayerGroup("unscaled", tuple(layer for layer in layers if layer not in scaled), rotation=plain),
    )
    return [group for group in apart if group.layers]


def _served(top: Fields, rope: Fields | None, groups: list[LayerGroup], claimed: int | None) -> int | None:
    """Return the claimed length: that of max_sequence_length where it is as many times longer as a linear rule scales.

    So files of Vicuna have it, whose max_position_embeddings is the trained length.
    """
    length, factors = top.given.get("max_sequence_length"), {one.rotation.factor for one in groups if one.rotation}
    rules = {one.rotation.rule for one in groups if one.rotation}
    if rules != {"linear"} or len(factors) != 1 or claimed is None:
        return claimed
    factor = factors.pop()
    if factor is None or factor <= 1:
        return claimed
    if not isinstance(length, int) or length != claimed * factor:
        if top.says("max_position_embeddings") and rope and not rope.says("original_max_position_embeddings"):
            top.warn(
                f"The rule linear has no original length: if {claimed:,} is the trained one, its factor makes it "
                f"{round(claimed * factor):,}; if it is the raised one, {round(claimed / factor):,} were trained."
            )
        return claimed
    top.warn(
        f"max_sequence_length {length:,} is {factor:g} times max_position_embeddings {claimed:,}: the first is taken "
        "as the claimed length, the second as the original one. transformers 5.23 reads the second alone."
    )
    return top.whole("max_sequence_length")


def _original_at_top(top: Fields, rope: Fields | None) -> None:
    """Let the original length of the top level replace that of a flat object, as transformers does when it builds."""
    key = "original_max_position_embeddings"
    if rope is None or (key not in top.given and key not in top.defaults):
        return
    value = top.whole(key)
    if not rope.says(key) and "su" in (rope.given.get("rope_type"), rope.given.get("type")):
        top.warn(
            f"transformers 5.23 refuses this file: with the older name su it wants {key} inside the rule. It is read "
            "as longrope, the later name of su."
        )
    if rope.says(key) and rope.given[key] != value:
        top.warn(f"{key} {value:,} of the top level or the class replaces {shown(rope.given[key])} inside.")
    if isinstance(rope.given, dict):
        rope.given[key] = value


def _head_dim(top: Fields, model: ModelClass, name: str, rope: Fields) -> int:
    """Return the channels of one head of which some are turned."""
    given = top.given.get("head_dim")
    if model.refuses_head_dim and given is not None and given != model.fields.get("head_dim"):
        refuse(
            "head_dim", "be that of the class or left out, because transformers cannot build the model otherwise", given
        )
    if given is not None and not model.obeys_head_dim and name not in model.head_dims:
        top.warn(f"head_dim {shown(given)} is ignored by this model.")
    if model.copies_rope_head_dim:
        own = top.whole("qk_rope_head_dim", maximum=MAX_SIZE)
        if model.obeys_head_dim and given not in (None, own):
            top.warn(f"head_dim {shown(given)} replaces qk_rope_head_dim {own}: remove it.")
            return top.whole("head_dim", maximum=MAX_SIZE)
        return own
    if name in model.head_dims:
        differ = len(set(model.head_dims.values())) > 1
        field = "global_head_dim" if differ and name == "full_attention" else "head_dim"
        return top.whole(field, maximum=MAX_SIZE) if top.says(field) else model.head_dims[name]
    if top.value("head_dim") is not None and (given is None or model.obeys_head_dim):
        return top.whole("head_dim", maximum=MAX_SIZE)
    if given is not None and not model.obeys_head_dim and model.fields.get("head_dim"):
        return int(model.fields["head_dim"])
    width, heads = top.whole("hidden_size", maximum=16 * MAX_SIZE), top.whole("num_attention_heads")
    if not model.derives_head_dim and "head_dim" in {*top.given, *top.defaults}:
        rule = rope.text("rope_type") or rope.text("type")
        if rule in NO_HEAD_DIM:
            refuse(
                "head_dim", f"be given for the rule {rule}, because transformers cannot build the model otherwise", None
            )
    if width % heads and model.must_divide:
        refuse("hidden_size", f"be a multiple of num_attention_heads ({heads})", width)
    if width // heads > MAX_SIZE:
        refuse("hidden_size / num_attention_heads", f"be at most {MAX_SIZE}", width // heads)
    return width // heads


def _staying(top: Fields, model: ModelClass, width: int) -> int:
    """Return how many channels of a head stay beside those of `qk_rope_head_dim`, which the rotation counts."""
    names = "qk_rope_head_dim", "qk_nope_head_dim"
    counts = [top.value(name) for name in names] if "qk_nope_head_dim" in model.fields else []
    return counts[1] if counts and counts[0] == width and is_whole(counts[1], 0, MAX_SIZE) else 0


def _joined(groups: list[LayerGroup], rotations: Mapping[str, Rotation | None]) -> list[LayerGroup]:
    """Return the groups with their rotations; kinds of rotation that no layer has by name stand for themselves."""
    joined = []
    for group in groups:
        kind = group.kind.removesuffix(WITHOUT)
        turns = kind == group.kind and kind not in WITHOUT_TURNING
        own = rotations.get("", rotations.get(kind, rotations.get(TURNS_AS.get(kind, "")))) if turns else None
        if group.kind == ALL_LAYERS and "" not in rotations:
            continue
        joined.append(replace(group, rotation=own))
    kinds = {group.kind.removesuffix(WITHOUT) for group in joined}
    if any(group.layers is not None for group in joined):
        return joined
    joined += [
        LayerGroup(name, None, rotation=own)
        for name, own in rotations.items()
        if name and name not in (*kinds, *TURNS_AS.values()) and own
    ]
    return joined
