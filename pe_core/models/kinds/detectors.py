"""Models that find things in images: DETR and its kin, and what Segment Anything does with points and memories."""

import math
from collections.abc import Mapping

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Clause, Found, Other, by_type, filled, says
from pe_core.models.kinds.hearing import BY_LSTM
from pe_core.models.kinds.images import MAX_LISTED, is_size, sizes_in
from pe_core.models.kinds.images_turned import TURNS, base_of, split
from pe_core.models.kinds.sizes import with_sizes
from pe_core.models.reading import refuse

TEMPERATURE = "positional_encoding_temperature"
TALL = 70  # rows, and columns, of the sinusoids of MiniCPM-V, in its code and no field
FILMS = 4.5  # the version of MiniCPM-V whose resampler joins frames of a film
SHARE = "a place is its share of the rows or of the columns, times 2 pi"
CELLS = 50  # rows, and columns, of the learned table of DETR, in its code and no field
LEARNED = "each of its {num_queries:,} object queries has a learned vector"
BEGINNING = "each of its {num_queries:,} object queries begins as a learned vector"
LEVELS = "each of {num_feature_levels} maps of features has a learned vector, too"
BOXES = "object queries are boxes, of which a small network makes vectors"


def sinusoids(where: str = "queries and keys") -> Other:
    """Return the reader of sinusoids that an encoder adds to queries, or queries and keys."""
    return says(
        "sinusoidal", f"adds sinusoids of row and column to {where} of its encoder, whatever the size of the image"
    )


def of_kind(where: str) -> Other:
    """Return the reader of learned vectors or sinusoids, as a field says, that an encoder adds there."""
    places = f"adds learned vectors of {CELLS} rows and {CELLS} columns to {where} of its encoder, a hard limit"

    def read(top: Fields) -> Found:
        kind = top.text("position_embedding_type")
        if kind not in ("learned", "sine"):
            refuse(top.place("position_embedding_type"), "be sine or learned", kind)
        return Found("learned", places) if kind == "learned" else sinusoids(where).read(top).also(SHARE)

    return Other({"position_embedding_type": "sine"}, read)


def points_around(count: str, maps: str = "{num_feature_levels}") -> str:
    """Return the clause on the points that an encoder reads, whose number and that of the maps are gaps."""
    return f"a head of its encoder reads {count} points of each of {maps} maps of features, near the place of its query"


def points(top: Fields) -> str:
    """Return how many points a head of the decoder reads, of maps of features of several sizes."""
    name = next(name for name in ("decoder_n_points", "decoder_num_points") if name in top.defaults)
    levels, count = top.whole("num_feature_levels", maximum=MAX_LISTED), top.value(name)
    each = count if isinstance(count, list) else [count] * levels  # D-FINE may have another number for each map
    if len(each) != levels or not all(map(is_size, each)):
        refuse(top.place(name), f"be a whole number, or one for each of {levels} maps", count)
    told = f"{each[0]:,}" if len(set(each)) == 1 else ", ".join(map(str, each))
    return f"a head of its decoder reads {told} points of each of {levels} maps of features, wherever its query says"


def base(top: Fields, name: str = TEMPERATURE) -> str:
    """Return the base of the sinusoids, which a field has."""
    return f"the base of its sinusoids is {top.number(name, minimum=1):,.0f}"


def _proposed(top: Fields) -> str:
    """Return where the object queries of Deformable DETR come from: a table, or boxes that its encoder proposes."""
    if not top.flag("two_stage", False):
        return LEARNED.format_map(top)
    count = top.whole("two_stage_num_proposals")
    return f"its {count:,} object queries are boxes of a grid, which its encoder picks, as vectors made of sinusoids"


def _dab_detr(top: Fields) -> str:
    tall, wide = (top.number(f"temperature_{side}", minimum=1) for side in ("height", "width"))
    if tall == wide:
        return base(top, "temperature_height")
    return f"the bases of its sinusoids are {tall:,.0f} for rows and {wide:,.0f} for columns"


