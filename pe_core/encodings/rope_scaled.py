"""RoPE with a rule for longer contexts: turned by the frequencies that the rule gives for the length at hand.

Up to the training length every rule made for the text at hand is plain RoPE. So a model trained with this encoding has
learned plain RoPE, and beyond its training length it is seen with the rule applied and without any fine-tuning. Each
rule has its default parameters. The temperature divides the queries, and with them the scores.

Pitfall: the length is the largest position plus 1, so positions that start late count as a long text, and a rule that
follows the length turns all keys anew with each token beyond the training length.
Reference: the papers of the rules, in `pe_core.rope_scaling`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding, Shape
from pe_core.encodings.batch import count_queries, each_text
from pe_core.encodings.rotary import Layout
from pe_core.parameters import Parameter, require
from pe_core.rope_scaling import SCALINGS, Scaled, yarn


class ScaledRotary(PositionalEncoding):
    """Turn queries and keys by frequencies made for the length of the text, and divide q by the temperature."""

    def __init__(self, rule: Callable[..., Scaled], *, layout: Layout, shortest: int) -> None:
        super().__init__()
        self.rule = rule  # takes `target_length`, the tokens of a text
        self.layout = layout
        self.shortest = shortest  # the rule is asked for no shorter text

    def scaled(self, positions: Tensor) -> Scaled:
        """Return frequencies and temperature for a text whose last position is the largest of `positions` (T,)."""
        return self.rule(target_length=max(self.shortest, int(positions.max()) + 1))

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        if positions.ndim == 1:
            return self._rotate_text(q, k, positions)
        count_queries(q, k, positions)
        texts = [self._rotate_text(*text) for text in zip(q, k, positions, strict=True)]  # each by its own length
        turned_q, turned_k = zip(*texts, strict=True)
        return torch.stack(turned_q), torch.stack(turned_k)

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        for before, text in zip(each_text(cached), each_text(new), strict=True):
            kept, grown = self.scaled(before), self.scaled(torch.cat([before, text]))
            steady = torch.equal(kept.frequencies, grown.frequencies) and kept.temperature == grown.temperature
            rule = (
                "leave frequencies and temperature as they were for the cache, which the rule changes for longer texts"
            )
            require(steady, "positions", rule, new.tolist())

    def _rotate_text(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        scaled = self.scaled(positions)
        turned_q, turned_k = rotary.rotate_both(q, k, positions, scaled.frequencies, layout=self.layout)
        return turned_q / scaled.temperature, turned_k


def _make(shape: Shape, params: Mapping[str, Any]) -> PositionalEncoding:
    frequencies, base = rotary.frequencies(shape.head_dim, params["base"]), params["base"]
    rule = partial(SCALINGS[params["scaling"]], frequencies, base=base, train_length=shape.train_length)
    shortest = shape.train_length if params["made_for"] == "this text" else shape.max_length
    encoding = ScaledRotary(rule, layout=params["layout"], shortest=shortest)
    encoding.scaled(torch.tensor([shape.max_length - 1]))  # a rule that refuses the shape does so here, not in a model
    return encoding


SPEC = EncodingSpec(
    key="rope_scaled",
    title="RoPE, scaled",
    family="rotary",
    summary="RoPE whose frequencies are changed by a rule, for texts longer than those of training.",
    paper=yarn.SPEC.paper,
    make=_make,
    parameters=(
        sinusoidal.BASE,
        rotary.LAYOUT,
        Parameter("scaling", "Rule", "yarn", "How the frequencies change.", choices=tuple(SCALINGS)),
        Parameter(
            "made_for",
            "Made for",
            "this text",
            "Whether the rule looks at the length of the text at hand, or always at the longest one.",
            choices=("this text", "longest text"),
        ),
    ),
)
