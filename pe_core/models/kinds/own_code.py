"""Types of models whose code is their own, and no class of transformers 5.23: read by what that code does."""

import re
from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.diffusers_turned import at_most, axes, on_axes
from pe_core.models.kinds.distances import LTG_BERT, ltg_bert, segmented
from pe_core.models.kinds.found import Found, Other, by_type, says
from pe_core.models.kinds.hearing import BY_LSTM, CONVOLVED, DISTANCES, FRAMES, KEPT_DISTANCES, UNATTENDED
from pe_core.models.kinds.images import (
    ALWAYS,
    COUNTED,
    FIRST_ROWS,
    IMAGES,
    NEVER,
    grid,
    is_size,
    patches,
    sizes_in,
    table,
    two_sides,
)
from pe_core.models.kinds.images_turned import AXIAL, OF_ANY_SIZE, base_of, split, with_axes
from pe_core.models.kinds.recurrent import hybrid, linear, phi4flash
from pe_core.models.kinds.retired import RETIRED
from pe_core.models.kinds.rotary_heads import OLD_BASE, amplify, e1, esm_c, glm2, moirai, neobert, whole_heads
from pe_core.models.kinds.series import OF_OWN_CODE
from pe_core.models.kinds.tables import numbers, offset, two_sinusoids
from pe_core.models.kinds.timm import TIMM, WIDTHS, without_places
from pe_core.models.kinds.windows import IN_WINDOWS, SAM, sam
from pe_core.models.positions import AHEAD_AS_BACK
from pe_core.models.reading import Json, refuse
from pe_core.models.turning.layers import MAX_LAYERS

SEEING = (  # names of parts that see: of CLIP in Phi-3-vision, of SigLIP in DeepSeek-VL
    re.compile(r"clip_vit_(?:base|large)_patch(?P<patch>\d{1,3})(?:_(?P<side>\d{1,4}))?"),
    re.compile(r"siglip[a-z0-9_]{0,30}_patch(?P<patch>\d{1,4})_(?P<side>\d{1,4})"),
)
SANM = ("SANMEncoder", "SenseVoiceEncoderSmall")  # encoders of FunASR
NAVIT = table(512, 16, 0, ALWAYS)
FARTHEST = 512  # rows, and columns, for which MoonViT computes angles, in its code and no field


def first_table(top: Fields) -> str:
    """Return the table of the vision model of Kimi-VL, which is interpolated."""
    rows, columns = (top.whole(f"init_pos_emb_{side}", maximum=FARTHEST) for side in ("height", "width"))
    return f"adds a learned vector of {rows} x {columns}, interpolated for other sizes"


def sam_and_another(top: Fields) -> Found:
    """Return what the vision part of DeepSeek-OCR and of DeepSeek-VL does: that of SAM, and beside it another one."""
    side, stretched = top.whole("image_size", maximum=MAX_SIZE), top.flag("stretched", True)
    resized = ALWAYS if stretched else COUNTED
    found = sam(resized).read(Fields({"image_size": side}, SAM, top.path))
    image = {"image_size": top.whole("other_size", maximum=MAX_SIZE), "patch_size": top.whole("patch_size")}
    beside = patches(int(stretched), resized, of_pixels=not stretched)(Fields(image, {}, top.path))
    found = found.also(f"its vectors of positions have {SAM['hidden_size']:,} channels")
    width = top.whole_or_none("other_width")
    more = f"these have {width:,} channels" if width is not None else ""
    return found.also(f"beside that of SAM another encoder {beside.clause}").also(more)


def _espnet(top: Fields) -> Found:
    kind = top.text("encoder")
    if kind not in ENCODERS:
        refuse(top.place("encoder"), f"be one of {', '.join(ENCODERS)}", kind)
    way = top.text("pos_enc_layer_type") or ENCODERS[kind]
    convolved = CONVOLUTIONS[kind]
    memory = (CONVOLVED % convolved).format_map(top) if top.says(convolved) or kind in SANM else ""
    memory *= top.flag("use_cnn_module", True)
    ways = ("rel_pos", "abs_pos")
    if way not in ways:
        refuse(top.place("pos_enc_layer_type"), f"be one of {', '.join(ways)}", way)
    written = "its decoder adds a fixed sinusoid for each token" if top.text("decoder") in DECODERS else ""
    return Found("relative" if way == "rel_pos" else "sinusoidal", NEMO[way]).also(memory).also(written)