def _grounding_dino(top: Fields) -> Found:
    begun: Clause = BEGINNING if top.flag("embedding_init_target", True) else ""
    text = "tokens of text have sinusoids of their places, too, and a text is cut behind {max_text_len:,} of them"
    read = points_around("{encoder_n_points}")
    found = of_kind("queries").also(f"its {BOXES}", begun, text, LEVELS, read, points).read(top)
    if found.mechanism == "learned":
        return found.also("the base of its sinusoids is 10,000")
    image = top.number("positional_embedding_temperature", minimum=1)
    return found.also(f"the base of the sinusoids of its image is {image:,.0f}, that of its text and boxes is 10,000")


def _maskformer(top: Fields) -> Found:
    inner = Fields(top.object("decoder_config") or {}, {"num_queries": 100}, f"{top.path}decoder_config.")
    where = "adds sinusoids of row and column to keys of its decoder, whatever the size of the image"
    found = Found("sinusoidal", where).also(SHARE).also(filled(LEARNED, inner))
    return with_sizes(found, "detr", inner, sure=True)


def prompts(inside: str, gap: str) -> Other:
    """Return the reader of what Segment Anything does with points, boxes and patches: sines in random directions.

    How many directions there are stands in an object, as a gap of a clause names it.
    """
    clause = (
        f"makes vectors of the places of points, corners of boxes and patches, by sines and cosines in {{{gap}:,}} "
    )
    told = says("sinusoidal", f"{clause}random directions")

    def read(top: Fields) -> Found:
        return told.read(Fields(top.object(inside) or {}, told.defaults, f"{top.path}{inside}."))

    return Other({}, read)


