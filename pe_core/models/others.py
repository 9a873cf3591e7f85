"""Models whose positions are not those of the RoPE classes: tables, biases, buckets, and the first rotary ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pe_core.encodings import sinusoidal
from pe_core.models.fields import Fields
from pe_core.models.positions import LayerGroup, Mechanism, Rotation
from pe_core.models.reading import refuse

MAX_WIDTH = 65_536
OLD_BASE = 10_000.0  # of GPT-J and CodeGen, in their code and no field


@dataclass(frozen=True)
class Found:
    """What one of these models does: in a clause that follows its name, and how long a text it claims to read."""

    mechanism: Mechanism
    clause: str
    length: int | None
    groups: tuple[LayerGroup, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Other:
    """Defaults of one class, and what to make of its fields."""

    defaults: Mapping[str, Any]
    read: Callable[[Fields], Found]


def learned(top: Fields) -> Found:
    """Return what a table with one learned vector for each position does."""
    name = next(name for name in ("n_positions", "max_position_embeddings") if name in top.defaults)
    length = top.whole(name)
    ignored = top.given.get("position_embedding_type") not in (None, "absolute")
    told = ["position_embedding_type is ignored: transformers 5 reads a table."] if ignored else []
    clause = f"adds a learned vector for each of {length:,} positions, a hard limit"
    return Found("learned", clause, length, (), (*told, *_rope_is_ignored(top)))


def offset(rows: int) -> Callable[[Fields], Found]:
    """Return the reader of a table of which `rows` rows are no positions, as in RoBERTa, which counts from 2."""

    def read(top: Fields) -> Found:
        length = top.whole("max_position_embeddings", minimum=rows + 1) - rows
        clause = (
            f"adds a learned vector for each of {length:,} positions, a hard limit; {rows} rows of its table are none"
        )
        return Found("learned", clause, length)

    return read


def alibi(name: str | None) -> Callable[[Fields], Found]:
    """Return the reader of a model that has ALiBi whatever its fields say; `name` is the field of its length."""

    def read(top: Fields) -> Found:
        length = top.whole_or_none(name) if name else None
        told = []
        if isinstance(inner := top.given.get("attn_config"), Mapping) and inner.get("alibi") is False:
            told.append("attn_config.alibi is ignored: the class of transformers always has ALiBi.")
        if isinstance(inner, Mapping) and inner.get("alibi_bias_max", 8) != 8:
            told.append("attn_config.alibi_bias_max is ignored: the class of transformers has 8.")
        clause = "lowers each score with the distance, by ALiBi, and turns nothing"
        return Found("alibi", clause, length, (), (*told, *_rope_is_ignored(top)))

    return read


def buckets(top: Fields) -> Found:
    """Return what the bias of T5 does."""
    count = top.whole("relative_attention_num_buckets")
    far = top.whole("relative_attention_max_distance")
    clause = (
        f"adds a learned bias for each of {count} buckets of distances; all from {far} on share one, so no hard limit"
    )
    return Found("buckets", clause, None)


def disentangled(top: Fields) -> Found:
    """Return what DeBERTa does."""
    length = top.whole("max_position_embeddings")
    tables = ["a learned table"] if top.flag("position_biased_input", True) else []
    if top.flag("relative_attention", False):
        tables.append("learned vectors of distances in its scores")
    clause = f"has {' and '.join(tables) or 'no positions'}, made for {length:,} tokens"
    return Found("disentangled" if top.flag("relative_attention", False) else "learned", clause, length)


def first_rotary(top: Fields) -> Found:
    """Return what GPT-J and CodeGen do: RoPE of base 10,000 on the first channels, neighbours in pairs."""
    width, heads = top.whole("n_embd", maximum=MAX_WIDTH * 16), top.whole("n_head")
    turned, head_dim = top.whole("rotary_dim", minimum=2, maximum=MAX_WIDTH), width // heads
    if turned % 2 or turned > head_dim:
        refuse("rotary_dim", f"be even and at most the width of a head ({head_dim})", turned)
    length, frequencies = top.whole("n_positions"), sinusoidal.frequencies(turned, OLD_BASE)
    rotation = Rotation("default", OLD_BASE, head_dim, turned, None, length, frequencies, frequencies)
    layers = tuple(range(top.whole("n_layer", maximum=10_000)))
    clause = f"turns the first {turned} of {head_dim} channels of q and k with RoPE of base 10,000, neighbours in pairs"
    return Found("rope", clause, length, (LayerGroup("all layers", layers, rotation=rotation),))


def esm(top: Fields) -> Found:
    """Return what ESM does, which has RoPE where position_embedding_type says so."""
    if top.text("position_embedding_type") != "rotary":
        return learned(top)
    width, heads = top.whole("hidden_size", maximum=MAX_WIDTH * 16), top.whole("num_attention_heads")
    head_dim = width // heads
    if head_dim < 2 or head_dim % 2:
        refuse("hidden_size", "give heads of an even width", width)
    length, frequencies = top.whole("max_position_embeddings"), sinusoidal.frequencies(head_dim, OLD_BASE)
    rotation = Rotation("default", OLD_BASE, head_dim, head_dim, None, length, frequencies, frequencies)
    layers = tuple(range(top.whole("num_hidden_layers", maximum=10_000)))
    clause = "turns q and k with RoPE of base 10,000"
    return Found("rope", clause, length, (LayerGroup("all layers", layers, rotation=rotation),))


def _rope_is_ignored(top: Fields) -> list[str]:
    given = any(top.given.get(name) for name in ("rope_theta", "rope_scaling", "rope_parameters"))
    return ["rope_theta and rope_scaling are ignored: nothing is turned."] if given else []


def _table(length: int, name: str = "max_position_embeddings") -> Other:
    return Other({name: length}, learned)


DEBERTA = {"max_position_embeddings": 512, "relative_attention": False, "position_biased_input": True}
BUCKETS = Other({"relative_attention_num_buckets": 32, "relative_attention_max_distance": 128}, buckets)
FIRST = Other({"n_positions": 2048, "n_embd": 4096, "n_head": 16, "n_layer": 28, "rotary_dim": 64}, first_rotary)
ESM = {"max_position_embeddings": 1026, "position_embedding_type": "absolute", "hidden_size": 768}

OTHERS: Mapping[str, Other] = {
    "gpt2": _table(1024, "n_positions"),
    "gpt_bigcode": _table(1024, "n_positions"),
    "gpt_neo": _table(2048),
    "opt": _table(2048),
    "bart": _table(1024),
    "mbart": _table(1024),
    "bert": _table(512),
    "albert": _table(512),
    "distilbert": _table(512),
    "electra": _table(512),
    "roberta": Other({"max_position_embeddings": 512}, offset(2)),
    "xlm-roberta": Other({"max_position_embeddings": 512}, offset(2)),
    "bloom": Other({}, alibi("seq_length")),
    "mpt": Other({"max_seq_len": 2048}, alibi("max_seq_len")),
    "t5": BUCKETS,
    "mt5": BUCKETS,
    "umt5": BUCKETS,
    "longt5": BUCKETS,
    "deberta": Other(DEBERTA, disentangled),
    "deberta-v2": Other(DEBERTA, disentangled),
    "gptj": FIRST,
    "codegen": FIRST,
    "esm": Other({**ESM, "num_attention_heads": 12, "num_hidden_layers": 12}, esm),
}
