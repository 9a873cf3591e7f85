"""Transformers of diffusers, which a file names in `_class_name`: read by what their code does in version 0.42.1."""

from collections.abc import Callable, Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import MAX_SIZE, is_size
from pe_core.models.reading import refuse

MAX_AXES = 10
CROPPED = "an image takes those around the middle, and a larger one is refused"
NO_PLACES = "has no positional encoding: its convolutions tell where things are"


def on_axes(name: str, base: str | None = None, usual: float = 10_000) -> Callable[[Fields], Found]:
    """Return the reader of RoPE over several axes, of whose channels a field is a list; `base` names that of the base.

    Without such a field the base is the usual one, in the code alone.
    """

    def read(top: Fields) -> Found:
        widths = top.value(name)
        if (
            not isinstance(widths, list | tuple)
            or not 1 <= len(widths) <= MAX_AXES
            or any(not is_size(one, 0) or one % 2 for one in widths)
            or sum(widths) == 0
        ):
            refuse(top.place(name), f"be a list of 1 to {MAX_AXES} even numbers of channels", widths)
        return _turned(top, list(widths), top.number(base, minimum=1) if base else usual)

    return read


def _turned(top: Fields, widths: list[int], base: float, head_dim: int | None = None) -> Found:
    sizes, whole = " + ".join(map(str, widths)), head_dim or _head_dim(top) or sum(widths)
    clause = f"turns {sizes} of {whole} channels of a head by {len(widths)} numbers of a place (RoPE of several axes)"
    return Found("axial", f"{clause}; its base is {base:,.0f}", None)


def _head_dim(top: Fields) -> int | None:
    known = "attention_head_dim" in {*top.given, *top.defaults}
    return top.whole("attention_head_dim", maximum=MAX_SIZE) if known else None


def on_own_axes(share: Callable[[int], list[int]], more: str = "") -> Callable[[Fields], Found]:
    """Return the reader of RoPE of base 10,000 whose axes share the channels of a head in a way of the code."""

    def read(top: Fields) -> Found:
        width = top.whole("attention_head_dim", maximum=MAX_SIZE)
        found = _turned(top, share(width), 10_000, width)
        return Found("axial", found.clause + (more and f"; {more}"), None)

    return read


def easyanimate(top: Fields) -> Found:
    """Return what EasyAnimate does: RoPE over frames, rows and columns, which are stretched to a grid of one size."""
    patch = top.whole("patch_size", maximum=60)
    stretched = f"rows and columns are stretched to a grid of {60 // patch} x {90 // patch} patches"
    return on_own_axes(of_cogvideo, f"{stretched}; its text turns nothing")(top)


def z_image(top: Fields) -> Found:
    """Return what Z-Image does: RoPE of several axes, with a table of so many places of each."""
    found, most = on_axes("axes_dims", "rope_theta")(top), top.value("axes_lens")
    if not isinstance(most, list) or not 0 < len(most) <= MAX_AXES or not all(map(is_size, most)):
        refuse(top.place("axes_lens"), f"be a list of 1 to {MAX_AXES} sizes", most)
    places = ", ".join(f"{count:,}" for count in most)
    return found.also(f"at most {places} places of its axes, a hard limit")


