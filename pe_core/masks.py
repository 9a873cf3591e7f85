r"""Attention masks: boolean (T, T), row = query, column = key, True = may attend; every query may attend to itself.

A mask is the extreme case of a bias. Attention is the softmax of $S - M$ with scores $S$ and a matrix $M \ge 0$ that
is subtracted from them; a mask has $M = 0$ where a query may look and $M = \infty$ elsewhere (`subtractive`). ALiBi
($M = a\,\Delta$), KERPLE ($M$ = power or logarithm of $\Delta$) and Sandwich ($M$ nearly logarithmic in $\Delta$), at
distance $\Delta$, grow slowly where the window jumps: one family, all of which make far keys count for less.

- A row without a key has no softmax (NaN). A large finite number in place of infinity hides this, and overflows to
  infinity with a bias on top.
- Where there are fewer queries than keys, as with a cache, libraries disagree on which corner the mask starts from;
  here it is square, and the queries have its last rows.
- Through layers a window of W keys reaches W - 1 further back with each; what is beyond cannot be recalled.
- A model that was trained without a window can fail with one as soon as the first keys leave it (`sinks`).

Reference: Su 2023, kexue.fm/archives/9431 (in Chinese), for the subtracted matrix.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from pe_core.parameters import Entry, Paper, Parameter, Value, require, tokens

Convention = Literal["with self", "without self"]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)


def causal(n: int) -> Tensor:
    """Return the mask that lets each position see itself and all before it, shape (n, n)."""
    require(n >= 1, "n", "be at least 1", n)
    return torch.ones(n, n, dtype=torch.bool).tril()


def causal_rows(n_queries: int, n: int, device: torch.device | str = "cpu") -> Tensor:
    """Return the last `n_queries` rows of `causal(n)`, shape (n_queries, n), made on a device."""
    require(0 <= n_queries <= n, "n_queries", f"be at most the number of keys ({n})", n_queries)
    keys = torch.arange(n, device=device)
    return keys <= keys[n - n_queries :, None]


def sliding_window(n: int, window: int, *, convention: Convention = "with self") -> Tensor:
    """Return the causal mask that lets each position see the last few keys only, shape (n, n).

    With self, as in Mistral, `window` counts the query too: m sees j where m - window < j <= m. Without self, as in
    flash-attn and attention-gym, it counts the keys before the query, so that there is one more: m - window <= j <= m.
    Source: Beltagy et al. 2020, "Longformer", arXiv:2004.05150, section 3.1.
    """
    require(convention in CONVENTIONS, "convention", f"be one of {', '.join(CONVENTIONS)}", convention)
    least = 1 if convention == "with self" else 0
    require(window >= least, "window", f"be at least {least} ({least} keeps only the query itself)", window)
    return causal(n).triu(least - window)


def sinks(n: int, window: int, n_sinks: int) -> Tensor:
    """Return the causal mask of the first `n_sinks` keys and the last `window`, the query included, shape (n, n).

    A softmax has to put its weight somewhere, and trained models put what they do not need on the first keys. Source:
    Xiao et al. 2023, arXiv:2309.17453, section 3.2 (4 sinks); the paper also counts positions anew within the cache.
    LM-Infinite, Han et al. 2023, arXiv:2308.16137, has 10 of them and a window of the training length, 4,096. The other
    half of its idea caps distances at the training length, too: the encoding `rerope` with w = `window`.
    """
    require(n_sinks >= 0, "n_sinks", "be at least 0", n_sinks)
    return sliding_window(n, window) | causal(n) & (torch.arange(n) < n_sinks)


def dilated(n: int, window: int, dilation: int) -> Tensor:
    """Return the causal mask of `window` keys with gaps: the query and every `dilation`-th key back, shape (n, n).

    Query m sees j where m - j is one of 0, dilation, 2 dilation .. (window - 1) dilation. Where all heads and layers
    have the same dilation, no token ever hears of those in the gaps. Source: Longformer, arXiv:2004.05150, section 3.1.
    """
    require(dilation >= 1, "dilation", "be at least 1 (1 leaves no gaps)", dilation)
    require(window >= 1, "window", "be at least 1 (1 keeps only the query itself)", window)
    distance = torch.arange(n)[:, None] - torch.arange(n)
    return sliding_window(n, (window - 1) * dilation + 1) & (distance % dilation == 0)


def chunked(n: int, chunk: int) -> Tensor:
    """Return the causal mask within chunks of `chunk` tokens that follow each other, shape (n, n).

    Query m sees j where j <= m and floor(j / chunk) = floor(m / chunk): the first token of a chunk sees itself only,
    the last one the whole chunk, and more layers reach no further. Source: Child et al. 2019, arXiv:1904.10509,
    section 4.3 (half of the heads of the fixed pattern); Llama 4 has chunks of 8,192 in its layers with RoPE.
    """
    require(chunk >= 1, "chunk", "be at least 1 (1 keeps only the query itself)", chunk)
    number = torch.arange(n) // chunk
    return causal(n) & (number[:, None] == number)


def prefix(n: int, n_prefix: int) -> Tensor:
    """Return the mask whose first `n_prefix` positions see each other both ways; from there on it is causal, (n, n).

    Within the prefix a model sees the next token, so a loss of prediction counts behind it only. Source: Raffel et al.
    2019, arXiv:1910.10683, section 3.2.1.
    """
    require(n_prefix >= 0, "n_prefix", "be at least 0", n_prefix)
    return causal(n) | (torch.arange(n) < n_prefix)


def subtractive(mask: Tensor, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return what is subtracted from the scores, same shape: 0 where `mask` is True, infinity elsewhere."""
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, torch.inf)


