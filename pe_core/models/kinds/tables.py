"""Models with a row for each position of a text, learned or a sinusoid, and what they have beside this table."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.kinds.images import ALWAYS, COUNTS, IF_ASKED, is_size, patches, sizes_in
from pe_core.models.names import first_class
from pe_core.models.positions import AHEAD_AS_BACK, LayerGroup
from pe_core.models.reading import is_whole, refuse

MAX_NUMBERED = 16  # layers whose numbers are said
LENGTHS = ("n_positions", "max_position_embeddings")
HASHED = {  # of Reformer
    "local": "local layers see blocks of {} tokens",
    "lsh": "LSH layers sort tokens by a hash, and see blocks of {} of them",
}
COMPUTED = "these are computed for any size"
PERCEIVED = {  # classes of Perceiver with Fourier features; how many waves these have stands in their code
    "ImageClassificationFourier": "joins to each pixel its row and column, and Fourier features of them, 258 channels",
    "ImageClassificationConvProcessing": "joins to each place behind its convolution its row and column, and Fourier "
    "features of them, 258 channels",
    "OpticalFlow": "joins to each pixel its row and column, and Fourier features of them, 258 channels",
    "MultimodalAutoencoding": "joins to each patch of a film its frame, row and column, and Fourier features of them, "
    "195 channels, and to each patch of sound its time, and Fourier features of it, 385 channels",
}
ENDS = "Its {} come from a table of {:,} places, a hard limit."
HARD = "adds a learned vector for each of {:,} positions, a hard limit"


def learned(top: Fields) -> Found:
    """Return what a table with one learned vector for each position does."""
    length = top.whole(next(name for name in LENGTHS if name in top.defaults))
    ignored = top.given.get("position_embedding_type") not in (None, "absolute")
    told = ["position_embedding_type is ignored: transformers 5 reads a table."] if ignored else []
    return Found("learned", HARD.format(length), length, warnings=(*told, *rope_is_ignored(top)))


def alone(top: Fields) -> str:
    """Return "encoder" or "decoder" where a class has one of them alone, empty where it has both."""
    named = first_class(top.given)
    if top.given.get("is_decoder") is True or named.endswith(("Decoder", "ForCausalLM")):
        return "decoder"
    encodes = "Encoder" in named or named.endswith(("ForTokenClassification", "Stack"))
    return "encoder" * (encodes or top.given.get("is_encoder_decoder") is False)


def each(top: Fields) -> str:
    """Return that encoder and decoder have a table each; nothing where a model has one of them alone."""
    return "its encoder and its decoder have one each" * (top.path in ("", "text_config.") and not alone(top))


def rope_is_ignored(top: Fields) -> list[str]:
    """Return what is told of fields of RoPE in a file of a class that turns nothing."""
    given = any(top.given.get(name) for name in ("rope_theta", "rope_scaling", "rope_parameters"))
    return ["rope_theta and rope_scaling are ignored: nothing is turned."] if given else []


def table(length: int, name: str = "max_position_embeddings") -> Other:
    """Return the reader of such a table, whose length a class has by default."""
    return Other({name: length}, learned)


def offset(rows: int, beside: bool = False) -> Callable[[Fields], Found]:
    """Return the reader of a table of which `rows` rows are no positions, as in RoBERTa, which counts from 2.

    The field counts these rows, too, or those of positions alone where they lie `beside` them, as in BART.
    """

    def read(top: Fields) -> Found:
        length = top.whole("max_position_embeddings", minimum=1 if beside else rows + 1) - (0 if beside else rows)
        others = "1 row of its table stands" if rows == 1 else f"{rows} rows of its table stand"
        return Found("learned", f"{HARD.format(length)}; {others} for no position", length)

    return read


def from_padding(top: Fields) -> Found:
    """Return what RoBERTa and others do: a table that counts from behind the number of their padding token."""
    padding = 1 if top.value("pad_token_id") is None else top.whole("pad_token_id", minimum=0)
    return offset(padding + 1)(top)


def sinusoid(grows: bool) -> Callable[[Fields], Found]:
    """Return the reader of a fixed sinusoid for each position, which is computed anew for a longer text, or not."""

    def read(top: Fields) -> Found:
        length = top.whole(next(name for name in LENGTHS if name in top.defaults))
        limit = "more are computed for a longer text" if grows else "a hard limit"
        return Found("sinusoidal", f"adds a fixed sinusoid for each of {length:,} positions, {limit}", length)

    return read


def counted(top: Fields) -> str:
    """Return that places begin behind the number of the padding token, in code that comes from fairseq."""
    padding = top.value("pad_token_id")
    return f"its places begin with {padding + 1:,}, and padding gets none" if is_whole(padding, 0) else ""


def _gpt_neo(top: Fields) -> Found:
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


def numbers(layers: list[int]) -> str:
    """Return a clause on the numbers of some layers, empty for none and for very many."""
    return f"; these are {', '.join(map(str, layers))}, counted from 0" if 0 < len(layers) <= MAX_NUMBERED else ""


def _prophetnet(top: Fields) -> Found:
    first = top.whole("pad_token_id", minimum=0) + 2  # its decoder looks up the next position, too
    rows, count = top.whole("max_position_embeddings", minimum=first + 1), top.whole("num_buckets")
    length, far_off = rows - first, top.whole("relative_max_distance")
    reads = (
        f"adds a learned vector for each of {length + 1:,} positions, of which later ones that are read share the last"
    )
    if alone(top) == "encoder":
        return Found("learned", reads)
    written = f"its decoder makes a bias of each query for {count} buckets of distances; distances from {far_off:,} "
    written += "on, at the latest, share a bucket"
    if alone(top) == "decoder":
        return Found("learned", HARD.format(length), length).also(written)
    return Found("learned", reads, length).also(f"of what is written {length:,} tokens are a hard limit").also(written)


def far(distance: int) -> str:
    """Return from where the buckets of T5's kind tell distances no longer apart."""
    return f"distances from {distance:,} on, at the latest, share a bucket in each direction"


