"""From the settings of one kind of layer to its frequencies, by the rules of `pe_core.rope_scaling`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.partial_rope import truncated
from pe_core.models.axes import axes
from pe_core.models.classes import ModelClass
from pe_core.models.fields import Fields
from pe_core.models.positions import Rotation
from pe_core.models.reading import ConfigError, refuse
from pe_core.models.sentences import STATIC
from pe_core.rope_scaling.dynamic_ntk import dynamic_ntk
from pe_core.rope_scaling.llama3 import llama3
from pe_core.rope_scaling.longrope import longrope
from pe_core.rope_scaling.yarn import softmax_scale, yarn

ODD_RULES = ("default", "linear", "llama3")  # an odd number of channels has a last pair of one
ONLY_LONGROPE = ("phi3", "phi4_multimodal")
STATIC_NTK = ("hunyuan_v1_dense", "hunyuan_v1_moe", "hunyuan_vl_text")  # whose `dynamic` has an `alpha` that is obeyed
XDROPE = "xdrope"  # of files of HunyuanOCR for its own code: dynamic with an alpha, and with sections
OWN_MSCALES = {"phimoe": ("short_mscale", "long_mscale")}  # of LongRoPE, in place of its attention factor


OF_ONE = {"alpha": STATIC_NTK, "short_mscale": tuple(OWN_MSCALES), "long_mscale": tuple(OWN_MSCALES)}


@dataclass(frozen=True)
class Case:
    """What a rule needs: its settings, the model, one head, and the plain frequencies of the rotated channels."""

    rope: Fields
    model_type: str
    model: ModelClass
    head_dim: int
    claimed: int | None
    plain: Tensor

    @property
    def base(self) -> float:
        """The base of the frequencies."""
        return self.rope.number("rope_theta", minimum=1)

    def made(self, rule: str, frequencies: Tensor, **more: object) -> Rotation:
        """Return the rotation of these frequencies; what is not named is as in plain RoPE."""
        known = {"factor": None, "original_length": self.claimed, **more}
        return Rotation(
            rule=rule,
            base=self.base,
            head_dim=self.head_dim,
            n_rotated=min(2 * len(frequencies), self.head_dim),
            plain=self.plain,
            frequencies=frequencies,
            **known,  # type: ignore[arg-type]
        )

    def length(self) -> int:
        """Return the claimed length; `ConfigError` where there is none."""
        if self.claimed is None:
            raise ConfigError(f"max_position_embeddings must be given for the rule {self.rule()}, got null")
        return self.claimed

    def rule(self) -> str:
        """Return the name of the rule as this model understands it."""
        rope = self.rope
        name = rope.text("rope_type") if rope.says("rope_type") or not rope.says("type") else rope.text("type")
        name = "default" if name is None else name
        if rope.says("type") and rope.says("rope_type") and rope.given["type"] not in (rope.given["rope_type"], None):
            self.rope.warn(f"{rope.place('type')} is ignored: {rope.place('rope_type')} counts.")
        if name == "mrope" and self.model.mrope:
            return "default"
        if name == XDROPE and self.model_type == "hunyuan_vl_text":
            return "dynamic"
        if self.model_type in ONLY_LONGROPE and name in ("su", "yarn"):
            return "longrope"
        return name


def rotation(rope: Fields, *, model_type: str, model: ModelClass, head_dim: int, claimed: int | None) -> Rotation:
    """Return how one kind of layer turns; what is likely to surprise is warned of.

    Raises `ConfigError` for what transformers refuses, for what makes the model fail when it is built, and for what
    gives frequencies that are no numbers.
    """
    case = Case(rope, model_type, model, head_dim, claimed, sinusoidal.frequencies(2))
    rule = case.rule()
    names = ("default",) if model.refuses_rules else tuple(RULES)
    names = ("default", "longrope") if model_type in (*ONLY_LONGROPE, *OWN_MSCALES) else names
    if rule not in names:
        refuse(rope.place("rope_type" if rope.says("rope_type") else "type"), f"be one of {', '.join(names)}", rule)
    for key, kinds in OF_ONE.items():
        if rope.says(key) and model_type not in kinds:
            rope.warn(f"{rope.place(key)} is not understood, and ignored.")
    part = 1.0
    if rope.value("partial_rotary_factor") is not None:
        part = rope.number("partial_rotary_factor")
        if part > 1:
            refuse(rope.place("partial_rotary_factor"), "be at most 1", part)
    if rule == "default" and not model.obeys_part and part != 1:
        rope.warn(f"{rope.place('partial_rotary_factor')} {part:g} is ignored: with plain RoPE this model turns all.")
        part = 1.0
    width = head_dim if rule == "proportional" else int(head_dim * part)
    if width < 2 or (width % 2 and rule not in ODD_RULES):
        refuse("the number of rotated channels", "be even and at least 2", width)
    if width % 2 and width == head_dim:
        rope.warn(f"The last of {width} channels has no partner: transformers fails when the model reads a text.")
    if case.base == 1:
        rope.warn(f"{rope.place('rope_theta')} is 1: before scaling all pairs turn alike, a radian per token.")
    plain = sinusoidal.frequencies(width, case.base)
    turned = RULES[rule](replace(case, plain=plain), part)
    return replace(turned, axes=axes(rope, model_type, model, len(turned.frequencies)))


def _default(case: Case, part: float) -> Rotation:
    rope = case.rope
    if rope.says("factor"):
        why = "the rule is default" if rope.says("rope_type") or rope.says("type") else "no rule is named"
        case.rope.warn(f"{rope.place('factor')} is ignored, because {why}: nothing is scaled.")
    return case.made("default", case.plain)


def _linear(case: Case, part: float) -> Rotation:
    factor = case.rope.number("factor")
    if factor < 1:
        case.rope.warn(f"{case.rope.place('factor')} is below 1: all pairs turn faster.")
    return case.made("linear", case.plain / factor, factor=factor, original_length=None)


def _proportional(case: Case, part: float) -> Rotation:
    factor = case.rope.number("factor") if case.rope.says("factor") else 1.0
    if part == 1:
        case.rope.warn("partial_rotary_factor is 1 or missing: all pairs turn, so that proportional is linear.")
    frequencies = truncated(case.plain, part) / factor
    return case.made("proportional", frequencies, factor=factor)


def _dynamic(case: Case, part: float) -> Rotation:
    if len(case.plain) < 2:
        refuse("the number of rotated channels", "be at least 4 for the rule dynamic", 2)
    if case.model_type in STATIC_NTK and (alpha := case.rope.number_or_none("alpha")) is not None:
        head_dim, stretched = case.head_dim, case.base * alpha ** (case.head_dim / (case.head_dim - 2))
        if stretched < 1:
            refuse(case.rope.place("alpha"), "give a base of at least 1", alpha)
        place = case.rope.place("alpha")
        case.rope.warn(f"{place} is obeyed, and nothing is dynamic: the base is {stretched:,.0f} at every length.")
        return case.made(STATIC, sinusoidal.frequencies(head_dim, stretched), factor=alpha)
    factor, length = case.rope.number("factor", minimum=1), case.length()
    case.rope.warn(
        f"The rule dynamic changes nothing up to max_position_embeddings ({length:,}), the trained length. "
        "Beyond it the frequencies change with each token, and keys that are cached keep old ones."
    )
    before = length / factor
    if factor > 1 and before == round(before):
        case.rope.warn(
            f"If {length:,} is the raised length ({factor:g} times {round(before):,}), the rule never acts within it: "
            "max_position_embeddings has to stay the trained length."
        )
    longer = dynamic_ntk(
        case.plain, base=case.base, train_length=length, scale=round(factor * length) / length, factor=factor
    )
    return case.made("dynamic", case.plain, factor=factor, beyond=longer.frequencies)


def _llama3(case: Case, part: float) -> Rotation:
    factor, low, high = (
        case.rope.number("factor", minimum=1),
        case.rope.number("low_freq_factor"),
        case.rope.number("high_freq_factor"),
    )
    if low > high:
        refuse(case.rope.place("low_freq_factor"), f"be at most high_freq_factor ({high:g})", low)
    if low == high:
        case.rope.warn("low_freq_factor equals high_freq_factor: pairs are kept or divided, and none is blended.")
    original = _original(case)
    if original >= case.length():
        case.rope.warn(f"original_max_position_embeddings ({original:,}) is not below max_position_embeddings.")
    scaled = llama3(case.plain, base=case.base, train_length=original, scale=factor, low=low, high=high)
    return case.made("llama3", scaled.frequencies, factor=factor, original_length=original)


def _yarn(case: Case, part: float) -> Rotation:
    rope, original = case.rope, _original(case)
    fast, slow = (rope.number_or_none(name) or default for name, default in (("beta_fast", 32.0), ("beta_slow", 1.0)))
    if rope.value("beta_fast") is None and rope.value("beta_slow") is None:
        case.rope.warn("beta_fast and beta_slow are not given, so 32 and 1 are used.")
    if slow > fast:
        rule = f"be at most beta_fast ({fast:g}), because the ramp runs backwards otherwise"
        refuse(rope.place("beta_slow"), rule, slow)
    factor = _stretch(case, original)
    if round(factor * original) != case.length() and original != case.length():
        case.rope.warn(
            f"The factor {factor:g} is not {case.length():,} / {original:,} = {case.length() / original:g}: it is used "
            f"nevertheless, so the frequencies are made for {round(factor * original):,} tokens."
        )
    _not_raised(case, original, factor)
    one, every = rope.number_or_none("mscale"), rope.number_or_none("mscale_all_dim")
    both = one is not None and every is not None
    if not both and (one is not None or every is not None):
        case.rope.warn(
            "mscale and mscale_all_dim count for the attention factor only together: one alone leaves it as it is."
        )
    attention = rope.number("attention_factor") if rope.value("attention_factor") is not None else None
    truncate = True
    if not rope.says("truncate"):
        truncate = rope.value("truncate") is not False
    elif not case.model.is_nested:
        truncate = rope.flag("truncate", True)
    elif not rope.flag("truncate", True):
        case.rope.warn(f"{rope.place('truncate')} is ignored inside the settings of one kind of layer.")
    scaled = yarn(
        case.plain,
        base=case.base,
        train_length=original,
        scale=factor,
        ramp="index" if truncate else "unrounded",
        beta_fast=fast,
        beta_slow=slow,
        mscale=one if both else None,
        mscale_all_dim=every if both else None,
        attention=attention,
    )
    scores = softmax_scale(factor, every) if case.model.scales_softmax and every is not None else 1.0
    if scores != 1 and scaled.attention_factor != 1:
        case.rope.warn(
            f"Attention is scaled twice: cosines and sines by {scaled.attention_factor:.4f}, scores by {scores:.4f}. "
            "An engine that combines them into one factor must not apply both."
        )
    return case.made(
        "yarn",
        scaled.frequencies,
        factor=factor,
        original_length=original,
        attention_factor=scaled.attention_factor,
        softmax_scale=scores,
    )


def _longrope(case: Case, part: float) -> Rotation:
    rope, original, n_pairs = case.rope, _original(case), len(case.plain)
    short, long = rope.numbers("short_factor", n_pairs), rope.numbers("long_factor", n_pairs)
    factor = _stretch(case, original)
    _not_raised(case, original, factor)
    attention = rope.number("attention_factor") if rope.value("attention_factor") is not None else None
    if (own := OWN_MSCALES.get(case.model_type)) is not None:
        attention = rope.number(own[0])
        if rope.number(own[1]) != attention:
            told = f"Up to {original:,} tokens cosines and sines are multiplied by {own[0]} {attention:g}, beyond by"
            case.rope.warn(f"{told} {own[1]} {rope.number(own[1]):g}.")
    if original < 2 and attention is None and factor > 1:
        refuse(
            rope.place("original_max_position_embeddings"), "be at least 2: the rule divides by its logarithm", original
        )
    below, beyond = (
        longrope(
            case.plain,
            base=case.base,
            train_length=original,
            scale=length / original,
            long_factors=long,
            short_factors=short,
            factor=factor,
            attention=attention,
        )
        for length in (original, original + 1)
    )
    alike = short == long and below.attention_factor == beyond.attention_factor
    if own is not None:
        rope.warn(f"{rope.place('long_factor')} counts in code of the model's own alone: this class never uses it.")
    elif alike:
        case.rope.warn("short_factor and long_factor are equal: cached keys stay right at every length.")
    else:
        case.rope.warn(
            f"From token {original + 1:,} on every position takes the long factors, so cached keys have to be computed "
            "anew: a text is read with the short factors or with the long ones."
        )
    return case.made(
        "longrope",
        below.frequencies,
        factor=factor,
        original_length=original,
        beyond=None if alike or own is not None else beyond.frequencies,
        attention_factor=below.attention_factor,
    )


RULES: Mapping[str, Callable[[Case, float], Rotation]] = {
    "default": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}


def _original(case: Case) -> int:
    """Return the original length, which is the claimed one where it is missing."""
    if case.rope.value("original_max_position_embeddings") is not None:
        return case.rope.whole("original_max_position_embeddings")
    length = case.length()
    case.rope.warn(
        f"original_max_position_embeddings is missing, so max_position_embeddings ({length:,}) is taken as the "
        "original length: if that is the extended one, the frequencies are wrong."
    )
    return length


def _not_raised(case: Case, original: int, factor: float) -> None:
    """Warn of a rule for long texts beside a length that is still the original one."""
    if factor > 1 and case.claimed == original and case.rope.says("original_max_position_embeddings"):
        case.rope.warn(
            f"The frequencies are made for {round(factor * original):,} tokens, but max_position_embeddings is still "
            f"the original length, {original:,}: engines differ on whether it has to be raised."
        )


def _stretch(case: Case, original: int) -> float:
    """Return the factor, or claimed length / original length where it is null, or missing in LongRoPE."""
    if case.rope.value("factor") is not None:
        return case.rope.number("factor", minimum=1)
    if case.rule() == "yarn" and not case.rope.says("factor"):
        refuse(case.rope.place("factor"), "be given for the rule yarn", None)
    return max(1.0, case.length() / original)
