"""A run with its trained models, to look inside, and the file that keeps both."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import safetensors.torch
import torch
from torch import Tensor

from pe_core.files import KEPT_RUNS
from pe_core.lab import results_file
from pe_core.lab.corpus import built_in
from pe_core.lab.model import Transformer
from pe_core.lab.results import RunRecord
from pe_core.lab.weights import trained_model, unpacked
from pe_core.parameters import LONGEST_SHOWN, require

KEPT = KEPT_RUNS / "inside.safetensors"
MOST_NAMED = 8  # characters in a message


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """What came out of a run with one seed, its vocabulary, and the trained models by encoding, in evaluation mode."""

    record: RunRecord
    symbols: tuple[str, ...]
    models: Mapping[str, Transformer]

    def tokens(self, text: str) -> Tensor:
        """Return a text as tokens, int64 (characters,); `ValueError` names the characters that no model has seen."""
        require(text != "", "text", "have at least one character", "none")
        place = {symbol: number for number, symbol in enumerate(self.symbols)}
        unknown = [character for character in dict.fromkeys(text) if character not in place]
        named = ", ".join(map(repr, unknown[:MOST_NAMED])) + (" and others" if len(unknown) > MOST_NAMED else "")
        require(not unknown, "text", f"be made of the {len(place)} characters that the models have learned", named)
        return torch.tensor([place[character] for character in text])

    def text(self, tokens: Tensor) -> str:
        """Return tokens (T,) as text."""
        return "".join(self.symbols[token] for token in tokens.tolist())


def excerpt(run: TrainedRun, length: int) -> str:
    """Return the first `length` characters of the built-in text that no model was trained on.

    Another version of Python has a slightly other text; characters that the models do not know are left out.
    """
    corpus, known = built_in(), set(run.symbols)
    characters = (corpus.symbols[token] for token in corpus.held_out.tolist())
    return "".join(islice((character for character in characters if character in known), length))


def to_bytes(run: TrainedRun, dtype: torch.dtype = torch.float32) -> bytes:
    """Return the file of a run: the weights of each encoding as numbers of `dtype`, the vocabulary, and its results."""
    tensors = {
        f"{encoding}/{name}": weights.to(dtype)
        for encoding, model in run.models.items()
        for name, weights in model.state_dict().items()
    }
    facts = {"run": results_file.to_json(run.record), "symbols": json.dumps(run.symbols)}
    return safetensors.torch.save(tensors, metadata=facts)


def from_bytes(content: bytes) -> TrainedRun:
    """Return the run of a file that `to_bytes` has made; `ValueError` for any other bytes."""
    tensors, facts = unpacked(content)
    require({"run", "symbols"} <= facts.keys(), "file", "hold a trained run", "weights without a run")
    record, symbols = results_file.from_json(facts["run"]), _symbols(facts["symbols"])
    require(len(symbols) == record.text.symbols, "symbols", f"be {record.text.symbols}, as in the run", len(symbols))
    models = {}
    for encoding in record.outcomes:
        start = f"{encoding}/"
        own = {name.removeprefix(start): weights for name, weights in tensors.items() if name.startswith(start)}
        models[encoding] = trained_model(own, record.config, encoding, len(symbols))
    return TrainedRun(record, symbols, models)


def _symbols(text: str) -> tuple[str, ...]:
    try:
        symbols = json.loads(text)
    except ValueError:
        symbols = None
    sound = isinstance(symbols, list) and all(isinstance(symbol, str) for symbol in symbols)
    require(sound, "symbols", "be a list of texts", text[:LONGEST_SHOWN])
    return tuple(symbols)


def read(path: str | Path = KEPT) -> TrainedRun:
    """Return the run of a file, by default the one that comes with the project.

    Raises `ValueError` for a file of another kind, and `OSError` where there is none.
    """
    return from_bytes(Path(path).read_bytes())