def _tapas(top: Fields) -> Found:
    found, sizes = learned(top), sizes_in(top, "type_vocab_sizes", "be a list of at least 3 whole numbers", least=3)
    cells = f"the column and the row of a cell pick learned vectors of {sizes[1]:,} and {sizes[2]:,}"
    if not top.flag("reset_position_index_per_cell", True):
        return found.also(cells)
    clause = f"adds a learned vector for each of {found.length:,} positions, counted anew in each cell of what is read"
    return replace(found, clause=clause).also(f"later ones share the last; {cells}")


def _reformer(top: Fields) -> Found:
    kinds, seen = top.value("attn_layers"), ""
    for kind, does in HASHED.items():
        if isinstance(kinds, list) and kind in kinds:
            size = top.whole(f"{kind}_attn_chunk_length")
            before, after = (top.whole(f"{kind}_num_chunks_{side}", minimum=0) for side in ("before", "after"))
            seen += f"; its {does.format(size)}, with {before} before and {after} after"
    if seen and not top.flag("is_decoder", False):
        seen += "; the first block follows the last"
    if not top.flag("axial_pos_embds", True):
        found = learned(top)
        return replace(found, clause=found.clause + seen)
    shape = sizes_in(top, "axial_pos_shape", "be two whole numbers of at least 1", 2, 2)
    pairs, most = shape[0] * shape[1], top.whole("max_position_embeddings")
    length = min(pairs, most)
    limit = "a hard limit" if pairs <= most else f"of which the first {most:,} are used, a hard limit"
    clause = f"adds learned vectors of {shape[0]:,} + {shape[1]:,} rows, paired to {pairs:,} positions, {limit}"
    widths = top.value("axial_pos_embds_dim")
    if isinstance(widths, list) and len(widths) == 2 and all(map(is_size, widths)):
        clause += f"; the rows have {widths[0]:,} and {widths[1]:,} channels"
    return Found("learned", clause + seen, length)


