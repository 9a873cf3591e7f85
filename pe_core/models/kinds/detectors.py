"""Models that find things in images: DETR and its kin, and what Segment Anything does with points and memories."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.kinds.found import Clause, Found, Other, filled, inside, says
from pe_core.models.kinds.images import COUNTS, MAX_LISTED, at_its_size, is_size, sizes_in, two_sides
from pe_core.models.kinds.images_turned import TURNS, base_of, split
from pe_core.models.kinds.sizes import with_sizes
from pe_core.models.reading import refuse

TEMPERATURE = "positional_encoding_temperature"
SHARE = "a place is its share of the rows or of the columns, times 2 pi"
CELLS = 50  # rows, and columns, of the learned table of DETR, in its code and no field
LEARNED = "each of its {num_queries:,} object queries has a learned vector"
BEGINNING = "each of its {num_queries:,} object queries begins as a learned vector"
LEVELS = "each of {num_feature_levels} maps of features has a learned vector, too"
# Its convolutions round up, or down where the backbone is another.
NEAR_MULTIPLE = "sides have to be multiples of 32 pixels, or some of those up to 7 off"
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


def _of_maps(top: Fields) -> str:
    """Return the same of LW-DETR, which has a map for each of the factors that it lists, and of RF-DETR."""
    factors = top.value("projector_scale_factors")
    levels = len(factors) if isinstance(factors, list) else top.whole("num_feature_levels")
    maps = "each map of features" if levels < 2 else f"each of {levels} maps of features"
    return f"a head of its decoder reads {top['decoder_n_points']} points of {maps}, wherever its query says"


def base(top: Fields, name: str = TEMPERATURE) -> str:
    """Return the base of the sinusoids, which a field has."""
    return f"the base of its sinusoids is {top.number(name, minimum=1):,.0f}"


def trained(top: Fields) -> str:
    """Return that a model with `eval_size` has sinusoids in training alone, else nothing."""
    return "because of eval_size it does so in training alone" if top.value("eval_size") is not None else ""


def _on_grid(top: Fields) -> str:
    """Return where boxes of RT-DETR begin, and of which image that grid is, where it is that of one size."""
    if not top.value("anchor_image_size"):
        return GRID
    height, width = two_sides(top, "anchor_image_size")
    return f"{GRID}; but for training it is that of an image of {height:,} x {width:,} pixels, and {COUNTS % 'places'}"


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
    text += "; these places are counted anew in each phrase, for the part that reads it, too, and a token sees its own "
    text += "phrase alone"
    read = points_around("{encoder_n_points}")
    found = of_kind("queries").also(f"its {BOXES}", begun, text, LEVELS, read, points).read(top)
    if found.mechanism == "learned":
        return found.also("the base of its sinusoids is 10,000")
    image = top.number("positional_embedding_temperature", minimum=1)
    return found.also(f"the base of the sinusoids of its image is {image:,.0f}, that of its text and boxes is 10,000")


def _maskformer(top: Fields) -> Found:
    inner = top.inside("decoder_config", {"num_queries": 100})
    where = "adds sinusoids of row and column to keys of its decoder, whatever the size of the image"
    found = Found("sinusoidal", where).also(SHARE).also(filled(LEARNED, inner))
    return with_sizes(found, "detr", inner, sure=True)


def _places(top: Fields) -> str:
    return at_its_size(top).replace("patches", "places")


def prompts(part: str, gap: str, side: int = 0, patch: int = 1) -> Other:
    """Return the reader of what Segment Anything does with points, boxes and patches: sines in random directions.

    How many directions there are stands in an object, as a gap of a clause names it; so do sizes of an image in
    later models, by default of so many pixels (the encoder of the first tells them).
    """
    clause = (
        f"makes vectors of the places of points, corners of boxes and patches, by sines and cosines in {{{gap}:,}} "
    )
    told = says("sinusoidal", f"{clause}random directions").also(
        "its decoder of masks adds them to queries and keys of each layer"
    )
    if side:
        told = told.also(_places, COUNTS % "places", image_size=side, patch_size=patch)

    return Other({}, inside(told, part))


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
    told += f"{base_of(Fields(top.given, given, top.path)):,.0f}, on {tall} x {wide} places; sinusoids of row and "
    kept = top["memory_encoder_output_channels"]
    told += (
        f"column, of base 10,000, are added to its queries there, {width:,} channels wide and divided by 10, and to "
    )
    told += f"memories, {kept:,} wide; each of {count} memories has a learned vector of {kept:,} channels"
    if not top.flag("enable_temporal_pos_encoding_for_object_pointers", True):
        return told
    most = top.whole("max_object_pointers_in_encoder")
    return f"{told}; of up to {most:,} objects a sinusoid tells the time, {width:,} channels wide, of base 10,000"


def _edgetam(top: Fields) -> str:
    tall, wide = sizes_in(top, "memory_attention_rope_k_sizes", "be two whole numbers of at least 1", 2, 2)
    return f"of its keys those of windows alone turn, on {tall} x {wide} places"


def rt_detr(boxes: str = BOXES, width: str = "d_model") -> Other:
    """Return the reader of RT-DETR and its kin, of which one field is how wide the vectors of boxes are."""
    queries = f"its {{num_queries=300:,}} {boxes} of {{{width}=256:,}} channels"
    told = (trained, NEAR_MULTIPLE, queries, _on_grid, points, base)
    return sinusoids().also(*told, **POINTS | {TEMPERATURE: 10_000})


def _deimv2(top: Fields) -> Found:
    if top.text("encoder_type") != "lite":
        return rt_detr().read(top)
    queries = f"has {{num_queries:,}} {BOXES.replace('are', 'that are')} of {{d_model:,}} channels"
    return says("none", queries).also(_on_grid, points).read(top)


def _of_relations(top: Fields) -> str:
    """Return the bias of PP-DocLayout that is made of the relation of two boxes."""
    if not top.flag("has_spatial_attention_bias", True):
        return ""
    theta, scale = top.number("relation_bias_theta", minimum=1), top.number("relation_bias_scale")
    told = "its scores have a bias, made of sinusoids of logarithms of how far two boxes are apart and how they differ "
    told += f"in size, times {scale:g}, with {top['relation_bias_embed_dim']:,} channels each and "
    return f"{told}a base of {theta:,.0f}"


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
OF_SINUSOIDS = says(
    "sinusoidal", "has object queries that are boxes, and a small network makes vectors of sinusoids of each box"
).also(
    BEGINNING,
    _of_maps,
    num_queries=300,
    decoder_n_points=4,
)
GRID = "these begin on a fixed grid, each in the middle of its place"
POINTS = {"num_feature_levels": 3, "decoder_n_points": 4}
PROMPTED = prompts("vision_config", "num_pos_feats=128")
PROMPTED_2 = prompts("prompt_encoder_config", "hidden_size=256 // 2", 1024, 16)
PROMPTED_3 = prompts("prompt_encoder_config", "hidden_size=256 // 2", 1008, 14)
MEMORIES = {
    "memory_attention_hidden_size": 256, "memory_attention_num_attention_heads": 1,
    "memory_attention_downsample_rate": 1, "memory_attention_rope_theta": 10_000.0, "num_maskmem": 7,
    "memory_attention_rope_feat_sizes": [64, 64], "memory_encoder_output_channels": 64,
    "max_object_pointers_in_encoder": 16,
}  # fmt: skip
WITH_MEMORIES = PROMPTED_2.also(memories, **MEMORIES)
MASKED = (
    says(
        "sinusoidal",
        "adds sinusoids of row and column to queries of its pixel decoder and to keys of its decoder, whatever the "
        "size of the image; each of 3 maps of features has a learned vector in both, too",  # 3 stands in their code
    )
    .also(SHARE)
    .also(points_around("4", "3").replace("encoder", "pixel decoder"))
)


# Those of which a part is read: what the whole does around it.
AROUND: Mapping[str, Other] = {
    "grounding-dino mm-grounding-dino": Other(
        {**POINTS, "position_embedding_type": "sine", "num_queries": 900, "embedding_init_target": True}
        | {"num_feature_levels": 4, "positional_embedding_temperature": 20, "encoder_n_points": 4}
        | {"max_text_len": 256},
        _grounding_dino,
    ),
    "mask2former": MASKED.also(LEARNED, num_queries=100),
    "maskformer": Other({}, _maskformer),
    "oneformer": MASKED.also(
        "each of its {num_queries=150 - 1:,} object queries has a learned vector, and so has its task",
        "its task is a text of exactly {task_seq_len=77} tokens, of which a small network makes one vector",
        "a decoder of {query_dec_layers=2} layers makes these queries first: its values are sinusoids of row and "
        "column themselves",
    ).where(
        "is_training",
        False,
        "for training it has a part for text, which adds a learned vector of {text_encoder_width=256:,} channels for "
        "each of {text_encoder_context_length=77} tokens, and takes no other number of them",
    ),
    "sam sam_hq": PROMPTED,
    "sam2": PROMPTED_2,
    "sam2_video": WITH_MEMORIES,
    "sam3_tracker": PROMPTED_3,
    "sam3_tracker_video": PROMPTED_3.also(memories, **MEMORIES | {"memory_attention_rope_feat_sizes": [72, 72]}),
    "omdet-turbo": OF_BOXES.also(
        trained, points, base, num_queries=900, num_feature_levels=3, decoder_num_points=4, **{TEMPERATURE: 10_000}
    ).where("learn_initial_query", False, BEGINNING),
    "rf_detr": OF_SINUSOIDS.also(num_feature_levels=1),
    "owlv2 owlvit": says("none", "finds boxes that begin on a fixed grid, each at the place of its patch"),
}

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
    "dab-detr": OF_BOXES.also(
        lambda top: (
            "each box asks with each of {num_patterns} learned patterns".format_map(top)
            if top.whole("num_patterns", minimum=0)
            else ""
        ),
        SHARE,
        "a small network makes of each token what its sinusoids are multiplied by, and keys of its decoder have them "
        "through a linear layer",
        "its decoder has sinusoids of the center and the sides of each box, of base 10,000",
        _dab_detr,
        num_queries=300,
        num_patterns=0,
        temperature_height=20,
        temperature_width=20,
    ),
    "rt_detr rt_detr_v2 d_fine": rt_detr(),
    "pp_doclayout_v2": rt_detr().also("a second model reads the order of these boxes"),
    "pp_doclayout_v3": rt_detr().where(
        "mask_enhanced", True, "before its decoder a box is drawn anew, around the mask that a query gives"
    ),
    "pp_doclayout_v4": rt_detr(BOXES.replace("boxes", "quadrangles"), "hidden_size"),
    "deimv2": Other({**rt_detr().defaults, "encoder_type": "hybrid"}, _deimv2),
    "pp_doclayout_v2_reading_order": says(
        "learned",
        "adds a learned vector for each of {max_position_embeddings=514:,} positions, a hard limit, of which those up "
        "to {pad_token_id=1 or 0} stand for none",
    )
    .also("the corners and sizes of a box pick learned vectors of {max_2d_position_embeddings=1024:,} places each")
    .also(_of_relations, relation_bias_embed_dim=16, relation_bias_theta=1e4, relation_bias_scale=100),
    "lw_detr": OF_SINUSOIDS.also(projector_scale_factors=[]),
    "tvp": says(
        "learned",
        "adds a learned vector for each of {max_position_embeddings=512:,} positions, a hard limit",
        "max_position_embeddings",
    ).also(
        "the mean of its frames gets learned vectors of {max_grid_row_position_embeddings=100:,} rows and "
        "{max_grid_col_position_embeddings=100:,} columns; a larger one is refused unless interpolate_pos_encoding is "
        "asked for, which interpolates them; frames have no order; 10 learned vectors without places stand in front "
        "of the text"
    ),
    "sam3_detr_encoder sam3_lite_text_detr_encoder": says(
        "sinusoidal", "adds sinusoids of row and column to its queries and keys, whatever the size of the image"
    ).also(SHARE),
    "sam3_detr_decoder sam3_lite_text_detr_decoder": says(
        "sinusoidal", "has {num_queries=200:,} object queries, which begin as learned vectors and learned boxes"
    ).also(
        "a small network makes a vector of sinusoids of each box, and keys of patches have sinusoids of row and column",
        SHARE,
        "its scores have a bias that a small network computes from logarithms of how far a patch is from the sides of "
        "a box",
    ),
    "sam3_geometry_encoder sam3_lite_text_geometry_encoder": says(
        "sinusoidal",
        "adds up a linear map of a box, one of the sinusoids of its center with its sides, and what the image has "
        "there",
    ).also("keys of patches have sinusoids of row and column", SHARE),
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
    ).also(_edgetam, memory_attention_rope_k_sizes=[16, 16]),
}
