"""The contract of a rule that makes RoPE reach further than it was trained: frequencies in, frequencies out."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor

from pe_core.parameters import Entry, Value, require


@dataclass(frozen=True)
class Scaled:
    """What a rule returns: the new frequencies, and by how much the scores are to be divided.

    `frequencies` (d / 2,) in radians per token, float64. `temperature` is the t of YaRN (section 3.4 of
    arXiv:2309.00071): the scores are divided by it, so that below 1 it sharpens the attention.
    """

    frequencies: Tensor
    temperature: float = 1.0

    @property
    def attention_factor(self) -> float:
        """By what published code multiplies the cosines and sines of q and of k: the root of 1 / temperature."""
        return 1 / math.sqrt(self.temperature)


def stretch(train_length: int, target_length: int) -> float:
    """Return s, how many times longer than those of training the text is: 1 for a shorter one, for none compresses.

    Raises `ValueError` for lengths below 1.
    """
    require(train_length >= 1, "train_length", "be at least 1", train_length)
    require(target_length >= 1, "target_length", "be at least 1", target_length)
    return max(1.0, target_length / train_length)


def check_scale(scale: float) -> None:
    """Raise `ValueError` unless s, by how much a rule stretches a text, is at least 1 and finite."""
    require(1 <= scale < math.inf, "scale", "be at least 1 and finite", scale)


@dataclass(frozen=True, kw_only=True)
class ScalingSpec(Entry):
    """A registry entry: a rule from frequencies to frequencies, for a text longer than those of training.

    A rule is given the `base`, the `train_length` and the `scale` s. For a text at hand s is its `stretch`. The factor
    of a published configuration is what its model was stretched by, and need not be claimed length / training length:
    Llama 3.1 claims 131,072 tokens after 8,192 and has the factor 8, not 16.
    """

    rule: Callable[..., Scaled]

    def __call__(
        self,
        frequencies: Tensor,
        *,
        base: float,
        train_length: int,
        target_length: int,
        params: Mapping[str, Value] | None = None,
    ) -> Scaled:
        """Return the frequencies (d / 2,) for a text of `target_length` tokens, of a model trained on `train_length`.

        `frequencies` are those of `base`, in radians per token; parameters not named keep their default. The length
        is that of the text: for a model whose configuration names a factor, call the `rule` with it as the scale.
        Raises `ValueError` for lengths below 1 and for parameters that do not exist or are not allowed.
        """
        scale = stretch(train_length, target_length)
        return self.rule(frequencies, base=base, train_length=train_length, scale=scale, **self.values(params))
