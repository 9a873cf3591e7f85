"""What the settings of one level of a configuration say, as those of a type that is known here."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.classes import CLASSES
from pe_core.models.fields import Fields
from pe_core.models.kinds.built import BUILT
from pe_core.models.kinds.diffusers import DIFFUSERS, OF_LATENTS
from pe_core.models.kinds.distances import alibi
from pe_core.models.kinds.found import Found, Other
from pe_core.models.kinds.others import OTHERS
from pe_core.models.kinds.own_code import OWN_CODE
from pe_core.models.kinds.sizes import sizes
from pe_core.models.positions import AHEAD_AS_BACK, Positions
from pe_core.models.reading import Json
from pe_core.models.sentences import remote
from pe_core.models.turning.derived import derived
from pe_core.models.turning.dialects import with_sum
from pe_core.models.turning.layers import COUNTS_BOTH
from pe_core.models.turning.query_factor import REMARKS
from pe_core.models.turning.rotary import CANNOT_KNOW, rotary
from pe_core.models.unread import left_over

SEEN = "{} is known by the parts that its class is built of, and not by its code: what they are for is a guess."
FALCON = alibi("max_position_embeddings").also(max_position_embeddings=2048)  # where its file says alibi
READERS: Mapping[str, Other] = {**DIFFUSERS, **OWN_CODE, **OTHERS}  # of types that no class of `CLASSES` reads
CROSS = "transformers 5.23 refuses to build this: add_cross_attention needs is_decoder."
ASKING = "bert bert-generation big_bird bros camembert convbert data2vec-text electra ernie esm megatron-bert rembert "
ASKING += "roberta roberta-prelayernorm roc_bert roformer tapas xlm-roberta xlm-roberta-xl xmod"
NEWER = {  # of older names, which classes that have them obey too, and before them
    "n_positions": "max_position_embeddings",
    "n_embd": "hidden_size",
    "n_head": "num_attention_heads",
    "n_layer": "num_hidden_layers",
    "num_layers": "num_hidden_layers",
}
ENCODER = ("t5_gemma_module", "encoder")  # the only type of which one part sees both ways
SEE_BOTH_WAYS = (  # types that see both ways, and of which `layers.json` does not tell it
    COUNTS_BOTH, "dia_encoder", "glmasr_encoder", "lasr_encoder", "nemotron3_5_transcribe_asr_audio",
    "nemotron3_5_transcribe_word_timestamp", "nemotron3_diarization_audio", "pe_video_encoder",
)  # fmt: skip
NO_WINDOW = ("qwen3_omni_moe_text", "qwen3_omni_moe_talker_text")  # whose sliding_window makes no mask


def read(kind: str, level: str, given: Json, *, sure: bool = True) -> Positions:
    """Return what the settings of one level say, which is `sure` to be of this type or only guessed to be."""
    prefix = f"{level}." if level else ""
    if (other := READERS.get(kind)) is not None:
        return _other(kind, level, prefix, given, other, sure=sure)
    model = CLASSES[kind]
    given, model = derived(kind, given, model)
    if (kind, level) == ENCODER or kind in SEE_BOTH_WAYS:
        model = replace(model, both_sides=True)
    if kind in NO_WINDOW:
        model = replace(model, fields={name: one for name, one in model.fields.items() if name != "sliding_window"})
    named = {model.names.get(name, name): value for name, value in given.items()}
    top = Fields(named, model.fields, prefix)
    if model.sums_head_dim:
        top, model = with_sum(top, model)
    if kind == "falcon" and top.flag("alibi", False):
        return _other(kind, level, prefix, given, FALCON, sure=sure)
    return rotary(kind, level, model, top)


def _other(kind: str, level: str, prefix: str, given: Json, other: Other, *, sure: bool) -> Positions:
    newer = {old: given[name] for old, name in NEWER.items() if name in given and old in other.defaults}
    top = Fields({**given, **newer}, other.defaults, prefix)
    found: Found = other.read(top)
    joint = {"alibi": ", and", "rope": ", and", "none": "; it"}.get(found.mechanism)
    joint = "; it" if joint and ";" in found.clause else joint
    claimed = f"{joint} claims {found.length:,} tokens" if joint and found.length else ""
    told = sizes(found, kind, top, sure=sure)
    encodes = found.mechanism == "alibi" and given.get("is_causal") is False  # a guess that has no groups of layers
    told += f"; {AHEAD_AS_BACK}" if encodes or any(group.both_sides for group in found.groups) else ""
    said = {*top.said, *top.filled, *(prefix + one for one in given if any(one in line for line in found.warnings))}
    asks = kind in ASKING.split() and given.get("add_cross_attention") is True and not given.get("is_decoder")
    searched = kind not in OWN_CODE and kind not in DIFFUSERS
    said |= {prefix + name for name in OF_LATENTS} if kind in DIFFUSERS else set()
    left = left_over(given, said, (found.length,), kind, prefix, searched=searched)
    return Positions(
        model_type=kind,
        level=level,
        mechanism=found.mechanism,
        parts=(f"{kind} {found.clause}{claimed}{told}.",),
        groups=found.groups,
        original_length=found.length if found.groups or found.mechanism != "rope" else None,
        claimed_length=found.length,
        said=top.said,
        filled=top.filled,
        unknown=CANNOT_KNOW[:1],
        warnings=(
            *([SEEN.format(kind)] if kind in BUILT else []),
            *found.warnings,
            *REMARKS.get(kind, ()),
            *([] if sure else _uneven(given)),
            *([CROSS] if asks else []),
            *left,
            *(() if kind in OWN_CODE else remote(given)),
        ),
        pairs=found.pairs,
    )


def _uneven(given: Json) -> list[str]:
    """Return what is told of a width that its heads do not divide."""
    width, heads = given.get("hidden_size"), given.get("num_attention_heads")
    if type(width) is not int or type(heads) is not int or heads < 1 or width % heads == 0:
        return []
    return [f"hidden_size {width:,} is no multiple of num_attention_heads {heads:,}: most classes cannot be built so."]
