"""Types that transformers had in version 4 and no longer has: read by what their classes did there."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import grid, two_sides
from pe_core.models.others import OLD_BASE, sinusoid
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


def nezha(top: Fields) -> Found:
    """Return what NEZHA does: sinusoids of distances, up to one, in its scores and values, and no table."""
    far, width = top.whole("max_relative_position"), top.whole("hidden_size") // top.whole("num_attention_heads")
    clause = "adds fixed vectors of distances, sines and cosines of base 10,000, to its keys and values, up to "
    length = top.whole("max_position_embeddings")
    shared = f"{far:,} on each side, which farther ones share; these have {width:,} channels; {length:,} tokens are a "
    return Found("relative", f"{clause}{shared}hard limit; it has no table", length)


def graphormer(top: Fields) -> Found:
    """Return what Graphormer does: learned biases of the shortest path between two atoms, and vectors of bonds."""
    steps, kinds, far = (top.whole(name) for name in ("num_spatial", "num_edges", "multi_hop_max_dist"))
    into, out = top.whole("num_in_degree"), top.whole("num_out_degree")
    clause = f"adds a learned bias for each of {steps:,} lengths of the shortest path between two atoms, and others "
    clause += f"for the kinds of bonds on its first {far} steps, {kinds:,} of them; learned vectors of how many bonds "
    clause += f"lead to an atom ({into:,}) and from it ({out:,}) are added; no order counts"
    return Found("relative", clause, None)


def mega(top: Fields) -> Found:
    """Return what MEGA does: moving averages that tell the order, and a bias for each distance, learned or turned."""
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


def mctct(top: Fields) -> Found:
    """Return what M-CTC-T does: learned vectors of distances, which its queries are compared with."""
    length, width = top.whole("max_position_embeddings"), top.whole("attention_head_dim")
    clause = f"has learned vectors of distances in its scores, {2 * length - 1:,} of {width:,} channels, for at most "
    return Found("relative", f"{clause}{length:,} frames; {AHEAD_AS_BACK}", length)


def efficientformer(top: Fields) -> Found:
    """Return what EfficientFormer does: convolutions, and at its end learned biases of rows and columns apart."""
    side = top.whole("resolution", maximum=1000)
    clause = f"has convolutions, and in its last layers a learned bias for each of {side * side:,} offsets of rows and "
    return Found("relative", f"{clause}columns; an offset counts whatever its sign; another size is refused", None)


def written(top: Fields) -> Found:
    """Return what Speech2Text 2 does: a fixed sinusoid for each token that it writes, more where they are needed."""
    return sinusoid(grows=True)(replace(top, given={}, defaults={"n_positions": top.whole("max_target_positions")}))


def tvlt(top: Fields) -> Found:
    """Return what TVLT does: tables of patches and frames of a film, and of times and frequencies of its sound."""
    rows, columns = grid(top)
    long, high = two_sides(top, "audio_patch_size")
    frames = top.whole("num_frames")
    times, tones = top.whole("spectrogram_length") // long, top.whole("frequency_length") // high
    clause = f"adds learned vectors of {rows} x {columns} patches and of {frames:,} frames, and for "
    return Found("learned", f"{clause}sound of {times:,} times and of {tones:,} frequencies", None)


GRAPHORMER = {
    "num_spatial": 512, "num_edges": 1536, "multi_hop_max_dist": 5, "num_in_degree": 512, "num_out_degree": 512,
}  # fmt: skip
MEGA = {"relative_positional_bias": "rotary", "use_chunking": False, "chunk_size": -1, "max_positions": 2048} | {
    "shared_representation_size": 64
}
NEZHA = {"max_relative_position": 64, "max_position_embeddings": 512, "hidden_size": 768, "num_attention_heads": 12}
TVLT = {
    "image_size": 224, "patch_size": 16, "audio_patch_size": [16, 16], "num_frames": 8, "spectrogram_length": 2048,
    "frequency_length": 128,
}  # fmt: skip
RETIRED: Mapping[str, Other] = {
    "efficientformer": Other({"resolution": 7}, efficientformer),
    "graphormer": Other(GRAPHORMER, graphormer),
    "mctct": Other({"max_position_embeddings": 920, "attention_head_dim": 384}, mctct),
    "mega": Other(MEGA, mega),
    "nezha": Other(NEZHA, nezha),
    "speech_to_text_2": Other({"max_target_positions": 1024}, written),
    "tvlt": Other(TVLT, tvlt),
}
