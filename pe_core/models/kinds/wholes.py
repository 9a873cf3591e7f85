"""Models of which a part is read, and what the whole does beside its parts."""

import math
from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.fields import MAX_SIZE, RANGE, Fields, is_number
from pe_core.models.kinds.detectors import AROUND
from pe_core.models.kinds.found import Other, by_type, inside, says
from pe_core.models.kinds.hearing import BY_LSTM, CUT, CUT_500, cut
from pe_core.models.kinds.images import MAX_LISTED, sizes_in, two_sides
from pe_core.models.reading import refuse

TALL = 70  # rows, and columns, of the sinusoids of MiniCPM-V, in its code and no field
FILMS = 4.5  # the version of MiniCPM-V whose resampler joins frames of a film


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
    inner = top.inside("vq_config", {"resolution": 512})
    halved = inner.given.get("channel_multiplier", [1, 1, 2, 2, 4])
    steps = len(halved) - 1 if isinstance(halved, list) and 0 < len(halved) < MAX_SIZE.bit_length() else 0
    pixels = inner.whole("resolution", maximum=MAX_SIZE)
    side = pixels >> steps
    return f"reads an image of {pixels:,} x {pixels:,} pixels as {side} x {side} tokens of its text"


def _moonshine_streaming(top: Fields) -> str:
    """Return what is added to the frames before the decoder reads them, in the width of the encoder."""
    part = top.inside("encoder_config", {"hidden_size": 320})
    clause = f"adds a vector of {part['hidden_size']:,} channels, which is learned, for each of "
    return f"{clause}{top['max_position_embeddings']:,} frames that its encoder gives, a hard limit"


def _blt(top: Fields) -> str:
    """Return what BLT does with its bytes beside its parts: hashes of groups of them, and a window."""
    clause = "adds to each byte vectors of groups of bytes that end with it, of "
    name = "encoder_hash_byte_group_size"
    given = {key: one for key, one in top.given.items() if key != name or one is not None}  # null is its default
    sizes = sizes_in(replace(top, given=given), name, f"be a list of 1 to {MAX_LISTED} whole numbers")
    window = top.whole_or_none("local_attention_window_len")
    seen = "" if window is None else f"; its local decoder sees at most {window:,} bytes, too"
    asked = "; where patches ask their bytes, and bytes the patches, nothing is turned"
    return f"{clause}{', '.join(map(str, sizes))} bytes, which tell their order{seen}{asked}"


def _seconds(top: Fields) -> str:
    inner = top.inside("vision_config", {"tokens_per_second": 4})
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


def _depth_pro(top: Fields) -> str:
    """Return how Depth Pro cuts an image into pieces, and from which size of image on."""
    side, ratios = two_sides(top, "patch_size"), top.value("scaled_images_ratios")
    if not isinstance(ratios, list) or not ratios or not all(map(is_number, ratios)):
        refuse(top.place("scaled_images_ratios"), f"be a list of numbers {RANGE}", ratios)
    smallest = math.ceil(max(side) / min(ratios))
    clause = f"refuses an image with a side of fewer than {smallest:,} pixels, and cuts a larger one, in {len(ratios)} "
    return f"{clause}sizes, into pieces of {side[0]:,} x {side[1]:,}, so that its tables keep their size"


def _parler(top: Fields) -> str:
    """Return where the text that Parler-TTS speaks has its places."""
    if top.flag("prompt_cross_attention", False):
        return "adds a fixed sinusoid to each token of the text that it speaks, which its decoder asks"
    return "puts the text that it speaks before the tokens of sound: it takes the first positions"


def _aria(top: Fields) -> str:
    """Return how many learned queries of Aria ask the patches of an image, by the number of these."""
    counts = top.value("projector_patch_to_query_dict") or {"1225": 128, "4900": 256}
    sizes = [] if not isinstance(counts, Mapping) else [one for two in counts.items() for one in map(str, two)]
    if not 0 < len(sizes) <= MAX_LISTED or not all(one.isdecimal() and len(one) < 9 for one in sizes):
        refuse(top.place("projector_patch_to_query_dict"), "have a whole number for each number of patches", counts)
    told = " and ".join(f"{int(b):,} for {int(a):,} patches" for a, b in zip(sizes[::2], sizes[1::2], strict=True))
    return f"has learned queries without places, which ask the patches, {told}; another number of patches is refused"


def pooled(flag: str) -> Other:
    """Return the reader of a whole whose part that sees makes one vector of an image where its flag is true."""

    def read(top: Fields) -> str:
        return POOLED if top.inside("vision_config", {flag: True}).flag(flag, True) else ""

    return says("learned", read, vision_config=None)


