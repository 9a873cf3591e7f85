"""Models whose positions are not those of the RoPE classes: tables, biases, buckets, and the first rotary ones."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pe_core.models.built import BUILT
from pe_core.models.detectors import DETECTORS
from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import (
    ALWAYS,
    CONVOLUTION,
    IMAGES_AND_SOUND,
    MAX_LISTED,
    NEVER,
    base_of,
    convolution,
    is_size,
    patches,
)
from pe_core.models.layers import convolved
from pe_core.models.positions import AHEAD_AS_BACK, LayerGroup, plain_rope
from pe_core.models.reading import refuse
from pe_core.models.series import SERIES
from pe_core.models.speech import SPEECH

MAX_WIDTH = 65_536
OLD_BASE = 10_000.0  # of GPT-J and CodeGen, in their code and no field


def learned(top: Fields) -> Found:
    """Return what a table with one learned vector for each position does."""
    name = next(name for name in ("n_positions", "max_position_embeddings") if name in top.defaults)
    length = top.whole(name)
    ignored = top.given.get("position_embedding_type") not in (None, "absolute")
    told = ["position_embedding_type is ignored: transformers 5 reads a table."] if ignored else []
    clause = f"adds a learned vector for each of {length:,} positions, a hard limit"
    return Found("learned", clause, length, (), (*told, *_rope_is_ignored(top)))


def of_block(top: Fields) -> Found:
    """Return what the parts of Bark do: a learned table, whose length its code calls `block_size`."""
    length = top.whole("block_size")
    return Found("learned", f"adds a learned vector for each of {length:,} positions, a hard limit", length)


def local(top: Fields) -> Found:
    """Return what GPT-Neo does: a learned table, and layers that see a window."""
    found, count = learned(top), top.whole("num_layers", maximum=10_000)
    kinds = top.value("attention_layers")
    if kinds is None:
        kinds = []
        given = top.value("attention_types")
        for entry in given if isinstance(given, list) else [given]:
            if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], list)):
                refuse("attention_types", "have lists of kinds with a number", entry)
            kinds += entry[0] * (entry[1] if isinstance(entry[1], int) and 0 < entry[1] <= count else 0)
    if not isinstance(kinds, list) or len(kinds) != count or any(kind not in ("global", "local") for kind in kinds):
        refuse("attention_types", f"say for each of {count} layers whether it is global or local", kinds)
    near = tuple(i for i, kind in enumerate(kinds) if kind == "local")
    window = top.whole("window_size")
    clause = f"{found.clause}; {len(near)} of {count} layers are local, seeing at most {window:,} tokens"
    clause += numbers(list(near)) if len(near) < count else ""
    groups = [LayerGroup("global", tuple(i for i in range(count) if i not in near)), LayerGroup("local", near, window)]
    return replace(found, clause=clause, groups=tuple(group for group in groups if group.layers))


def offset(rows: int, beside: bool = False) -> Callable[[Fields], Found]:
    """Return the reader of a table of which `rows` rows are no positions, as in RoBERTa, which counts from 2.

    The field counts these rows, too, or those of positions alone where they lie `beside` them, as in BART.
    """

    def read(top: Fields) -> Found:
        length = top.whole("max_position_embeddings", minimum=1 if beside else rows + 1) - (0 if beside else rows)
        others = "1 row of its table stands" if rows == 1 else f"{rows} rows of its table stand"
        clause = f"adds a learned vector for each of {length:,} positions, a hard limit; {others} for no position"
        return Found("learned", clause, length)

    return read


def sinusoid(grows: bool) -> Callable[[Fields], Found]:
    """Return the reader of a fixed sinusoid for each position, which is computed anew for a longer text, or not."""

    def read(top: Fields) -> Found:
        length = top.whole(next(name for name in ("n_positions", "max_position_embeddings") if name in top.defaults))
        limit = "more are computed for a longer text" if grows else "a hard limit"
        return Found("sinusoidal", f"adds a fixed sinusoid for each of {length:,} positions, {limit}", length)

    return read


def begun(top: Fields) -> Found:
    """Return what XLM and DistilBERT do: a learned table, which may begin as sinusoids."""
    found = learned(top)
    begins = any(top.flag(name, False) for name in ("sinusoidal_embeddings", "sinusoidal_pos_embds"))
    return found.also("its rows begin as sinusoids" if begins else "")


def prophetnet(top: Fields) -> Found:
    """Return what ProphetNet does: a table whose last row later positions share where a text is read."""
    first = top.whole("pad_token_id", minimum=0) + 2  # its decoder looks up the next position, too
    rows, count = top.whole("max_position_embeddings", minimum=first + 1), top.whole("num_buckets")
    length = rows - first
    clause = f"adds a learned vector for each of {rows:,} positions, of which later ones that are read share the last; "
    clause += f"of what is written {length:,} tokens are a hard limit, and each query makes a bias for {count} buckets "
    return Found("learned", f"{clause}of distances; {_far(top.whole('relative_max_distance'))}", length)


def _far(distance: int) -> str:
    """Return from where the buckets of T5's kind tell distances no longer apart."""
    return f"distances from {distance:,} on, at the latest, share a bucket in each direction"


