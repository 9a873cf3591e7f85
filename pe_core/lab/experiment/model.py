"""A decoder-only transformer that leaves position to its encoding, and what it keeps of a text that grows.

Read from `Attention` down to `Transformer`.
"""

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core import masks
from pe_core.encodings import PositionalEncoding, Shape
from pe_core.encodings.batch import rows_of_queries
from pe_core.parameters import require


class LayerCache:
    """What one layer keeps of all tokens so far: their inputs (B, T, D), keys and values (B, H, T, d).

    Keys are kept as they are before the encoding turns them, and all are turned anew for every new query. That is more
    work than keeping them turned, but right for every encoding: xPos counts from the middle of the text, StreamingLLM
    within its cache, and rules for longer texts change their frequencies. The inputs are for encodings that read them.
    """

    def __init__(self) -> None:
        self.kept: tuple[Tensor, ...] = ()

    def extend(self, x: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        """Add inputs, keys and values of new tokens, and return those of all; `ValueError` for other texts."""
        new = (x, k, v)
        n_texts = len(self.kept[0]) if self.kept else len(x)
        require(len(x) == n_texts, "tokens", f"have as many texts as the cache has ({n_texts})", len(x))
        self.kept = tuple(torch.cat(both, dim=-2) for both in zip(self.kept, new, strict=True)) if self.kept else new
        return self.kept


class Cache:
    """What the model keeps of one batch of texts; it grows with every call. After an error, begin with a new one."""

    def __init__(self, n_layers: int) -> None:
        self.layers = [LayerCache() for _ in range(n_layers)]
        self.positions: Tensor | None = None  # (T,) or (B, T) of all tokens so far

    def next_position(self) -> Tensor:
        """Return the position after the last one, (1,) or (B, 1), 0 at first."""
        return torch.zeros(1, dtype=torch.int64) if self.positions is None else self.positions[..., -1:] + 1

    def extend(self, positions: Tensor, encoding: PositionalEncoding) -> Tensor:
        """Add the positions of new tokens, and return those of all.

        Raises `ValueError` where they have another shape than those before, (T,) or (B, T), or other texts, and where
        the encoding would need the tokens before anew.
        """
        if self.positions is not None:
            before = tuple(self.positions.shape[:-1])
            rule = "be one row per text" if before else "be one row (T,)"
            rule += f", as those in the cache are {tuple(self.positions.shape)}"
            require(tuple(positions.shape[:-1]) == before, "positions", rule, tuple(positions.shape))
            encoding.check_cache(self.positions, positions)
            positions = torch.cat([self.positions, positions], dim=-1)
        self.positions = positions
        return positions


def check_mask(allowed: Tensor, n_new: int) -> None:
    """Raise `ValueError` if the mask `allowed` (..., T, T) lets earlier tokens see any of the last `n_new` ones."""
    n_before = allowed.shape[-2] - n_new
    ahead = allowed[..., :n_before, n_before:].any(dim=(*range(allowed.ndim - 2), -1)).nonzero().flatten()
    rule = "hide new tokens from those in the cache, which were read without them"
    require(not len(ahead), "mask", rule, f"token {int(ahead[0])} that looks ahead" if len(ahead) else "")


@dataclass(frozen=True, eq=False)
class Heads:
    """What the heads of one layer attend with: q (B, H, T_q, d), k and v (B, H, T, d), and what is added to the scores.

    `added` (B, H, T_q, T) is -inf where a key is not seen; None where nothing is added, the mask is causal and there
    are as many queries as keys.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    added: Tensor | None

    def attended(self) -> Tensor:
        """Return the values that each query gets, (B, H, T_q, d), by the fused kernel where it can be had.

        On the CPU it has no gradient for what is added to the scores. Where that is learned, torch falls back to a way
        of its own with the same numbers, which costs a tenth of a training step more than this one.
        """
        if self.added is not None and self.added.requires_grad and self.added.device.type == "cpu":
            return self.probabilities() @ self.v
        return F.scaled_dot_product_attention(self.q, self.k, self.v, self.added, is_causal=self.added is None)

    def probabilities(self) -> Tensor:
        """Return how much each query attends to each key, (B, H, T_q, T), which the fused kernel never writes down."""
        scores = self.q @ self.k.transpose(-2, -1) / math.sqrt(self.q.shape[-1])
        if self.added is None:
            return scores.masked_fill(~masks.causal(scores.shape[-1]).to(scores.device), -torch.inf).softmax(-1)
        return (scores + self.added).softmax(-1)


class Attention(nn.Module):
    """Causal multi-head self-attention on the fused kernel; the encoding turns q and k and shifts the scores."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self,
        x: Tensor,
        positions: Tensor,
        mask: Tensor | None,
        encoding: PositionalEncoding,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Return the attended values, (B, T, D), from `x` (B, T, D); `mask` (T, T) is causal where it is None."""
        attended = self.heads(x, positions, mask, encoding, cache).attended()
        joined: Tensor = self.out(attended.transpose(1, 2).reshape(x.shape))
        return joined

    def heads(
        self,
        x: Tensor,
        positions: Tensor,
        mask: Tensor | None,
        encoding: PositionalEncoding,
        cache: LayerCache | None = None,
    ) -> Heads:
        """Return what the heads attend with; arguments as in `forward`.

        A key is seen if both the mask and the encoding allow it. With a cache `x` are new tokens only; `positions` and
        `mask` are those of all tokens.
        """
        batch, n_queries, width = x.shape
        heads = self.qkv(x).view(batch, n_queries, 3, self.n_heads, width // self.n_heads)
        q, k, v = (one.transpose(1, 2) for one in heads.unbind(2))  # (B, H, T, d) each
        if cache is not None:
            x, k, v = cache.extend(x, k, v)
        n_keys = k.shape[-2]
        own = encoding.mask(positions)
        if mask is None:  # rows of the queries only: a long text that is read in parts never has its whole square
            allowed = masks.causal_rows(n_queries, n_keys, x.device)
            allowed = allowed if own is None else allowed & rows_of_queries(own, n_queries)
        else:
            rule = f"have a row and a column for each of the {n_keys} tokens"
            require(mask.shape[-2:] == (n_keys, n_keys), "mask", rule, tuple(mask.shape))
            allowed = mask if own is None else mask & own
            if n_queries < n_keys:
                check_mask(allowed, n_queries)
            allowed = rows_of_queries(allowed, n_queries)
        with _full_precision(x, q):
            encoding = encoding.reading(x).seeing(allowed)
            turned_q, turned_k = encoding.rotate(q.to(x.dtype), k.to(x.dtype), positions)
            bias = encoding.bias(turned_q, turned_k, positions)
        q, k = turned_q.to(v.dtype), turned_k.to(v.dtype)
        if bias is None and mask is None and own is None and n_queries == n_keys:
            return Heads(q, k, v, None)
        # A subtraction: filling what is hidden takes ten times as long where the texts of a batch share their mask.
        added = (0 if bias is None else bias.to(q.dtype)) - masks.subtractive(allowed, dtype=q.dtype)
        return Heads(q, k, v, added.expand(batch, self.n_heads, n_queries, n_keys))  # four dimensions, as kernels want


def _full_precision(x: Tensor, q: Tensor) -> AbstractContextManager[object]:
    """Return what keeps the encoding in the precision of the layer's input where matrices are multiplied in less."""
    return nullcontext() if q.dtype == x.dtype else torch.autocast(x.device.type, enabled=False)


class Block(nn.Module):
    """Attention, then a two-layer network, each on normalised input and added to the residual stream."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(d_model, bias=False)
        self.attention = Attention(d_model, n_heads)
        self.network_norm = nn.LayerNorm(d_model, bias=False)
        self.network = nn.Sequential(
            nn.Linear(d_model, 4 * d_model, bias=False), nn.GELU(), nn.Linear(4 * d_model, d_model, bias=False)
        )

    def forward(
        self,
        x: Tensor,
        positions: Tensor,
        mask: Tensor | None,
        encoding: PositionalEncoding,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Return the residual stream after this block, (B, T, D)."""
        x = x + self.attention(self.attention_norm(x), positions, mask, encoding, cache)
        added: Tensor = self.network(self.network_norm(x))
        return x + added


class Transformer(nn.Module):
    """Token embeddings, blocks, a final norm and an output layer of its own (not tied to the embeddings).

    No layer has a bias: the loss is the same and a step a tenth faster. Embeddings start with a standard deviation of
    0.02, as in GPT-2. `generator` draws the weights: the shared ones first, the encoding's own last, so that models
    which differ in their encoding only start from the same shared ones.
    """

    def __init__(
        self,
        vocab_size: int,
        shape: Shape,
        n_layers: int,
        encoding: PositionalEncoding,
        *,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, shape.d_model)
        self.blocks = nn.ModuleList(Block(shape.d_model, shape.n_heads) for _ in range(n_layers))
        self.norm = nn.LayerNorm(shape.d_model, bias=False)
        self.head = nn.Linear(shape.d_model, vocab_size, bias=False)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5, generator=generator)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=0.02, generator=generator)
        self.encoding = encoding
        encoding.reset_parameters(generator)
        self.multiplies_in: torch.dtype | None = None  # a shorter type than that of the parameters, for speed

    @property
    def device(self) -> torch.device:
        """Where it computes: tokens, positions and masks have to be there."""
        return self.embedding.weight.device

    def forward(
        self,
        tokens: Tensor,
        *,
        positions: Tensor | None = None,
        mask: Tensor | None = None,
        encoding: PositionalEncoding | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Return the logits of the next token, (B, T, vocabulary), from `tokens` (B, T).

        `positions` (T,), or (B, T) where texts differ, count from 0 unless given. `mask` (T, T) or (B, 1, T, T), True =
        may attend, is causal unless given. Another `encoding` than the trained one can stand in for it.

        With a `cache`, `tokens` and `positions` are the new ones, which count on from those in the cache unless given,
        and the mask is that of all tokens. The logits are those that the last tokens get when all are read at once.
        Raises `ValueError` where positions or mask do not fit, and where the cache would be out of date.
        """
        encoding = self.encoding if encoding is None else encoding
        if positions is None:
            positions = torch.arange(tokens.shape[1], device=tokens.device)
            positions = positions if cache is None else positions + cache.next_position().to(tokens.device)
        shapes = (tuple(tokens.shape[1:]), tuple(tokens.shape))
        rule = f"have the shape {shapes[0]} or {shapes[1]}, as tokens have"
        require(tuple(positions.shape) in shapes, "positions", rule, tuple(positions.shape))
        x = encoding.embed(self.embedding(tokens), positions)
        everywhere = positions if cache is None else cache.extend(positions, encoding)
        with self._precision():
            for layer, block in enumerate(self.blocks):
                kept = None if cache is None else cache.layers[layer]
                x = block(x, everywhere, mask, encoding.at_layer(layer), kept)
            logits: Tensor = self.head(self.norm(x))
        return logits.to(self.head.weight.dtype)

    def _precision(self) -> AbstractContextManager[object]:
        """Return what lets matrices be multiplied in `multiplies_in`; norms, encodings and losses are exact as ever."""
        if self.multiplies_in is None:
            return nullcontext()
        return torch.autocast(self.device.type, self.multiplies_in)