def _xtts(top: Fields) -> Found:
    text, sound = top["gpt_max_text_tokens + 2"], top["gpt_max_audio_tokens + 3"]  # begin, end, a voice
    clause = f"adds a learned vector for each of {text:,} tokens that are read and of {sound:,} frames that are spoken"
    return Found("learned", f"{clause}, a hard limit", text)


def read_page(top: Fields) -> Found:
    """Return what Donut and Nougat do under the names of their own code: the table of mBART, and the bias of Swin."""
    length = "max_position_embeddings" if top.value("max_position_embeddings") is not None else "max_length"
    given = {"max_position_embeddings": top.whole(length)}
    found = offset(2, beside=True)(replace(top, given={**top.given, **given}))
    return found.also(f"its part that sees {IN_WINDOWS.format_map(top)}")


def rope_alone(top: Fields) -> Found:
    """Return what a file with a base and no width tells: that it turns, by which base, and how long a text it claims.

    Of two bases the second is that of layers with a window, whose size is read, too.
    """
    clause = f"turns q and k with RoPE of base {top.number('rope_theta', minimum=1):,.0f}"
    told = ["The file tells no width of a head: how many channels turn, and their frequencies, are not known."]
    if top.says("rope_local_base_freq"):
        local, window = top.number("rope_local_base_freq", minimum=1), top.whole_or_none("sliding_window")
        seen = f" of {window:,} tokens" if window is not None else ""
        told.append(f"Layers with a window{seen} turn by another base, {local:,.0f}.")
    rules = [name for name in ("rope_scaling", "rope_parameters") if top.given.get(name)]
    told += [f"What {name} says is not read without a width." for name in rules]
    return Found("rope", clause, top.whole_or_none("max_position_embeddings"), warnings=tuple(told))


def _nemo(top: Fields) -> Found:
    way = top.text("self_attention_model")
    if way == "rotary":  # of GigaAM, which has the names of NeMo
        base, head_dim = top.number("rope_base", minimum=1), split(top, "d_model", "n_heads")
        clause = f"turns q and k with RoPE of base {base:,.0f}, all {head_dim:,} channels of a head"
        return Found("rope", f"{clause}; {AHEAD_AS_BACK}").also(_convolved(top))
    if way not in NEMO:
        refuse(top.place("self_attention_model"), f"be one of {', '.join(NEMO)}", way)
    seen, clause = top.value("att_context_size"), NEMO[way]
    seen = seen[0] if isinstance(seen, list) and seen and isinstance(seen[0], list) else seen  # the first is usual
    if isinstance(seen, list) and len(seen) == 2 and all(type(one) is int and one >= 0 for one in seen):
        before, after = seen
        told = f"a frame sees at most {before:,} frames before it and {after:,} after it"
        if top.value("att_context_style") == "chunked_limited":
            told = f"a frame sees its chunk of {after + 1:,} frames and {before // (after + 1):,} chunks before it"
        clause += f"; {told}"
    if way == "rel_pos":
        clause += f"; {KEPT_DISTANCES % 'pos_emb_max_len'}".format_map(top)
    found = Found("sinusoidal" if way == "abs_pos" else "relative", clause).also(_convolved(top))
    return found.also(f"it {BY_LSTM}".format_map(top) if top.says("num_decoder_layers") else "")


def _convolved(top: Fields) -> str:
    """Return over how many frames each layer of NeMo's encoder has a convolution, where the file tells."""
    return (CONVOLVED % "conv_kernel_size").format_map(top) if top.says("conv_kernel_size") else ""