def tapas(top: Fields) -> Found:
    """Return what TAPAS does: a table that may be counted anew in each cell of what is read, and tables of cells."""
    found, sizes = learned(top), top.value("type_vocab_sizes")
    if not isinstance(sizes, list) or len(sizes) < 3 or any(not is_size(one) for one in sizes):
        refuse(top.place("type_vocab_sizes"), "be a list of at least 3 whole numbers", sizes)
    cells = f"the column and the row of a cell pick learned vectors of {sizes[1]:,} and {sizes[2]:,}"
    if not top.flag("reset_position_index_per_cell", True):
        return found.also(cells)
    clause = f"adds a learned vector for each of {found.length:,} positions, counted anew in each cell of what is read"
    return replace(found, clause=clause).also(f"later ones share the last; {cells}")


def from_padding(top: Fields) -> Found:
    """Return what MarkupLM and others do: a table that counts from behind the number of their padding token."""
    return offset(top.whole("pad_token_id", minimum=0) + 1)(top)


def on_paths(top: Fields) -> Found:
    """Return what MarkupLM does: such a table, and vectors of the path of tags in which a text lies."""
    found, depth = from_padding(top), top.whole("max_depth")
    tags, places, width = (top.whole(name) for name in XPATH)
    told = f"each of {depth} levels of its path of tags has learned vectors, too, of {tags:,} tags and {places:,} "
    told += "places"
    return found.also(f"{told} among tags of one name, {width:,} channels wide")


def with_entities(top: Fields) -> Found:
    """Return what LUKE does: such a table for words, and another one for entities, of all places of a mention."""
    found, rows = from_padding(top), top.whole("max_position_embeddings")
    told = f"an entity adds the mean of the vectors of its places, from a table of {rows:,} rows of its own"
    return found.also(told)


def bros(top: Fields) -> Found:
    """Return what BROS does: a learned table, and sinusoids of where boxes of text lie to each other."""
    found, width, heads = learned(top), top.whole("hidden_size"), top.whole("num_attention_heads")
    sizes = f"{width // 4:,} channels of them become {width // heads:,}"
    return found.also(f"its queries are compared with sinusoids of how far boxes lie apart; {sizes}")


def with_images(top: Fields) -> Found:
    """Return what VisualBERT does: a learned table for the text, and a second one for what it sees."""
    found = learned(top)
    told = f"a second table of {found.length:,} rows is for what it sees, of which all gets the first row, unless the "
    return found.also(f"{told}input tells which words it belongs to")


def by_head(top: Fields) -> Found:
    """Return what the decoder of X-Codec 2 does: RoPE by the number of a head, the same for all frames."""
    clause = "has no positional encoding: it turns q and k by the number of a head in place of that of a frame"
    return Found("none", f"{clause}; only its convolutions tell the order", None)


def unordered(top: Fields) -> Found:
    """Return what a model does that counts nothing."""
    return Found("none", "has no positional encoding", None)


def with_boxes(top: Fields) -> Found:
    """Return what LXMERT does: a learned table for the text, and a linear layer of the box of each object."""
    found, count = learned(top), top.whole("visual_pos_dim")
    told = f"of an object it sees, it adds a vector that a linear layer makes of the {count} numbers of its box"
    return found.also(told)


def perceiver(top: Fields) -> Found:
    """Return what Perceiver does where it reads a text; its classes for images have Fourier features or tables."""
    found = learned(top)
    count, width = top.whole("num_latents"), top.whole("d_latents")
    told = "only its classes of text have this table, others have Fourier features or tables of patches; its "
    return found.also(f"{told}{count:,} latents are learned, of {width:,} channels, and have no order")


def reformer(top: Fields) -> Found:
    """Return what Reformer does: two small tables whose rows, side by side, make the vectors of all positions."""
    kinds, seen = top.value("attn_layers"), ""
    if isinstance(kinds, list) and "local" in kinds:
        size = top.whole("local_attn_chunk_length")
        before, after = (top.whole(f"local_num_chunks_{side}", minimum=0) for side in ("before", "after"))
        seen = f"; its local layers see blocks of {size} tokens, with {before} before and {after} after"
    if isinstance(kinds, list) and "lsh" in kinds:
        size = top.whole("lsh_attn_chunk_length")
        before, after = (top.whole(f"lsh_num_chunks_{side}", minimum=0) for side in ("before", "after"))
        seen += f"; its LSH layers sort tokens by a hash, and see blocks of {size} of them, with {before} before and "
        seen += f"{after} after"
    if not top.flag("axial_pos_embds", True):
        found = learned(top)
        return replace(found, clause=found.clause + seen)
    shape = top.value("axial_pos_shape")
    if not isinstance(shape, list) or len(shape) != 2 or any(not isinstance(one, int) or one < 1 for one in shape):
        refuse(top.place("axial_pos_shape"), "be two whole numbers of at least 1", shape)
    length = shape[0] * shape[1]
    clause = f"adds learned vectors of {shape[0]:,} + {shape[1]:,} rows, paired to {length:,} positions, a hard limit"
    widths = top.value("axial_pos_embds_dim")
    if isinstance(widths, list) and len(widths) == 2 and all(map(is_size, widths)):
        clause += f"; the rows have {widths[0]:,} and {widths[1]:,} channels"
    return Found("learned", clause + seen, length)


def trocr(top: Fields) -> Found:
    """Return what the decoder of TrOCR does: a learned table, or sinusoids where its field says so."""
    return (offset(2, beside=True) if top.flag("use_learned_position_embeddings", True) else sinusoid(grows=True))(top)


def text_and_patches(top: Fields) -> Found:
    """Return what ViLT does: a table for the text, and one for the patches of an image."""
    found, image = learned(top), patches(1, ALWAYS)(top)
    return found.also(f"for the image it {image.clause}")


