"""Models that read a page: tables of a text, and where its boxes and tags lie."""

from collections.abc import Callable, Mapping

from pe_core.models.fields import Fields
from pe_core.models.kinds.found import Found, Other
from pe_core.models.kinds.images import COUNTED, is_size, patches
from pe_core.models.kinds.tables import from_padding, learned, table
from pe_core.models.reading import refuse

BIASES = (  # of distances on a page: what switches them, what they are of, their buckets, and how far these reach
    ("has_relative_attention_bias", "tokens", "rel_pos_bins", "max_rel_pos"),
    ("has_spatial_attention_bias", "places", "rel_2d_pos_bins", "max_rel_2d_pos"),
)


def boxes(top: Fields) -> str:
    """Return what LayoutLM does beside a table of the text: tables of places on a page, biases of distances."""
    clause = "the corners and sizes of a box of text pick learned vectors of {max_2d_position_embeddings:,} places "
    clause += "each, a hard limit"
    if "coordinate_size" in top.defaults:
        clause += "; those of corners have {coordinate_size:,} channels, and those of sizes {shape_size:,}"
    clause = clause.format_map(top)
    version_3 = "input_size" in top.defaults  # which adds those of places beside those of tokens alone
    together = top.flag("has_relative_attention_bias", False)
    biases = []
    for flag, what, bins, far in BIASES:
        if top.flag(flag, False) and (together or not version_3):
            biases.append(f"those of {what} fall into {top.whole(bins)} buckets up to {top.whole(far)}")
        elif flag in top.defaults:  # the sizes count for nothing then
            top.value(bins), top.value(far)
    if biases:
        clause += f"; its scores have learned biases of distances, too; {'; '.join(biases)}"
    if version_3 and top.flag("visual_embed", True):
        image = {"image_size": top.value("input_size"), "patch_size": top.value("patch_size")}
        clause += f"; for the image it {patches(1, COUNTED)(Fields(image, {}, top.path)).clause}"
    return clause


def pooled(top: Fields) -> str:
    """Return what LayoutLM 2 does with its image: places of a pooled map take rows of the tables of the text."""
    sides = top.value("image_feature_pool_shape")
    if not isinstance(sides, list) or len(sides) < 2 or not all(map(is_size, sides[:2])):
        refuse(top.place("image_feature_pool_shape"), "begin with a number of rows and one of columns", sides)
    rows, columns = sides[:2]
    count = rows * columns
    clause = f"{rows} x {columns} places of its image take the first {count:,} rows of its table"
    return f"{clause}, and by their corners those of boxes"


def on_a_page(read: Callable[[Fields], Found], **defaults: object) -> Other:
    """Return the reader of a model of LayoutLM's kind, whose text has a table that is read so."""
    places = {"max_position_embeddings": 512, "max_2d_position_embeddings": 1024}
    return Other(places, read).also(boxes, **defaults)


PAGE = {
    "has_relative_attention_bias": True, "has_spatial_attention_bias": True, "coordinate_size": 128, "shape_size": 128,
    "rel_pos_bins": 32, "max_rel_pos": 128, "rel_2d_pos_bins": 64, "max_rel_2d_pos": 256,
}  # fmt: skip
PAGES: Mapping[str, Other] = {
    "layoutlm": on_a_page(learned),
    "layoutlmv2 layoutxlm": on_a_page(learned, **PAGE).also(pooled, image_feature_pool_shape=[7, 7, 256]),
    "layoutlmv3": on_a_page(from_padding, **PAGE, pad_token_id=1, input_size=224, patch_size=16),
    "lilt": on_a_page(from_padding, pad_token_id=0).also(
        "those vectors have {hidden_size=768 // 6:,} channels",
        "the layout has a learned table of {max_position_embeddings:,} rows of its own, "
        "{hidden_size // channel_shrink_ratio=4:,} channels wide",
    ),
    "bros": table(512).also(
        "its queries are compared with sinusoids of how far boxes lie apart",
        "{hidden_size=768 // 4:,} channels of them become {hidden_size // num_attention_heads=12:,}",
    ),
    "markuplm": Other({"max_position_embeddings": 512, "pad_token_id": 0}, from_padding).also(
        "each of {max_depth=50} levels of its path of tags has learned vectors, too, of "
        "{max_xpath_tag_unit_embeddings=256:,} tags and {max_xpath_subs_unit_embeddings=1024:,} places among tags "
        "of one name, {xpath_unit_hidden_size=32:,} channels wide"
    ),
}
