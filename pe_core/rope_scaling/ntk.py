r"""NTK-aware scaling: a larger base, $b' = b\,s^{d/(d-2)}$, which slows the slowest pair by s, the fastest not.

For $\omega_i = b^{-2i/d}$ that is $\omega_i' = \omega_i\,s^{-2i/(d-2)}$: base and length drop out. Su gives relatives
of it, all of the form $\omega_i\,s^{-e_i}$ with n = d/2 pairs:

- `aware`: $e_i = i/(n-1)$, the rule above.
- `old`: $e_i = i/n$, the base times s; even the slowest pair is slowed by less than s.
- `fixed`: $e_i = (i+1)/n$, so that the slowest pair is slowed by s, and the fastest a little.
- `mixed`: $e_i = ((i+1)/n)^{0.625}$, nearer to position interpolation.

Pitfall: pairs in the middle are slowed by less than s and meet angles that training never showed, so s has to be chosen
larger than the text needs.
Reference: bloc97 2023, "NTK-Aware Scaled RoPE", reddit.com/r/LocalLLaMA/comments/14lz7j5; Su 2023,
kexue.fm/archives/9706 (in Chinese).
"""

from typing import Literal, get_args

import torch
from torch import Tensor

from pe_core.parameters import Paper, Parameter, require
from pe_core.rope_scaling.base import Scaled, ScalingSpec, check_scale

Variant = Literal["aware", "old", "fixed", "mixed"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


def slowed(frequencies: Tensor, scale: float, *, variant: Variant = "aware") -> Tensor:
    """Return the frequencies (d / 2,) divided by powers of `scale` that grow with the pair, shape as given.

    Raises `ValueError` for an unknown variant, and in the variant `aware` for a head_dim below 4.
    """
    check_scale(scale)
    require(variant in VARIANTS, "variant", f"be one of {', '.join(VARIANTS)}", variant)
    n_pairs = len(frequencies)
    pair = torch.arange(n_pairs, dtype=torch.float64, device=frequencies.device)
    if variant == "aware":
        require(n_pairs >= 2, "head_dim", "be at least 4, for d / (d - 2) is the exponent", 2 * n_pairs)
        exponent = pair / (n_pairs - 1)
    elif variant == "old":
        exponent = pair / n_pairs
    else:
        exponent = ((pair + 1) / n_pairs) ** (1 if variant == "fixed" else 0.625)
    return frequencies * scale**-exponent


def ntk(frequencies: Tensor, *, base: float, train_length: int, scale: float, variant: Variant = "aware") -> Scaled:
    """Return the frequencies (d / 2,) slowed by powers of the scale s.

    Raises `ValueError` for an unknown variant, and in the variant `aware` for a head_dim below 4.
    """
    return Scaled(slowed(frequencies, scale, variant=variant))


SPEC = ScalingSpec(
    key="ntk",
    title="NTK-aware",
    summary="By default the base grows: slower pairs are slowed more, the slowest interpolated, the fastest kept.",
    paper=Paper("NTK-Aware Scaled RoPE (Reddit)", "bloc97", 2023, None),
    rule=ntk,
    parameters=(
        Parameter("variant", "Variant", "aware", "How the slowing is spread over the pairs.", choices=VARIANTS),
    ),
)