def with_disentangled(top: Fields) -> Found:
    """Return what SEW-D does: a convolution over frames, and learned vectors of distances as in DeBERTa."""
    found, told = convolution(top), "its scores have learned vectors of distances, as in DeBERTa"
    return found.also(f"{told}; {_spans(top)}; {_ways(top)}")


def from_another(top: Fields) -> Found:
    """Return what a model does that only asks what another one has read."""
    return Found("none", "has no positional encoding: it asks what another model has read", None)


def with_buckets(top: Fields) -> Found:
    """Return what MPNet does: a table as in RoBERTa, and a bias as in T5."""
    found, count = offset(2)(top), top.whole("relative_attention_num_buckets")
    told = f"its scores have a learned bias for each of {count} buckets, too; {_far(128)}"
    return found.also(told)


def windowed(top: Fields) -> Found:
    """Return what Longformer does: a table as in RoBERTa, and layers that see a window on both sides."""
    found = offset(2)(top)
    return found.also(f"a token sees {_sides(top)}")


def _sides(top: Fields) -> str:
    """Return how many tokens on each side one sees, and which others."""
    window = top.value("attention_window")
    sizes = window if isinstance(window, list) else [window]
    if not sizes or any(isinstance(one, bool) or not isinstance(one, int) or one < 2 for one in sizes):
        refuse(top.place("attention_window"), "be a whole number of at least 2, or a list of them", window)
    most = f"{max(sizes) // 2:,}" if len(set(sizes)) == 1 else f"{min(sizes) // 2:,} to {max(sizes) // 2:,}"
    return f"at most {most} others on each side, and those that are global"


def by_characters(top: Fields) -> Found:
    """Return what CANINE does: a learned table, a first layer that sees blocks, and others that see groups."""
    found, size, rate = learned(top), top.whole("local_transformer_stride"), top.whole("downsampling_rate")
    found = found.also(f"its first layer sees blocks of {size} characters")
    return found.also(f"those between it and the last see each group of {rate} characters as one")


def in_blocks(where: str) -> Callable[[Fields], Found]:
    """Return the reader of BigBird: a learned table, and blocks of tokens that see some others.

    `where` begins the clause for a model that does so only in one part, as BigBird-PEGASUS where it reads.
    """

    def read(top: Fields) -> Found:
        found = learned(top)
        if top.text("attention_type") != "block_sparse":
            return found
        size, more = top.whole("block_size"), top.whole("num_random_blocks", minimum=0)
        told = f"a block of {size} tokens sees itself, its two neighbours, the first, the last and {more} random blocks"
        told += " (the first and the last block see all, and so do all blocks of a short text)"
        return found.also(where + told)

    return read


def in_blocks_with_global_tokens(top: Fields) -> Found:
    """Return what PEGASUS-X does: a fixed sinusoid, and an encoder whose blocks see themselves and global tokens."""
    found = sinusoid(grows=True)(top)
    size, more = top.whole("block_size"), top.whole("num_global_tokens", minimum=0)
    told = f"in its encoder a block of {size} tokens sees itself and {more} global tokens"
    shifted = "; every second layer shifts its blocks by half" if top.flag("stagger_local_blocks", True) else ""
    return found.also(f"{told}{shifted}")


def near_buckets(top: Fields) -> Found:
    """Return what LongT5 does: the bias of T5, and an encoder that sees a window on both sides."""
    found, radius = buckets(top), top.whole("local_radius")
    told = f"in its encoder a token sees at most {radius} others on each side"
    size = top.whole("global_block_size")
    summed = f" and sums of all blocks of {size}" if top.text("encoder_attention_type") == "transient-global" else ""
    return found.also(f"{told}{summed}")


def segmented(top: Fields) -> Found:
    """Return what CPM-Ant and CPM-Bee do: biases of distances, and others between parts of what is read."""
    count, far = top.whole("position_bias_num_buckets"), top.whole("position_bias_max_distance")
    name = "position_bias_num_segment_buckets"
    parts = top.whole(name) if name in top.defaults else top.whole("segment_types") ** 2
    clause = f"adds a learned bias for each of {count:,} buckets of distances within a part of what is read, and for "
    return Found("buckets", f"{clause}each of {parts:,} relations of two parts; {_far(far)}", None)


def on_a_page(table: Callable[[Fields], Found]) -> Callable[[Fields], Found]:
    """Return the reader of LayoutLM 2 and 3: a table of the text, tables of places on a page, biases of distances."""

    def read(top: Fields) -> Found:
        found, places = table(top), top.whole("max_2d_position_embeddings")
        clause = f"the corners and sizes of a box of text pick learned vectors of {places:,} places each"
        if "coordinate_size" in top.defaults:
            corners, sides = (top.whole(f"{what}_size") for what in ("coordinate", "shape"))
            clause += f"; those of corners have {corners:,} channels, and those of sizes {sides:,}"
        version_3 = "input_size" in top.defaults  # which adds those of places beside those of tokens alone
        together = top.flag("has_relative_attention_bias", False)
        biases = [
            f"those of {what} fall into {top.whole(bins)} buckets up to {top.whole(far)}"
            for flag, what, bins, far in BIASES
            if top.flag(flag, False) and (together or not version_3)
        ]
        if biases:
            clause += f"; its scores have learned biases of distances, too; {'; '.join(biases)}"
        if "image_feature_pool_shape" in top.defaults:
            clause += f"; {_pooled(top)}"
        if "input_size" in top.defaults and top.flag("visual_embed", True):
            image = {"image_size": top.value("input_size"), "patch_size": top.value("patch_size")}
            clause += f"; for the image it {patches(1, NEVER)(Fields(image, {}, top.path)).clause}"
        return found.also(clause)

    return read


