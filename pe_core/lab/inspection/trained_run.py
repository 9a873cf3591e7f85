"""A run with its trained models, to look inside, and the file that keeps both."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import safetensors.torch
import torch
from torch import Tensor

from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import Event
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage import weights
from pe_core.parameters import require

KEPT, KEPT_COPY = KEPT_RUNS / "inside.safetensors", KEPT_RUNS / "inside_copy.safetensors"
MAX_NAMED = 8  # characters in a message


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """What came out of a run with one seed, its vocabulary, and the trained models by encoding, in evaluation mode."""

    record: RunRecord
    vocabulary: tuple[str, ...]
    models: Mapping[str, Transformer]

    @property
    def unit(self) -> str:
        """What a token is called: a text is made of characters, a task of symbols."""
        return "symbol" if self.record.text.is_task else "character"

    def tokens(self, text: str) -> Tensor:
        """Return a text as tokens, int64 (characters,); `ValueError` names the characters that no model has seen."""
        require(text != "", "text", f"have at least one {self.unit}", "none")
        place = {symbol: number for number, symbol in enumerate(self.vocabulary)}
        unknown = [character for character in dict.fromkeys(text) if character not in place]
        named = ", ".join(map(repr, unknown[:MAX_NAMED])) + (" and others" if len(unknown) > MAX_NAMED else "")
        require(not unknown, "text", f"be made of the {len(place)} {self.unit}s that the models have learned", named)
        return torch.tensor([place[character] for character in text])

    def text(self, tokens: Tensor) -> str:
        """Return tokens (T,) as text."""
        return "".join(self.vocabulary[token] for token in tokens.tolist())


def of_seed(record: RunRecord, seed: int, kept: Mapping[str, bytes]) -> TrainedRun:
    """Return a run with one of its seeds and the models of its encodings, from the weights that were kept of them.

    Raises `ValueError` where no encoding is done, and where the weights are not those of the run or differ in their
    vocabularies.
    """
    alone = record.of_seed(seed)
    require(bool(alone.outcomes), "run", "have at least one encoding that is done", "none")
    vocab_size = alone.text.symbols
    read = {key: weights.from_bytes(kept[key], alone.config, key, vocab_size) for key in alone.outcomes}
    vocabularies = {vocabulary for _, vocabulary in read.values()}
    require(len(vocabularies) == 1, "weights", "have one vocabulary for all encodings", len(vocabularies))
    return TrainedRun(alone, vocabularies.pop(), {key: model for key, (model, _) in read.items()})


def to_bytes(run: TrainedRun, dtype: torch.dtype = torch.float32) -> bytes:
    """Return the file of a run: the weights of each encoding as numbers of `dtype`, the vocabulary, and its results."""
    tensors = {
        f"{encoding}/{name}": tensor.to(dtype)
        for encoding, model in run.models.items()
        for name, tensor in model.state_dict().items()
    }
    facts = {"run": record_file.to_json(run.record), "symbols": json.dumps(run.vocabulary)}
    return safetensors.torch.save(tensors, metadata=facts)


def from_bytes(content: bytes) -> TrainedRun:
    """Return the run of a file that `to_bytes` has made; `ValueError` for any other bytes."""
    tensors, facts = weights.unpacked(content)
    require({"run", "symbols"} <= facts.keys(), "file", "hold a trained run", "weights without a run")
    record = record_file.from_json(facts["run"])
    vocabulary = weights.vocabulary_from_json(facts["symbols"], record.text.symbols)
    models = {}
    for encoding in record.outcomes:
        start = f"{encoding}/"
        own = {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
        models[encoding] = weights.trained_model(own, record.config, encoding, len(vocabulary))
    return TrainedRun(record, vocabulary, models)


def read(path: str | Path = KEPT) -> TrainedRun:
    """Return the run of a file, by default the one that comes with the project.

    Raises `ValueError` for a file of another kind, and `OSError` where there is none.
    """
    return from_bytes(Path(path).read_bytes())


@cache
def kept() -> TrainedRun:
    """Return the run of a text that comes with the project: one object for the whole process."""
    return read()


def trained(config: RunConfig, dataset: Dataset, told: Callable[[Event], object] = lambda event: None) -> TrainedRun:
    """Train the encodings of a run one after the other with its first seed, and return the run with its models.

    Each event is `told` to whoever shows how far it is.
    """
    models: list[Transformer] = []

    def keep(event: Event) -> None:
        if isinstance(event, Transformer):
            models.append(event.eval())
        told(event)

    record = repeat(config.of_seed(config.seed), dataset, told=keep)
    return TrainedRun(record, dataset.vocabulary, dict(zip(config.encodings, models, strict=True)))