def _perceiver(top: Fields) -> Found:
    named = str(top.given.get("architectures"))
    if "PerceiverForImageClassificationLearned" in named:
        side = top.whole("image_size", maximum=MAX_SIZE)
        clause = f"joins 256 learned channels to each of {side} x {side} pixels, {side * side:,} rows"
        return Found("learned", f"{clause}; {COUNTS % 'pixels'}{IF_ASKED}")
    if told := next((told for kind, told in PERCEIVED.items() if f"PerceiverFor{kind}" in named), ""):
        found, all_kinds = Found("sinusoidal", f"{told}; {COMPUTED}"), "Multimodal" in named
        asked = "its decoder asks by such features of the places that it writes, and by a vector that it learns for the"
        return found.also(f"{asked} label" if all_kinds else "")
    asks = "Classification" not in named and "PerceiverModel" not in named
    return learned(top).also("its decoder asks by a table of as many learned vectors" if asks else "")


def _canine(top: Fields) -> Found:
    length = min(top.whole("max_position_embeddings"), top.whole("num_hash_buckets"))  # which its table has as rows
    return Found("learned", HARD.format(length), length)


def _frames(top: Fields) -> str:
    """Return what GIT adds to the frames of a film; empty where it reads images."""
    if (count := top.whole_or_none("num_image_with_embedding")) is None:
        return ""
    seen = top.inside("vision_config", {"hidden_size": 768})
    return f"patches of each of {count} frames get a learned vector of the frame, of {seen['hidden_size']:,} channels"


def around(top: Fields) -> str:
    """Return how many tokens on each side one sees in Longformer, and which others."""
    window = top.value("attention_window")
    sizes = window if isinstance(window, list) else [window]
    if not sizes or not all(is_whole(one, 2) for one in sizes):
        refuse(top.place("attention_window"), "be a whole number of at least 2, or a list of them", window)
    most = f"{max(sizes) // 2:,}" if len(set(sizes)) == 1 else f"{min(sizes) // 2:,} to {max(sizes) // 2:,}"
    return f"a token sees at most {most} others on each side, and those that are global"


def in_blocks(where: str) -> Other:
    """Return the reader of BigBird: a learned table, and blocks of tokens that see some others.

    `where` begins the clause for a model that does so only in one part, as BigBird-PEGASUS where it reads.
    """

    def blocks(top: Fields) -> str:
        crossed = alone(top) == "decoder" if where else top.given.get("add_cross_attention") is True
        if crossed or top.text("attention_type") != "block_sparse":
            return ""
        size, more = top.whole("block_size"), top.whole("num_random_blocks", minimum=0)
        told = f"a block of {size} tokens sees itself, its two neighbours, the first and the last"
        told += f"; in training it sees {more} random blocks, too, in whose place the first one counts again later"
        most = (5 + 2 * more) * size
        return f"{where}{told}; the first and the last block see all, and so do those of a text up to {most:,} tokens"

    return table(4096).also(blocks, attention_type="block_sparse", block_size=64, num_random_blocks=3)


def of_values(width: str, length: int) -> Other:
    """Return the reader of such a table with 2 rows beside, in layers that add a convolution of what they attend to.

    `width` is the field of its width.
    """

    def convolved(top: Fields) -> str:
        size = top.whole_or_none(width)
        return "" if size is None else f"each layer has a convolution over {size} tokens, too"

    return Other({LENGTHS[1]: length, width: None}, offset(2, beside=True)).also(convolved)


def _landmarks(top: Fields) -> str:
    """Return by how many means of segments the layers of Nystromformer score a text, nothing where they score all."""
    count, length = top.whole("num_landmarks"), top.whole("segment_means_seq_len")
    if count == length:
        return ""
    told = f"scores are told from {count:,} landmarks, each the mean of {length // count:,} tokens in a row"
    return f"{told}; a text must have {length:,} tokens"


def two_sinusoids(top: Fields) -> str:
    """Return what Speech2Text does: a fixed sinusoid for each frame and each token, more where they are needed."""
    read = "frames" if top.given.get("model_type") == "speech_to_text" else "tokens that are read"
    clause = f"adds a fixed sinusoid for each of {top['max_source_positions']:,} {read} and of "
    return f"{clause}{top['max_target_positions']:,} tokens that are written, more are computed for a longer text"