def _pooled(top: Fields) -> str:
    """Return what LayoutLM 2 does with its image: places of a pooled map take rows of the tables of the text."""
    sides = top.value("image_feature_pool_shape")
    if not isinstance(sides, list) or len(sides) < 2 or not all(map(is_size, sides[:2])):
        refuse(top.place("image_feature_pool_shape"), "begin with a number of rows and one of columns", sides)
    rows, columns = sides[:2]
    return f"{rows} x {columns} places of its image take the first {rows * columns:,} rows of the same tables"


def beside_layout(top: Fields) -> Found:
    """Return what LiLT does: a table for the text, vectors of boxes, and a table of its own for the layout."""
    found, rows, width = on_a_page(from_padding)(top), top.whole("max_position_embeddings"), top.whole("hidden_size")
    boxes = f"; those vectors have {width // 6:,} channels; the layout has a learned table of {rows:,} rows of its own"
    narrow = width // top.whole("channel_shrink_ratio")
    return replace(found, clause=f"{found.clause}{boxes}, {narrow:,} channels wide")


def two_tables(top: Fields) -> Found:
    """Return what LED does: a learned table for the text that is read, and one for the text that is written."""
    read, written = top.whole("max_encoder_position_embeddings"), top.whole("max_decoder_position_embeddings")
    clause = f"adds a learned vector for each of {read:,} positions that are read, a hard limit, and of {written:,} "
    seen = f"of what is read a token sees {_sides(top)}"
    return Found("learned", f"{clause}that are written, a hard limit, too; {seen}", read)


def two_sinusoids(top: Fields) -> Found:
    """Return what Speech2Text does: a fixed sinusoid for each frame and each token, more where they are needed."""
    heard, written = top.whole("max_source_positions"), top.whole("max_target_positions")
    read = "frames" if top.given.get("model_type") == "speech_to_text" else "tokens that are read"
    clause = f"adds a fixed sinusoid for each of {heard:,} {read} and of {written:,} tokens that are written"
    return Found("sinusoidal", f"{clause}, more are computed for a longer text", written)


def relative_sinusoids(top: Fields) -> Found:
    """Return what XLNet does: that of Transformer-XL."""
    clause = "compares its queries with sinusoids of distances, as Transformer-XL does"
    if isinstance(far := top.value("clamp_len"), int) and far > 0:
        clause += f"; distances beyond {far:,} count as this one"
    if isinstance(kept := top.value("mem_len"), int) and kept > 0:
        clause += f"; it may keep {kept:,} tokens of what it read before"
    if top.value("attn_type") == "bi":
        clause += f"; {AHEAD_AS_BACK}"
    return Found("relative", clause, None)


def pooled(top: Fields) -> Found:
    """Return what Funnel does: the sinusoids of distances, and blocks of layers between which the text is halved."""
    found, sizes = relative_sinusoids(top), top.value("block_sizes")
    if not isinstance(sizes, list) or not 0 < len(sizes) <= MAX_LISTED or any(not is_size(one) for one in sizes):
        refuse(top.place("block_sizes"), f"be a list of 1 to {MAX_LISTED} whole numbers", sizes)
    clause = f"{AHEAD_AS_BACK}; its blocks have {', '.join(map(str, sizes))} layers"
    if len(sizes) > 1:
        clause += ", and each but the first has half as many places as the one before"
    if count := top.whole("num_decoder_layers", minimum=0):
        clause += f"; a decoder of {count} layers sees all of them again"
    return found.also(clause)


def on_paper(top: Fields) -> Found:
    """Return what UDOP does: the bias of T5, biases of rows and columns, and a table of places on a page."""
    found, places = buckets(top), top.whole("max_2d_position_embeddings")
    biases = "its scores have learned biases of distances on the page, too, in 32 buckets each for rows and columns, "
    return found.also(
        f"{biases}up to the whole page; the corners of a box pick learned vectors of {places:,} places each"
    )


def in_order(top: Fields) -> Found:
    """Return what a model does whose state-space or recurrent layers alone tell the order."""
    names = ("max_position_embeddings", "model_max_length", "context_length")
    name = next((name for name in names if top.says(name)), None)
    length = top.whole_or_none(name) if name else None
    clause = "has no positional encoding: only recurrent layers tell the order, and the causal mask of attention "
    clause += "layers, if there are any"
    if (kinds := _blocks(top) or _of_kimi(top)) is not None:
        attending = [i for i, kind in enumerate(kinds) if kind in ATTENDING]
        clause += f"; {len(attending)} of {len(kinds)} layers have attention{numbers(attending)}"
    if told := convolved(top):
        clause += f"; {told}"
    return Found("none", clause, length, (), tuple(_rope_is_ignored(top)))


def numbers(layers: list[int]) -> str:
    """Return a clause on the numbers of some layers, empty for none and for very many."""
    return f"; these are {', '.join(map(str, layers))}, counted from 0" if 0 < len(layers) <= MAX_NUMBERED else ""


