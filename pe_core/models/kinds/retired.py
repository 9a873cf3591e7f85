"""Types that transformers had in version 4 and no longer has: read by what their classes did there."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.kinds.found import Found, Other, says, sentences
from pe_core.models.kinds.images import grid, two_sides
from pe_core.models.kinds.rotary_heads import OLD_BASE
from pe_core.models.positions import AHEAD_AS_BACK
from pe_core.models.reading import refuse

# Those whose positions are those of a type that is still there.
LIKE_ANOTHER: Mapping[str, str] = {
    **dict.fromkeys(("bort", "qdqbert", "realm", "retribert"), "bert"),
    "deta": "deformable_detr",
    "ernie_m": "roberta",
    "gptsan-japanese": "gpt2",
    "jukebox_prior": "gpt2",
    "nat": "dinat",
    "open-llama": "llama",
    "trajectory_transformer": "gpt2",
    "van": "resnet",
    "vit-hybrid": "vit",
    "xlm-prophetnet": "prophetnet",
}


def _mega(top: Fields) -> Found:
    way, chunks = top.text("relative_positional_bias"), top.flag("use_chunking", False)
    length = top.whole("chunk_size" if chunks else "max_positions")
    if way not in ("rotary", "simple"):
        refuse(top.place("relative_positional_bias"), 'be "rotary" or "simple"', way)
    clause = f"adds a learned bias for each of {2 * top.whole('max_positions') - 1:,} distances"
    limit = f"{length:,} tokens are a hard limit"
    if way == "rotary":
        limit = f"it is made for {length:,} tokens"
        width = top.whole("shared_representation_size")
        clause = f"adds a bias for each distance, from two vectors that it learns, of {width:,} channels, turned by "
        clause += f"RoPE of base {OLD_BASE:,.0f}"
    limit = f"a token sees its chunk of {length:,} tokens" if chunks else limit
    return Found("relative", f"{clause}; {limit}; moving averages tell the order, too", None if chunks else length)


def _speech_to_text_2(top: Fields) -> Found:
    if top.says("max_source_positions"):  # which its files have, and no part reads
        top.value("max_source_positions")
    length = top.whole("max_target_positions")
    clause = f"adds a fixed sinusoid for each of {length:,} positions, more are computed for a longer text"
    return Found("sinusoidal", clause, length)


def _tvlt(top: Fields) -> str:
    rows, columns = grid(top)
    long, high = two_sides(top, "audio_patch_size")
    frames = top.whole("num_frames")
    times, tones = top.whole("spectrogram_length") // long, top.whole("frequency_length") // high
    clause = f"adds learned vectors of {rows} x {columns} patches and of {frames:,} frames, and for sound of "
    return f"{clause}{times:,} times and of {tones:,} frequencies"


MEGA = {"relative_positional_bias": "rotary", "use_chunking": False, "chunk_size": -1, "max_positions": 2048} | {
    "shared_representation_size": 64
}
TVLT = {
    "image_size": 224, "patch_size": 16, "audio_patch_size": [16, 16], "num_frames": 8, "spectrogram_length": 2048,
    "frequency_length": 128,
}  # fmt: skip
RETIRED: Mapping[str, Other] = {
    **sentences(
        "relative",
        {
            "efficientformer": "has convolutions, and in its last layers a learned bias for each of "
            "{resolution=7 ** 2:,} offsets of rows and columns; an offset counts whatever its sign; another number of "
            "places is refused",
            "graphormer": "adds a learned bias for each of {num_spatial=512:,} lengths of the shortest path between "
            "two atoms, and others for the kinds of bonds on its first {multi_hop_max_dist=5} steps, "
            "{num_edges=1536:,} of them; learned vectors of how many bonds lead to an atom ({num_in_degree=512:,}) and "
            "from it ({num_out_degree=512:,}) are added; a token of the whole has one learned bias for all atoms; no "
            "order counts",
        },
    ),
    **sentences(
        "relative",
        {
            "mctct": "has learned vectors of distances in its scores, {max_position_embeddings=920 * 2 - 1:,} of "
            "{attention_head_dim=384:,} channels, for at most {max_position_embeddings:,} frames; " + AHEAD_AS_BACK,
            "nezha": "adds fixed vectors of distances, sines and cosines of base 10,000, to its keys and values, up to "
            "{max_relative_position=64:,} on each side, which farther ones share; these have "
            "{hidden_size=768 // num_attention_heads=12:,} channels; {max_position_embeddings=512:,} tokens are a hard "
            "limit; it has no table",
        },
        "max_position_embeddings",
    ),
    "mega": Other(MEGA, _mega),
    "speech_to_text_2": Other({"max_target_positions": 1024}, _speech_to_text_2),
    "tvlt": says("learned", _tvlt, **TVLT),
}
