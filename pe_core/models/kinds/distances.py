"""Models whose scores depend on distances: biases, buckets, ALiBi, and vectors of distances."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from pe_core.models.fields import Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.kinds.hearing import CONVOLUTION
from pe_core.models.kinds.images import MAX_LISTED, sizes_in
from pe_core.models.kinds.tables import ENDS, alone, each, numbers, rope_is_ignored
from pe_core.models.positions import AHEAD_AS_BACK, LayerGroup
from pe_core.models.turning.layers import MAX_LAYERS

WITHOUT_DECODER = ("FunnelBaseModel", "ForSequenceClassification", "ForMultipleChoice")  # classes of Funnel


def alibi(name: str) -> Other:
    """Return the reader of a model that has ALiBi whatever its fields say; `name` is the field of its length."""

    def read(top: Fields) -> Found:
        length, told = top.whole_or_none(name), []
        inner = top.given.get("attn_config")
        if isinstance(inner, Mapping) and inner.get("rope") is True:
            told.append("attn_config.rope is ignored by transformers, and obeyed by the model's own code, with RoPE.")
        if isinstance(inner, Mapping) and inner.get("alibi_bias_max", 8) != 8:
            told.append("attn_config.alibi_bias_max is ignored: the class of transformers has 8.")
        clause = "lowers each score with the distance, by ALiBi, and turns nothing"
        return Found("alibi", clause, length, warnings=(*told, *rope_is_ignored(top)))

    return Other({}, read)


def _mpt(top: Fields) -> Found:
    found = alibi("max_seq_len").read(top)
    ends = () if found.length is None else (ENDS.format("biases", found.length),)
    return replace(found, warnings=(*found.warnings, *ends))


def _longt5(top: Fields) -> str:
    told = f"in its encoder a token sees at most {top['local_radius']} others on each side"
    if top.text("encoder_attention_type") != "transient-global":
        return told
    told += f" and sums of all blocks of {top['global_block_size']}, whose distances, counted in blocks, have a table"
    return f"{told} of their own, of {top['relative_attention_num_buckets']} buckets, too"


def _sides(top: Fields) -> str:
    """Return which way the buckets of encoder and decoder go; of a part inside another model nothing is told."""
    half = "half of the buckets are for keys behind, and half for those before"
    if top.path not in ("", "text_config."):
        return ""
    one = alone(top)
    return half if one == "encoder" else BACK if one == "decoder" else f"in its encoder {half}; in its decoder {BACK}"


def segmented(buckets: int, relations: str) -> Other:
    """Return the reader of CPM-Ant and CPM-Bee: biases of distances, and others between parts of what is read."""
    return says(
        "buckets",
        f"adds a learned bias for each of {{position_bias_num_buckets={buckets}:,}} buckets of distances within a part "
        f"of what is read, and for each of {{{relations}:,}} relations of two parts; distances from "
        "{position_bias_max_distance=2048:,} on, at the latest, share a bucket in each direction",
    )


def _xlnet(top: Fields) -> str:
    clause = "compares its queries with sinusoids of distances, as Transformer-XL does"
    if isinstance(most := top.value("clamp_len"), int) and most > 0:
        clause += f"; distances beyond {most:,} count as this one"
    if isinstance(kept := top.value("mem_len"), int) and kept > 0:
        clause += f"; it may keep {kept:,} tokens of what it read before"
        if top.value("attn_type") == "uni" and top.flag("same_length", False):
            before = kept - (top.given.get("model_type") == "transfo-xl")  # which counts the token itself
            clause += f"; a token sees itself and at most {before:,} before it"
    return clause + (f"; {AHEAD_AS_BACK}" if top.value("attn_type") == "bi" else "")


def _funnel(top: Fields) -> str:
    clause, sizes = _xlnet(top), sizes_in(top, "block_sizes", f"be a list of 1 to {MAX_LISTED} whole numbers")
    clause += f"; {AHEAD_AS_BACK}; its blocks have {', '.join(map(str, sizes))} layers"
    if len(sizes) > 1:
        clause += ", and each but the first has half as many places as the one before"
    repeats = top.value("block_repeats")
    if isinstance(repeats, list) and set(repeats) != {1}:
        times = sizes_in(top, "block_repeats", "be a list of whole numbers", len(sizes), len(sizes))
        clause += f"; the layers of its blocks run {', '.join(map(str, times))} times"
    encodes = any(one in str(top.given.get("architectures")) for one in WITHOUT_DECODER)
    if (count := top.whole("num_decoder_layers", minimum=0)) and not encodes:
        clause += f"; a decoder of {count} layers sees all of them again"
    return clause


def _deberta(top: Fields) -> Found:
    length, relative = top.whole("max_position_embeddings"), top.flag("relative_attention", False)
    tables = ["a learned table"] if top.flag("position_biased_input", True) else []
    tables += [IN_SCORES] if relative else []
    clause = f"has {' and '.join(tables) or 'no positions'}, made for {length:,} tokens"
    if relative:
        clause += f"; {_spans(top)}; {_ways(top)}"
    if "conv_kernel_size" in top.defaults and (joined := top.whole("conv_kernel_size", minimum=0)):
        clause += f"; a convolution over {joined} tokens is added to what its first layer makes"
    return Found("disentangled" if relative else "learned", clause, length)


def _spans(top: Fields) -> str:
    """Return how DeBERTa counts distances: in buckets, or up to one that farther ones share."""
    count = top.value("position_buckets", -1) if "position_buckets" in top.defaults else -1
    width = top.whole("hidden_size")
    most = top.value("max_relative_positions", -1)
    most = most if isinstance(most, int) and most > 0 else top.whole("max_position_embeddings")
    if isinstance(count, int) and count > 0:
        return _in_buckets(most, count, 2 * count, width)
    told = f"the table of distances has {2 * most:,} rows of {width:,} channels"
    return f"{told}; distances from {most:,} on share one on each side"


def _in_buckets(most: int, count: int, rows: int, width: int) -> str:
    return (
        f"distances up to {most:,} fall into {count} buckets on each side; those below {count // 2} have one each"
        f", and farther ones share the last; the table of distances has {rows:,} rows of {width:,} channels"
    )


def ltg_bert(top: Fields) -> Found:
    """Return what LTG-BERT does: as DeBERTa 2, with one row for a distance of 0."""
    length, count, width = (top.whole(name) for name in LTG_BERT)
    spans = _in_buckets(length, count, 2 * count - 1, width)
    clause = f"has {IN_SCORES}, made for {length:,} tokens; {spans}; {_met(SIDES_OF_A_SCORE)}"
    return Found("disentangled", clause, length)


def _ways(top: Fields) -> str:
    """Return which side of a score meets the vectors of distances, as `pos_att_type` says."""
    given = top.value("pos_att_type")
    named = given.split("|") if isinstance(given, str) else given if isinstance(given, list) else []
    return _met(named) or "pos_att_type names neither c2p nor p2c, so that no score has them"


def _met(named: Collection[str]) -> str:
    return " and ".join(f"{side} meet them ({way})" for way, side in SIDES_OF_A_SCORE.items() if way in named)


def _inkling(top: Fields) -> Found:
    count, kinds, local = (top.value(name) for name in ("num_hidden_layers", "layer_types", "local_layer_ids"))
    if isinstance(kinds, list):
        near = [i for i, kind in enumerate(kinds) if kind == "hybrid_sliding"]
        count = len(kinds)
    else:
        count = top.whole("num_hidden_layers", maximum=MAX_LAYERS)
        near = [i for i in range(count) if (i in local if isinstance(local, list) else (i + 1) % 6)]
    whole = [i for i in range(count) if i not in set(near)]
    window, extent = top.whole("sliding_window_size"), top.whole("rel_extent")
    size = top.whole("sconv_kernel_size" if top.says("sconv_kernel_size") else "conv_kernel_size")
    clause = f"adds a bias that each query makes for each distance behind it below {extent:,}, and turns nothing"
    if near:
        clause += f"; {len(whole)} of {count} layers see all tokens{numbers(whole)}"
        clause += f"; the others see at most {window:,} tokens, and their biases reach as far"
    clause += f"; each layer has convolutions over {size} tokens, too"
    groups = (LayerGroup("sliding_attention", tuple(near), window), LayerGroup("full_attention", tuple(whole)))
    length = top.whole("model_max_length" if top.says("model_max_length") else "max_position_embeddings")
    return Found("relative", clause, length, tuple(group for group in groups if group.layers))


BACK = "all buckets are for keys before, and where it asks what was read there are none"
INKLING = {
    "num_hidden_layers": 66, "sliding_window_size": 512, "rel_extent": 1024, "conv_kernel_size": 4,
    "max_position_embeddings": 131_072,
}  # fmt: skip
BUCKETS = says(
    "buckets",
    "adds a learned bias for each of {relative_attention_num_buckets=32} buckets of distances; from "
    "{relative_attention_max_distance=128} on at the latest, all in one direction share one, so no hard limit",
)
IN_SCORES = "learned vectors of distances in its scores"
SIDES_OF_A_SCORE = {"c2p": "queries", "p2c": "keys"}
DEBERTA = {
    "max_relative_positions": -1, "max_position_embeddings": 512, "relative_attention": False,
    "position_biased_input": True, "pos_att_type": None, "hidden_size": 768,
}  # fmt: skip
LTG_BERT = {"max_position_embeddings": 512, "position_bucket_size": 32, "hidden_size": 768}
OF_DISTANCES: Mapping[str, Other] = {
    "pix2struct_text_model": BUCKETS.also(BACK),
    "mt5 pop2piano switch_transformers t5": BUCKETS.also(each, _sides),
    "umt5": BUCKETS.also("each layer has one of its own", _sides),
    "longt5": BUCKETS.also(
        each, _sides, _longt5, local_radius=127, encoder_attention_type="local", global_block_size=16
    ),
    "udop": BUCKETS.also(
        each,
        _sides,
        "in its encoder scores have learned biases of distances on the page, too, in 32 buckets each for rows and "
        "columns, up to the whole page",
        "the corners of a box pick learned vectors of {max_2d_position_embeddings=1024:,} places each",
        "the {image_size=224 // patch_size=16} x {image_size // patch_size} patches of its image have boxes, too",
    ),
    "cpmant": segmented(512, "segment_types=32 ** 2"),
    "xlnet": says("relative", _xlnet, clamp_len=-1, mem_len=512, attn_type="bi").where(
        "bi_data", False, "the second half of the texts of a batch counts distances the other way round"
    ),
    "funnel": says("relative", _funnel, block_sizes=[4, 4, 4], block_repeats=None, num_decoder_layers=2),
    "inkling_text": Other(INKLING, _inkling),
    "inkling2_text": Other(
        INKLING | {"num_hidden_layers": 48, "sliding_window_size": 1024, "max_position_embeddings": 1_048_576},
        _inkling,
    ),
    "bloom": alibi("seq_length"),
    "mpt": Other({"max_seq_len": 2048}, _mpt),
    "deberta": Other(DEBERTA, _deberta),
    "deberta-v2": Other(DEBERTA | {"position_buckets": -1, "conv_kernel_size": 0, "hidden_size": 1536}, _deberta),
    "sew-d": CONVOLUTION.unless(
        "relative_attention",
        True,
        CONVOLUTION.also("its scores have learned vectors of distances, as in DeBERTa").also(
            _spans,
            _ways,
            max_position_embeddings=512,
            position_buckets=256,
            pos_att_type=["p2c", "c2p"],
            hidden_size=768,
        ),
    ),
}
