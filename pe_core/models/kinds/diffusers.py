"""Transformers of diffusers, which a file names in `_class_name`: read by what their code does in version 0.42.1."""

from collections.abc import Callable, Mapping

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Clause, Found, Other, by_type, defaults_in, says, sentences
from pe_core.models.kinds.images import sizes_in
from pe_core.models.reading import refuse

MAX_AXES = 10
CROPPED = "an image takes those around the middle, and a larger one is refused"
ANEW = "more are computed for another size"


def on_axes(name: str, base: str | None = None, usual: float = 10_000) -> Clause:
    """Return the clause on RoPE over several axes, of whose channels a field is a list; `base` names that of the base.

    Without such a field the base is the usual one, in the code alone.
    """

    def clause(top: Fields) -> str:
        rule = f"be a list of 1 to {MAX_AXES} even numbers of channels"
        widths = sizes_in(top, name, rule, MAX_AXES, smallest=0)
        if any(one % 2 for one in widths) or sum(widths) == 0:
            refuse(top.place(name), rule, widths)
        known = "attention_head_dim" in {*top.given, *top.defaults}
        whole = (_head_dim(top) if known else None) or sum(widths)
        return _turned(list(widths), top.number(base, minimum=1) if base else usual, whole)

    return clause


def _turned(widths: list[int], base: float, head_dim: int) -> str:
    sizes = " + ".join(map(str, widths))
    clause = (
        f"turns {sizes} of {head_dim} channels of a head by {len(widths)} numbers of a place (RoPE of several axes)"
    )
    return f"{clause}; its base is {base:,.0f}"


def _head_dim(top: Fields) -> int:
    return top.whole("attention_head_dim", maximum=MAX_SIZE)


def shared(share: Callable[[int], list[int]], head_dim: str) -> Other:
    """Return the reader of RoPE of base 10,000 whose axes share the channels of a head, a gap, in a way of the code."""
    defaults: dict[str, object] = {**defaults_in(head_dim)}
    return says("axial", lambda top: _turned(share(top[head_dim]), 10_000, top[head_dim]), **defaults)