def _open_nmt(top: Fields) -> Found:
    far, heads, width = top.whole("max_relative_positions", minimum=-2), top.whole("heads"), top.value("hidden_size")
    if far < 0:
        refuse(top.place("max_relative_positions"), "be 0 or more, because what -1 and -2 mean is not read here", far)
    added = "adds a fixed sinusoid for each position" if top.flag("position_encoding", False) else ""
    if far == 0:
        return Found("sinusoidal" if added else "none", added or "has no positional encoding")
    clause = f"has learned vectors of distances up to {far:,} on each side in its scores and values, and farther ones "
    each = f"its vectors of distances have {width // heads:,} channels" if isinstance(width, int) else ""
    return Found("relative", f"{clause}share the last").also(each).also(added and f"it {added}, too")


def _toto(top: Fields) -> str:
    head_dim, count = split(top, "embed_dim", "num_heads"), top.whole("num_layers", maximum=MAX_LAYERS)
    every, first = top.whole("spacewise_every_n_layers"), top.flag("spacewise_first", True)
    across = [i for i in range(count) if i % every == (0 if first else every - 1)]
    clause = f"turns q and k by the time of a patch, with xPos of base {OLD_BASE:,.0f}, all {head_dim:,} channels of a "
    clause += f"head, in {count - len(across)} of {count} layers"
    return f"{clause}; the others see all series at one time, and turn nothing{numbers(across)}"


def rnafm(top: Fields) -> Found:
    """Return what RNA-FM does: the table of ESM, and its code counts from one further."""
    return offset(top.whole("pad_token_id", minimum=0) + 2)(top)


def _qwen_vision(top: Fields) -> str:
    rows, columns = grid(top)
    clause = f"adds a learned vector of 16 x 16, 256 rows, interpolated to {rows} x {columns} patches"
    clause += f", {top['width']:,} channels wide" if "width" in top.given else ""
    told = f"a resampler adds fixed sinusoids of row and column to its {top['n_queries']:,} queries and its keys"
    return f"{clause}; {told}" + (f", {top['output_dim']:,} channels wide" if "output_dim" in top.given else "")


def places(top: Fields) -> Found:
    """Return what a file tells that names the kind of its vectors of positions, and not how many there are."""
    if top.flag("learned", True):
        return Found("learned", "adds a learned vector for each position")
    return Found("sinusoidal", "adds a fixed sinusoid for each position")


def _act(top: Fields) -> str:
    """Return what ACT adds to the states that it reads and, in training, to the steps that it learns from."""
    given = top.value("input_features")
    states = [name for name in STATES if isinstance(given, dict) and name in given]
    clause = f"a learned vector stands for its latent, and one each for {len(states)} states that it reads"
    if not top.flag("use_vae", True):
        return clause
    rows = 1 + top.whole("chunk_size") + (STATES[0] in states)
    return f"{clause}; in training a second encoder adds a fixed sinusoid to each of {rows:,} places"