def unidiffuser(top: Fields) -> Found:
    """Return what UniDiffuser does: a learned vector for each token: of two times, of a text and of an image."""
    side, patch = top.whole("sample_size", maximum=MAX_SIZE), top.whole("patch_size")
    words, images = top.whole("num_text_tokens"), (side // patch) ** 2
    rows = 3 + words + images
    clause = f"adds a learned vector for each of {rows:,} tokens, of which {words:,} are a text and {images:,} patches"
    return Found("learned", f"{clause}{_width(top)}; a hard limit", None)


def hunyuan_dit(top: Fields) -> Found:
    """Return what HunyuanDiT does: RoPE over rows and columns, and a table where its text is pooled."""
    found = on_own_axes(lambda width: [width // 2] * 2)(top)
    count, width = top.whole("text_len_t5"), top.whole("cross_attention_dim_t5")
    table = f"where its text is pooled, it adds {count + 1:,} rows of {width:,} channels that it learns"
    return found.also(table)


def of_wan(width: int) -> list[int]:
    """Return the channels of frames, rows and columns in Wan."""
    side = 2 * (width // 6)
    return [width - 2 * side, side, side]


def of_cogvideo(width: int) -> list[int]:
    """Return the channels of frames, rows and columns in CogVideoX."""
    return [width // 4, width // 8 * 3, width // 8 * 3]


def wan(top: Fields) -> Found:
    """Return what Wan does: RoPE over frames, rows and columns, up to a number of each."""
    found, most = on_own_axes(of_wan)(top), top.whole("rope_max_seq_len")
    return Found("axial", f"{found.clause}; at most {most:,} places of each axis, a hard limit", None)


def cogvideo(top: Fields) -> Found:
    """Return what CogVideoX does: RoPE over frames, rows and columns, or a table of them, and learned or fixed."""
    frames = (top.whole("sample_frames") - 1) // top.whole("temporal_compression_ratio") + 1
    patch = top.whole("patch_size")
    sides = [top.whole(f"sample_{side}", maximum=MAX_SIZE) // patch for side in ("height", "width")]
    table = f"for each of {frames} x {sides[0]} x {sides[1]} patches of a film{_width(top)}"
    if not top.flag("use_rotary_positional_embeddings", False):
        text = f"the {top.whole('max_text_seq_length'):,} tokens of its text have none"
        table = f"adds a fixed sinusoid {table}; more are computed for another size; {text}"
        scales = ("temporal_interpolation_scale", *["spatial_interpolation_scale"] * 2)
        return Found("sinusoidal", f"{table}; {_divided(top, scales)}", None)
    found = on_own_axes(of_cogvideo)(top)
    if not top.flag("use_learned_positional_embeddings", False):
        return found
    return Found("axial", f"{found.clause}; it adds a learned vector {table}, too", None)


def allegro(top: Fields) -> Found:
    """Return what Allegro does: RoPE over frames, rows and columns, whose numbers are divided first."""
    found = on_own_axes(lambda width: [width // 3] * 3)(top)
    scales = tuple(f"interpolation_scale_{axis}" for axis in "thw")
    return found.also(_divided(top, scales))


def _divided(top: Fields, scales: tuple[str, ...]) -> str:
    along = ", ".join(f"{top.number(scale):g}" for scale in scales)
    return f"places along frames, rows and columns are divided by {along}"


def _width(top: Fields) -> str:
    heads, width = top.whole("num_attention_heads"), top.whole("attention_head_dim", maximum=MAX_SIZE)
    return f", {heads * width:,} channels wide"


def cropped(top: Fields) -> Found:
    """Return what Stable Diffusion 3 does: sinusoids of row and column, of which an image takes the middle."""
    side = top.whole("pos_embed_max_size", maximum=MAX_SIZE)
    clause = f"adds a fixed sinusoid for each of {side} x {side} patches, {side * side:,} rows{_width(top)}"
    return Found("sinusoidal", f"{clause}; {CROPPED}", None)


def cropped_or_nothing(top: Fields) -> Found:
    """Return what the ControlNet of Stable Diffusion 3 does: the same, or nothing where it is told so."""
    return cropped(top) if top.flag("use_pos_embed", True) else Found("none", NO_PLACES, None)


def from_the_corner(top: Fields) -> Found:
    """Return what CogView 3 Plus does: sinusoids of row and column from the first patch on."""
    side = top.whole("pos_embed_max_size", maximum=MAX_SIZE)
    clause = f"adds a fixed sinusoid for each of {side} x {side} patches, {side * side:,} rows{_width(top)}"
    return Found("sinusoidal", f"{clause}, a hard limit; its text has none", None)


def auraflow(top: Fields) -> Found:
    """Return what AuraFlow does: a learned table of a square, of which an image takes the middle."""
    rows = top.whole("pos_embed_max_size")
    side = int(rows**0.5)
    clause = f"adds a learned vector for each of {side} x {side} patches, {rows:,} rows{_width(top)}"
    return Found("learned", f"{clause}; {CROPPED}", None)


def of_patches(top: Fields) -> Found:
    """Return what PixArt and DiT do: sinusoids of row and column, computed anew for another size."""
    if top.value("patch_size") is None:
        refuse(
            top.place("patch_size"), "be given, because what this class does without patches is not known here", None
        )
    side = top.whole("sample_size", maximum=MAX_SIZE) // top.whole("patch_size")
    clause = f"adds a fixed sinusoid for each of {side} x {side} patches{_width(top)}"
    return Found("sinusoidal", f"{clause}; more are computed for another size", None)


def latte(top: Fields) -> Found:
    """Return what Latte does: the sinusoids of patches, and others of the frame."""
    frames = f"its first layer over frames adds sinusoids of {top.whole('video_length'):,} of them"
    return Found("sinusoidal", f"{of_patches(top).clause}; {frames}", None)


def sana(top: Fields) -> Found:
    """Return what Sana does: nothing, or sinusoids of row and column where a scale is given."""
    return of_patches(top) if top.value("interpolation_scale") is not None else Found("none", NO_PLACES, None)


def cogview4(top: Fields) -> Found:
    """Return what CogView 4 does: 2-D RoPE, by where a patch lies in a grid of a fixed size."""
    grid = top.value("rope_axes_dim")
    if not isinstance(grid, list | tuple) or len(grid) != 2 or any(not is_size(one) for one in grid):
        refuse(top.place("rope_axes_dim"), "be two numbers of rows and columns", grid)
    found = on_own_axes(lambda width: [width // 2, width // 2])(top)
    return Found("axial", f"{found.clause}; places are stretched to {grid[0]} x {grid[1]}", None)


def ltx(top: Fields) -> Found:
    """Return what LTX-Video does: RoPE over frames, rows and columns, before the channels are split into heads."""
    whole = top.whole("num_attention_heads") * top.whole("attention_head_dim", maximum=MAX_SIZE)
    clause = f"turns {whole // 6 * 6:,} of all {whole:,} channels, a third each with the frame, the row and the "
    clause += "column, before they are split into heads (RoPE); its frequencies rise from pi / 2 to 10,000 pi / 2 for "
    return Found("axial", f"{clause}a place from -1 to 1, so that its base is 10,000", None)


def mochi(top: Fields) -> Found:
    """Return what Mochi does: RoPE whose frequencies are learned."""
    heads, pairs = top.whole("num_attention_heads"), top.whole("attention_head_dim", maximum=MAX_SIZE) // 2
    clause = f"turns all {pairs} pairs of a head by a learned frequency for each of frame, row and column, in each of "
    told = "its places are counted from the middle, and scaled to an area of 192 x 192"
    return Found("axial", f"{clause}{heads} heads on their own, so that it has no base (RoPE); {told}", None)


def half_of_a_line(top: Fields) -> Found:
    """Return what Stable Audio does: RoPE of base 10,000 on half of the channels."""
    width = top.whole("attention_head_dim", maximum=MAX_SIZE)
    clause = f"turns the first {width // 2} of {width} channels of a head by RoPE of base 10,000, and none where it "
    return Found("rope", f"{clause}attends to its text; its sound has {top.number('sample_size'):,.0f} places", None)


def lumina(top: Fields) -> Found:
    """Return what Lumina-Next does: 2-D RoPE of base 10,000, half of the channels each."""
    width = top.whole("hidden_size") // top.whole("num_attention_heads")
    return _turned(top, [width // 2, width // 2], 10_000, width)


def prior(top: Fields) -> Found:
    """Return what a prior of unCLIP does: a learned table of the text and of a few tokens more."""
    rows = top.whole("num_embeddings") + top.whole("additional_embeddings", minimum=0)
    return Found("learned", f"adds a learned vector for each of {rows:,} tokens{_width(top)}, a hard limit", None)


def motion(top: Fields) -> Found:
    """Return what AnimateDiff's layers over frames do: sinusoids of the frame."""
    count = top.whole("motion_max_seq_length")
    return Found("sinusoidal", f"adds a fixed sinusoid for each of {count:,} frames, a hard limit", None)


def numbered_frames(top: Fields) -> Found:
    """Return what Stable Video Diffusion does: in its layers over frames, a vector made of a sinusoid of the frame."""
    made = "a vector that a small network makes of a sinusoid of the number of the frame"
    return Found("sinusoidal", f"adds, before each of its layers over frames, {made}; what it sees has no places", None)


def nothing(top: Fields) -> Found:
    """Return what convolutions do, with attention between them that knows no places."""
    return Found("none", NO_PLACES, None)


def _heads(count: int, width: int) -> dict[str, int]:
    return {"num_attention_heads": count, "attention_head_dim": width}


FLUX = Other({"axes_dims_rope": [16, 56, 56], "attention_head_dim": 128}, on_axes("axes_dims_rope"))
BRIA = Other({**FLUX.defaults, "rope_theta": 10_000}, on_axes("axes_dims_rope", "rope_theta"))
FLUXES = "FluxTransformer2DModel FluxControlNetModel ChromaTransformer2DModel QwenImageTransformer2DModel "
FLUXES += "QwenImageControlNetModel LongCatImageTransformer2DModel OvisImageTransformer2DModel"
HUNYUAN = Other(
    {"rope_axes_dim": [16, 56, 56], "rope_theta": 256.0, "attention_head_dim": 128},
    on_axes("rope_axes_dim", "rope_theta"),
)
HUNYUANS = "HunyuanVideoTransformer3DModel HunyuanVideo15Transformer3DModel HunyuanVideoFramepackTransformer3DModel"
WANS = "WanTransformer3DModel WanVACETransformer3DModel WanAnimateTransformer3DModel SkyReelsV2Transformer3DModel"
COGVIDEO = {
    "max_text_seq_length": 226, "attention_head_dim": 64, "num_attention_heads": 30, "sample_width": 90,
    "sample_height": 60, "sample_frames": 49, "temporal_compression_ratio": 4, "patch_size": 2,
    "spatial_interpolation_scale": 1.875, "temporal_interpolation_scale": 1.0,
}  # fmt: skip
ALLEGRO = {
    "attention_head_dim": 96,
    "interpolation_scale_t": 2.2,
    "interpolation_scale_h": 2.0,
    "interpolation_scale_w": 2.0,
}
PIXART = {"sample_size": 128, "patch_size": 2, **_heads(16, 72)}
CONVOLUTIONS = "UNet2DConditionModel UNet2DModel AutoencoderKL AutoencoderTiny VQModel ControlNetModel AutoencoderDC "
CONVOLUTIONS += "AsymmetricAutoencoderKL AutoencoderKLAllegro AutoencoderKLCogVideoX AutoencoderKLHunyuanVideo "
CONVOLUTIONS += "AutoencoderKLLTXVideo AutoencoderKLMochi AutoencoderKLQwenImage AutoencoderKLWan AutoencoderOobleck "
CONVOLUTIONS += "AutoencoderKLCosmos AutoencoderKLFlux2 AutoencoderKLHunyuanImage AutoencoderKLHunyuanVideo15 "
CONVOLUTIONS += "AutoencoderKLKVAE AutoencoderKLKVAEVideo AutoencoderKLLTX2Video AutoencoderKLMagvit "
CONVOLUTIONS += "AutoencoderKLTemporalDecoder ControlNetUnionModel I2VGenXLUNet Kandinsky3UNet StableCascadeUNet "
CONVOLUTIONS += "T2IAdapter UNet3DConditionModel"
MOVING = "MotionAdapter UNetMotionModel SparseControlNetModel"
UNIDIFFUSER = {"sample_size": 64, "patch_size": 2, "num_text_tokens": 77, **_heads(24, 128)}

DIFFUSERS: Mapping[str, Other] = {
    **dict.fromkeys(FLUXES.split(), FLUX),
    **dict.fromkeys(("BriaTransformer2DModel", "BriaFiboTransformer2DModel"), BRIA),
    **dict.fromkeys(HUNYUANS.split(), HUNYUAN),
    "HunyuanImageTransformer2DModel": Other({**HUNYUAN.defaults, "rope_axes_dim": [64, 64]}, HUNYUAN.read),
    "Flux2Transformer2DModel": Other(
        {"axes_dims_rope": [32, 32, 32, 32], "rope_theta": 2000, "attention_head_dim": 128},
        on_axes("axes_dims_rope", "rope_theta"),
    ),
    "Lumina2Transformer2DModel": Other({"axes_dim_rope": [32, 32, 32]}, on_axes("axes_dim_rope")),
    "HiDreamImageTransformer2DModel": Other(
        {"axes_dims_rope": [32, 32], "attention_head_dim": 128}, on_axes("axes_dims_rope")
    ),
    "ZImageTransformer2DModel": Other(
        {"axes_dims": [32, 48, 48], "axes_lens": [1024, 512, 512], "rope_theta": 256.0}, z_image
    ),
    "UniDiffuserModel": Other(UNIDIFFUSER, unidiffuser),
    "Kandinsky5Transformer3DModel": Other({"axes_dims": [16, 24, 24]}, on_axes("axes_dims")),
    **dict.fromkeys(WANS.split(), Other({"attention_head_dim": 128, "rope_max_seq_len": 1024}, wan)),
    "CogVideoXTransformer3DModel": Other(COGVIDEO, cogvideo),
    "EasyAnimateTransformer3DModel": Other({"attention_head_dim": 64, "patch_size": 2}, easyanimate),
    "AllegroTransformer3DModel": Other(ALLEGRO, allegro),
    "HunyuanDiT2DModel": Other(
        {"attention_head_dim": 88, "text_len_t5": 256, "cross_attention_dim_t5": 2048}, hunyuan_dit
    ),
    "LuminaNextDiT2DModel": Other({"hidden_size": 2304, "num_attention_heads": 32}, lumina),
    "CogView4Transformer2DModel": Other({"attention_head_dim": 40, "rope_axes_dim": [256, 256]}, cogview4),
    "CogView3PlusTransformer2DModel": Other({"pos_embed_max_size": 128, **_heads(64, 40)}, from_the_corner),
    "SD3ControlNetModel": Other({"pos_embed_max_size": 96, **_heads(18, 64)}, cropped_or_nothing),
    "SD3Transformer2DModel": Other({"pos_embed_max_size": 96, **_heads(18, 64)}, cropped),
    "AuraFlowTransformer2DModel": Other({"pos_embed_max_size": 1024, **_heads(12, 256)}, auraflow),
    **dict.fromkeys(("PixArtTransformer2DModel", "DiTTransformer2DModel"), Other(PIXART, of_patches)),
    "Transformer2DModel": Other({**PIXART, "sample_size": None, "patch_size": None}, of_patches),
    "LatteTransformer3DModel": Other({**PIXART, "sample_size": 64, "patch_size": None, "video_length": 16}, latte),
    **dict.fromkeys(
        ("SanaTransformer2DModel", "SanaControlNetModel"),
        Other({"sample_size": 32, "patch_size": 1, **_heads(70, 32)}, sana),
    ),
    "LTXVideoTransformer3DModel": Other(_heads(32, 64), ltx),
    "MochiTransformer3DModel": Other(_heads(24, 128), mochi),
    "StableAudioDiTModel": Other({"attention_head_dim": 64, "sample_size": 1024}, half_of_a_line),
    "PriorTransformer": Other({"num_embeddings": 77, "additional_embeddings": 4, **_heads(32, 64)}, prior),
    **dict.fromkeys(MOVING.split(), Other({"motion_max_seq_length": 32}, motion)),
    "UNetSpatioTemporalConditionModel": Other({}, numbered_frames),
    **dict.fromkeys(CONVOLUTIONS.split(), Other({}, nothing)),
}
