r"""Contextual position encoding (CoPE): a key's position is how many tokens the query has counted on the way to it.

Query m counts key t with the gate $g_{mt} = \sigma(q_m \cdot k_t / \sqrt{d})$. Key n then stands at
$p_{mn} = \sum_{t=n}^{m} g_{mt}$, both ends included, at most $p_{max} - 1$, and the score gains $q_m \cdot e[p_{mn}]$.
The learned table $e$ has $p_{max}$ rows; between two of them a fractional place is interpolated. Where every gate is
open, p is the distance plus one, up to the last row.

- The paper writes the gate without $1/\sqrt{d}$; the code in its appendix and x-transformers have the scaled
  scores at hand and use those. So does this module. What is added is not scaled, as there.
- The code starts from a table of zeros. Then all rows are alike, and since $\partial B / \partial p = q \cdot
  (e[\lceil p \rceil] - e[\lfloor p \rfloor])$ no gate would learn from the position. Here rows start small and unlike.
- Rows that no count reaches get no gradient. One table serves all heads and layers.
- It counts along the text and reads no `positions`; it is causal only; it needs T x T gates, so no fused kernel.

Reference: Golovneva et al. 2024, "Contextual Position Encoding: Learning to Count What's Important", arXiv:2405.18719,
and the code in its appendix.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings.adapters import Tabled
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.batch import hide_future
from pe_core.parameters import Paper, Parameter, require, tokens


def contextual_positions(q: Tensor, k: Tensor) -> Tensor:
    """Return the place of each key as each query counts it, (..., T_q, T), from `q` (..., T_q, d) and `k` (..., T, d).

    Row = query, column = key; the queries are the last tokens. Places go from 0 to the number of keys between the two,
    both included, and are 0 after the query.
    """
    gates = (q @ k.mT / math.sqrt(q.shape[-1])).sigmoid().tril(k.shape[-2] - q.shape[-2])
    return gates.flip(-1).cumsum(-1).flip(-1)


def bias(q: Tensor, k: Tensor, table: Tensor) -> Tensor:
    """Return what is added to the scores, (..., T_q, T) in the dtype of `q`, -inf for keys after the query.

    `q` (..., T_q, d), `k` (..., T, d), `table` (p_max, d) one row per whole place. Half precision is counted in
    float32.
    """
    require(len(table) >= 2, "table", "have at least 2 rows, to tell near from far", len(table))
    dtype = torch.promote_types(q.dtype, torch.float32)  # bfloat16 cannot tell 256 from 257
    query, key = q.to(dtype), k.to(dtype)
    places = contextual_positions(query, key).clamp(max=len(table) - 1)
    lower, upper = places.floor().long(), places.ceil().long()
    at_rows = query @ table.to(dtype).mT  # (..., T_q, p_max)
    added = torch.lerp(at_rows.gather(-1, lower), at_rows.gather(-1, upper), places.frac())
    return hide_future(added, torch.arange(k.shape[-2], device=q.device)).to(q.dtype)


SPEC = EncodingSpec(
    key="cope",
    title="CoPE",
    family="bias",
    summary="Each query decides by content which tokens count, and a key's position is the count on the way to it.",
    paper=Paper(
        "Contextual Position Encoding: Learning to Count What's Important", "Golovneva et al.", 2024, "2405.18719"
    ),
    make=lambda shape, params: Tabled(
        1 + tokens(params["largest"], shape.train_length),
        shape.head_dim,
        lambda q, k, positions, table: bias(q, k, table),
    ),
    parameters=(
        Parameter("largest", "Largest place", 0.5, "Where counting stops, in training lengths.", 0.1, 2.0, 0.05),
    ),
)
