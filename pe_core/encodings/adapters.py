"""Pure functions as encodings, where an encoding has nothing but a function, and perhaps a learned table.

Arguments of the function that stay the same are given by name.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from pe_core.encodings.base import PositionalEncoding
from pe_core.encodings.batch import add, count_queries, of_queries


class Embedded(PositionalEncoding):
    """Add `table(positions, width, dtype=...)`, a row per position, to the token embeddings; nothing is learned."""

    def __init__(self, table: Callable[..., Tensor], **given: Any) -> None:
        super().__init__()
        self.table = partial(table, **given)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return add(x, self.table(positions, x.shape[-1], dtype=x.dtype))


class Turned(PositionalEncoding):
    """Change queries and keys of every layer by `turn(x, positions)`, each by its own; nothing is learned."""

    def __init__(self, turn: Callable[..., Tensor], **given: Any) -> None:
        super().__init__()
        self.turn = partial(turn, **given)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        of_q = of_queries(positions, count_queries(q, k, positions))
        return self.turn(q, of_q), self.turn(k, positions)


class TurnedTogether(PositionalEncoding):
    """Change queries and keys of every layer by `turn(q, k, positions)`, both at once; nothing is learned."""

    def __init__(self, turn: Callable[..., tuple[Tensor, Tensor]], **given: Any) -> None:
        super().__init__()
        self.turn = partial(turn, **given)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.turn(q, k, positions)


class Biased(PositionalEncoding):
    """Add `added(positions, n_queries=..., dtype=...)` to the scores of every layer; nothing is learned."""

    def __init__(self, added: Callable[..., Tensor], **given: Any) -> None:
        super().__init__()
        self.added = partial(added, **given)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        return self.added(positions, n_queries=count_queries(q, k, positions), dtype=q.dtype)


class Tabled(PositionalEncoding):
    """Add `added(q, k, positions, table)` to the scores of every layer; the table is learned and starts as N(0, std^2).

    There are at most as many queries as keys, and as many positions as keys: that is checked before it is called.
    """

    def __init__(
        self, n_rows: int, width: int, added: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor], *, std: float = 0.02
    ) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(n_rows, width))
        self.added = added
        self.std = std

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.table, std=self.std, generator=generator)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        count_queries(q, k, positions)
        return self.added(q, k, positions, self.table)
