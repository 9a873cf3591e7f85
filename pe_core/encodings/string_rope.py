r"""STRING: RoPE whose far distances are told as shorter ones, which training has met more often.

The distance $\Delta = m - n$ in the score becomes $\Delta - S + W$ where $\Delta \ge S$. A text of L tokens has few
pairs at a distance near L, so a model is trained least on the longest distances; after the shift none that was
at least S is above $L - 1 - S + W$. W keeps the nearest keys apart from those at distance S, which would else count as
the query itself: distances from W to S - 1 have two meanings instead. With W = S it is plain RoPE.

The paper takes S = L / 3 (it advises a third to a half of L) and W = 128 tokens of 131,072, at least 32. Here W is 1/10
of the training length by default, since so small a fraction of a short one is less than a token. The paper stays
within the training length; beyond it distances are S - W shorter and still grow with the text. Keys after the query
keep the score of RoPE: the idea is causal.

Here `rotate` is RoPE, and `bias` adds the differences to the scores of the far keys, as ReRoPE does. The idea is meant
for a model trained with RoPE, without any training of its own. The published code multiplies queries and keys by
1 + 0.1 ln 2 besides, which equation 4 does not have; this is the paper's form. Another STRING (arXiv:2502.02562) is
about separable encodings.
Reference: An et al. 2024, "Why Does the Effective Context Length of LLMs Fall Short?", arXiv:2410.18745, equation 4.
"""

from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.rerope import Corrected, Told
from pe_core.encodings.rotary import rope
from pe_core.parameters import Paper, Parameter, require, tokens


def told(positions: Tensor, *, shift: int, window: int) -> tuple[Told]:
    """Return that distances from the `shift` S on are told as S - W shorter, W being the `window`, all in tokens."""
    require(1 <= window <= shift, "window", f"be from 1 to the shift ({shift})", window)
    return (Told(positions - shift + window, positions, positions, shift),)


SPEC = EncodingSpec(
    key="string",
    title="STRING",
    family="rotary",
    hooks=("rotate", "bias"),
    summary="RoPE that tells far keys as nearer ones, at distances that training has met more often.",
    paper=Paper("Why Does the Effective Context Length of LLMs Fall Short?", "An et al.", 2024, "2410.18745"),
    make=lambda shape, params: Corrected(
        rope(shape, params),
        told,
        shift=tokens(params["shift"], shape.train_length),
        window=tokens(params["window"], shape.train_length),
    ),
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter(
            "shift", "Shift", 0.35, "Distance from which keys count as nearer, in training lengths.", 0.25, 0.95, 0.05
        ),
        Parameter(
            "window", "Window", 0.1, "What the shift leaves of that distance, in training lengths.", 0.05, 0.25, 0.05
        ),
    ),
)