def _maps(top: Fields) -> str:
    """Return how many places the map of each image has, of which a ResNet halves the sides five times."""
    given = top.value("input_features")
    shapes = [one.get("shape") for one in given.values() if isinstance(one, dict)] if isinstance(given, dict) else []
    images = {tuple(shape[1:]) for shape in shapes if isinstance(shape, list) and len(shape) == 3}
    if len(images) != 1 or not all(map(is_size, sides := images.pop())):
        return ""
    step = 16 if top.value("replace_final_stride_with_dilation") == 1 else 32
    rows, columns = (-(-side // step) for side in sides)
    return f"that of an image of {sides[0]:,} x {sides[1]:,} pixels has {rows} x {columns} places"


def _mambavision(top: Fields) -> str:
    """Return what tells the order in MambaVision, whose last two stages read windows that do not shift."""
    windows = sizes_in(top, "window_size", "be a list of four whole numbers", 4, 4)[2:]
    sides = " and of ".join(f"{side} x {side}" for side in windows)
    return (
        "has no positional encoding: convolutions tell where things are in its first two stages, and recurrent layers "
        f"in its last two; these read windows of {sides} places, which do not shift, and so do further layers that "
        "attend"
    )


def _dasheng(top: Fields) -> str:
    """Return what Dasheng adds to the patches of a spectrogram, and what becomes of a longer sound."""
    tall, wide = two_sides(top, "patch_stride")
    bands, frames = top.whole("n_mels"), top.whole("target_length")
    rows, columns = bands // tall, frames // wide
    clause = (
        f"adds the sum of a learned vector for each of {rows:,} rows and {columns:,} columns of the patches of its "
    )
    clause += f"sound; its sound has {frames:,} frames of {bands:,} bands"
    pieces = "a shorter one takes the first columns, and a longer one is cut into pieces, each of which begins anew"
    return f"{clause}; {pieces}"


def _caduceus(top: Fields) -> str:
    """Return what Caduceus does, whose layers read a sequence from both ends, and its other strand, too."""
    width = top.inside("ssm_cfg", {"d_conv": 4}).whole("d_conv")
    ends = "from both ends" if top.flag("bidirectional", True) else "from its beginning"
    strands = "; it reads both strands with the same layers" * top.flag("rcps", False)
    return (
        f"has no positional encoding: only recurrent layers tell the order, which read a sequence {ends}; a "
        f"convolution in each reads {width:,} tokens at a time{strands}"
    )


def _parler(top: Fields) -> Found:
    length = top.whole("max_position_embeddings")
    if top.flag("rope_embeddings", False):
        base = base_of(top)
        return whole_heads(top, f"turns q and k with RoPE of base {base:,.0f}", length, "halves", base=base, both=False)
    top.value("rope_theta")
    clause = f"adds a fixed sinusoid for each of {length:,} positions, more are computed for a longer text"
    return Found("sinusoidal", clause, length)


def _snac(top: Fields) -> str:
    """Return what SNAC does, in which one layer before its codes and one behind them may have attention."""
    if (window := top.whole_or_none("attn_window_size")) is None:
        return UNATTENDED
    clause = (
        f"has convolutions, which tell the order, and two layers whose frames see their window of {window:,} frames: "
    )
    return f"{clause}these turn q and k with RoPE of base {OLD_BASE:,.0f}, all 64 channels of a head, halves in pairs"


def _retnet(top: Fields) -> str:
    own = "num_heads" in top.given  # of flash-linear-attention, others are torchscale's
    name = "num_heads" if own else "decoder_retention_heads"
    head_dim = split(top, "hidden_size" if own else "decoder_embed_dim", name)
    clause = f"turns q and k by RoPE of base {OLD_BASE:,.0f}, all {head_dim:,} channels of a head, "
    clause += "halves in pairs" if own else "neighbours in pairs"
    clause += f", and lowers each score by a power of the distance, another one in each of {top[name]:,} heads: of "
    return f"{clause}31/32 in the first, halving what is missing to 1 in each further one"


def _abstracted(top: Fields) -> str:
    """Return what the part of mPLUG-Owl adds that reads what is seen."""
    if top.object("visual_abstractor") is None:
        return ""
    inner = top.inside("visual_abstractor", {"num_learnable_queries": 64, "grid_size": 32, "hidden_size": 1024})
    side, width = inner["grid_size"], inner["hidden_size"]
    return (
        f"{inner['num_learnable_queries']:,} queries read it, with fixed sinusoids of their number, and keys with "
        f"those of row and column of {side} x {side} patches, {width:,} channels wide"
    )


def _eva_clip(top: Fields) -> Found:
    top.value("num_positions"), top.value("scaling_factor")  # the rows once more, and what numbers are divided by
    return patches(1, COUNTED)(top)


NEMO = {"rel_pos": DISTANCES, "rel_pos_local_attn": DISTANCES, "abs_pos": "adds a fixed sinusoid for each frame"}
DECODERS = ("transformer", "bitransformer")  # of ESPnet, and of WeNet, which has its names
ENCODERS = {"conformer": "rel_pos", "e_branchformer": "rel_pos", "branchformer": "rel_pos", "transformer": "abs_pos"}
ENCODERS |= dict.fromkeys(SANM, "abs_pos")
CONVOLUTIONS = {  # the field of the convolution of each
    "conformer": "cnn_module_kernel", "e_branchformer": "cgmlp_conv_kernel", "branchformer": "cgmlp_conv_kernel",
    "transformer": "", **dict.fromkeys(SANM, "kernel_size"),
}  # fmt: skip
NEOBERT = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 28, "max_length": 1024}
STATES = ("observation.state", "observation.environment_state")  # of LeRobot
FLASH = {"num_hidden_layers": 32, "mb_per_layer": 2, "sliding_window": 2047, "max_position_embeddings": 4096}

CHAT_TTS = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 20, "max_position_embeddings": 4096}
CHAT_TTS |= {"rope_theta": 10_000}
PARLER = {"max_position_embeddings": 2048, "rope_embeddings": False, "rope_theta": 10_000.0, "hidden_size": 1024}
PARLER |= {"num_attention_heads": 16, "num_hidden_layers": 24}
OF_FLA = "comba delta_net gated_deltanet gated_deltaproduct gla gsa hgrn hgrn2 kda lightnet linear_attn mesa_net samba"
OF_E1: Json = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 20, "max_num_sequences": 512}
OF_E1 |= {"max_num_positions_within_seq": 8192, "max_num_positions_global": 131_072, "rope_theta_within_seq": 10_000.0}
OF_E1 |= {"rope_theta_global": 500_000.0, "global_attention_every_n_layers": 3}
ROWS: Mapping[str, Other] = {
    "act": says(
        "learned",
        "adds to queries and keys a learned vector for each of {chunk_size=100:,} steps that it writes; it adds "
        "sinusoids of row and column to the maps that it sees",
    ).also(_maps, _act, chunk_size=100, input_features=None, use_vae=True, replace_final_stride_with_dilation=False),
    "ltg_bert": Other(LTG_BERT, ltg_bert),
    "ConvNet": says("none", UNATTENDED),  # of GPN
    "dasheng midashenglm_dasheng_encoder": says(
        "learned", _dasheng, n_mels=64, patch_stride=[64, 4], target_length=1008
    ),
    "moirai": Other({}, moirai),
    "mamba_ssm": Other({}, hybrid),
    "phi4flash": Other(FLASH, phi4flash),
    "model2vec": says(
        "none",
        "has no positional encoding: it takes the mean of the vectors of all tokens, whose order does not count",
        "seq_length",
        seq_length=None,
    ),
    "neobert": Other(NEOBERT, neobert),
    "ESMplusplus": Other({"hidden_size": 960, "num_attention_heads": 15, "num_hidden_layers": 30}, esm_c),
    "parler_tts_decoder": Other(PARLER, _parler),
    "snac": says("none", _snac, attn_window_size=None),
    "gLM2": Other({"dim": 640, "heads": 10, "depth": 30}, glm2),
    "E1": Other(OF_E1, e1),
    OF_FLA: Other(
        {"num_hidden_layers": 24, "hidden_size": 2048, "max_position_embeddings": None, "attn": None, "conv_size": 4}
        | {"use_short_conv": False},
        linear,
    ),
    "AMPLIFY": Other({"hidden_size": 960, "num_attention_heads": 15, "num_hidden_layers": 32}, amplify),
    "caduceus": says("none", _caduceus, ssm_cfg=None, bidirectional=True, rcps=False),
    "retnet": says("rope", _retnet),
    "toto": says("rope", _toto, spacewise_every_n_layers=12, spacewise_first=True),
    "rope": Other({}, rope_alone),
    "IndicTrans": says(
        "sinusoidal", two_sinusoids, "max_target_positions", max_source_positions=210, max_target_positions=210
    ),
    "rnafm": Other({"max_position_embeddings": 1026, "pad_token_id": 0}, rnafm),
    "uer": Other({}, places),
    "xtts": Other({"gpt_max_text_tokens": 402, "gpt_max_audio_tokens": 605}, _xtts),
    "cpmbee": segmented(256, "position_bias_num_segment_buckets=256"),
    "enformer": says(
        "relative",
        "compares its queries with mixtures of {dim=1536 // heads=8:,} functions of a distance, exponential, gamma and "
        f"steps, half of them with its sign; {AHEAD_AS_BACK}",
    ),
    "borzoi": says(
        "relative", f"compares its queries with mixtures of 32 steps of a distance, half with its sign; {AHEAD_AS_BACK}"
    ).unless("flashed", False, says("rope", "turns queries and keys by RoPE of its own code, which is not told here")),
    "omnigen2": axes("axes_dim_rope", [32, 32, 32]).also(
        at_most,
        "its text has one number on all axes, and on the first an image stands behind all before it",
        axes_lens=[300, 512, 512],
    ),
    "hyenadna": says(
        "convolution",
        "has no attention: a small network makes the filters of its convolutions from {emb_dim=5:,} numbers of a "
        "place, for at most {max_seq_len=1026:,} tokens, and lowers them with the distance",
        "max_seq_len",
    ).also("before each a convolution reads {short_filter_order=3:,} tokens"),
    "open_nmt": Other({"position_encoding": False, "max_relative_positions": 0, "heads": 8}, _open_nmt),
    "step1": says(
        "alibi", "lowers each score with the root of the distance, by slopes as those of ALiBi", "max_seq_len"
    ),
    "donut nougat": Other({"max_position_embeddings": None, "max_length": 1536, "window_size": 10}, read_page),
    "espnet": Other({"kernel_size": 11}, _espnet),
    "nemo_encoder": Other({"att_context_size": [-1, -1], "rope_base": 5000, "pos_emb_max_len": 5000}, _nemo),
    "whisper_encoder higgs_audio_encoder": FRAMES,  # the first of Whisper as a part of another model
    "qwen_vision": says("learned", _qwen_vision, image_size=448, patch_size=14, n_queries=256),
    "rice_vit": OF_ANY_SIZE.also("its class token turns by angles that it learns", embed_dim=1024, num_heads=16),
    "dots_vit": OF_ANY_SIZE.also(embed_dim=1536, num_attention_heads=12, rope_theta=10_000.0),
    "videollama3_vision_encoder": OF_ANY_SIZE.also(**AXIAL | {"hidden_size": 1152}),
    "moonvit": with_axes(
        says("learned", first_table, init_pos_emb_height=64, init_pos_emb_width=64), hidden_size=1152
    ).also(f"images of more than {FARTHEST} x {FARTHEST} patches are refused"),
    "flux": says("axial", on_axes("axes_dim", "theta"), theta=10_000),
    "STDiT3": says(
        "sinusoidal",
        "adds fixed sinusoids of the row and of the column of a patch, {hidden_size=1152:,} channels wide; places are "
        "stretched to those of a square of {input_sq_size=512:,} pixels a side; its layers over frames turn all "
        "{hidden_size // num_heads=16} channels of a head by RoPE of base 10,000",
    ),
    "sam_and_another": Other(
        {"image_size": 1024, "other_size": 224, "patch_size": 14, "other_width": 1024, "stretched": True},
        sam_and_another,
    ),
    "jina_clip_vision": with_axes(table(512, 14, 1, NEVER), head_dim=64),
    "siglip2_navit": NAVIT.unless("use_rope", True, with_axes(NAVIT, hidden_size=1152)),  # of Ovis2.5, and of Keye
    "aimv2_of_authors": table(224, 14, 0, FIRST_ROWS).unless("is_native", False, IMAGES["aimv2_vision_model"]),
    "step3_vision_encoder": table(728, 14, 1, ALWAYS),
    "intern_vit_300m intern_vit_6b molmo_vision": table(224, 14, 1, ALWAYS),
    "mplug_owl_vision_model": table(224, 14, 1, FIRST_ROWS).also(_abstracted, visual_abstractor=None),
    "eva_clip": Other(  # of CogVLM and GLM-4V
        {"image_size": 490, "patch_size": 14, "num_positions": None, "scaling_factor": None}, _eva_clip
    ),
    "open_clip_vision": table(224, 16, 1, COUNTED),
    "siglip_vit": table(384, 16, 0, NEVER),
    "mambavision": says("none", _mambavision, window_size=[8, 8, 14, 7]),
}
OWN_CODE = by_type(TIMM, RETIRED, OF_OWN_CODE, ROWS)