def _blocks(top: Fields) -> list[object] | None:
    """Return the kind of each layer as a file has it; None where it does not tell."""
    kinds = next((top.given[name] for name in BLOCK_TYPES if top.given.get(name)), None)
    if kinds is not None:
        return list(kinds) if isinstance(kinds, list | str) else None
    if "attn_layer_period" not in top.defaults:
        return None
    count, period = top.whole("num_hidden_layers", maximum=10_000), top.whole("attn_layer_period")
    first = top.whole("attn_layer_offset", minimum=0)
    return ["attention" if i % period == first else "mamba" for i in range(count)]


def _of_kimi(top: Fields) -> list[object] | None:
    """Return the kind of each layer by their numbers, which Kimi Linear counts from 1."""
    given, count = top.given.get("linear_attn_config"), top.given.get("num_hidden_layers")
    numbers = given.get("full_attn_layers") if isinstance(given, Mapping) else None
    if not isinstance(numbers, list) or not isinstance(count, int):
        return None
    return ["attention" if i + 1 in numbers else "linear_attention" for i in range(min(count, MAX_WIDTH))]


def zamba(top: Fields) -> Found:
    """Return what Zamba does: two layers without attention, one with it, and then a period of others."""
    if not any(top.given.get(name) for name in BLOCK_TYPES):
        count, period = top.whole("num_hidden_layers", minimum=4, maximum=10_000), top.whole("attn_layer_period")
        first = top.whole("attn_layer_offset", minimum=0)
        kinds = ["mamba", "mamba", "hybrid"] + ["hybrid" if i % period == first else "mamba" for i in range(count - 3)]
        top = replace(top, given={**top.given, "layers_block_type": kinds})
    return in_order(top)


def zamba2(top: Fields) -> Found:
    """Return what Zamba2 does, whose attention has RoPE where `use_mem_rope` says so."""
    if not top.flag("use_mem_rope", False):
        return in_order(top)
    width, heads = top.whole("hidden_size", maximum=MAX_WIDTH * 16), top.whole("num_attention_heads")
    head_dim = 2 * width // heads  # its attention reads the input of the model beside the hidden states
    if head_dim < 2 or head_dim % 2:
        refuse("hidden_size", "give heads of an even width", width)
    base, length = base_of(top), top.whole("max_position_embeddings")
    if top.flag("use_long_context", False):
        length = 16_384
    rotation = plain_rope(base, head_dim, head_dim, length)
    kinds = _blocks(top)
    layers = None if kinds is None else tuple(i for i, kind in enumerate(kinds) if kind in ATTENDING)
    group = LayerGroup("attention", layers, rotation=rotation)
    where = "its attention layers" if kinds is None else f"{len(layers or ())} of its {len(kinds)} layers"
    where += f" ({', '.join(map(str, layers))}, counted from 0)" if layers and len(layers) <= MAX_NUMBERED else ""
    clause = f"turns q and k of {where} with RoPE of base {base:,.0f}, all {head_dim} channels of a head"
    return Found("rope", clause, length, (group,))


def roformer(top: Fields) -> Found:
    """Return what RoFormer does, the first model with RoPE: base 10,000, neighbours in pairs, from a table."""
    what = "q, k and v" if top.flag("rotary_value", False) else "q and k"
    clause = f"turns {what} with RoPE of base 10,000, neighbours in pairs, from a table"
    found = whole_heads(top, clause, top.whole("max_position_embeddings"))
    return replace(_both_ways(found, top), pairs="neighbours")


def alibi(name: str | None) -> Callable[[Fields], Found]:
    """Return the reader of a model that has ALiBi whatever its fields say; `name` is the field of its length."""

    def read(top: Fields) -> Found:
        length = top.whole_or_none(name) if name else None
        told = []
        inner = top.given.get("attn_config")
        if isinstance(inner, Mapping) and inner.get("rope") is True:
            told.append("attn_config.rope is ignored by transformers, and obeyed by the model's own code, with RoPE.")
        if isinstance(inner, Mapping) and inner.get("alibi_bias_max", 8) != 8:
            told.append("attn_config.alibi_bias_max is ignored: the class of transformers has 8.")
        clause = "lowers each score with the distance, by ALiBi, and turns nothing"
        return Found("alibi", clause, length, (), (*told, *_rope_is_ignored(top)))

    return read


def buckets(top: Fields) -> Found:
    """Return what the bias of T5 does."""
    count = top.whole("relative_attention_num_buckets")
    far = top.whole("relative_attention_max_distance")
    clause = f"adds a learned bias for each of {count} buckets of distances; from {far} on at the latest, all in one "
    return Found("buckets", f"{clause}direction share one, so no hard limit", None)


def disentangled(top: Fields) -> Found:
    """Return what DeBERTa does."""
    length = top.whole("max_position_embeddings")
    tables = ["a learned table"] if top.flag("position_biased_input", True) else []
    if top.flag("relative_attention", False):
        tables.append("learned vectors of distances in its scores")
    clause = f"has {' and '.join(tables) or 'no positions'}, made for {length:,} tokens"
    if top.flag("relative_attention", False):
        clause += f"; {_spans(top)}; {_ways(top)}"
    if "conv_kernel_size" in top.defaults and (joined := top.whole("conv_kernel_size", minimum=0)):
        clause += f"; a convolution over {joined} tokens is added to what its first layer makes"
    return Found("disentangled" if top.flag("relative_attention", False) else "learned", clause, length)