def of_wan(width: int) -> list[int]:
    """Return the channels of frames, rows and columns in Wan."""
    side = 2 * (width // 6)
    return [width - 2 * side, side, side]


def of_cogvideo(width: int) -> list[int]:
    """Return the channels of frames, rows and columns in CogVideoX."""
    return [width // 4, width // 8 * 3, width // 8 * 3]


def halves(width: int) -> list[int]:
    """Return the channels of rows and columns where both have as many."""
    return [width // 2, width // 2]


def stretched(top: Fields) -> str:
    """Return to which grid EasyAnimate stretches rows and columns."""
    patch = top.whole("patch_size", maximum=60)
    return f"rows and columns are stretched to a grid of {60 // patch} x {90 // patch} patches; its text turns nothing"


def at_most(top: Fields) -> str:
    """Return how many places of each axis the tables of Z-Image have."""
    most = sizes_in(top, "axes_lens", f"be a list of 1 to {MAX_AXES} sizes", MAX_AXES)
    return f"at most {', '.join(f'{count:,}' for count in most)} places of its axes, a hard limit"


def _unidiffuser(top: Fields) -> str:
    side, patch = top.whole("sample_size", maximum=MAX_SIZE), top.whole("patch_size")
    words, images = top.whole("num_text_tokens"), (side // patch) ** 2
    rows = 3 + words + images
    clause = f"adds a learned vector for each of {rows:,} tokens, of which {words:,} are a text and {images:,} patches"
    return f"{clause}{_width(top)}; a hard limit"


def _cogvideo(top: Fields) -> Found:
    frames = (top.whole("sample_frames") - 1) // top.whole("temporal_compression_ratio") + 1
    patch = top.whole("patch_size")
    sides = [top.whole(f"sample_{side}", maximum=MAX_SIZE) // patch for side in ("height", "width")]
    table = f"for each of {frames} x {sides[0]} x {sides[1]} patches of a film{_width(top)}"
    if not top.flag("use_rotary_positional_embeddings", False):
        text = f"the {top.whole('max_text_seq_length'):,} tokens of its text have none"
        along = divided("temporal_interpolation_scale", *["spatial_interpolation_scale"] * 2)(top)
        return Found("sinusoidal", f"adds a fixed sinusoid {table}; {ANEW}; {text}; {along}")
    found = shared(of_cogvideo, "attention_head_dim=64").read(top)
    learned = top.flag("use_learned_positional_embeddings", False)
    return found.also(f"it adds a learned vector {table}, too" if learned else "")


def divided(*scales: str) -> Callable[[Fields], str]:
    """Return the clause on fields by which places are divided."""

    def clause(top: Fields) -> str:
        along = ", ".join(f"{top.number(scale):g}" for scale in scales)
        return f"places along frames, rows and columns are divided by {along}"

    return clause


def _width(top: Fields) -> str:
    heads, width = top.whole("num_attention_heads"), _head_dim(top)
    return f", {heads * width:,} channels wide"


def _auraflow(top: Fields) -> str:
    rows = top.whole("pos_embed_max_size")
    side = int(rows**0.5)
    return f"adds a learned vector for each of {side} x {side} patches, {rows:,} rows{_width(top)}; {CROPPED}"


def _pixart(top: Fields) -> str:
    if top.value("patch_size") is None:
        rule = "be given, because what this class does without patches is not known here"
        refuse(top.place("patch_size"), rule, None)
    side = top.whole("sample_size", maximum=MAX_SIZE) // top.whole("patch_size")
    return f"adds a fixed sinusoid for each of {side} x {side} patches{_width(top)}; {ANEW}"


def _sana(top: Fields) -> Found:
    scaled = top.value("interpolation_scale") is not None
    return Found("sinusoidal", _pixart(top)) if scaled else NOTHING.read(top)


def of_control(top: Fields) -> Found:
    """Return what the ControlNet of Stable Diffusion 3 does: as that, or nothing where it is told so."""
    return (MIDDLE if top.flag("use_pos_embed", True) else NOTHING).read(top)


def fixed_grid(top: Fields) -> str:
    """Return to which grid CogView 4 stretches the places of an image."""
    grid = sizes_in(top, "rope_axes_dim", "be two numbers of rows and columns", 2, 2)
    return f"places are stretched to {grid[0]} x {grid[1]}"


def _stable_audio(top: Fields) -> str:
    width = _head_dim(top)
    clause = f"turns the first {width // 2} of {width} channels of a head by RoPE of base 10,000, and none where it "
    return f"{clause}attends to its text; its sound has {top.number('sample_size'):,.0f} places"


def _heads(count: int, width: int) -> dict[str, int]:
    return {"num_attention_heads": count, "attention_head_dim": width}


NOTHING = says("none", "has no positional encoding: its convolutions tell where things are")
FLUXES = "FluxTransformer2DModel FluxControlNetModel ChromaTransformer2DModel QwenImageTransformer2DModel "
FLUXES += "QwenImageControlNetModel LongCatImageTransformer2DModel OvisImageTransformer2DModel"
FLUX = {"axes_dims_rope": [16, 56, 56], "attention_head_dim": 128}
HUNYUAN = says(
    "axial",
    on_axes("rope_axes_dim", "rope_theta"),
    rope_axes_dim=[16, 56, 56],
    rope_theta=256.0,
    attention_head_dim=128,
)
HUNYUANS = "HunyuanVideoTransformer3DModel HunyuanVideo15Transformer3DModel HunyuanVideoFramepackTransformer3DModel"
WANS = "WanTransformer3DModel WanVACETransformer3DModel WanAnimateTransformer3DModel SkyReelsV2Transformer3DModel"
COGVIDEO = {
    "max_text_seq_length": 226, "attention_head_dim": 64, "num_attention_heads": 30, "sample_width": 90,
    "sample_height": 60, "sample_frames": 49, "temporal_compression_ratio": 4, "patch_size": 2,
    "spatial_interpolation_scale": 1.875, "temporal_interpolation_scale": 1.0,
}  # fmt: skip
PATCHED = says("sinusoidal", _pixart, **_heads(16, 72))
CONVOLUTIONS = "UNet2DConditionModel UNet2DModel AutoencoderKL AutoencoderTiny VQModel ControlNetModel AutoencoderDC "
CONVOLUTIONS += "AsymmetricAutoencoderKL AutoencoderKLAllegro AutoencoderKLCogVideoX AutoencoderKLHunyuanVideo "
CONVOLUTIONS += "AutoencoderKLLTXVideo AutoencoderKLMochi AutoencoderKLQwenImage AutoencoderKLWan AutoencoderOobleck "
CONVOLUTIONS += "AutoencoderKLCosmos AutoencoderKLFlux2 AutoencoderKLHunyuanImage AutoencoderKLHunyuanVideo15 "
CONVOLUTIONS += "AutoencoderKLKVAE AutoencoderKLKVAEVideo AutoencoderKLLTX2Video AutoencoderKLMagvit "
CONVOLUTIONS += "AutoencoderKLTemporalDecoder ControlNetUnionModel I2VGenXLUNet Kandinsky3UNet StableCascadeUNet "
CONVOLUTIONS += "T2IAdapter UNet3DConditionModel"

OF_ALLEGRO = {"interpolation_scale_t": 2.2, "interpolation_scale_h": 2.0, "interpolation_scale_w": 2.0}
WIDTH = "{num_attention_heads=%d * attention_head_dim=%d:,} channels wide"
SINES = "adds a fixed sinusoid for each of {pos_embed_max_size=%d} x {pos_embed_max_size} patches, "
SINES += "{pos_embed_max_size ** 2:,} rows, " + WIDTH
MIDDLE = says("sinusoidal", f"{SINES % (96, 18, 64)}; {CROPPED}")

ROWS: Mapping[str, Other] = {
    **sentences(
        "axial",
        {
            "LTXVideoTransformer3DModel": "turns {num_attention_heads=32 * attention_head_dim=64 // 6 * 6:,} of "
            "all {num_attention_heads * attention_head_dim:,} channels, a third each with the frame, the row and "
            "the column, before they are split into heads (RoPE); its frequencies rise from pi / 2 to 10,000 pi / "
            "2 for a place from -1 to 1, so that its base is 10,000",
            "MochiTransformer3DModel": "turns all {attention_head_dim=128 // 2} pairs of a head by a learned "
            "frequency for each of frame, row and column, in each of {num_attention_heads=24} heads on their own, "
            "so that it has no base (RoPE); its places are counted from the middle, and scaled to an area of 192 x "
            "192",
        },
    ),
    **sentences(
        "sinusoidal",
        {
            "CogView3PlusTransformer2DModel": SINES % (128, 64, 40) + ", a hard limit; its text has none",
            "MotionAdapter UNetMotionModel SparseControlNetModel": "adds a fixed sinusoid for each of "
            "{motion_max_seq_length=32:,} frames, a hard limit",
            "UNetSpatioTemporalConditionModel": "adds, before each of its layers over frames, a vector that a "
            "small network makes of a sinusoid of the number of the frame; what it sees has no places",
        },
    ),
    "PriorTransformer": says(
        "learned",
        "adds a learned vector for each of {num_embeddings=77 + additional_embeddings=4 or 0:,} tokens, "
        f"{WIDTH % (32, 64)}, a hard limit",
    ),
    FLUXES: says("axial", on_axes("axes_dims_rope"), **FLUX),
    "BriaTransformer2DModel BriaFiboTransformer2DModel": says(
        "axial", on_axes("axes_dims_rope", "rope_theta"), **FLUX, rope_theta=10_000
    ),
    HUNYUANS: HUNYUAN,
    "HunyuanImageTransformer2DModel": HUNYUAN.also(rope_axes_dim=[64, 64]),
    "Flux2Transformer2DModel": says(
        "axial", on_axes("axes_dims_rope", "rope_theta"), **FLUX | {"axes_dims_rope": [32] * 4, "rope_theta": 2000}
    ),
    "Lumina2Transformer2DModel": says("axial", on_axes("axes_dim_rope"), axes_dim_rope=[32, 32, 32]),
    "HiDreamImageTransformer2DModel": says("axial", on_axes("axes_dims_rope"), **FLUX | {"axes_dims_rope": [32, 32]}),
    "ZImageTransformer2DModel": says("axial", on_axes("axes_dims", "rope_theta")).also(
        at_most, axes_dims=[32, 48, 48], axes_lens=[1024, 512, 512], rope_theta=256.0
    ),
    "UniDiffuserModel": says(
        "learned", _unidiffuser, sample_size=64, patch_size=2, num_text_tokens=77, **_heads(24, 128)
    ),
    "Kandinsky5Transformer3DModel": says("axial", on_axes("axes_dims"), axes_dims=[16, 24, 24]),
    WANS: shared(of_wan, "attention_head_dim=128").also(
        "at most {rope_max_seq_len=1024:,} places of each axis, a hard limit"
    ),
    "CogVideoXTransformer3DModel": Other(COGVIDEO, _cogvideo),
    "EasyAnimateTransformer3DModel": shared(of_cogvideo, "attention_head_dim=64").also(stretched, patch_size=2),
    "AllegroTransformer3DModel": shared(lambda width: [width // 3] * 3, "attention_head_dim=96").also(
        divided(*OF_ALLEGRO), **OF_ALLEGRO
    ),
    "HunyuanDiT2DModel": shared(halves, "attention_head_dim=88").also(
        "where its text is pooled, it adds {text_len_t5=256 + 1:,} rows of {cross_attention_dim_t5=2048:,} "
        "channels that it learns"
    ),
    "LuminaNextDiT2DModel": shared(halves, "hidden_size=2304 // num_attention_heads=32"),
    "CogView4Transformer2DModel": shared(halves, "attention_head_dim=40").also(fixed_grid, rope_axes_dim=[256, 256]),
    "SD3Transformer2DModel": MIDDLE,
    "SD3ControlNetModel": Other(MIDDLE.defaults, of_control),
    "AuraFlowTransformer2DModel": says("learned", _auraflow, pos_embed_max_size=1024, **_heads(12, 256)),
    "PixArtTransformer2DModel DiTTransformer2DModel": PATCHED.also(sample_size=128, patch_size=2),
    "Transformer2DModel": PATCHED.also(sample_size=None, patch_size=None),
    "LatteTransformer3DModel": PATCHED.also(
        "its first layer over frames adds sinusoids of {video_length=16:,} of them", sample_size=64, patch_size=None
    ),
    "SanaTransformer2DModel SanaControlNetModel": Other({"sample_size": 32, "patch_size": 1, **_heads(70, 32)}, _sana),
    "StableAudioDiTModel": says("rope", _stable_audio, attention_head_dim=64, sample_size=1024),
    CONVOLUTIONS: NOTHING,
}
DIFFUSERS = by_type(ROWS)