def of_radio(given: Json, inner: Json) -> Json:
    """Return the settings of RADIO's own code, which names a model of timm among the arguments of its training."""
    named = str(inner.get("model")).split("_")
    width = next((width for one, width in WIDTHS.items() if one in named), None)
    size, patch = given.get("max_resolution"), given.get("patch_size", 16)
    return {"model_type": "radio", "max_img_size": size, "patch_size": patch, "hidden_size": width}


def by_model_name(part: Json) -> Json:
    """Return the fields of a part that DeepSeek's code makes by the name of a SigLIP or SAM; others as is.

    That of Ovis is around another part, which has its own type.
    """
    match part:
        case {"backbone_config": {"model_type": str() as kind} as around}:
            return {**around, "model_type": "aimv2_of_authors" if kind == "aimv2" else kind}
        case {"visual_model": dict() as inner}:  # of mPLUG-Owl, beside a part that reads what is seen
            asks = part.get("visual_abstractor")
            return {**inner, "visual_abstractor": asks} if isinstance(asks, dict) else inner
        case {"n_mels": _, "n_ctx": frames, "n_state": width} | {  # the first code of Whisper, as in Qwen-Audio
            "n_mels": _,
            "n_audio_ctx": frames,  # the same in Step-Audio 2
            "n_audio_state": width,
        }:
            return {"model_type": "whisper_encoder", "max_source_positions": frames, "d_model": width}
        case {"args": dict() as inner, "max_resolution": _}:
            return of_radio(part, inner)
        case {"model_type": "conditional_chattts" | "minicpmtts"}:  # of MiniCPM-o, a Llama of the sizes of its class
            return {**CHAT_TTS, **part, "model_type": "llama"}
        case {"architecture": str() as timm} if without_places(timm):  # of Gemma 3n, which names a model of timm
            return {"model_type": "timm_convolutional"}
    params = part.get("params")
    given = {**part, **params} if isinstance(params, dict) else part
    name, high, low = (given.get(name) for name in ("model_name", "high_res_cfg", "low_res_cfg"))
    if name == "deeplip_b_l":  # CLIP has images of 224 pixels, and its table is stretched to what SAM has
        return {"model_type": "sam_and_another", "image_size": given.get("image_size", 1024)}
    if isinstance(high, dict) and isinstance(low, dict) and high.get("model_name") == "sam_b_downsample":
        another = by_model_name(low)
        sizes = {"other_size": another.get("image_size"), "patch_size": another.get("patch_size"), "stretched": False}
        sizes["other_width"] = another.get("hidden_size")
        return {"model_type": "sam_and_another", "image_size": high.get("image_size"), **sizes}
    if name == "deepencoderv2":  # of DeepSeek-OCR 2
        read: Json = {"num_hidden_layers": 24, "rope_theta": 1_000_000.0, "max_position_embeddings": 131_072}
        encoder = {**read, "model_type": "deepseek_ocr2_encoder", "hidden_size": 896, "num_attention_heads": 14}
        return {"model_type": "deepseek_ocr2_vision", "encoder_config": encoder}
    words = name.rpartition("/")[2].replace("-", "_") if isinstance(name, str) else ""
    if words.startswith("mobileclip"):  # of FastVLM, whose FastViT attends in its last two stages
        return {"model_type": "timm_fastvit"}
    found = next((one for pattern in SEEING if (one := pattern.fullmatch(words))), None)
    if found is None:
        return part
    width = next((size for word, size in WIDTHS.items() if word in words.split("_")), None)
    told = {"patch_size": int(found["patch"]), "image_size": int(found["side"] or 224), "hidden_size": width}
    told["width"] = width  # as DeepSeek's code calls it
    own = {name: given[name] for name in told if isinstance(given.get(name), int)}
    kind = "clip_vision_model" if words.startswith("clip") else "siglip_vit"
    return {"model_type": kind, **{name: size for name, size in told.items() if size is not None}, **own}