TABLES = {
    512: "albert align_text_model bert bert-generation blip_text_model chinese_clip_text_model "
    "dpr electra ernie flava_text_model megatron-bert rembert roc_bert splinter "
    "squeezebert",
    77: "aimv2_text_model clip_text_model clipseg_text_model groupvit_text_model metaclip_2_text_model "
    "xclip_text_model",
    64: "siglip_text_model siglip2_text_model",
    16: "owlv2_text_model owlvit_text_model",
}
SPARE = {1024: "biogpt", 2048: "opt", 2560: "pp_formulanet_text"}  # with 2 rows beside
GROWING = "musicgen_decoder musicgen_melody_decoder"
LIKE_ROBERTA = "camembert data2vec-text ibert roberta roberta-prelayernorm xlm-roberta xmod"
LIKE_XL = "altclip_text_model bridgetower_text_model clap_text_model xlm-roberta-xl"  # whose default is 514
ROBERTA = Other({"max_position_embeddings": 512, "pad_token_id": 1}, from_padding)

BARK = says("learned", "adds a learned vector for each of {block_size=1024:,} positions, a hard limit", "block_size")
TABLES_OF_TEXT: Mapping[str, Other] = {
    **{kinds: table(length) for length, kinds in TABLES.items()},
    **{kinds: Other({LENGTHS[1]: length}, offset(2, beside=True)) for length, kinds in SPARE.items()},
    GROWING: Other({LENGTHS[1]: 2048}, sinusoid(grows=True)),
    "bart mbart mvp plbart": Other({LENGTHS[1]: 1024}, offset(2, beside=True)).also(each),
    "blenderbot": table(128).also(each),
    "blenderbot-small": table(512).also(each),
    "fsmt m2m_100 nllb-moe": Other({LENGTHS[1]: 1024}, sinusoid(grows=True)).also(each, counted, pad_token_id=1),
    "xglm": Other({LENGTHS[1]: 2048}, sinusoid(grows=True)).also("its places begin with 2"),
    "kosmos_2_text_model": Other({LENGTHS[1]: 2048}, sinusoid(grows=True)).also(counted, pad_token_id=1),
    "kosmos_2_5_text_model": Other({LENGTHS[1]: 4096}, sinusoid(grows=True)).also(counted, pad_token_id=1),
    LIKE_ROBERTA: ROBERTA,
    LIKE_XL: Other({**ROBERTA.defaults, "max_position_embeddings": 514}, from_padding),
    "gpt2 gpt-sw3 gpt_bigcode imagegpt": table(1024, "n_positions"),
    "openai-gpt": table(512, "n_positions"),
    "marian pegasus": Other({"max_position_embeddings": 1024}, sinusoid(grows=False)).also(each),
    "ctrl": Other({"n_positions": 256}, sinusoid(grows=False)),
    "tipsv2_text_model videoprism_text_model": Other({LENGTHS[1]: 64}, sinusoid(grows=False)),
    "sam3_lite_text_text_model": says(
        "learned",
        "adds a learned vector for each of {max_position_embeddings=77:,} positions, interpolated for a text of "
        "another length",
    ).where(
        "use_repmixer_blocks",
        True,
        "its first and its last layer have no attention, but convolutions over {repmixer_kernel_size=11} tokens",
    ),
    "distilbert": table(512).where("sinusoidal_pos_embds", False, "its rows begin as sinusoids of base 10,000"),
    "flaubert xlm": table(512).where("sinusoidal_embeddings", False, "its rows begin as sinusoids of base 10,000"),
    "semantic coarse_acoustics": BARK,
    "fine_acoustics": BARK.also(AHEAD_AS_BACK),
    "gpt_neo": Other(
        {"max_position_embeddings": 2048, "num_layers": 24, "attention_types": [[["global", "local"], 12]]}
        | {"window_size": 256},
        _gpt_neo,
    ),
    "prophetnet": Other(
        {"max_position_embeddings": 512, "num_buckets": 32, "pad_token_id": 0, "relative_max_distance": 128},
        _prophetnet,
    ),
    "tapas": Other(
        {"max_position_embeddings": 1024, "reset_position_index_per_cell": True}
        | {"type_vocab_sizes": [3, 256, 256, 2, 256, 256, 10]},
        _tapas,
    ),
    "reformer": Other(
        {"max_position_embeddings": 4096, "axial_pos_embds": True, "axial_pos_shape": [64, 64]}
        | {"axial_pos_embds_dim": [64, 192], "attn_layers": ["local", "lsh"] * 3}
        | {"local_attn_chunk_length": 64, "local_num_chunks_before": 1, "local_num_chunks_after": 0}
        | {"lsh_attn_chunk_length": 64, "lsh_num_chunks_before": 1, "lsh_num_chunks_after": 0},
        _reformer,
    ),
    "convbert": table(512).also(
        "each layer has a convolution over {conv_kernel_size=9} tokens, too, and weighs as many neighbours of each"
    ),
    "fnet": table(512).also("its layers have no attention: a Fourier transform mixes all tokens"),
    "nystromformer": of_values("conv_kernel_size", 510).also(_landmarks, num_landmarks=64, segment_means_seq_len=64),
    "yoso": of_values("conv_window", 4096),
    "mra": Other({LENGTHS[1]: 512}, offset(2, beside=True)).also(
        "of the scores of blocks of 32 x 32 tokens the largest are computed, {block_per_row=4} for each row of blocks, "
        "and the others told from means"
    ),
    "mobilebert": table(512).where(
        "trigram_input", True, "a linear layer joins each token with the one before it and the one behind it"
    ),
    "trocr": Other({"max_position_embeddings": 512}, sinusoid(grows=True)).unless(
        "use_learned_position_embeddings", True, Other({}, offset(2, beside=True))
    ),
    "git": table(1024).also(_frames, num_image_with_embedding=None, vision_config=None),
    "visual_bert": table(512).also(
        "a second table of {max_position_embeddings:,} rows is for what it sees, of which all gets the first row, "
        "unless the input tells which words it belongs to"
    ),
    "lxmert": table(512).also(
        "of an object it sees, it adds a vector that a linear layer makes of the {visual_pos_dim=4} numbers of its box"
    ),
    "perceiver": Other({LENGTHS[1]: 2048, "image_size": 56}, _perceiver).also(
        "its {num_latents=256:,} latents are learned, of {d_latents=1280:,} channels, and have no order"
    ),
    "vilt": table(40).also(
        lambda top: f"for the image it {patches(1, ALWAYS)(top).clause}", image_size=384, patch_size=32
    ),
    "luke": ROBERTA.also(
        "an entity adds the mean of the vectors of its places, from a table of {max_position_embeddings:,} rows of "
        "its own"
    ),
    "mpnet": Other({"max_position_embeddings": 512}, offset(2)).also(
        "its scores have a learned bias for each of {relative_attention_num_buckets=32} buckets, too; " + far(128)
    ),
    "longformer": ROBERTA.also(around, attention_window=512),
    "led": says(
        "learned",
        "adds a learned vector for each of {max_encoder_position_embeddings=16384:,} positions that are read, a "
        "hard limit, and of {max_decoder_position_embeddings=1024:,} that are written, a hard limit, too",
        "max_encoder_position_embeddings",
    ).also(lambda top: f"of what is read {around(top)}", attention_window=512),
    "canine": Other({"max_position_embeddings": 16_384, "num_hash_buckets": 16_384}, _canine).also(
        "its first layer sees blocks of {local_transformer_stride=128} characters",
        "those between it and the last see each group of {downsampling_rate=4} characters as one",
        "before the last a convolution reads {upsampling_kernel_size=4} characters at a time",
    ),
    "big_bird": in_blocks(""),
    "bigbird_pegasus": in_blocks("in its encoder ").also(each),
    "pegasus_x": Other({"max_position_embeddings": 16_384}, sinusoid(grows=True))
    .also("in its encoder a block of {block_size=512} tokens sees itself and {num_global_tokens=32 or 0} global tokens")
    .where("stagger_local_blocks", True, "every second layer shifts its blocks by half"),
    "speech_to_text": says(
        "sinusoidal", two_sinusoids, "max_target_positions", max_source_positions=6000, max_target_positions=1024
    ).also(counted, pad_token_id=1),
}
