r"""BERT's relative vectors: a learned vector $e_{m-n}$ for each distance, multiplied with the query or with both sides.

- `relative_key`: $(q_m \cdot k_n + q_m \cdot e_{m-n}) / \sqrt{d}$.
- `relative_key_query`: $(q_m \cdot k_n + q_m \cdot e_{m-n} + k_n \cdot e_{m-n}) / \sqrt{d}$. One table serves both
  terms, so a key can ask for a distance as a query can.

The table has a row for each of the 2 N - 1 distances in a text of N tokens, and nothing is clipped: a text longer than
N has no rows. Here N is the longest text that the model is asked for, so rows of distances past those of training
exist, but no gradient ever reaches them. Unlike in Shaw's paper nothing is added to the values. All heads share the
table, as in BERT; here the layers share it too, where BERT has one for each.

Reference: Shaw, Uszkoreit & Vaswani 2018, arXiv:1803.02155; Huang et al. 2020, "Improve Transformer Models with Better
Relative Position Embeddings", arXiv:2009.13658, method 4; the names are those of Hugging Face's BERT.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings import shaw
from pe_core.encodings.adapters import Tabled
from pe_core.encodings.base import EncodingSpec, Shape
from pe_core.encodings.batch import between, by_key, by_query, count_queries, whole
from pe_core.parameters import Paper, require


def scores(q: Tensor, k: Tensor, table: Tensor, positions: Tensor, *, both: bool) -> Tensor:
    """Return what is added to the scaled scores, (B, H, T, T), from `q` and `k` (B, H, T, d) and `table` (2N - 1, d).

    The middle row is that of distance 0, later ones are those of keys before the query. With `both` the keys are
    multiplied too. Raises `ValueError` for an even number of rows, and for distances that are not whole or not below N.
    """
    require(len(table) % 2 == 1, "table", "have an odd number of rows", len(table))
    n_queries = count_queries(q, k, positions)
    apart = whole(between(positions, torch.float64, n_queries=n_queries))
    reach = int(apart.abs().max()) if apart.numel() else 0
    middle = len(table) // 2
    require(reach <= middle, "positions", f"lie at most {middle} apart, the rows of the table", reach)
    asked = table[middle - reach : middle + reach + 1]  # the rows that this text needs, and no product with others
    added = by_query(q, asked, apart + reach)
    if both:
        added = added + by_key(k, asked, apart + reach)
    return added / math.sqrt(q.shape[-1])


def _make(shape: Shape, *, both: bool) -> Tabled:
    n_rows = 2 * shape.max_length - 1
    return Tabled(n_rows, shape.head_dim, lambda q, k, positions, table: scores(q, k, table, positions, both=both))


KEY = EncodingSpec(
    key="relative_key",
    title="BERT relative key",
    family="relative",
    summary="Each query is multiplied with a learned vector of the distance; every distance has its own.",
    paper=shaw.SPEC.paper,
    make=lambda shape, params: _make(shape, both=False),
)

KEY_QUERY = EncodingSpec(
    key="relative_key_query",
    title="BERT relative key and query",
    family="relative",
    summary="Each query and each key is multiplied with the learned vector of their distance.",
    paper=Paper(
        "Improve Transformer Models with Better Relative Position Embeddings", "Huang et al.", 2020, "2009.13658"
    ),
    make=lambda shape, params: _make(shape, both=True),
)