def _spans(top: Fields) -> str:
    """Return how DeBERTa counts distances: in buckets, or up to one that farther ones share."""
    count = top.value("position_buckets", -1) if "position_buckets" in top.defaults else -1
    width = top.whole("hidden_size")
    far = top.value("max_relative_positions", -1)
    far = far if isinstance(far, int) and far > 0 else top.whole("max_position_embeddings")
    if isinstance(count, int) and count > 0:
        told = f"distances up to {far:,} fall into {count} buckets on each side; those below {count // 2} have one each"
        return f"{told}; the table of distances has {2 * count:,} rows of {width:,} channels"
    return f"the table of distances has {2 * far:,} rows of {width:,} channels"


def _ways(top: Fields) -> str:
    """Return which side of a score meets the vectors of distances, as `pos_att_type` says."""
    given = top.value("pos_att_type")
    named = given.split("|") if isinstance(given, str) else given if isinstance(given, list) else []
    ways = [f"{side} meet them ({way})" for way, side in (("c2p", "queries"), ("p2c", "keys")) if way in named]
    return " and ".join(ways) or "pos_att_type names neither c2p nor p2c, so that no score has them"


def first_rotary(top: Fields) -> Found:
    """Return what GPT-J and CodeGen do: RoPE of base 10,000 on the first channels, neighbours in pairs."""
    width, heads = top.whole("n_embd", maximum=MAX_WIDTH * 16), top.whole("n_head")
    turned, head_dim = top.whole("rotary_dim", minimum=2, maximum=MAX_WIDTH), width // heads
    if turned % 2 or turned > head_dim:
        refuse("rotary_dim", f"be even and at most the width of a head ({head_dim})", turned)
    length = top.whole("n_positions")
    rotation = plain_rope(OLD_BASE, head_dim, turned, length)
    layers = tuple(range(top.whole("n_layer", maximum=10_000)))
    clause = f"turns the first {turned} of {head_dim} channels of q and k with RoPE of base 10,000, neighbours in pairs"
    return Found("rope", clause, length, (LayerGroup("all layers", layers, rotation=rotation),), pairs="neighbours")


def esm(top: Fields) -> Found:
    """Return what ESM does as position_embedding_type says: a table from behind the padding token, RoPE, or nothing."""
    kind = top.text("position_embedding_type")
    if kind == "absolute":
        return learned(top) if top.value("pad_token_id") is None else from_padding(top)
    if kind != "rotary":
        return Found("none", "has no positional encoding", None)
    base = base_of(top)
    found = whole_heads(top, f"turns q and k with RoPE of base {base:,.0f}", top.whole("max_position_embeddings"), base)
    if isinstance(folds := top.given.get("esmfold_config"), Mapping):
        trunk = Fields(folds.get("trunk") or {}, TRUNK, f"{top.path}esmfold_config.trunk.")
        rows, width = 2 * trunk.whole("position_bins") + 2, trunk.whole("pairwise_state_dim")
        told = f"What folds (esmfold_config) has {rows:,} learned vectors of distances in the chain, of "
        told += f"{width:,} channels."
        found = replace(found, warnings=(told,))
    return replace(_both_ways(found, top), pairs="halves")


def _both_ways(found: Found, top: Fields) -> Found:
    """Return the same of an encoder, whose tokens see those after them, too; of a decoder as it is."""
    both = top.given.get("is_decoder") is not True
    return replace(found, groups=tuple(replace(group, both_sides=both) for group in found.groups))


def whole_heads(top: Fields, clause: str, length: int | None, base: float = OLD_BASE) -> Found:
    """Return RoPE on all channels of all heads, of a model that claims so many tokens, None where nothing tells."""
    width, heads = top.whole("hidden_size", maximum=MAX_WIDTH * 16), top.whole("num_attention_heads")
    head_dim = width // heads
    if head_dim < 2 or head_dim % 2:
        refuse("hidden_size", "give heads of an even width", width)
    layers = tuple(range(top.whole("num_hidden_layers", maximum=10_000)))
    group = LayerGroup("all layers", layers, rotation=plain_rope(base, head_dim, head_dim, length))
    return Found("rope", f"{clause}, all {head_dim} channels of a head", length, (group,))


def _rope_is_ignored(top: Fields) -> list[str]:
    given = any(top.given.get(name) for name in ("rope_theta", "rope_scaling", "rope_parameters"))
    return ["rope_theta and rope_scaling are ignored: nothing is turned."] if given else []


def _table(length: int, name: str = "max_position_embeddings") -> Other:
    return Other({name: length}, learned)


DEBERTA = {
    "max_relative_positions": -1, "max_position_embeddings": 512, "relative_attention": False,
    "position_biased_input": True, "pos_att_type": None, "hidden_size": 768,
}  # fmt: skip
BUCKETS = Other({"relative_attention_num_buckets": 32, "relative_attention_max_distance": 128}, buckets)
FIRST = Other({"n_positions": 2048, "n_embd": 4096, "n_head": 16, "n_layer": 28, "rotary_dim": 64}, first_rotary)
ESM = {
    "rope_theta": OLD_BASE,
    "max_position_embeddings": 1026,
    "position_embedding_type": "absolute",
    "hidden_size": 768,
}

TRUNK = {"position_bins": 32, "pairwise_state_dim": 128}
BLOCK_TYPES = ("layers_block_type", "hybrid_override_pattern", "layer_types")  # of each layer: a list, or a letter each
ATTENTION = ("attention", "full_attention", "sliding_attention", "indexed_attention", "deepseek_sparse_attention")
ATTENDING = (*ATTENTION, "hybrid", "g", "*")  # kinds that have attention
JAMBA = {"num_hidden_layers": 32, "attn_layer_period": 8, "attn_layer_offset": 4}
ZAMBA2 = {
    "use_long_context": False, "max_position_embeddings": 4096, "use_mem_rope": False, "rope_theta": 10_000.0,
    "hidden_size": 2560, "num_attention_heads": 32,
}  # fmt: skip
MAX_NUMBERED = 16  # layers whose numbers are said
GPT_NEO = [[["global", "local"], 12]]

