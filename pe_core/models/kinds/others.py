"""Models whose positions are not those of the RoPE classes, by their types."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.kinds.built import BUILT
from pe_core.models.kinds.detectors import DETECTORS
from pe_core.models.kinds.distances import OF_DISTANCES
from pe_core.models.kinds.found import Found, Other, by_type, says
from pe_core.models.kinds.hearing import HEARING
from pe_core.models.kinds.images import IMAGES
from pe_core.models.kinds.images_turned import IMAGES_TURNED
from pe_core.models.kinds.pages_of_text import PAGES
from pe_core.models.kinds.recurrent import RECURRENT
from pe_core.models.kinds.rotary_heads import ROTARY_HEADS
from pe_core.models.kinds.series import SERIES
from pe_core.models.kinds.tables import TABLES_OF_TEXT, table
from pe_core.models.kinds.windows import WINDOWS

ASKS = says("none", "has no positional encoding: it asks what another model has read")
RESAMPLES = "has no positional encoding: its {resampler_n_latents=64} learned queries ask what another model has read"


def _asks(top: Fields) -> Found:
    """Return what the query former of BLIP-2 does without a text, whose length its file may have all the same."""
    if top.says("max_position_embeddings"):
        top.value("max_position_embeddings")
    return ASKS.read(top)


BEHIND_QUERIES = table(512).also("the queries in front of the text have no place")
UNORDERED: Mapping[str, Other] = {
    "moshi_depth": says(
        "none", "has no positional encoding: each of {num_codebooks=8} places of a step has weights of its own"
    ),
    "idefics2_perceiver idefics_perciever": says("none", RESAMPLES),
    "blip_2_qformer": Other({}, _asks).unless("use_qformer_text_input", False, BEHIND_QUERIES),
    "instructblip_qformer instructblipvideo_qformer": BEHIND_QUERIES,
    "molmo2_adapter": says(
        "none", "has no positional encoding: its queries are means of patches, and each asks the patches of its mean"
    ),
    "neucodec xcodec2": says(
        "none",
        "has no positional encoding: it turns q and k by the number of a head in place of that of a frame; only "
        "its convolutions tell the order; {max_position_embeddings=4096:,} frames are no limit",
    ),
}
BY_HAND = by_type(
    TABLES_OF_TEXT, OF_DISTANCES, PAGES, RECURRENT, ROTARY_HEADS, UNORDERED, IMAGES, IMAGES_TURNED, WINDOWS, DETECTORS,
    HEARING, SERIES,
)  # fmt: skip
OTHERS: Mapping[str, Other] = {**BUILT, **BY_HAND}
