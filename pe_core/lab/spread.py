"""How thinly models attend the more they have read: over a text at every position, in a task where it answers."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from pe_core.lab.examples import Examples
from pe_core.lab.inside import Reading, attention, entropies, entropy_by_position, keys_seen, share_of_even

BLOCK = 8  # positions of a text that share a point


@dataclass(frozen=True, eq=False)
class Spread:
    """Entropy of attention against how much has been read, by encoding.

    `read` (P,) counts what has been read. `entropy` in nats and `share` of what even attention to the same keys would
    have are (layers, H, P) by encoding; `even` (P,) is that of even attention. All are float64.
    """

    read: Tensor
    entropy: Mapping[str, Tensor]
    share: Mapping[str, Tensor]
    even: Tensor

    def within(self, length: int) -> int:
        """Return the place of the last point that is not beyond a length."""
        return int((self.read <= length).nonzero()[-1])


def over_positions(readings: Mapping[str, Reading], texts: Tensor) -> Spread:
    """Return the spread over `texts` (N, T), T a multiple of 8: the mean of every 8 positions, each read by its query.

    The query at position m of a causal model has read m + 1 characters, so position is length.
    """
    length = texts.shape[1]
    n_keys = _keys(readings, length)
    found = {key: entropy_by_position(reading, texts) for key, reading in readings.items()}
    shares = {key: in_blocks(share_of_even(one, n_keys)) for key, one in found.items()}
    read = in_blocks(torch.arange(1, length + 1, dtype=torch.float64))
    return Spread(read, {key: in_blocks(one) for key, one in found.items()}, shares, in_blocks(n_keys.double().log()))


def where_asked(readings: Mapping[str, Reading], examples: Mapping[int, Examples]) -> Spread:
    """Return the spread of the queries that answer, for `examples` by their length: the mean over all that is asked."""
    entropy: dict[str, list[Tensor]] = {key: [] for key in readings}
    share: dict[str, list[Tensor]] = {key: [] for key in readings}
    even = []
    for one in examples.values():
        n_keys = _keys(readings, one.inputs.shape[1]).expand(one.inputs.shape)
        even.append(n_keys[one.asked].double().log().mean())
        for key, reading in readings.items():
            found = torch.cat([_at_answers(reading, *row) for row in zip(one.inputs, one.asked, strict=True)], dim=-1)
            entropy[key].append(found.mean(-1))
            share[key].append(share_of_even(found, n_keys[one.asked]).nanmean(-1))
    read = torch.tensor(list(examples), dtype=torch.float64)
    return Spread(read, _joined(entropy), _joined(share), torch.stack(even))


@torch.inference_mode()
def _at_answers(reading: Reading, tokens: Tensor, asked: Tensor) -> Tensor:
    """Return the entropies in nats of the queries of one example that answer, (layers, H, answers)."""
    return entropies(attention(reading, tokens[None]))[:, 0, :, asked]


def _keys(readings: Mapping[str, Reading], length: int) -> Tensor:
    return keys_seen(next(iter(readings.values())).config, length)  # models of one run have one mask


def _joined(found: Mapping[str, list[Tensor]]) -> dict[str, Tensor]:
    return {key: torch.stack(values, dim=-1) for key, values in found.items()}


def in_blocks(values: Tensor) -> Tensor:
    """Return the means of every 8 positions, (..., T / 8), NaN left out."""
    return values.reshape(*values.shape[:-1], -1, BLOCK).nanmean(-1)