SEWD = {
    "max_position_embeddings": 512, "position_buckets": 256,
    "pos_att_type": ["p2c", "c2p"], "hidden_size": 768,
}  # fmt: skip
BLOCKS = {"max_position_embeddings": 4096, "attention_type": "block_sparse", "block_size": 64, "num_random_blocks": 3}
CANINE = {"max_position_embeddings": 16_384, "local_transformer_stride": 128, "downsampling_rate": 4}
PEGASUS_X = {
    "max_position_embeddings": 16_384, "block_size": 512, "num_global_tokens": 32, "stagger_local_blocks": True,
}  # fmt: skip
PROPHETNET = {"max_position_embeddings": 512, "num_buckets": 32, "pad_token_id": 0, "relative_max_distance": 128}
TAPAS = {"max_position_embeddings": 1024, "reset_position_index_per_cell": True} | {
    "type_vocab_sizes": [3, 256, 256, 2, 256, 256, 10]
}
LED = {"max_encoder_position_embeddings": 16_384, "max_decoder_position_embeddings": 1024, "attention_window": 512}
LONGT5 = {"local_radius": 127, "encoder_attention_type": "local", "global_block_size": 16}
HEADS = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12}
XPATH = {"max_xpath_tag_unit_embeddings": 256, "max_xpath_subs_unit_embeddings": 1024, "xpath_unit_hidden_size": 32}
PLACES = {"max_position_embeddings": 512, "max_2d_position_embeddings": 1024}
BIASES = (  # of distances on a page: what switches them, what they are of, their buckets, and how far these reach
    ("has_relative_attention_bias", "tokens", "rel_pos_bins", "max_rel_pos"),
    ("has_spatial_attention_bias", "places", "rel_2d_pos_bins", "max_rel_2d_pos"),
)
PAGE = {
    **PLACES, "has_relative_attention_bias": True, "has_spatial_attention_bias": True, "coordinate_size": 128,
    "shape_size": 128, "rel_pos_bins": 32, "max_rel_pos": 128, "rel_2d_pos_bins": 64, "max_rel_2d_pos": 256,
}  # fmt: skip
ROBERTA = Other({"max_position_embeddings": 512}, offset(2))
MPNET = {"max_position_embeddings": 512, "relative_attention_num_buckets": 32}
IN_ORDER = Other({}, in_order)


TABLES = {
    512: "albert align_text_model bert bert-generation blenderbot-small blip_text_model chinese_clip_text_model "
    "convbert dpr electra ernie flava_text_model fnet instructblip_qformer "
    "instructblipvideo_qformer megatron-bert mobilebert mra rembert roc_bert splinter "
    "squeezebert",
    1024: "git",
    128: "blenderbot",
    77: "aimv2_text_model clip_text_model clipseg_text_model groupvit_text_model metaclip_2_text_model "
    "xclip_text_model",
    64: "siglip_text_model siglip2_text_model",
    16: "owlv2_text_model owlvit_text_model",
}
SPARE = {1024: "bart biogpt mbart mvp plbart", 2048: "opt", 510: "nystromformer", 4096: "yoso"}  # with 2 rows beside
BEGUN = {"distilbert": "sinusoidal_pos_embds", "flaubert": "sinusoidal_embeddings", "xlm": "sinusoidal_embeddings"}
GROWING = {  # sinusoids, by how many are made at first
    1024: "fsmt m2m_100 nllb-moe",
    2048: "kosmos_2_text_model musicgen_decoder musicgen_melody_decoder xglm",
}
LIKE_ROBERTA = "camembert data2vec-text ibert roberta roberta-prelayernorm xlm-roberta xmod"
LIKE_XL = "altclip_text_model bridgetower_text_model clap_text_model xlm-roberta-xl"  # whose default is 514
LIKE_T5 = "mt5 pix2struct_text_model pop2piano switch_transformers t5 umt5"
ASKING = "blip_2_qformer idefics2_perceiver idefics_perciever"
WITHOUT_ENCODING = "falcon_mamba glm5_next_text mamba mamba2 nemotron_h xlstm"