def memories(top: Fields) -> str:
    """Return what SAM 2 does with a film: 2-D RoPE where it attends to its memories, and a vector for each of them."""
    count = top.whole("num_maskmem", minimum=0)
    names = ("hidden_size", "num_attention_heads", "downsample_rate")
    width, heads, rate = (top.whole(f"memory_attention_{name}") for name in names)
    if (head_dim := width // (heads * rate)) < 4:
        refuse(top.place("memory_attention_hidden_size"), "give a head at least 4 channels", width)
    given = {"rope_theta": top.number("memory_attention_rope_theta", minimum=1)}
    told = f"where it attends to memories it {TURNS}; all {head_dim:,} channels of a head turn, with a base of "
    tall, wide = sizes_in(top, "memory_attention_rope_feat_sizes", "be two whole numbers of at least 1", 2, 2)
    told += f"{base_of(Fields(top.given, given, top.path)):,.0f}, on {tall} x {wide} places; sinusoids of row "
    told += (
        f"and column are added to its queries there, and to memories; each of {count} memories has a learned vector of "
    )
    told += f"{top['memory_encoder_output_channels']:,} channels"
    timed = top.flag("enable_temporal_pos_encoding_for_object_pointers", True)
    return told + ", and of objects a sinusoid tells the time" * timed


def _lightglue(top: Fields) -> str:
    clause = "turns q and k by angles that a linear layer makes of the two coordinates of a point (RoPE), all "
    clause += f"{split(top, 'descriptor_dim', 'num_attention_heads'):,} channels of a head, neighbours in pairs; "
    return f"{clause}between two images nothing is turned"


def _efficientloftr(top: Fields) -> str:
    part = top.number("partial_rotary_factor", minimum=0)  # of a head, for rows and for columns
    turned = 2 * int(top["hidden_size // num_attention_heads"] * part)
    clause = f"turns {turned:,} channels, before they are split into heads, some with the row and others with the "
    clause += f"column of a place (2-D RoPE), with a base of {base_of(top):,.0f}"
    return f"{clause}; between two images nothing is turned"


DETR = of_kind("queries and keys").also(LEARNED, "keys that its decoder reads have what its encoder adds")
OF_BOXES = sinusoids().also("its {num_queries:,} " + BOXES)
GRID = "these begin on a fixed grid, each in the middle of its place"
POINTS = {"num_feature_levels": 3, "decoder_n_points": 4}
PROMPTED = prompts("vision_config", "num_pos_feats=128")
PROMPTED_2 = prompts("prompt_encoder_config", "hidden_size=256 // 2")
MEMORIES = {
    "memory_attention_hidden_size": 256, "memory_attention_num_attention_heads": 1,
    "memory_attention_downsample_rate": 1, "memory_attention_rope_theta": 10_000.0, "num_maskmem": 7,
    "memory_attention_rope_feat_sizes": [64, 64], "memory_encoder_output_channels": 64,
}  # fmt: skip
WITH_MEMORIES = PROMPTED_2.also(memories, **MEMORIES)
MASKED = says(
    "sinusoidal",
    "adds sinusoids of row and column to queries of its pixel decoder and to keys of its decoder, whatever the size of "
    "the image; each of 3 maps of features has a learned vector in both, too",  # 3 stands in the code of both
).also(SHARE, LEARNED, points_around("4", "3").replace("encoder", "pixel decoder"))


def _resampled(top: Fields) -> str:
    """Return what MiniCPM-V's code does between the parts; its first versions only name what sees."""
    count = top.whole("query_num")
    clause = f"has {count:,} queries that read the patches of an image, and adds sinusoids of row and column to "
    if isinstance(top.given.get("vision_encoder"), str) and "vision_config" not in top.given:
        side = math.isqrt(count)
        return f"{clause}them, as on a grid of {side} x {side}, and to its keys"
    film = "; of a film they get a sinusoid of the time, too" if top.given.get("version") == FILMS else ""
    return f"{clause}its keys, more are computed for more than {TALL} x {TALL} patches{film}"


def _zoedepth(top: Fields) -> str:
    """Return what its head does that tells one kind of place from another, where it knows several."""
    kinds = top.value("bin_configurations")
    if not isinstance(kinds, list) or len(kinds) < 2:
        return "adds no positions to what its backbone makes"
    width = top.whole_or_none("patch_transformer_hidden_size")
    clause = "has a head that adds sinusoids of base 10,000 to the patches in their order, and a place in front of "
    return f"{clause}them, however many there are" + (f"; these have {width:,} channels" if width is not None else "")


def _blip(top: Fields) -> str:
    """Return that a BLIP that answers has two parts of text, where its file names it."""
    answers = "BlipForQuestionAnswering" in str(top.given.get("architectures"))
    return "has a decoder, too, with such a table of its own" if answers else ""


def _chameleon(top: Fields) -> str:
    """Return how many tokens of the text an image becomes, by the sizes of what encodes it."""
    inner = Fields(top.object("vq_config") or {}, {"resolution": 512}, f"{top.path}vq_config.")
    halved = inner.given.get("channel_multiplier", [1, 1, 2, 2, 4])
    steps = len(halved) - 1 if isinstance(halved, list) and 0 < len(halved) < MAX_SIZE.bit_length() else 0
    side = inner.whole("resolution", maximum=MAX_SIZE) >> steps
    return f"reads an image as {side} x {side} tokens of its text"


def _seconds(top: Fields) -> str:
    inner = Fields(top.object("vision_config") or {}, {"tokens_per_second": 4}, f"{top.path}vision_config.")
    return f"gives a second of a film {inner.number('tokens_per_second'):g} places of time"


def _projected(top: Fields) -> str:
    """Return which tables the projectors of Granite 4 Vision have, by the sides of their windows."""
    if (rate := top.text("downsample_rate")) is None:
        return ""
    queries, _, window = rate.partition("/")
    sides = [int(one) if one.isdecimal() and len(one) < len(str(MAX_SIZE)) else 0 for one in (queries, window)]
    if 0 in sides:
        refuse(top.place("downsample_rate"), "be two whole numbers with / between them", rate)
    ask, near = sides
    clause = f"adds a learned vector for each of {near} x {near} patches of a window, the same in each window, and has "
    return f"{clause}a learned query for each of {ask} x {ask} places of it, in each of its projectors"


QUERIES = "has {%s:,} learned queries without places, which ask the patches"
# Models of which a part is read, and what the whole does beside its parts.
ROWS: Mapping[str, Other] = {
    "grounding-dino mm-grounding-dino": Other(
        {**POINTS, "position_embedding_type": "sine", "num_queries": 900, "embedding_init_target": True}
        | {"num_feature_levels": 4, "positional_embedding_temperature": 20, "encoder_n_points": 4}
        | {"max_text_len": 256},
        _grounding_dino,
    ),
    "mask2former": MASKED.also(num_queries=100),
    "maskformer": Other({}, _maskformer),
    "oneformer": MASKED.also(num_queries=150),
    "sam sam_hq": PROMPTED,
    "sam2": PROMPTED_2,
    "sam2_video": WITH_MEMORIES,
    "omdet-turbo": OF_BOXES.also(
        points, base, num_queries=900, num_feature_levels=3, decoder_num_points=4, **{TEMPERATURE: 10_000}
    ).where("learn_initial_query", False, BEGINNING),
    "musicflamingo": says(
        "axial",
        "turns what it hears by the number of its window and by the place of a frame in it (RoPE), by angles that "
        "grow with the seconds",
    ),
    "rf_detr": says(
        "sinusoidal", "has object queries that are boxes, and a small network makes vectors of sinusoids of each box"
    ).also(
        BEGINNING,
        "a head of its decoder reads {decoder_n_points=4} points of each map of features, wherever its query says",
        num_queries=300,
    ),
    "owlv2 owlvit": says("none", "finds boxes that begin on a fixed grid, each at the place of its patch"),
    "video_llava": says("learned", "has its part that sees twice: one sees images, the other the frames of a film"),
    "musicgen_melody": says(
        "none",
        "puts {chroma_length=235} frames of a melody, and then what it read, before the tokens: these take the first "
        "positions",
    ),
    "nemotron3_5_asr nemotron_asr_streaming parakeet_rnnt": says("convolution", BY_LSTM),
    "chameleon": says("none", _chameleon, vq_config=None),
    "granite_speech granite_speech_plus": says(
        "none", "has queries that read windows of {window_size=15} frames, {window_size // downsample_rate=5} for each"
    ),
    "zoedepth": says("sinusoidal", _zoedepth, patch_transformer_hidden_size=None),
    "blip": says("learned", _blip),
    "minicpmo minicpmv": says("sinusoidal", _resampled, query_num=64),
    "minicpm_ocr minicpmv4_6": says("rope", "gives each token one place, the same for time, height and width"),
    "qwen2_5_vl": says("rope", _seconds),
    "granite4_vision": says("learned", _projected, downsample_rate=None),
    "kosmos-2": says("none", QUERIES % "latent_query_num=64"),
    "kosmos-2.5": says("none", QUERIES % "latent_query_num=2048"),
}
WHOLES = by_type(ROWS)

DETECTORS: Mapping[str, Other] = {
    "detr table-transformer": DETR.also(num_queries=100),
    "conditional_detr": DETR.also(
        "a small network makes a point of each of these vectors, and queries of its decoder have sinusoids of it",
        num_queries=300,
    ),
    "deformable_detr": of_kind("queries")
    .also(
        _proposed,
        two_stage=False,
        two_stage_num_proposals=300,
    )
    .also(
        LEVELS,
        points_around("{encoder_n_points=4}"),
        points,
        num_queries=300,
        num_feature_levels=4,
        decoder_n_points=4,
    ),
    "dab-detr": OF_BOXES.also(SHARE)
    .also("its decoder has sinusoids of the center and the sides of each box, of base 10,000")
    .also(_dab_detr, num_queries=300, temperature_height=20, temperature_width=20),
    "rt_detr rt_detr_v2 d_fine": OF_BOXES.also(GRID, points, base, num_queries=300, **POINTS | {TEMPERATURE: 10_000}),
    "efficientloftr": says(
        "axial", _efficientloftr, hidden_size=256, num_attention_heads=8, rope_theta=1e4, partial_rotary_factor=4.0
    ),
    "lightglue": says("axial", _lightglue, descriptor_dim=256, num_attention_heads=4),
    "superglue": says(
        "axial",
        "adds a vector of {hidden_size=256:,} channels that a small network makes of the two coordinates and the "
        "score of a point",
    ),
    "edgetam": PROMPTED_2,
    "edgetam_video": WITH_MEMORIES.also(
        "a memory becomes {perceiver_resampler_num_latents=256 or 0:,} vectors of the whole image and "
        "{perceiver_resampler_num_latents_2d=256 or 0:,} of its windows"
    ),
}
