"""What a model does with positions, as its configuration says it: the result of an inspection."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.temperature import in_steps
from pe_core.rope_scaling.dynamic_ntk import dynamic_ntk

AHEAD_AS_BACK = "a token sees as far ahead as back"  # what is said where no mask is causal
Mechanism = Literal[
    "rope", "alibi", "learned", "sinusoidal", "buckets", "disentangled", "relative", "axial", "convolution", "none"
]

Layout = Literal["neighbours", "halves"]  # of the channels that are turned as a pair


@dataclass(frozen=True)
class Rotation:
    """RoPE in one kind of layer. Frequencies are in radians per token, float64, shape (pairs,), fastest first.

    `plain` are those before the rule, `frequencies` those after it, up to the original length; `beyond` those of a
    longer text where the rule has others: of any longer one for LongRoPE, of one `factor` times as long for dynamic
    NTK. `attention_factor` multiplies the cosines and sines of q and of k, `softmax_scale` all scores. Of the
    `head_dim` channels of a head `n_rotated` are turned; pairs of frequency 0 count as turned. `axes` says
    of each pair of a multimodal model whether it counts time 0, height 1 or width 2.
    """

    rule: str
    base: float
    head_dim: int
    n_rotated: int
    factor: float | None
    original_length: int | None
    plain: Tensor
    frequencies: Tensor
    beyond: Tensor | None = None
    attention_factor: float = 1.0
    softmax_scale: float = 1.0
    axes: Tensor | None = None

    def at(self, length: int | None) -> Tensor:
        """Return the frequencies with which a text of `length` tokens is read, float64, (pairs,)."""
        trained = self.original_length
        if length is None or trained is None or length <= trained or self.beyond is None:
            return self.frequencies
        if self.rule != "dynamic" or self.factor is None:
            return self.beyond
        scale = length / trained
        longer = dynamic_ntk(self.plain, base=self.base, train_length=trained, scale=scale, factor=self.factor)
        return longer.frequencies

    def turns(self, length: int) -> Tensor:
        """Return how often each pair turns within a text of `length` tokens, shape (pairs,)."""
        return self.at(length) * length / (2 * math.pi)

    def n_turning(self) -> int:
        """Return how many channels belong to a pair of a frequency above 0: p-RoPE leaves some of them still."""
        return min(2 * int((self.frequencies > 0).sum()), self.n_rotated)

    def never_turning(self, length: int) -> int:
        """Return how many pairs turn less than once within `length` tokens."""
        return int((self.turns(length) < 1).sum())


@dataclass(frozen=True)
class QueryFactor:
    """What the query at position m is multiplied by: 1 + `strength` ln(1 + floor((m + `ahead`) / `floor`))."""

    strength: float
    floor: int
    ahead: int

    def at_end(self, length: int) -> float:
        """Return the factor of the last query of a text of so many tokens."""
        last = torch.tensor(length - 1)
        return float(in_steps(last, strength=self.strength, floor=self.floor, ahead=self.ahead))


@dataclass(frozen=True)
class LayerGroup:
    """Layers that do the same: their kind, their numbers from 0 or None if unknown, what they see, how they turn.

    A token sees itself and the `window` - 1 tokens before it where there is one, half of them behind it where it sees
    `both_sides`; with a `chunk` it sees its own block of so many tokens. `rotation` is None for layers that turn
    nothing, `query_factor` for layers whose queries do not grow with their position.
    """

    kind: str
    layers: tuple[int, ...] | None
    window: int | None = None
    both_sides: bool = False
    chunk: int | None = None
    rotation: Rotation | None = None
    query_factor: QueryFactor | None = None


@dataclass(frozen=True)
class Positions:
    """What a configuration says about positions, read as transformers 5.23 reads it.

    `level` is the path of the object that was read, empty for the outermost. `parts` are sentences on what each part of
    the model does, that on what was read first. `claimed_length` and `original_length` are
    in tokens, None where the file does not tell; the second is that before any rule: a model may have been trained
    further under its rule, which no field tells. `said` are the fields of the file that count, `filled` those that the
    class of the model fills in, `unknown` what no field tells, `warnings` what is likely a mistake, or a surprise.
    `pairs` is the layout in which the class turns channels, None where that is not known. A text is `cut` behind so
    many tokens where the model cuts it, whatever its table has.
    """

    model_type: str
    level: str
    mechanism: Mechanism
    parts: tuple[str, ...]
    groups: tuple[LayerGroup, ...]
    original_length: int | None
    claimed_length: int | None
    said: Mapping[str, Any]
    filled: Mapping[str, Any]
    unknown: tuple[str, ...]
    warnings: tuple[str, ...]
    pairs: Layout | None = None
    cut: int | None = None

    @property
    def summary(self) -> str:
        """What all parts do, in one sentence."""
        return "; ".join(part.removesuffix(".") for part in self.parts) + "."

    def trained(self, length: int) -> "Positions":
        """Return the same with the trained length that a field of the model's own code tells, in tokens."""
        turned = [one.rotation and replace(one.rotation, original_length=length) for one in self.groups]
        groups = (replace(one, rotation=own) for one, own in zip(self.groups, turned, strict=True))
        return replace(self, groups=tuple(groups), original_length=length)


def plain_rope(base: float, head_dim: int, n_rotated: int, length: int | None) -> Rotation:
    """Return RoPE without a rule on the first channels of a head, of a model that claims so many tokens."""
    frequencies = sinusoidal.frequencies(n_rotated, base)
    return Rotation("default", base, head_dim, n_rotated, None, length, frequencies, frequencies)


def named_lengths(original: int | None, claimed: int | None) -> dict[str, int]:
    """Return lengths in tokens by name, without one that is not told, or an original one that is the claimed one."""
    named = {"original": None if original == claimed else original, "claimed": claimed}
    return {name: length for name, length in named.items() if length is not None}