BY_HAND: Mapping[str, Other] = {
    **{kind: _table(length) for length, kinds in TABLES.items() for kind in kinds.split()},
    **{
        kind: Other({"max_position_embeddings": length}, offset(2, beside=True))
        for length, kinds in SPARE.items()
        for kind in kinds.split()
    },
    **{kind: Other({"max_position_embeddings": 512, name: False}, begun) for kind, name in BEGUN.items()},
    **dict.fromkeys(("semantic", "coarse_acoustics", "fine_acoustics"), Other({"block_size": 1024}, of_block)),
    "bros": Other({"max_position_embeddings": 512, **HEADS}, bros),
    "layoutlm": Other(PLACES, on_a_page(learned)),
    "udop": Other({**BUCKETS.defaults, "max_2d_position_embeddings": 1024}, on_paper),
    "jamba": Other(JAMBA, in_order),
    **dict.fromkeys(LIKE_ROBERTA.split(), ROBERTA),
    **dict.fromkeys(LIKE_T5.split(), BUCKETS),
    **dict.fromkeys(WITHOUT_ENCODING.split(), IN_ORDER),
    "kimi_linear": Other({"model_max_length": 1_048_576}, in_order),
    "rwkv": Other({"context_length": 1024}, in_order),
    **IMAGES_AND_SOUND,
    **DETECTORS,
    **SPEECH,
    **SERIES,
    "visual_bert": Other({"max_position_embeddings": 512}, with_images),
    "moshi_depth": Other({}, unordered),
    **dict.fromkeys(("neucodec", "xcodec2"), Other({}, by_head)),
    "lxmert": Other({"max_position_embeddings": 512, "visual_pos_dim": 4}, with_boxes),
    "perceiver": Other({"max_position_embeddings": 2048, "num_latents": 256, "d_latents": 1280}, perceiver),
    **dict.fromkeys(("gpt2", "gpt-sw3", "gpt_bigcode", "imagegpt"), _table(1024, "n_positions")),
    "openai-gpt": _table(512, "n_positions"),
    "gpt_neo": Other(
        {"max_position_embeddings": 2048, "num_layers": 24, "attention_types": GPT_NEO, "window_size": 256}, local
    ),
    **dict.fromkeys(LIKE_XL.split(), Other({"max_position_embeddings": 514}, offset(2))),
    "ctrl": Other({"n_positions": 256}, sinusoid(grows=False)),
    "lilt": Other(PLACES | {"pad_token_id": 0, "hidden_size": 768, "channel_shrink_ratio": 4}, beside_layout),
    "markuplm": Other({"max_position_embeddings": 512, "pad_token_id": 0, "max_depth": 50, **XPATH}, on_paths),
    "luke": Other({"max_position_embeddings": 512, "pad_token_id": 1}, with_entities),
    "prophetnet": Other(PROPHETNET, prophetnet),
    "cpmant": Other(
        {"position_bias_num_buckets": 512, "position_bias_max_distance": 2048, "segment_types": 32}, segmented
    ),
    "reformer": Other(
        {"max_position_embeddings": 4096, "axial_pos_embds": True, "axial_pos_shape": [64, 64]}
        | {"axial_pos_embds_dim": [64, 192], "attn_layers": ["local", "lsh"] * 3, "local_attn_chunk_length": 64}
        | {"local_num_chunks_before": 1, "local_num_chunks_after": 0}
        | {"lsh_attn_chunk_length": 64, "lsh_num_chunks_before": 1, "lsh_num_chunks_after": 0},
        reformer,
    ),
    "tapas": Other(TAPAS, tapas),
    "trocr": Other({"max_position_embeddings": 512, "use_learned_position_embeddings": True}, trocr),
    "vilt": Other({"max_position_embeddings": 40, "image_size": 384, "patch_size": 32}, text_and_patches),
    "sew-d": Other({**CONVOLUTION.defaults, **SEWD}, with_disentangled),
    **dict.fromkeys(ASKING.split(), Other({}, from_another)),
    "mpnet": Other(MPNET, with_buckets),
    "longformer": Other({"max_position_embeddings": 512, "attention_window": 512}, windowed),
    **{
        kind: Other({"max_position_embeddings": length}, sinusoid(grows=True))
        for length, kinds in GROWING.items()
        for kind in kinds.split()
    },
    **dict.fromkeys(("marian", "pegasus"), Other({"max_position_embeddings": 1024}, sinusoid(grows=False))),
    "pegasus_x": Other(PEGASUS_X, in_blocks_with_global_tokens),
    "canine": Other(CANINE, by_characters),
    "big_bird": Other(BLOCKS, in_blocks("")),
    "bigbird_pegasus": Other(BLOCKS, in_blocks("in its encoder ")),
    "longt5": Other({**BUCKETS.defaults, **LONGT5}, near_buckets),
    **dict.fromkeys(
        ("layoutlmv2", "layoutxlm"), Other(PAGE | {"image_feature_pool_shape": [7, 7, 256]}, on_a_page(learned))
    ),
    "layoutlmv3": Other(PAGE | {"input_size": 224, "patch_size": 16}, on_a_page(offset(2))),
    "led": Other(LED, two_tables),
    "speech_to_text": Other({"max_source_positions": 6000, "max_target_positions": 1024}, two_sinusoids),
    "funnel": Other({"block_sizes": [4, 4, 4], "num_decoder_layers": 2}, pooled),
    "xlnet": Other({"clamp_len": -1, "mem_len": 512, "attn_type": "bi"}, relative_sinusoids),
    "bloom": Other({}, alibi("seq_length")),
    "mpt": Other({"max_seq_len": 2048}, alibi("max_seq_len")),
    "deberta": Other(DEBERTA, disentangled),
    "deberta-v2": Other(DEBERTA | {"position_buckets": -1, "conv_kernel_size": 0, "hidden_size": 1536}, disentangled),
    **dict.fromkeys(("gptj", "codegen"), FIRST),
    "esm": Other({**ESM, "num_attention_heads": 12, "num_hidden_layers": 12}, esm),
    "roformer": Other({"max_position_embeddings": 1536, "rotary_value": False, **HEADS}, roformer),
    "zamba": Other({"num_hidden_layers": 76, "attn_layer_period": 6, "attn_layer_offset": 4}, zamba),
    "zamba2": Other(ZAMBA2, zamba2),
}
OTHERS: Mapping[str, Other] = {**BUILT, **BY_HAND}
