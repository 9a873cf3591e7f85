"""The weights of a trained model as bytes in the format of safetensors, from which nothing is ever executed.

The bytes name their encoding: models of two encodings without weights of their own have the same shapes. They hold the
vocabulary as well, without which nobody could read what the tokens of an own text stand for.
"""

import json
from collections.abc import Mapping, Sequence

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.settings import RunConfig, build_encoding
from pe_core.parameters import cut, require


def to_bytes(model: Transformer, encoding: str, vocabulary: Sequence[str]) -> bytes:
    """Return all weights and buffers of a model by name, the key of its encoding, and its vocabulary."""
    facts = {"encoding": encoding, "symbols": json.dumps(vocabulary)}
    return safetensors.torch.save(model.state_dict(), metadata=facts)


def from_bytes(
    content: bytes, config: RunConfig, encoding: str, vocab_size: int
) -> tuple[Transformer, tuple[str, ...]]:
    """Return the trained model of an encoding of a run, in evaluation mode, and its vocabulary.

    Raises `ValueError` where the bytes hold something else than the weights of such a model with this vocabulary size.
    """
    tensors, facts = unpacked(content)
    whose = facts.get("encoding", "nothing")
    require(whose == encoding, "weights", f"be those of {encoding}", f"those of {whose}")
    require("symbols" in facts, "weights", "hold their vocabulary", "weights of an older version, which kept none")
    vocabulary = vocabulary_from_json(facts["symbols"], vocab_size)
    return trained_model(tensors, config, encoding, vocab_size), vocabulary


def unpacked(content: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors by name and the facts that safetensors bytes hold; `ValueError` for any other bytes."""
    try:
        tensors = safetensors.torch.load(content)
    except (safetensors.SafetensorError, KeyError) as error:  # KeyError: a type of numbers that torch lacks
        raise ValueError(f"weights must be in the format of safetensors, got {error}") from None
    size = int.from_bytes(content[:8], "little")  # the header is sound: safetensors has just read it
    facts: dict[str, str] = json.loads(content[8 : 8 + size]).get("__metadata__", {})
    return tensors, facts


def trained_model(tensors: Mapping[str, Tensor], config: RunConfig, encoding: str, vocab_size: int) -> Transformer:
    """Return the model of an encoding of a run with these weights, in evaluation mode and single precision.

    Raises `ValueError` unless they are all there, of the right shapes, and finite numbers, and there are no others.
    """
    generator = torch.Generator().manual_seed(config.seed)
    built = build_encoding(config, encoding)
    model = Transformer(vocab_size, config.shape, config.n_layers, built, generator=generator)
    own = model.state_dict()
    for name, weights in own.items():
        require(name in tensors, f"weights of {encoding}", f"hold {name}", f"{len(tensors)} other tensors")
        shape, given = tuple(weights.shape), tensors[name]
        require(given.shape == weights.shape, f"{name} of {encoding}", f"have the shape {shape}", tuple(given.shape))
        require(bool(given.isfinite().all()), f"{name} of {encoding}", "hold finite numbers", "infinity or NaN")
    foreign = [cut(name) for name in tensors if name not in own]
    require(not foreign, f"weights of {encoding}", "hold nothing else", ", ".join(foreign[:3]))
    model.load_state_dict(dict(tensors))
    return model.eval()


def vocabulary_from_json(text: str, vocab_size: int) -> tuple[str, ...]:
    """Return the vocabulary of a model that has `vocab_size` tokens.

    Raises `ValueError` unless the text is a list of as many single characters, no two of them the same.
    """
    try:
        vocabulary = json.loads(text)
    except (ValueError, RecursionError):
        vocabulary = None
    sound = isinstance(vocabulary, list) and all(isinstance(symbol, str) and len(symbol) == 1 for symbol in vocabulary)
    require(sound, "symbols", "be a list of single characters", cut(text))
    require(len(vocabulary) == vocab_size, "symbols", f"have {vocab_size} entries, as in the run", len(vocabulary))
    twice = sorted({symbol for symbol in vocabulary if vocabulary.count(symbol) > 1})
    require(not twice, "symbols", "be different", f"{', '.join(map(repr, twice[:3]))} more than once")
    return tuple(vocabulary)
