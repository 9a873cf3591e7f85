"""Models of diffusers, which a file names in `_class_name`: read by what their code does in version 0.42.1."""

from collections.abc import Mapping

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.diffusers_turned import CROPPED, DIFFUSERS_TURNED, NOTHING, channels_wide, of_latents
from pe_core.models.kinds.found import Found, Other, by_type, says, sentences
from pe_core.models.kinds.images import NEVER
from pe_core.models.reading import refuse

OF_THE_MIDDLE = "an image takes those around the middle; more than {0} rows are refused, and of more than {0} "
OF_THE_MIDDLE += "columns some are refused, or take vectors of other rows"
STRETCHED = "those of another size are computed between the same ends"
PLACELESS = "its text has no positions"
OF_LATENTS = ("scaling_factor", "time_theta", "max_sequence_length")  # of latents, of steps and of what reads a text


def _unidiffuser(top: Fields) -> str:
    side, patch = top.whole("sample_size", maximum=MAX_SIZE), top.whole("patch_size")
    words, images = top.whole("num_text_tokens"), (side // patch) ** 2
    rows = 3 + words + images + top.flag("use_data_type_embedding", False)
    clause = f"adds a learned vector for each of {rows:,} tokens, of which {words:,} are a text and {images:,} patches"
    return f"{clause}{channels_wide(top)}; {of_latents(top)}; {NEVER}"


def _auraflow(top: Fields) -> str:
    rows = top.whole("pos_embed_max_size")
    side = int(rows**0.5)
    clause = f"adds a learned vector for each of {side} x {side} patches, {rows:,} rows{channels_wide(top)}"
    return f"{clause}; {OF_THE_MIDDLE.format(side)}"


def _pixart(top: Fields) -> str:
    if top.value("patch_size") is None:
        rule = "be given, because what this class does without patches is not known here"
        refuse(top.place("patch_size"), rule, None)
    side = top.whole("sample_size", maximum=MAX_SIZE) // top.whole("patch_size")
    return f"adds a fixed sinusoid for each of {side} x {side} patches{channels_wide(top)}; {STRETCHED}"


def _transformer_2d(top: Fields) -> Found:
    if top.value("num_vector_embeds") is not None:
        side = top.whole("sample_size", maximum=MAX_SIZE)
        clause = f"adds the sum of a learned vector for each of {side} rows and {side} columns{channels_wide(top)}"
        return Found("learned", f"{clause}, a hard limit")
    within = top.value("in_channels") is not None and top.value("patch_size") is None  # a part of a net of convolutions
    if within:
        return NOTHING.read(top)
    return FITTED.read(top).also(PLACELESS if top.value("caption_channels") is not None else "")


def _sana(top: Fields) -> Found:
    scaled = top.value("interpolation_scale") is not None
    return Found("sinusoidal", _pixart(top)).also(fitted(top)).also(PLACELESS) if scaled else NOTHING.read(top)


def fitted(top: Fields) -> str:
    """Return by which number PixArt divides places: a field, or how many times 64 a side has."""
    scale = top.number_or_none("interpolation_scale") or max(top.whole("sample_size", maximum=MAX_SIZE) // 64, 1)
    return f"places of rows and columns are divided by {scale:g}" * (scale != 1)


def spread(top: Fields) -> str:
    """Return by which number Stable Diffusion 3 divides places: its table is larger than the image it began with."""
    side = top.whole("sample_size", maximum=MAX_SIZE) // top.whole("patch_size")
    if side < 1:
        refuse(top.place("patch_size"), f"be at most sample_size ({top['sample_size']})", top["patch_size"])
    return f"places of rows and columns are divided by {top['pos_embed_max_size'] / side:g}"


def of_control(top: Fields) -> Found:
    """Return what the ControlNet of Stable Diffusion 3 does: as that, with a table of its own or with that one's."""
    return (MIDDLE if top.flag("use_pos_embed", True) else BORROWED).read(top)


def boxes(top: Fields) -> str:
    """Return what GLIGEN makes of boxes that a call gives it."""
    told = "a box that is given is a token made of its text and of 64 sinusoids of its four sides, of base 100"
    return told if top.text("attention_type") in ("gated", "gated-text-image") else ""


def _audio_ldm_2(top: Fields) -> Found:
    """Return what AudioLDM 2 adds to its second text: a table where a field is given, whatever it says."""
    if top.value("use_learned_position_embedding") is None:
        return UNTOLD.read(top)
    rows, width = top.whole("max_seq_length"), top.whole("text_encoder_1_dim")
    clause = f"adds to its second text a learned vector for each of {rows:,} tokens, {width:,} channels wide"
    return Found("learned", f"{clause}; another number of them is refused")


def _heads(count: int, width: int) -> dict[str, int]:
    return {"num_attention_heads": count, "attention_head_dim": width}


UNTOLD = says("none", "has no positional encoding")
BORROWED = says(
    "sinusoidal", "adds the fixed sinusoids of the transformer that it is loaded with, whose file tells how many"
)
SPECTROGRAM = "adds a vector for each of {%s:,} %s, {d_model=768:,} channels wide, of a table that is not trained, a "
SPECTROGRAM += "hard limit"
PATCHED = says("sinusoidal", _pixart, **_heads(16, 72))
FITTED = PATCHED.also(fitted, interpolation_scale=None)
CONVOLUTIONS = "UNet2DModel AutoencoderKL AutoencoderTiny VQModel ControlNetModel AutoencoderDC "
CONVOLUTIONS += "AsymmetricAutoencoderKL AutoencoderKLAllegro AutoencoderKLCogVideoX AutoencoderKLHunyuanVideo "
CONVOLUTIONS += "AutoencoderKLLTXVideo AutoencoderKLMochi AutoencoderKLQwenImage AutoencoderKLWan AutoencoderOobleck "
CONVOLUTIONS += "AutoencoderKLCosmos AutoencoderKLFlux2 AutoencoderKLHunyuanImage AutoencoderKLHunyuanVideo15 "
CONVOLUTIONS += "AutoencoderKLKVAE AutoencoderKLKVAEVideo AutoencoderKLLTX2Video AutoencoderKLMagvit "
CONVOLUTIONS += "AutoencoderKLTemporalDecoder ControlNetUnionModel I2VGenXLUNet Kandinsky3UNet StableCascadeUNet "
CONVOLUTIONS += "T2IAdapter UNet3DConditionModel AutoencoderKLHunyuanImageRefiner AutoencoderKLKVAEAudio "
CONVOLUTIONS += "AutoencoderKLLTX2Audio AutoencoderKLMiniMaxH3Audio AutoencoderKLQwenImage21 AutoencoderVidTok "
CONVOLUTIONS += "ConsistencyDecoderVAE ControlNetXSAdapter Cosmos3AVAEAudioTokenizer DreamLiteUNetModel "
CONVOLUTIONS += "AudioLDM2UNet2DConditionModel LTX2LatentUpsamplerModel LTX2Vocoder LTX2VocoderWithBWE "
CONVOLUTIONS += "LTXLatentUpsamplerModel PaellaVQModel UNetFlatConditionModel WuerstchenDiffNeXt WuerstchenPrior "
CONVOLUTIONS += "Kandinsky6SRVAE Kandinsky6SRLatentUpscalerBank LongCatAudioDiTVae MiniMaxMusic3ConditionEncoder "
CONVOLUTIONS += "MiniMaxMusic3Vocoder MMAudioVAE MMAudioVocoder UNet1DModel UNetControlNetXSModel UVit2DModel"
LINEAR = "CLIPImageProjection LearnedClassifierFreeSamplingEmbeddings ReduxImageEncoder StableAudioProjectionModel "
LINEAR += "StableUnCLIPImageNormalizer UnCLIPTextProjModel"
WIDTH = "{num_attention_heads=%d * attention_head_dim=%d:,} channels wide"
SINES = "adds a fixed sinusoid for each of {pos_embed_max_size=%d} x {pos_embed_max_size} patches, "
SINES += "{pos_embed_max_size ** 2:,} rows, " + WIDTH
MIDDLE = says("sinusoidal", f"{SINES % (96, 18, 64)}; {CROPPED}").also(
    spread, of_latents, PLACELESS, sample_size=128, patch_size=2
)


ROWS: Mapping[str, Other] = {
    "MiniMaxMusic3RVQDepthDecoder": says(
        "learned",
        "adds a learned vector for each of {max_position_embeddings=16:,} tokens, {hidden_size=4096:,} channels wide, "
        "a hard limit",
    ),
    **sentences(
        "sinusoidal",
        {
            "MotionAdapter UNetMotionModel SparseControlNetModel": "adds a fixed sinusoid for each of "
            "{motion_max_seq_length=32:,} frames, a hard limit",
            "SpectrogramNotesEncoder": SPECTROGRAM % ("max_length=2048", "tokens of notes"),
            "SpectrogramContEncoder": SPECTROGRAM % ("targets_context_length=256", "frames of sound")
            + "; its sound takes the last of them",
            "T5FilmDecoder": "adds a vector for each of {targets_length=256:,} frames of sound, {d_model=768:,} "
            "channels wide, of a table that is not trained, a hard limit",
            "UNetSpatioTemporalConditionModel": "adds, before each of its layers over frames, a vector that a "
            "small network makes of a sinusoid of the number of the frame; what it sees has no places",
        },
    ),
    LINEAR: UNTOLD,
    "AudioLDM2ProjectionModel": Other(
        {"use_learned_position_embedding": None, "max_seq_length": None, "text_encoder_1_dim": None}, _audio_ldm_2
    ),
    "PriorTransformer": says(
        "learned",
        "adds a learned vector for each of {num_embeddings=77 + additional_embeddings=4 or 0:,} tokens, "
        f"{WIDTH % (32, 64)}, a hard limit; a token sees none behind it",
    ),
    "UniDiffuserModel": says(
        "learned", _unidiffuser, sample_size=None, patch_size=None, num_text_tokens=77, **_heads(16, 88)
    ),
    "CogView3PlusTransformer2DModel": says("sinusoidal", SINES % (128, 64, 40) + ", a hard limit").also(
        of_latents, PLACELESS, sample_size=128, patch_size=2
    ),
    "SD3Transformer2DModel": MIDDLE,
    "SD3ControlNetModel": Other(MIDDLE.defaults, of_control),
    "AuraFlowTransformer2DModel": says("learned", _auraflow, pos_embed_max_size=1024, **_heads(12, 256)).also(
        of_latents, PLACELESS, sample_size=64, patch_size=2
    ),
    "DiTTransformer2DModel": PATCHED.also(sample_size=32, patch_size=2),
    "PixArtTransformer2DModel": FITTED.also(PLACELESS, sample_size=128, patch_size=2),
    "Transformer2DModel": Other(
        {**FITTED.defaults, **_heads(16, 88), "sample_size": None, "patch_size": None}, _transformer_2d
    ),
    "LatteTransformer3DModel": FITTED.also(
        "its first layer over frames adds sinusoids of {video_length=16:,} of them",
        "another number of frames is refused, but for a single one",
        PLACELESS,
        sample_size=64,
        patch_size=None,
        **_heads(16, 88),
    ),
    "SanaTransformer2DModel SanaControlNetModel": Other({"sample_size": 32, "patch_size": 1, **_heads(70, 32)}, _sana),
    "UNet2DConditionModel": NOTHING.also(boxes, attention_type="default"),
    CONVOLUTIONS: NOTHING,
}
DIFFUSERS = by_type({**DIFFUSERS_TURNED, **ROWS})
