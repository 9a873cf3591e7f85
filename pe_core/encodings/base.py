"""The contract of an encoding: the three places where position can enter a transformer, and the registry entry."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn

from pe_core.parameters import Entry, Value, require

Hook = Literal["embed", "rotate", "bias"]
Family = Literal["none", "absolute", "relative", "bias", "rotary"]
HOOKS: dict[Family, tuple[Hook, ...]] = {
    "none": (),
    "absolute": ("embed",),
    "relative": ("bias",),
    "bias": ("bias",),
    "rotary": ("rotate",),
}


class PositionalEncoding(nn.Module):
    """No position information ("NoPE"): nothing is added, nothing is turned, no score is shifted.

    An encoding overrides the one method it needs; a model calls all of them and never asks which encoding it has.

    `positions` are (T,), the same for all texts, or (B, T), one row per text: texts that are padded on the left or
    packed have positions of their own. They are those of the keys. Where there are fewer queries than keys, as in
    decoding with a cache, the queries are the last tokens: `q` (B, H, T_q, d) and `k` (B, H, T, d), T_q up to T. Shapes
    that do not fit raise a `ValueError` that names the value and the rule.
    Source: Haviv et al. 2022, arXiv:2203.16634; Kazemnejad et al. 2023, arXiv:2305.19466.
    """

    def reset_parameters(self, generator: torch.Generator) -> None:
        """Draw the learned parameters, if there are any, from `generator`."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        """Return token embeddings with position, (B, T, D), from `x` (B, T, D) and `positions` (T,) or (B, T)."""
        return x

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return queries (B, H, T_q, d) and keys (B, H, T, d) with position, each turned by its own `positions`.

        Both keep their width, or get another one: scores are divided by the root of the width they have then.
        """
        return q, k

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor | None:
        """Return what is added to the scaled scores, broadcastable to (B, H, T_q, T), or None for nothing.

        `q` and `k` are what `rotate` has returned, `positions` those of the keys.
        """
        return None

    def at_layer(self, layer: int) -> "PositionalEncoding":
        """Return the encoding of one layer, counted from 0: itself, unless layers differ."""
        return self

    def mask(self, positions: Tensor) -> Tensor | None:
        """Return which keys each token may see, boolean, of those that the model lets it see; None for all.

        (T, T), or (B, 1, T, T) where texts differ. It has a row for every token; a model with fewer queries takes the
        last ones.
        """
        return None

    def seeing(self, mask: Tensor) -> "PositionalEncoding":
        """Return the encoding for queries that see these keys, `mask` (..., T_q, T): itself, unless it counts them."""
        return self

    def reading(self, x: Tensor) -> "PositionalEncoding":
        """Return the encoding for a layer whose input is `x` (B, T, D), a row per key: itself, unless it reads that."""
        return self

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        """Raise `ValueError` if tokens at `new` positions cannot join those at `cached` ones, (T,) or (B, T) each.

        A model that decodes asks this before it adds tokens to its cache. What layers have kept of a token is out of
        date where it depends on the length of the text; nothing does here.
        """


class Chain(PositionalEncoding):
    """Several encodings at once: embeddings and rotations in order, biases added up; a key is seen if all allow it."""

    def __init__(self, *encodings: PositionalEncoding) -> None:
        super().__init__()
        self.encodings = cast(Iterable[PositionalEncoding], nn.ModuleList(encodings))

    def reset_parameters(self, generator: torch.Generator) -> None:
        for encoding in self.encodings:
            encoding.reset_parameters(generator)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        for encoding in self.encodings:
            x = encoding.embed(x, positions)
        return x

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        for encoding in self.encodings:
            q, k = encoding.rotate(q, k, positions)
        return q, k

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor | None:
        biases = (encoding.bias(q, k, positions) for encoding in self.encodings)
        present = [bias for bias in biases if bias is not None]
        return reduce(torch.add, present) if present else None

    def at_layer(self, layer: int) -> PositionalEncoding:
        return Chain(*(encoding.at_layer(layer) for encoding in self.encodings))

    def mask(self, positions: Tensor) -> Tensor | None:
        present = [mask for encoding in self.encodings if (mask := encoding.mask(positions)) is not None]
        return reduce(torch.logical_and, present) if present else None

    def seeing(self, mask: Tensor) -> PositionalEncoding:
        return Chain(*(encoding.seeing(mask) for encoding in self.encodings))

    def reading(self, x: Tensor) -> PositionalEncoding:
        return Chain(*(encoding.reading(x) for encoding in self.encodings))

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        for encoding in self.encodings:
            encoding.check_cache(cached, new)


class Masked(PositionalEncoding):
    """No position but a mask of its own: `rule`, with `sizes`, gives the keys seen in n tokens, boolean (n, n)."""

    def __init__(self, rule: Callable[..., Tensor], **sizes: int) -> None:
        super().__init__()
        self.rule = partial(rule, **sizes)

    def mask(self, positions: Tensor) -> Tensor | None:
        return self.rule(positions.shape[-1]).to(positions.device)


class ByLayer(PositionalEncoding):
    """An encoding per layer, in a pattern that repeats: layer l has that of place l mod length of the pattern.

    What is to be added to the embeddings stands before the layers and so in no pattern: chain it with this one. Layers
    that are given the same encoding share what it learns.
    """

    def __init__(self, *pattern: PositionalEncoding) -> None:
        super().__init__()
        require(len(pattern) >= 1, "pattern", "name at least one layer", len(pattern))
        distinct = list(dict.fromkeys(pattern))  # each once, or a file of its weights would have them twice
        self.encodings = cast(Iterable[PositionalEncoding], nn.ModuleList(distinct))
        self.places = tuple(distinct.index(encoding) for encoding in pattern)

    def reset_parameters(self, generator: torch.Generator) -> None:
        for encoding in self.encodings:
            encoding.reset_parameters(generator)

    def at_layer(self, layer: int) -> PositionalEncoding:
        return tuple(self.encodings)[self.places[layer % len(self.places)]].at_layer(layer)

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        for encoding in self.encodings:
            encoding.check_cache(cached, new)


@dataclass(frozen=True)
class Shape:
    """The model that an encoding is built for: width, heads, length seen in training and longest length asked of it."""

    d_model: int
    n_heads: int
    train_length: int
    max_length: int

    def __post_init__(self) -> None:
        for name in ("d_model", "n_heads", "train_length", "max_length"):
            require(getattr(self, name) >= 1, name, "be at least 1", getattr(self, name))
        require(self.d_model % self.n_heads == 0, "d_model", f"be divisible by n_heads ({self.n_heads})", self.d_model)

    @property
    def head_dim(self) -> int:
        """Width of one head, d."""
        return self.d_model // self.n_heads


@dataclass(frozen=True, kw_only=True)
class EncodingSpec(Entry):
    """A registry entry: everything that pages, lab, command line, tests and the README say of an encoding."""

    family: Family
    make: Callable[[Shape, Mapping[str, Any]], PositionalEncoding]
    hooks: tuple[Hook, ...] = ()  # where position enters; not given: where it does in the family, nowhere in "none"

    def __post_init__(self) -> None:
        object.__setattr__(self, "hooks", self.hooks or HOOKS[self.family])  # as a frozen dataclass has it set

    def build(self, shape: Shape, params: Mapping[str, Value] | None = None) -> PositionalEncoding:
        """Return the encoding for a model of this shape; parameters not named keep their default.

        Raises `ValueError` for a parameter that does not exist or a value it does not allow.
        """
        return self.make(shape, self.values(params))