POOLED = "has a learned query without a place, which asks the patches and makes one vector of them"
QUERIES = "has {%s:,} learned queries without places, which ask the patches"
# Wholes whose forward pass hands this option of the part that sees on to no part.
OPTION = "interpolate_pos_encoding"
WITHOUT_OPTION = (
    "aya_vision", "cohere2_vision", "deepseek_vl", "deepseek_vl_hybrid", "eagle_2_5_vl", "eagle_chat", "flava",
    "gemma3", "granite4_vision", "janus", "llava", "llava_llama", "llava_mistral", "llava_next", "llava_next_video",
    "llava_onevision", "llava_qwen", "llava-qwen2", "llava_qwen2", "modernvbert", "ovis", "paligemma", "phi3_v",
    "shieldgemma2", "t5gemma2_encoder", "ultravbert", "video_llava", "vila", "vipllava", "vision-text-dual-encoder",
)  # fmt: skip
# And of those the ones whose images are cut into pieces of the size of the part that sees.
CUT_IN_PIECES = ("llava_next", "llava_next_video", "llava_onevision")
ROWS: Mapping[str, Other] = {
    "musicflamingo": says(
        "axial",
        "turns what it hears by the number of its window and by the place of a frame in it (RoPE), by angles that "
        "grow with the seconds",
    ),
    "video_llava": says("learned", "has its part that sees twice: one sees images, the other the frames of a film"),
    "parler_tts": says("none", _parler, prompt_cross_attention=False),
    "musicgen_melody": says(
        "none",
        "puts {chroma_length=235} frames of a melody, and then what it read, before the tokens: these take the first "
        "positions",
    ),
    "nemotron3_5_asr nemotron_asr_streaming parakeet_rnnt": says("convolution", BY_LSTM),
    "nemotron3_diarization": says("none", cut, **CUT).also("frames kept of earlier chunks are put in front of it"),
    "nemotron3_5_transcribe_audio": Other({}, inside(says("none", cut, **CUT_500), "diarization_config")),
    "nemo_speechlm": Other({}, inside(says("none", cut, **CUT_500), "audio_config", "diarization_config")),
    "moonshine_streaming": says("learned", _moonshine_streaming, max_position_embeddings=4096),
    "clvp": Other(
        {},
        inside(
            says(
                "learned",
                "has a part that makes what its decoder begins with: it adds a vector of {hidden_size=1024:,} "
                "channels, which is learned, for each of {max_text_tokens=404:,} tokens of the text, a hard limit",
            ),
            "decoder_config",
        ),
    ),
    "fun_asr_nano": Other(
        {},
        inside(
            says(
                "none",
                "has {num_hidden_layers=2 or 0} layers between sound and text, without positional encoding, in which a "
                "frame sees all others",
            ),
            "adaptor_config",
        ),
    ),
    "chameleon": says("none", _chameleon, vq_config=None),
    "fuyu": says("none", "reads patches of {patch_size=30} x {patch_size} pixels as tokens of its text"),
    "granite_speech granite_speech_plus": says(
        "none", "has queries that read windows of {window_size=15} frames, {window_size // downsample_rate=5} for each"
    ),
    "depth_pro": says("learned", _depth_pro, patch_size=384, scaled_images_ratios=[0.25, 0.5, 1]),
    "zoedepth": says("sinusoidal", _zoedepth, patch_transformer_hidden_size=None),
    "blip": says("learned", _blip),
    "deepseek_ocr2_vision": says(
        "none",
        "puts 144 or 256 learned queries behind the places of an image, and they take the next positions: these places "
        "see each other both ways, and a query sees all before it",
    ),
    "pp_ocrv5_mobile_rec pp_ocrv5_server_rec pp_ocrv6_small_rec": says(
        "none", "adds no positions to what its backbone makes"
    ),
    "slanet slanext": says(
        "none",
        "writes with a recurrence, up to {max_text_length=500 + 1:,} steps, which asks a map of features "
        "without positions",
    ),
    "blt": says("rope", _blt, encoder_hash_byte_group_size=[3, 4, 5, 6, 7, 8], local_attention_window_len=512),
    "minicpmo minicpmv": says("sinusoidal", _resampled, query_num=64),
    "minicpm_ocr minicpmv4_6": says("rope", "gives each token one place, the same for time, height and width"),
    "nvembed": Other(
        {},
        inside(
            says(
                "none",
                "lets each token ask {num_latents_value=512:,} learned latents without places, and takes the mean of "
                "all",
            ),
            "latent_attention_config",
        ),
    ),
    "qwen2_5_vl": says("rope", _seconds),
    "granite4_vision": says("learned", _projected, downsample_rate=None),
    "aria": says("none", _aria, projector_patch_to_query_dict=None),
    "blip-2 instructblip instructblipvideo": says("none", QUERIES % "num_query_tokens=32"),
    "evolla EvollaModel": says("none", QUERIES.replace("patches", "protein") % "resampler_num_latents=64").also(
        "where the text asks these, nothing is turned"
    ),
    "t5gemma": says(
        "none",
        lambda top: "turns nothing where its decoder asks what its encoder made" * top.flag("is_encoder_decoder", True),
        is_encoder_decoder=True,
    ),
    "siglip siglip2": pooled("vision_use_head"),
    "aimv2": pooled("use_head"),
    "videoprism": says("learned", POOLED),
    "bridgetower": says("none", "joins text and image in {num_hidden_layers=6} layers, which add no positions"),
    "clipseg": says("none", "has a decoder, which adds no positions"),
    "xclip": says("none", "lets the vector of a text ask the patches in {prompt_layers=2} layers without positions"),
    "kosmos-2": says("none", QUERIES % "latent_query_num=64"),
    "kosmos-2.5": says("none", QUERIES % "latent_query_num=2048"),
}
WHOLES = by_type(AROUND, ROWS)
# Types of no class of transformers whose code adds no positions beside those of its parts.
NOTHING_ELSE = (
    "NVLM_D Llama_Nemotron_Nano_VL NemotronH_Nano_VL_V2 deepseek_vl_v2 eagle_2_5_vl eagle_chat h2ovl_chat interns1 "
    "internvl_chat kimi_vl llavaonevision1_5 multi_modality openvla ovis ovis2_5 sarashina2_vision skywork_chat "
    "step_robotics ultravox vila"
)
