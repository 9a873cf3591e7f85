"""Transformers of diffusers that turn, mostly by several axes: read by what their code does in version 0.42.1."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pe_core.models.fields import MAX_SIZE, RANGE, Fields, defaults_in, is_number
from pe_core.models.kinds.found import Clause, Found, Other, filled, says, sentences
from pe_core.models.kinds.images import BY_CONVOLUTIONS, is_size, sizes_in
from pe_core.models.positions import Mechanism
from pe_core.models.reading import refuse

MAX_AXES = 10
CROPPED = "an image takes those around the middle, and a larger one is refused"
ANEW = "more are computed for another size"
STILL = "its text turns nothing"
AT_ZERO = "in its pipeline its text stands at 0 of all axes and turns nothing, and an image is counted on the last two"
NUMBERED = "images that come as further tokens are numbered on the first axis from 1"
BY_FOUR = "in its pipeline the last axis counts its text, and the second and the third rows and columns of an image"
ON_FIRST = "its text is counted on the first axis from 0, and all patches have the next number there"
LARGER = "frames of the past come also in larger patches, with the mean of the cosines and sines that they cover"
GRID = "rows and columns are stretched to a grid of {} x {} patches"
RATE = "where the rate of a film is told, the place of a frame is that at 24 frames a second"


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
        whole = (head_dim_of(top) if known else None) or sum(widths)
        return _turned(widths, whole, top.number(base, minimum=1) if base else usual)

    return clause


def axes(name: str, widths: list[int], base: str | None = None, usual: float = 10_000, **defaults: object) -> Other:
    """Return the reader of RoPE over several axes, whose channels and base are fields with these defaults."""
    own = {name: widths} if base is None else {name: widths, base: usual}
    return says("axial", on_axes(name, base), **own, **defaults)


def _turned(widths: Sequence[int], head_dim: int, *bases: float) -> str:
    sizes = " + ".join(map(str, widths))
    clause = (
        f"turns {sizes} of {head_dim} channels of a head by {len(widths)} numbers of a place (RoPE of several axes)"
    )
    told = ", ".join(f"{base:,.0f}" for base in bases)
    return f"{clause}; its {'bases are' if len(bases) > 1 else 'base is'} {told}"


def in_turn(top: Fields, name: str, width: str) -> str:
    """Return the clause on RoPE whose first pairs go to frames, rows and columns in turn, by how many a field gives."""
    rule, head_dim = "be three numbers of pairs, of which a head has enough", top.whole(width, maximum=MAX_SIZE)
    sections = sizes_in(top, name, rule, 3, 3, smallest=0)
    if 3 * max(sections[1:]) > head_dim // 2:
        refuse(top.place(name), rule, sections)
    rows, columns = (2 * pairs for pairs in sections[1:])
    told = _turned([head_dim - rows - columns, rows, columns], head_dim, top.number("rope_theta", minimum=1))
    return f"{told}; of its first pairs every third turns with the row, and every third with the column"


def by_base(mechanism: Mechanism, clause: str, base: int) -> Other:
    """Return the reader of a clause in which BASE stands for `rope_theta`, a number with a point in many a file."""

    def told(top: Fields) -> str:
        return clause.replace("BASE", f"{top.number('rope_theta', minimum=1):,.0f}").format_map(top)

    return says(mechanism, told, **defaults_in(clause), rope_theta=base)


def head_dim_of(top: Fields) -> int:
    """Return the channels of a head."""
    return top.whole("attention_head_dim", maximum=MAX_SIZE)


def shared(share: Callable[[int], list[int]], head_dim: str) -> Other:
    """Return the reader of RoPE of base 10,000 whose axes share the channels of a head, a gap, in a way of the code."""
    defaults: dict[str, object] = {**defaults_in(head_dim)}
    return says("axial", lambda top: _turned(share(top[head_dim]), top[head_dim], 10_000), **defaults)


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
    return f"{GRID.format(60 // patch, 90 // patch)}; {STILL}"


def at_most(top: Fields) -> str:
    """Return how many places of each axis the tables of Z-Image and Lumina 2 have."""
    most = sizes_in(top, "axes_lens", f"be a list of 1 to {MAX_AXES} sizes", MAX_AXES)
    return f"at most {', '.join(f'{count:,}' for count in most)} places of its axes, a hard limit"


def _cogvideo(top: Fields) -> Found:
    frames = (top.whole("sample_frames") - 1) // top.whole("temporal_compression_ratio") + 1
    patch, joined = top.whole("patch_size"), top.whole_or_none("patch_size_t")  # the second is that of CogVideoX 1.5
    frames = -(-frames // (joined or 1))
    sides = [top.whole(f"sample_{side}", maximum=MAX_SIZE) // patch for side in ("height", "width")]
    film, words = f"{frames} x {sides[0]} x {sides[1]} patches of a film", top.whole("max_text_seq_length")
    if not top.flag("use_rotary_positional_embeddings", False):
        text = f"the {words:,} tokens of its text have none"
        scales = divided("temporal_interpolation_scale", *["spatial_interpolation_scale"] * 2)(top)
        return Found(
            "sinusoidal", f"adds a fixed sinusoid for each of {film}{channels_wide(top)}; {ANEW}; {text}; {scales}"
        )
    found = (
        shared(of_cogvideo, "attention_head_dim=64")
        .read(top)
        .also(f"a film has {frames} x {sides[0]} x {sides[1]} patches")
        .also(f"at most {sides[0]} rows and {sides[1]} columns, a hard limit" if joined else GRID.format(*sides))
        .also(f"the {words:,} tokens of its text turn nothing")
    )
    if not top.flag("use_learned_positional_embeddings", False):
        return found
    anew = "another height or width is refused, and another number of frames gets a fixed sinusoid in place of these"
    rows = words + frames * sides[0] * sides[1]
    table = f"it adds a learned vector for each of {rows:,} tokens, too, of which {words:,} are a text and {film}"
    return found.also(f"{table}{channels_wide(top)}; {anew}")


def divided(*scales: str) -> Callable[[Fields], str]:
    """Return the clause on fields by which places are divided."""
    return lambda top: along(map(top.number, scales))


def along(scales: Iterable[float]) -> str:
    """Return the clause on numbers by which places are divided."""
    return f"places along frames, rows and columns are divided by {', '.join(f'{scale:g}' for scale in scales)}"


def three(top: Fields, name: str) -> list[float]:
    """Return a list of three numbers, of frames, rows and columns."""
    value = top.value(name)
    if not isinstance(value, list) or len(value) != 3 or not all(map(is_number, value)):
        refuse(top.place(name), f"be three numbers {RANGE}", value)
    return [float(one) for one in value]


def channels_wide(top: Fields) -> str:
    """Return the words on the width of a vector of a place."""
    heads, width = top.whole("num_attention_heads"), head_dim_of(top)
    return f", {heads * width:,} channels wide"


def of_images_given(top: Fields) -> str:
    """Return which table Wan adds to what CLIP makes of two images, where it has one."""
    rows, width = (top.whole_or_none(name, maximum=MAX_SIZE) for name in ("pos_embed_seq_len", "image_dim"))
    if not rows or not width:
        return ""
    clause = f"it adds a learned vector for each of {rows:,} tokens of images that it is given, {width:,} channels wide"
    return f"{clause}, a hard limit"


def hunyuan_grid(top: Fields) -> str:
    """Return to which grid HunyuanDiT stretches rows and columns, which its pipeline does."""
    patch = top.whole_or_none("patch_size", maximum=MAX_SIZE)
    return GRID.format(64 // patch, 64 // patch) if patch else ""


def neighbours(top: Fields) -> str:
    """Return how many neighbours a token sees in SAME, level by level."""
    levels = sizes_in(top, "encoder_strides", f"be a list of 1 to {MAX_AXES} sizes", MAX_AXES)
    seen = ", ".join(f"{top.whole('sliding_window') * (level + 1):,}" for level in levels)
    return f"each token sees at most {seen} others on each side"


def fixed_grid(top: Fields) -> str:
    """Return to which grid CogView 4 stretches the places of an image."""
    grid = sizes_in(top, "rope_axes_dim", "be two numbers of rows and columns", 2, 2)
    return f"places are stretched to {grid[0]} x {grid[1]}"


def of_latents(top: Fields) -> str:
    """Return how many patches an image of the size in the file has; empty where the file has none."""
    side, patch = top.value("sample_size"), top.value("patch_size")
    if not (is_size(side) and is_size(patch)):
        return ""
    return f"an image of {side} x {side} latents has {side // patch} x {side // patch} patches"


def oblong(top: Fields) -> str:
    """Return how many patches HiDream has for an image that is not square, which it fills up to that many."""
    rows, columns = sizes_in(top, "max_resolution", "be two numbers of latents", 2, 2)
    most = rows * columns // top.whole("patch_size", maximum=MAX_SIZE) ** 2
    return f"an image that is not square has at most {most:,} patches, a hard limit"


def _stable_audio(top: Fields) -> str:
    width = head_dim_of(top)
    clause = f"turns the first {width // 2} of {width} channels of a head by RoPE of base 10,000, and none where it "
    places = f"{top.number('sample_size'):,.0f} places, behind one of its length"
    return f"{clause}attends to its text; its sound has {places}"


def _cosmos(top: Fields) -> str:
    head_dim = top.whole("attention_head_dim", minimum=12, maximum=MAX_SIZE)
    widths, scales = of_wan(head_dim), three(top, "rope_scale")
    bases = [10_000 * scale ** (width / (width - 2)) for scale, width in zip(scales, widths, strict=True)]
    sides = zip(*(sizes_in(top, name, "be three sizes", 3, 3) for name in ("max_size", "patch_size")), strict=True)
    most = [size // patch for size, patch in sides]
    clause = f"{_turned(widths, head_dim, *bases)}; {RATE}; at most {max(most):,} places of each axis, a hard limit"
    if top.text("extra_pos_embed_type") is None:
        return clause
    wide = top["model_channels" if "model_channels" in top.defaults else "num_attention_heads * attention_head_dim"]
    clause += (
        "; before each layer it adds the sum of a learned vector for each of {:,} frames, {:,} rows and {:,} columns"
    )
    return clause.format(*most) + f", {wide:,} channels wide and scaled to a mean square of 1, a hard limit"


def _cosmos3(top: Fields) -> str:
    usual = (top.object("rope_scaling") or {}).get("mrope_section", [24, 20, 20])
    given = unless_null(replace(top, defaults={**top.defaults, "rope_axes_dim": usual}), "rope_axes_dim")
    return in_turn(given, "rope_axes_dim", "head_dim")


def unless_null(top: Fields, name: str) -> Fields:
    """Return the fields where a null of one of them is as good as no field."""
    return replace(top, given={one: value for one, value in top.given.items() if one != name or value is not None})


def reference(top: Fields) -> str:
    """Return where the reference of Wan Animate 2 begins."""
    starts = ", ".join(str(top.whole(f"refer_offset_{axis}", minimum=-1)) for axis in "thw")
    clause = f"along frames, rows and columns its reference begins at {starts}, where -1 stands for its own size"
    stride = top.whole("refer_stride")
    return f"{clause}; its frames are {stride} places apart" if stride > 1 else clause


def _omnigen(top: Fields) -> str:
    longest, trained = top.whole("max_position_embeddings"), top.whole("original_max_position_embeddings", minimum=2)
    factor = math.sqrt(1 + math.log(max(longest / trained, 1)) / math.log(trained))
    top.object("rope_scaling")
    return (
        f"each frequency is divided by a number of rope_scaling, of short_factor up to {trained:,} tokens and of "
        f"long_factor beyond, and cosines and sines are multiplied by {factor:.3f}"
    )


def paired(top: Fields) -> str:
    """Return which channels of LTX 2 turn together, where these are no neighbours."""
    return "a channel is paired with the one half a head further" if top.text("rope_type") == "split" else ""


NOTHING = says("none", BY_CONVOLUTIONS)
FLUX = axes("axes_dims_rope", [16, 56, 56], attention_head_dim=128)
COUNTED = FLUX.also("rows and columns are counted from the middle of an image")
QWEN = COUNTED.also(
    "a side of it has at most 8,192 of them, a hard limit",
    "its text goes on from half of the longer side, with one number on all axes, up to 4,096, a hard limit",
)
BASED = axes("axes_dims_rope", [16, 56, 56], "rope_theta", attention_head_dim=128)
HUNYUAN = axes("rope_axes_dim", [16, 56, 56], "rope_theta", 256.0, attention_head_dim=128)
HUNYUANS = "HunyuanVideoTransformer3DModel HunyuanVideo15Transformer3DModel MotifVideoTransformer3DModel"
WANS = "WanTransformer3DModel WanVACETransformer3DModel SkyReelsV2Transformer3DModel AnyFlowTransformer3DModel"
WAN = shared(of_wan, "attention_head_dim=128").also(
    "at most {rope_max_seq_len=1024:,} places of each axis, a hard limit",
    of_images_given,
    STILL,
    pos_embed_seq_len=None,
    image_dim=None,
)
Z_IMAGE = axes("axes_dims", [32, 48, 48], "rope_theta", 256.0).also(at_most, axes_lens=[1024, 512, 512])
KANDINSKY = axes("axes_dims", [32, 48, 48]).also(
    lambda top: along(three(top, "scale_factor")),
    "at most 128 places of each axis, a hard limit",
    scale_factor=[1.0, 2.0, 2.0],
)
JOY = axes("rope_dim_list", [16, 56, 56], "theta", 256)
COSMOS = {
    "attention_head_dim": 128, "rope_scale": [2.0, 1.0, 1.0], "max_size": [128, 240, 240], "patch_size": [1, 2, 2],
}  # fmt: skip
IN_64_BITS = "rope_double_precision", True, "its frequencies are computed with 64 bits"
OF_LTX2 = by_base(
    "axial",
    "turns {num_attention_heads=32 * attention_head_dim=128 // 6 * 6:,} of all "
    "{num_attention_heads * attention_head_dim:,} channels, spread over its heads, a third each with the time, the row "
    "and the column (RoPE); its frequencies rise from pi / 2 to BASE pi / 2 for a place from −1 to 1, so that its base "
    "is BASE; a place is −1 where each axis begins, and 1 at {pos_embed_max_pos=20:,} s, {base_height=2048:,} rows and "
    "{base_width=2048:,} columns of pixels",
    10_000,
)
LTX2 = OF_LTX2.also(STILL, paired, rope_type="interleaved").where(*IN_64_BITS)
OF_CONNECTED = by_base(
    "rope",
    "turns all {video_connector_num_attention_heads=30 * video_connector_attention_head_dim=128:,} channels, spread "
    "over its heads, with the place of a token (RoPE); its frequencies rise from pi / 2 to BASE pi / 2 for a place "
    "from −1 to 1, so that its base is BASE; a place is −1 where its text begins, and 1 at "
    "{connector_rope_base_seq_len=4096:,} tokens; {video_connector_num_learnable_registers=128 or 0} vectors that it "
    "learns stand in turn where its text is filled up",
    10_000,
)
CONNECTED = OF_CONNECTED.also(paired, rope_type="interleaved").where(*IN_64_BITS)
FIRST = "turns the first {%s} of {%s} channels of a head by RoPE of base 10,000"
TWO_TEXTS = "turns all {%s} channels of a head by RoPE of base %s, also where it attends to its text, whose tokens "
TWO_TEXTS += "have places of their own"
SOUND = "its sound turns all {audio_num_attention_heads=32 * audio_attention_head_dim=64:,} channels with the time "
SOUND += "alone, and so do both where they attend to each other"
COGVIDEO = {
    "max_text_seq_length": 226, "attention_head_dim": 64, "num_attention_heads": 30, "sample_width": 90,
    "sample_height": 60, "sample_frames": 49, "temporal_compression_ratio": 4, "patch_size": 2,
    "spatial_interpolation_scale": 1.875, "temporal_interpolation_scale": 1.0,
}  # fmt: skip
OF_ALLEGRO = {"interpolation_scale_t": 2.2, "interpolation_scale_h": 2.0, "interpolation_scale_w": 2.0}


DIFFUSERS_TURNED: Mapping[str, Other] = {
    **sentences(
        "axial",
        {
            "LTXVideoTransformer3DModel": "turns {num_attention_heads=32 * attention_head_dim=64 // 6 * 6:,} of "
            "all {num_attention_heads * attention_head_dim:,} channels, a third each with the frame, the row and "
            "the column, before they are split into heads (RoPE); its frequencies rise from pi / 2 to 10,000 pi / "
            "2 for a place from −1 to 1, so that its base is 10,000; a place is −1 where each axis begins, and 1 at 20 "
            "frames, 2,048 rows and 2,048 columns, which a call may scale; " + STILL,
            "MochiTransformer3DModel": "turns all {attention_head_dim=128 // 2} pairs of a head by a learned "
            "frequency for each of frame, row and column, in each of {num_attention_heads=24} heads on their own, "
            "so that it has no base (RoPE); its rows and columns are counted from the middle, and scaled to an area of "
            "192 x 192; its frames are counted from the first one; " + STILL,
            "ZImageControlNetModel": "turns by the axes of the transformer that it is loaded with, "
            "whose file tells them",
        },
    ),
    **sentences(
        "rope",
        {
            "StableAudio3DiTModel": FIRST
            % ("embed_dim=1536 // num_heads=24 // 2", "embed_dim // num_heads")
            + ", and none where it attends to its text; {num_memory_tokens=64 or 0} learned tokens come before its "
            "sound",
            "MiniMaxMusic3Transformer1DModel": FIRST % ("rotary_dim=32", "attention_head_dim=64"),
            "LongCatAudioDiTTransformer": TWO_TEXTS % ("dit_dim=1536 // dit_heads=24", "100,000"),
            "AnimaTextConditioner": TWO_TEXTS % ("model_dim=1024 // num_attention_heads=16", "10,000"),
        },
    ),
    "AutoencoderSAME": says("rope", FIRST % ("dim_heads=64 // 2", "dim_heads")).also(
        neighbours, encoder_strides=[16], sliding_window=1
    ),
    "AceStepTransformer1DModel": by_base(
        "rope",
        "turns all {head_dim=128} channels of a head by RoPE of base BASE, and none where it attends to its text; a "
        "place is {patch_size=2} frames of its sound; layers of sliding_attention, every other one where layer_types "
        "is not given, see at most {sliding_window=128:,} places on each side",
        1_000_000,
    ),
    "OmniGenTransformer2DModel": says(
        "rope",
        "turns all {hidden_size=3072 // num_attention_heads=32} channels of a head by RoPE of base {rope_base=10000:,}",
    ).also(
        _omnigen,
        "to patches of images it adds a fixed sinusoid, too, of {pos_embed_max_size=192} x {pos_embed_max_size} rows; "
        + CROPPED,
        lambda top: f"places of rows and columns are divided by {top['pos_embed_max_size'] / 64:g}",
        "it claims {max_position_embeddings=131072:,} tokens",
        original_max_position_embeddings=4096,
    ),
    "CosmosTransformer3DModel": says(
        "axial", _cosmos, **COSMOS, num_attention_heads=32, extra_pos_embed_type="learnable"
    ).also(STILL),
    "CosmosControlNetModel": says("axial", _cosmos, **COSMOS, model_channels=2048, extra_pos_embed_type=None).also(
        STILL
    ),
    "Cosmos3OmniTransformer": says("axial", _cosmos3, head_dim=128, rope_theta=5e6)
    .where("enable_fps_modulation", True, RATE.replace("24", "{base_fps=24}"))
    .also(
        "its text has one number on all axes, and its film and its sound begin "
        "{unified_3d_mrope_temporal_modality_margin=15000:,} places behind it",
        lambda top: "" if top.flag("unified_3d_mrope_reset_spatial_ids", True) else "rows and columns begin there, too",
        unified_3d_mrope_reset_spatial_ids=True,
    ),
    "Ideogram4Transformer2DModel": says(
        "axial",
        lambda top: in_turn(top, "mrope_section", "attention_head_dim"),
        attention_head_dim=256,
        mrope_section=[24, 20, 20],
        rope_theta=5_000_000,
    ).also(
        "in its pipeline its text has one number on all axes from 0, and an image is counted on all of them from 65,536"
    ),
    "LTX2VideoTransformer3DModel": LTX2.also(SOUND).where(
        "use_keyframes_abs_pos_embedding", False, "frames that a call marks have one learned vector added"
    ),
    "LTX2TextConnectors": CONNECTED,
    "SanaWMLTX2RefinerTransformer3DModel": LTX2,
    "MiniMaxH3Transformer3DModel": says(
        "axial",
        lambda top: _turned([2 * top["rope_freq_dim"]] * 3, head_dim_of(top), top.number("rope_theta", minimum=1)),
        rope_freq_dim=16,
        rope_theta=10_000.0,
        attention_head_dim=128,
    ).also(
        "in its pipeline its text is counted on the first axis alone, on which its film and its sound begin behind it",
        "rows and columns are scaled to an area of 32 x 32",
    ),
    "FluxTransformer2DModel": FLUX.also(AT_ZERO, NUMBERED),
    "FluxControlNetModel ChromaTransformer2DModel": FLUX.also(AT_ZERO),
    "LongCatImageTransformer2DModel": FLUX.also(
        "in its pipeline the last two axes count its text with one number, and behind it rows and columns of an image; "
        "the first is 0 for its text, 1 for an image and 2 for one that is given"
    ),
    "OvisImageTransformer2DModel": FLUX.also(
        "in its pipeline the last two axes count its text with one number, and rows and columns of an image from 0, too"
    ),
    "QwenImage21Transformer2DModel": COUNTED.also(
        "its text has one number on all axes; on the first an image stands behind the text before it, and text behind "
        "it goes on by its longer side",
        "its table goes from −1,024 to 8,191, and a place beyond is refused, or takes another row of it",
    ),
    "QwenImageTransformer2DModel": QWEN.also(
        lambda top: (
            "the first number of a place is that of its layer, −1 for the image that is given"
            if top.flag("use_layer3d_rope", False)
            else NUMBERED
        ),
        use_layer3d_rope=False,
    ),
    "QwenImageControlNetModel NucleusMoEImageTransformer2DModel": QWEN,
    "BriaTransformer2DModel": BASED.also(AT_ZERO),
    "BriaFiboTransformer2DModel": BASED.also(AT_ZERO, NUMBERED),
    HUNYUANS: HUNYUAN.also(STILL),
    "HunyuanVideoFramepackTransformer3DModel": HUNYUAN.also(
        STILL, "frames take the numbers that a call gives them", LARGER
    ),
    "HunyuanImageTransformer2DModel": HUNYUAN.also(STILL, rope_axes_dim=[64, 64]),
    "Flux2Transformer2DModel": BASED.also(
        BY_FOUR,
        "images that are given have 10, 20 and so on on the first",
        axes_dims_rope=[32] * 4,
        rope_theta=2000,
    ),
    "Flux3Transformer2DModel": BASED.also(
        BY_FOUR,
        "these are halved, and images that are given have −1, −2 and so on on the last",
        axes_dims_rope=[32] * 4,
    ),
    "Krea2Transformer2DModel": BASED.also(AT_ZERO, axes_dims_rope=[32, 48, 48], rope_theta=1000.0),
    "ErnieImageTransformer2DModel": axes("rope_axes_dim", [32, 48, 48], "rope_theta", 256).also(
        ON_FIRST,
        "a channel is paired with the one half a head further, and the two turn by different angles, so that its "
        "scores are not of distances alone",
    ),
    "JoyImageEditTransformer3DModel": JOY.also(
        lambda top: "its text goes on behind them on every axis" if top.text("rope_type") == "mrope" else STILL,
        rope_type="rope",
    ),
    "JoyImageEditPlusTransformer3DModel": JOY.also(STILL, "images that are given follow as further frames"),
    "PRXTransformer2DModel": says(
        "axial",
        lambda top: filled(on_axes("axes_dim", "theta"), unless_null(top, "axes_dim")),
        axes_dim=[32, 32],
        theta=10_000,
    ).also(STILL),
    "HeliosTransformer3DModel": axes("rope_dim", [44, 42, 42], "rope_theta", attention_head_dim=128).also(
        LARGER, STILL
    ),
    "Lumina2Transformer2DModel": axes("axes_dim_rope", [32, 32, 32]).also(
        at_most, ON_FIRST, of_latents, axes_lens=[300, 512, 512], sample_size=128, patch_size=2
    ),
    "HiDreamImageTransformer2DModel": FLUX.also(
        STILL,
        "the first number of a place is 0",
        oblong,
        axes_dims_rope=[32, 32],
        max_resolution=[128, 128],
        patch_size=None,
    ),
    "ZImageTransformer2DModel": Z_IMAGE.also(
        "its text is counted on the first axis from 1, and all patches of an image have the next number there",
        lambda top: (
            "what SigLIP makes of images that are given has the number behind theirs, stretched to their rows and "
            "columns"
            if top.value("siglip_feat_dim") is not None
            else ""
        ),
        siglip_feat_dim=None,
    ),
    "BriaFibo2Transformer2DModel": Z_IMAGE.also(
        "what it makes of its text is counted on the first axis from 1, and an image stands there at "
        "{max_num_gist_tokens=512 + 1:,}, and those that are given behind it; " + STILL,
        axes_lens=[2048, 512, 512],
    ),
    "Kandinsky5Transformer3DModel": axes("axes_dims", [16, 24, 24]).also(
        "at most 128 places of each axis, a hard limit",
        "its text turns all channels of a head by one number, at most 1,024 places, a hard limit",
    ),
    "Kandinsky6Transformer3DModel": KANDINSKY.also(
        "its text and its sound turn all channels of a head by one number, at most 2,048 places of each, a hard limit",
        lambda top: (
            f"places of its sound are multiplied by {by:g}" if (by := top.number("audio_freqs_scaling")) != 1 else ""
        ),
        audio_freqs_scaling=1.0,
    ),
    "Kandinsky6SRTransformer3DModel": KANDINSKY.also(axes_dims=[16, 24, 24]),
    WANS: WAN,
    "WanAnimateTransformer3DModel": WAN.also(image_dim=1280),
    "ChronoEditTransformer3DModel": WAN.also("two frames alone take the places 0 and {rope_temporal_skip_len=8 - 1}"),
    "AnyFlowFARTransformer3DModel": WAN.also(
        "frames of the past come in larger patches, each at the middle of the places that it covers"
    ),
    "SanaVideoTransformer3DModel": WAN.also(
        "its attention is linear, and turns nothing in the sum by which it divides", attention_head_dim=112
    ),
    "SanaWMTransformer3DModel": NOTHING.unless(
        "use_pe",
        True,
        shared(of_wan, "linear_head_dim=112").also(
            "at most 1,024 places of each axis, a hard limit",
            "where a camera is given, a second attention turns {linear_head_dim // 2} channels of a head so, and maps "
            "the others by the ray of each patch",
            STILL,
        ),
    ),
    "WanAnimate2Transformer3DModel": shared(of_wan, "dim=5120 // num_heads=40").also(
        "at most 512 places of each axis, a hard limit",
        reference,
        STILL,
        refer_stride=1,
        refer_offset_t=1,
        refer_offset_h=0,
        refer_offset_w=-1,
    ),
    "CogVideoXTransformer3DModel ConsisIDTransformer3DModel": Other(COGVIDEO, _cogvideo),
    "EasyAnimateTransformer3DModel": shared(of_cogvideo, "attention_head_dim=64").also(stretched, patch_size=None),
    "AllegroTransformer3DModel": shared(lambda width: [width // 3] * 3, "attention_head_dim=96").also(
        divided(*OF_ALLEGRO),
        "a film has {sample_frames // patch_size_t} x {sample_height // patch_size} x {sample_width // patch_size} "
        "patches",
        STILL,
        sample_frames=22,
        sample_height=90,
        sample_width=160,
        patch_size=2,
        patch_size_t=1,
        **OF_ALLEGRO,
    ),
    "HunyuanDiT2DModel HunyuanDiT2DControlNetModel": shared(halves, "attention_head_dim=88").also(
        "where its text is pooled, it adds {text_len_t5=256 + 1:,} rows of {cross_attention_dim_t5=2048:,} "
        "channels that it learns",
        "{text_len=77 + text_len_t5:,} vectors that it learns stand where its text is filled up",
        of_latents,
        hunyuan_grid,
        STILL,
        sample_size=32,
        patch_size=None,
    ),
    "LuminaNextDiT2DModel": shared(halves, "hidden_size=2304 // num_attention_heads=32").also(
        "at most 384 rows and 384 columns, a hard limit",
        "for an image of another size places are divided by how many times as large its sides are, and a call may ask "
        "for NTK in its place",
        of_latents,
        STILL,
        sample_size=128,
        patch_size=2,
    ),
    "CogView4Transformer2DModel": shared(halves, "attention_head_dim=40").also(
        fixed_grid, of_latents, STILL, rope_axes_dim=[256, 256], sample_size=128, patch_size=2
    ),
    "GlmImageTransformer2DModel": shared(halves, "attention_head_dim=40").also(STILL),
    "StableAudioDiTModel": says("rope", _stable_audio, attention_head_dim=64, sample_size=1024),
}
