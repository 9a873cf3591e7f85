"""Inside a trained model: who attends to whom at any length, how spread out attention is, and what the model writes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import PositionalEncoding
from pe_core.lab.experiment.datasets import NOT_ASKED, Examples
from pe_core.lab.experiment.model import Block, Transformer
from pe_core.lab.experiment.repair import AS_TRAINED, Repair
from pe_core.lab.experiment.settings import RunConfig, conditions
from pe_core.parameters import require


@dataclass(frozen=True, eq=False)
class InspectedModel:
    """A trained model under the mask and positions of its run, or under a repair."""

    model: Transformer
    config: RunConfig
    repair: Repair = AS_TRAINED

    def reads(self, length: int) -> tuple[Tensor | None, Tensor, PositionalEncoding]:
        """Return the mask (length, length), None where it is causal, positions (length,) and encoding of a text."""
        mask, told = conditions(self.config, length, self.repair, self.model.device)
        return mask, told(), self.repair.build(self.model.encoding, self.config.shape)


@torch.inference_mode()
def attention(inspected: InspectedModel, tokens: Tensor) -> Tensor:
    """Return how much each query attends to each key in every layer and head, (layers, N, H, T, T), of `tokens` (N, T).

    Rows sum to 1. Each layer reads what those before it have made with the same probabilities.
    """
    model, (mask, positions, encoding) = inspected.model, inspected.reads(tokens.shape[1])
    x = encoding.embed(model.embedding(tokens), positions)
    found: list[Tensor] = []
    for layer, block in enumerate(cast(Iterable[Block], model.blocks)):
        own = encoding.at_layer(layer)
        found.append(block.attention.heads(block.attention_norm(x), positions, mask, own).probabilities())
        if len(found) < len(model.blocks):
            x = block(x, positions, mask, own)
    return torch.stack(found)


def keys_by_layer(inspected: InspectedModel, length: int) -> Tensor:
    """Return the number of keys that each query may attend to in every layer, int64 (layers, length).

    They are those that the mask of the run or the repair allows, or fewer where the encoding has a mask of its own.
    """
    mask, positions, encoding = inspected.reads(length)
    allowed = masks.causal(length) if mask is None else mask
    own = (encoding.at_layer(layer).mask(positions) for layer in range(inspected.config.n_layers))
    return torch.stack([(allowed if seen is None else allowed & seen).sum(-1) for seen in own])


def entropies(probabilities: Tensor) -> Tensor:
    r"""Return the entropy $-\sum_j p_j \ln p_j$ of each query in nats, float64 (..., T), from (..., T, T)."""
    spread: Tensor = torch.special.entr(probabilities.double()).sum(-1)
    return spread


def on_answers(probabilities: Tensor, read: Tensor, answers: Tensor) -> Tensor:
    """Return how much attention the queries that answer give to keys which are the right answer, (layers, H).

    `probabilities` (layers, H, T, T) are those on the tokens `read` (T,); `answers` (T,) are the right ones, or
    `NOT_ASKED`.
    """
    is_right = read == answers[:, None]
    return (probabilities * is_right).sum(-1)[..., answers != NOT_ASKED].mean(-1)


def farther_than_trained(probabilities: Tensor, train_length: int) -> Tensor:
    """Return how much attention queries past the training length give to keys farther back than any in training, (...).

    It is the mean over these queries, of (..., T, T) with T above the training length.
    """
    return probabilities.tril(-train_length).sum(-1)[..., train_length:].mean(-1)


def fraction_of_even(entropy: Tensor, n_keys: Tensor) -> Tensor:
    """Return an entropy in nats (..., T) over ln of the number of keys (..., T), which even attention would have.

    A query with one key has no choice: NaN.
    """
    return entropy / n_keys.double().log().masked_fill(n_keys == 1, torch.nan)


@torch.inference_mode()
def logits(inspected: InspectedModel, tokens: Tensor) -> Tensor:
    """Return the logits of the next token at every position, (N, T, vocabulary), of texts, `tokens` (N, T)."""
    mask, positions, encoding = inspected.reads(tokens.shape[1])
    found: Tensor = inspected.model(tokens, positions=positions, mask=mask, encoding=encoding)
    return found


def written(
    inspected: InspectedModel, start: Tensor, length: int, *, temperature: float = 0.0, seed: int = 0
) -> Iterator[int]:
    """Yield the symbols with which a model goes on from `start` (T,), one by one, up to `length` with the start.

    With temperature 0 it is always the likeliest symbol, of several the first in the vocabulary; else one is drawn by
    the softmax of logits / temperature, from a generator of the seed. The whole text is read anew for each symbol, so
    that every repair means what it means in a measurement; a cache would keep keys as a shorter text had them.
    """
    require(len(start) >= 1, "start", "have at least one symbol", len(start))
    require(temperature >= 0, "temperature", "be at least 0", temperature)
    generator = torch.Generator().manual_seed(seed)
    text = start
    while len(text) < length:
        last = logits(inspected, text[None])[0, -1]
        symbol = int(_draw(last, temperature, generator)) if temperature else _likeliest(last)
        text = torch.cat([text, text.new_tensor([symbol])])
        yield symbol


def answered(inspected: InspectedModel, told: Tensor, asked: Tensor) -> Iterator[int]:
    """Yield the symbols of an example, `told` (T,), with the likeliest answers of a model where `asked` (T,) is true.

    The model reads its own answers, and what is not asked as it is told. The first symbol cannot be asked.
    """
    require(not bool(asked[0]), "asked", "be false at the first symbol", True)
    text = told.clone()
    for place, is_asked in enumerate(asked.tolist()):
        if is_asked:
            text[place] = _likeliest(logits(inspected, text[None, :place])[0, -1])
        yield int(text[place])


def _likeliest(last: Tensor) -> int:
    return int((last == last.max()).nonzero()[0])


def _draw(last: Tensor, temperature: float, generator: torch.Generator) -> Tensor:
    probabilities = ((last.double() - last.max()) / temperature).softmax(-1)
    return torch.multinomial(probabilities, 1, generator=generator)


BLOCK = 8  # positions of a text that share a point


@dataclass(frozen=True, eq=False)
class Spread:
    """Entropy of attention against how much has been read, by encoding.

    `read` (P,) counts what has been read. `entropy` in nats and `fraction`, of the entropy of even attention to the
    keys that the layer lets it see, are (layers, H, P) by encoding; `even` (P,) is that of even attention to all that
    the run's mask lets it see. All are float64.
    """

    read: Tensor
    entropy: Mapping[str, Tensor]
    fraction: Mapping[str, Tensor]
    even: Tensor

    def within(self, length: int) -> int:
        """Return the place of the last point that is not beyond a length."""
        return int((self.read <= length).nonzero()[-1])


def over_positions(models: Mapping[str, InspectedModel], texts: Tensor) -> Spread:
    """Return the spread over `texts` (N, T), T a multiple of 8: the mean of every 8 positions, each read by its query.

    The query at position m of a causal model has read m + 1 characters, so position is length.
    """
    length = texts.shape[1]
    n_keys = _keys(models, length)
    found = {
        key: torch.stack([entropies(attention(inspected, text[None]))[:, 0] for text in texts]).mean(0)
        for key, inspected in models.items()
    }
    fractions = {
        key: in_blocks(fraction_of_even(one, keys_by_layer(models[key], length)[:, None])) for key, one in found.items()
    }
    read = in_blocks(torch.arange(1, length + 1, dtype=torch.float64))
    return Spread(
        read, {key: in_blocks(one) for key, one in found.items()}, fractions, in_blocks(n_keys.double().log())
    )


def where_asked(models: Mapping[str, InspectedModel], examples: Mapping[int, Examples]) -> Spread:
    """Return the spread of the queries that answer, for `examples` by their length: the mean over all that is asked."""
    entropy: dict[str, list[Tensor]] = {key: [] for key in models}
    fraction: dict[str, list[Tensor]] = {key: [] for key in models}
    even = []
    for one in examples.values():
        n_keys = _keys(models, one.inputs.shape[1]).expand(one.inputs.shape)
        even.append(n_keys[one.asked].double().log().mean())
        for key, inspected in models.items():
            seen = keys_by_layer(inspected, one.inputs.shape[1])
            at_answers = torch.cat([seen[:, asked] for asked in one.asked], dim=-1)
            read = [entropies(attention(inspected, text[None]))[:, 0] for text in one.inputs]
            found = torch.cat([own[..., asked] for own, asked in zip(read, one.asked, strict=True)], dim=-1)
            entropy[key].append(found.mean(-1))
            fraction[key].append(fraction_of_even(found, at_answers[:, None]).nanmean(-1))
    lengths = torch.tensor(list(examples), dtype=torch.float64)
    return Spread(lengths, _joined(entropy), _joined(fraction), torch.stack(even))


def _keys(models: Mapping[str, InspectedModel], length: int) -> Tensor:
    """Return the number of keys that each query may attend to under the mask of the run, int64 (length,)."""
    mask, _ = conditions(next(iter(models.values())).config, length, AS_TRAINED)  # models of one run have one mask
    return (masks.causal(length) if mask is None else mask).sum(-1)


def _joined(found: Mapping[str, list[Tensor]]) -> dict[str, Tensor]:
    return {key: torch.stack(values, dim=-1) for key, values in found.items()}


def in_blocks(values: Tensor) -> Tensor:
    """Return the means of every 8 positions, (..., T / 8), NaN left out."""
    return values.reshape(*values.shape[:-1], -1, BLOCK).nanmean(-1)