@dataclass(frozen=True, kw_only=True)
class MaskSpec(Entry):
    """A registry entry: who may look at whom in a text of n tokens, for a model trained on texts of `train_length`."""

    make: Callable[[int, int, Mapping[str, Any]], Tensor]
    sees_ahead: bool = False  # then the loss of a next token says nothing: the token is seen

    def build(self, n: int, train_length: int, params: Mapping[str, Value] | None = None) -> Tensor:
        """Return the mask, boolean (n, n); parameters not named keep their default, sizes follow the training length.

        Raises `ValueError` for a length below 1 and for parameters that do not exist or are not allowed.
        """
        require(train_length >= 1, "train_length", "be at least 1", train_length)
        return self.make(n, train_length, self.values(params))


_WINDOW = Parameter(
    "window", "Window (training lengths)", 0.5, "Keys that a query sees, in training lengths.", 0.05, 8.0, 0.05
)
_CONVENTION = Parameter(
    "convention", "Counted", "with self", "Whether the window counts the query.", choices=CONVENTIONS
)
_SINKS = Parameter("n_sinks", "Sinks", 4, "First keys, which every query sees.", 0, 64)
_GLOBAL = Parameter(
    "first",
    "First keys (training lengths)",
    0.0024,
    "Keys that every query sees, in training lengths.",
    0.0,
    0.25,
    0.0004,
)
_DILATION = Parameter("dilation", "Dilation", 2, "Every which key back is seen.", 1, 16)
_CHUNK = Parameter("chunk", "Chunk (training lengths)", 0.5, "Tokens of a chunk, in training lengths.", 0.05, 8.0, 0.05)
_PREFIX = Parameter(
    "prefix", "Prefix (training lengths)", 0.25, "Tokens that are seen both ways, in training lengths.", 0.0, 1.0, 0.05
)


_LONGFORMER = Paper("Longformer: The Long-Document Transformer", "Beltagy et al.", 2020, "2004.05150")
_T5 = "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer"
_LM_INFINITE = "LM-Infinite: Zero-Shot Extreme Length Generalization for Large Language Models"

MASKS: dict[str, MaskSpec] = {
    spec.key: spec
    for spec in (
        MaskSpec(
            key="causal",
            title="Causal",
            summary="Each position sees itself and all before it.",
            paper=Paper("Attention Is All You Need", "Vaswani et al.", 2017, "1706.03762"),
            make=lambda n, train_length, params: causal(n),
        ),
        MaskSpec(
            key="window",
            title="Sliding window",
            summary="Each position sees the last few only, itself included: the same window at any length.",
            paper=_LONGFORMER,
            make=lambda n, length, params: sliding_window(
                n, tokens(params["window"], length), convention=params["convention"]
            ),
            parameters=(_WINDOW, _CONVENTION),
        ),
        MaskSpec(
            key="sinks",
            title="Window and sinks",
            summary="Each position sees the last few and the first ones, where models often rest unused attention.",
            paper=Paper("Efficient Streaming Language Models with Attention Sinks", "Xiao et al.", 2023, "2309.17453"),
            make=lambda n, length, params: sinks(n, tokens(params["window"], length), params["n_sinks"]),
            parameters=(_WINDOW, _SINKS),
        ),
        MaskSpec(
            key="lambda",
            title="Lambda (LM-Infinite)",
            summary="Each position sees the first ones and a window, one training length by default: causal within it.",
            paper=Paper(_LM_INFINITE, "Han et al.", 2023, "2308.16137"),
            make=lambda n, length, params: sinks(n, tokens(params["window"], length), ceil(params["first"] * length)),
            parameters=(replace(_WINDOW, default=1.0), _GLOBAL),
        ),
        MaskSpec(
            key="dilated",
            title="Dilated window",
            summary="Each position sees itself and, of those before, one in every few: farther with as many keys.",
            paper=_LONGFORMER,
            make=lambda n, length, params: dilated(n, tokens(params["window"], length), params["dilation"]),
            parameters=(replace(_WINDOW, default=0.25), _DILATION),
        ),
        MaskSpec(
            key="chunked",
            title="Chunks",
            summary="Each position sees itself and those before it in its own chunk, and nothing of earlier chunks.",
            paper=Paper("Generating Long Sequences with Sparse Transformers", "Child et al.", 2019, "1904.10509"),
            make=lambda n, length, params: chunked(n, tokens(params["chunk"], length)),
            parameters=(_CHUNK,),
        ),
        MaskSpec(
            key="prefix",
            title="Prefix",
            summary="The first tokens see each other both ways, all later ones look back only.",
            paper=Paper(_T5, "Raffel et al.", 2019, "1910.10683"),
            make=lambda n, length, params: prefix(n, round(params["prefix"] * length)),
            parameters=(_PREFIX,),
            sees_ahead=True,
        ),
    )
}
