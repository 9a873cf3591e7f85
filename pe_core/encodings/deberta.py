r"""DeBERTa's disentangled attention: content asks for content, content for position, and position for content.

$$\frac{q_m \cdot k_n + q_m \cdot K^r_{\delta(m-n)} + k_n \cdot Q^r_{\delta(m-n)}}{\sqrt{3 d}}, \qquad
K^r = P W_k, \quad Q^r = P W_q$$

P is a learned table of 2 s relative positions, and $\delta(x) = \mathrm{clip}(b(x) + s, 0, 2 s - 1)$ its row.

- Version 1: $b(x) = x$, so all distances from s - 1 on share a row, and all keys at least s after the query.
- Versions 2 and 3: b counts buckets, exact up to s / 2 and logarithmic from there (`log_bucket`).

Two pitfalls. The paper writes $\delta(n, m)$ in the last term, the published code has m - n in both. And there are
three terms, so the product of the contents is divided by $\sqrt 3$ too: here the queries are, and with them the second
term. P and both W are shared by all layers here, and W has no bias; in DeBERTa each layer has its own W, which can also
be that of its contents. There absolute positions join before the output layer, here none do.

Reference: He et al. 2020, "DeBERTa: Decoding-enhanced BERT with Disentangled Attention", arXiv:2006.03654, section 3.1;
He, Gao & Chen 2021, arXiv:2111.09543. The rule of the buckets is that of the published code.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from pe_core.encodings.base import EncodingSpec, PositionalEncoding, Shape
from pe_core.encodings.batch import between, by_key, by_query, count_queries, whole
from pe_core.parameters import Paper, Parameter, require, tokens

TERMS = 3
ROUNDING = 1e-9  # of a logarithm: where it is a whole number, it must not be rounded up to the next


def log_bucket(distance: Tensor, *, n_buckets: int, max_distance: int) -> Tensor:
    r"""Return the signed bucket of each whole `distance` (query minus key), int64, same shape.

    Up to half of the buckets, h, it is the distance itself, from there on
    $h + \lceil (h - 1) \ln(x / h) / \ln((M - 1) / h) \rceil$ with the sign of the distance, which is `n_buckets` - 1 at
    M - 1, M = `max_distance`, and goes on growing. Raises `ValueError` unless `n_buckets` is even and at least 4, and
    unless M is at least h + 2.
    """
    require(n_buckets >= 4 and n_buckets % 2 == 0, "n_buckets", "be even and at least 4", n_buckets)
    half = n_buckets // 2
    rule = f"be at least {half + 2}, half of the buckets and 2"
    require(max_distance >= half + 2, "max_distance", rule, max_distance)
    away = distance.abs()
    wide = (away.clamp(min=half).to(torch.float64) / half).log() / math.log((max_distance - 1) / half) * (half - 1)
    buckets = torch.where(away <= half, away, half + (wide - ROUNDING).ceil().to(torch.int64))
    return buckets * distance.sign()


def rows(bucket: Tensor, span: int) -> Tensor:
    """Return the row of a table of 2 `span` relative positions for each `bucket` (query minus key), int64."""
    return (bucket + span).clamp(0, 2 * span - 1)


def scores(q: Tensor, k: Tensor, rows: Tensor, *, for_keys: Tensor, for_queries: Tensor) -> Tensor:
    """Return the two terms with a position, (B, H, T_q, T), from `q` (B, H, T_q, d) and `k` (B, H, T, d).

    `rows` are (T_q, T) or (B, 1, T_q, T), `for_keys` K^r and `for_queries` Q^r (H, 2 s, d). `q` has been divided by
    sqrt(3), as the contents of a query are; so all that is left to divide by is sqrt(d), and in the second term
    sqrt(3 d).
    """
    asked_by_query = by_query(q, for_keys, rows)
    asked_by_key = by_key(k, for_queries, rows) / math.sqrt(TERMS)
    return (asked_by_query + asked_by_key) / math.sqrt(q.shape[-1])


class Deberta(PositionalEncoding):
    """Divide queries by sqrt(3) and add the two terms, in every layer; `bucket` is b, None where it is the distance.

    P starts as N(0, 0.02^2), the projections as N(0, 1/D).
    """

    def __init__(
        self, d_model: int, n_heads: int, *, span: int, bucket: Callable[[Tensor], Tensor] | None = None
    ) -> None:
        super().__init__()
        self.span = span
        self.bucket = bucket
        self.table = nn.Parameter(torch.empty(2 * span, d_model))
        self.key_weight = nn.Parameter(torch.empty(n_heads, d_model, d_model // n_heads))
        self.query_weight = nn.Parameter(torch.empty(n_heads, d_model, d_model // n_heads))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.table, std=0.02, generator=generator)
        for weight in (self.key_weight, self.query_weight):
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5, generator=generator)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        count_queries(q, k, positions)
        return q / math.sqrt(TERMS), k

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        n_queries = count_queries(q, k, positions)
        apart = whole(between(positions, torch.float64, n_queries=n_queries))
        chosen = rows(apart if self.bucket is None else self.bucket(apart), self.span)
        for_keys, for_queries = self.table @ self.key_weight, self.table @ self.query_weight
        return scores(q, k, chosen, for_keys=for_keys, for_queries=for_queries)


def _make_with_buckets(shape: Shape, params: Mapping[str, Any]) -> Deberta:
    n_buckets = params["n_buckets"]
    max_distance = max(tokens(params["reach"], shape.train_length), n_buckets // 2 + 2)
    bucket = partial(log_bucket, n_buckets=n_buckets, max_distance=max_distance)
    return Deberta(shape.d_model, shape.n_heads, span=n_buckets, bucket=bucket)


PAPER = Paper("DeBERTa: Decoding-enhanced BERT with Disentangled Attention", "He et al.", 2020, "2006.03654")

CLIP = Parameter("clip", "Clip", 1.0, "Distance, in training lengths, from which on keys look alike.", 0.25, 2.0, 0.05)

CLIPPED = EncodingSpec(
    key="deberta",
    title="DeBERTa",
    family="relative",
    hooks=("rotate", "bias"),
    summary="Content asks for positions and positions for content; far distances share a vector.",
    paper=PAPER,
    make=lambda shape, params: Deberta(shape.d_model, shape.n_heads, span=tokens(params["clip"], shape.train_length)),
    parameters=(CLIP,),
)

BUCKETS = EncodingSpec(
    key="deberta_v2",
    title="DeBERTa, log buckets",
    family="relative",
    hooks=("rotate", "bias"),
    summary="Content asks for positions and positions for content; far distances fall into wide buckets.",
    paper=PAPER,
    make=_make_with_buckets,
    parameters=(
        Parameter("n_buckets", "Buckets", 16, "Into how many classes the distances of one side fall.", 4, 64, 4),
        Parameter("reach", "Reach", 1.0, "Distance, in training lengths, up to which buckets widen.", 1.0, 8.0, 0.05),
    ),
)
