"""Queries that grow with their position: Llama 4's temperature and `llama_4_scaling_beta` of Ministral 3."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.classes import ModelClass
from pe_core.models.fields import Fields, defaults_in
from pe_core.models.positions import LayerGroup, QueryFactor
from pe_core.models.turning.layers import WITHOUT

# What the code of a class does to queries and frequencies, and no field or only its own fields tell.
FADING = ("Layers with linear attention forget: a key counts the less the farther it is, by a rate of each head.",)
STEPPED = (
    "Its own window counts where tokens are read one by one: of many that are read at once each sees all before it.",
)
ASKING = ("Where its decoder asks what its encoder made, nothing is turned.",)
PARALLEL = "Beside its attention each layer has a recurrent part with a convolution over {mamba_d_conv=4} tokens: both "
PARALLEL += "tell the order, too."
IN_BLOCKS = ("It writes in blocks by diffusion: tokens of one block see each other, those behind them, too.",)
REMARKS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("dia_decoder", "moonshine", "moonshine_streaming"), ASKING),
    "idefics": ("Where the text asks the patches, nothing is turned.",),
    "t5gemma2_decoder": ("Its queries, which are turned, ask keys of its encoder, too, and those are not turned.",),
    "beam": ("Layers without RoPE multiply the query at place m by (1 + (m + 1) / 2,048) to the power of 0.1.",),
    "cogvlm": ("Patches of one image share one place, so that an image takes three places of the text.",),
    "falcon_h1": (PARALLEL,),
    "huginn_raven": (
        "The {n_layers_in_recurrent_block=4} layers in the middle run {mean_recurrence=32} times, at the same places.",
        "Its angles come from a table of {max_position_embeddings=4096:,} places, a hard limit.",
    ),
    "hymba": (
        PARALLEL,
        "In front of a text are {num_memory_tokens=128 or 0} learned vectors, which take the first places, and which "
        "the windows leave in sight.",
    ),
    "inkling_text": ("With log_scaling_n_floor queries grow with the logarithm of their place beyond it.",),
    "inkling2_text": ("Queries grow with the logarithm of their place beyond log_scaling_n_floor.",),
    **dict.fromkeys(("minimax", "minimax_m1", "minimax_text_01"), FADING),
    **dict.fromkeys(("kyutai_speech_to_text", "moshi"), STEPPED),
    "lasr_encoder": ("Each layer has a convolution over {conv_kernel_size=32} frames, too.",),
    **dict.fromkeys(("llada2_moe", "sdar"), IN_BLOCKS),
    "ouro": ("All layers run {total_ut_steps=4} times, at the same places.",),
    "progen3": ("It adds a learned vector for the number of each of {max_num_sequences=100:,} sequences.",),
    "stripedhyena": (
        "Layers without attention are convolutions, over {short_filter_length=3} tokens and then over all before: they "
        "tell the order, too.",
    ),
    "telechat": (
        "Beyond training_seqlen the base grows with the text, and cosines and sines are multiplied by more than 1.",
    ),
    "yuan": ("Queries and keys are made behind two convolutions, each over 2 tokens, which tell the order, too.",),
    "zaya": (
        "Before they are turned, queries and keys go through convolutions over {cca_time0=2} and {cca_time1=2} tokens, "
        "and half of each value is that of the token before: both tell the order, too.",
    ),
    "diffusion_gemma_text": (
        "A decoder of as many layers, which turn alike, writes: there tokens see each other both ways, in the places "
        "behind the text.",
    ),
    **dict.fromkeys(
        ("mimi", "pocket_tts_audio_tokenizer"),
        (
            "It has two such transformers, one behind its encoder and one before its decoder, which are made of "
            "convolutions.",
        ),
    ),
    "pe_video_encoder": ("In front of its layers are two convolutions over 3 frames, too.",),
    "timesfm2_5": (
        "It reads {context_length=16384:,} points: of a longer series the last ones, and a shorter one is filled up in "
        "front; these are {context_length // patch_length=32:,} positions.",
    ),
    "doge": (
        "In a text of more than {keep_window_size=2048:,} tokens each reads at most so many before it, which a mask "
        "that is learned picks by their values.",
    ),
    "hrm_text": (
        "Two stacks of layers are passed through several times, and each pass counts as layers of its own here.",
        "With prefix_lm tokens that token_type_ids call a prefix see each other, those behind them, too.",
    ),
    "neomme": (
        "Of a patch even pairs count the row and odd ones the column; of text both count the place of a token.",
    ),
    "muse_glimmer_assistant": (
        "It drafts a block of {block_size=16} tokens, which see each other both ways; the window lies on each side.",
    ),
    "unlimited_ocr_text": (
        "A token that is written sees the whole prompt and the last {sliding_window=128:,} that were written; one of "
        "the prompt sees all before it.",
    ),
    "mistral_large4_text": (
        "The frequencies are multiplied by factors that are learned, a tensor of its weights: those here are without.",
        "Each head multiplies the query at place m by a ln(m + 1) + b, and learns a and b.",
    ),
}
BETA, ORIGINAL, TUNING = "llama_4_scaling_beta", "original_max_position_embeddings", "attn_temperature_tuning"


def remarks(kind: str, top: Fields) -> list[str]:
    """Return what the code of a type does that is no setting of RoPE, with the numbers of its fields."""
    told = REMARKS.get(kind, ())
    fields = Fields(top.given, defaults_in(*told), top.path, said=top.said, filled=top.filled)
    return [one.format_map(fields) for one in told]


def with_factors(groups: list[LayerGroup], top: Fields, model: ModelClass, rope: Fields | None) -> list[LayerGroup]:
    """Return the groups of layers, with the factor of their queries where they have one.

    In Llama 4 those are the layers without RoPE, and the top level says how; in Ministral 3 and Mistral 4 all layers,
    and the settings of the rotation, `rope`, say how. A field that is missing or not read is warned of.
    """
    if TUNING in model.fields:
        tuned = top.value(TUNING)
        if isinstance(tuned, int) and not isinstance(tuned, bool):
            told = f"transformers 5.23 refuses this file: {top.place(TUNING)} {tuned} must be true or false there."
            top.warn(f"{told} It is read as {str(bool(tuned)).lower()}, as older versions did.")
        else:
            tuned = top.flag(TUNING, True)
        strength = top.number_or_none("attn_scale") if tuned else None
        if strength is None:
            return groups
        factor = QueryFactor(strength, top.whole("floor_scale"), ahead=1)
        return [replace(one, query_factor=factor) if one.kind.endswith(WITHOUT) else one for one in groups]
    if rope is None:
        return groups
    if not obeys_beta(model):
        if rope.says(BETA):
            top.warn(f"{rope.place(BETA)} is ignored by this model.")
        return groups
    missing = next((name for name in (BETA, ORIGINAL) if rope.value(name) is None), None)
    if missing is not None:
        top.warn(f"{rope.place(missing)} is missing: transformers fails when the model reads a text.")
        return groups
    strength = rope.number_or_none(BETA)
    if strength is None:
        return groups
    return [replace(one, query_factor=QueryFactor(strength, rope.whole(ORIGINAL), ahead=0)) for one in groups]


def obeys_beta(model: ModelClass) -> bool:
    """Return whether a class multiplies its queries as `llama_4_scaling_beta` says: it then has a default for it."""
    return BETA in (model.rope.get("") or {})
