r"""YaRN: frequencies by parts, and scores divided by a temperature t with $\sqrt{1/t} = 0.1 \ln s + 1$.

Pairs between those that are kept and those that are interpolated are blended along a ramp, of which there are three:

- `index`: linear in the index of the pair, from $\lfloor d(\beta_{fast}) \rfloor$ to $\lceil d(\beta_{slow}) \rceil$,
  with $d(r) = d \ln(L / 2 \pi r) / (2 \ln b)$ the index of the pair that turns r times in training. So the published
  code and Hugging Face have it.
- `unrounded`: the same between $d(\beta_{fast})$ and $d(\beta_{slow})$ themselves: `truncate: false` (gpt-oss).
- `rotations`: linear in the number of turns, as the paper has it: the ramp of `by_parts`.

Pitfalls: `index` and `rotations` are far apart in the middle of the ramp. L is the length of the original training.
Hugging Face multiplies the cosines and sines of both q and k by $A = \sqrt{1/t}$, which divides the scores of the
turned channels by t; where the scores are divided as well, it is done twice. DeepSeek has $A = g(m) / g(m_{all})$ with
$g(m) = 0.1\,m \ln s + 1$, and multiplies all scores by $g(m_{all})^2$. The indices are clamped to 0 .. d - 1 and not
to the last pair, d/2 - 1. For short texts of training see `by_parts` on $\beta$.
Reference: Peng et al. 2023, "YaRN: Efficient Context Window Extension of Large Language Models", arXiv:2309.00071,
sections 3.2 and 3.4, and its published code.
"""

import math
from typing import Literal, get_args

import torch
from torch import Tensor

from pe_core.parameters import Parameter, require
from pe_core.rope_scaling.base import Scaled, ScalingSpec, check_scale
from pe_core.rope_scaling.by_parts import YARN, blend, kept, within_reach

Ramp = Literal["index", "unrounded", "rotations"]
RAMPS: tuple[Ramp, ...] = get_args(Ramp)


def growth(scale: float, mscale: float = 1.0) -> float:
    """Return g = 0.1 mscale ln(scale) + 1, by which attention grows with the stretch; 1 for a scale of 1."""
    return 0.1 * mscale * math.log(scale) + 1


def softmax_scale(scale: float, mscale_all_dim: float) -> float:
    """Return by what DeepSeek multiplies all scores, those of the channels that are not turned too: g squared.

    It comes on top of the attention factor. Source: DeepSeek-V2, arXiv:2405.04434, section 3.1.4, and its code.
    """
    return growth(scale, mscale_all_dim) ** 2


def attention_factor(scale: float, *, mscale: float | None = None, mscale_all_dim: float | None = None) -> float:
    """Return A, by which the cosines and sines of q and of k are multiplied: g(1), or g(mscale) / g(mscale_all_dim).

    Raises `ValueError` unless both are given, above 0, or neither.
    """
    if mscale is None and mscale_all_dim is None:
        return growth(scale)
    for name, value in (("mscale", mscale), ("mscale_all_dim", mscale_all_dim)):
        require(value is not None and value > 0, name, "be above 0 where the other one is given", value)
    assert mscale is not None  # for the type checker: the loop above has raised
    assert mscale_all_dim is not None
    return growth(scale, mscale) / growth(scale, mscale_all_dim)


def pair_index(turns: float, *, head_dim: int, base: float, train_length: int) -> float:
    """Return the index, with fractions, of the pair that turns so often in training, clamped to 0 .. head_dim - 1.

    Of base 1 all pairs are alike: they turn too often (the last index) or not often enough (the first).
    """
    octaves = math.log(train_length / (2 * math.pi * turns))
    index = head_dim * octaves / (2 * math.log(base)) if base > 1 else math.copysign(math.inf, octaves)
    return min(max(index, 0.0), head_dim - 1.0)


def kept_by_index(
    n_pairs: int, *, base: float, train_length: int, beta_fast: float, beta_slow: float, rounded: bool = True
) -> Tensor:
    """Return gamma, from 0 (interpolate) to 1 (keep), of each pair, linear in its index, float64, shape (n_pairs,)."""
    low, high = (
        pair_index(turns, head_dim=2 * n_pairs, base=base, train_length=train_length)
        for turns in (beta_fast, beta_slow)
    )
    if rounded:
        low, high = math.floor(low), math.ceil(high)
    width = max(high - low, 0.001)  # both ends at the first or the last pair: a step
    return 1 - ((torch.arange(n_pairs, dtype=torch.float64) - low) / width).clamp(0, 1)


def yarn(
    frequencies: Tensor,
    *,
    base: float,
    train_length: int,
    scale: float,
    ramp: Ramp = "index",
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    mscale: float | None = None,
    mscale_all_dim: float | None = None,
    attention: float | None = None,
) -> Scaled:
    """Return the frequencies (d / 2,) blended along the ramp, and the temperature for the scale s.

    `beta_fast` and `beta_slow` are turns in a text of training, taken as given, where the registry's entry moves
    beta_fast within reach of a training length below 4 pi beta_fast. `attention` is an explicit attention factor, in
    place of the one of `mscale`, `mscale_all_dim` and s. A scale of 1 changes nothing. Raises `ValueError` for an
    unknown ramp, a base or a scale below 1, an attention factor not above 0, or unless 0 < beta_slow <= beta_fast;
    equal ones make a step of a ramp by index, and none of one by turns.
    """
    require(ramp in RAMPS, "ramp", f"be one of {', '.join(RAMPS)}", ramp)
    require(base >= 1, "base", "be at least 1", base)
    check_scale(scale)  # before its logarithm is asked for
    require(0 < beta_slow <= beta_fast, "beta_slow", f"be above 0 and at most beta_fast ({beta_fast:g})", beta_slow)
    require(attention is None or 0 < attention < math.inf, "attention", "be above 0 and finite", attention)
    if ramp == "rotations":
        gamma = kept(frequencies, train_length=train_length, alpha=beta_slow, beta=beta_fast)
    else:
        gamma = kept_by_index(
            len(frequencies),
            base=base,
            train_length=train_length,
            beta_fast=beta_fast,
            beta_slow=beta_slow,
            rounded=ramp == "index",
        ).to(frequencies.device)
    own = attention_factor(scale, mscale=mscale, mscale_all_dim=mscale_all_dim)
    return Scaled(blend(frequencies, gamma, scale), temperature=(own if attention is None else attention) ** -2)


SPEC = ScalingSpec(
    key="yarn",
    title="YaRN",
    summary="Fast pairs are kept, slow pairs interpolated, and the scores sharpened by a temperature.",
    paper=YARN,
    rule=lambda frequencies, *, train_length, beta_fast, beta_slow, **options: yarn(
        frequencies,
        train_length=train_length,
        beta_fast=within_reach(beta_fast, alpha=beta_slow, train_length=train_length),
        beta_slow=beta_slow,
        **options,
    ),
    parameters=(
        Parameter("ramp", "Ramp", "index", "In what the blend between kept and slowed is linear.", choices=RAMPS),
        Parameter(
            "beta_fast",
            "Beta fast",
            32.0,
            "Pairs that turn more often are kept; at most the larger of training length / 4 pi and 2 beta slow.",
            4,
            64,
            0.5,
        ),
        Parameter("beta_slow", "Beta slow", 1.0, "Pairs that turn less often are interpolated.", 0.25, 2, 0.25),
    ),
)
