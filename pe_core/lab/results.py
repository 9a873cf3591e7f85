"""What came out of a run: curves, losses by position and length, verdicts; as rows, JSON and CSV."""

import csv
import hashlib
import io
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.corpus import Corpus
from pe_core.lab.evaluation import LengthLoss, Verdict, ratio, verdict
from pe_core.lab.training import CONFIG_FIELDS, RunConfig
from pe_core.parameters import require

FORMAT = 1  # of the JSON file
ADDED = ("mask", "remap")  # settings that the first files do not name: their runs had what is now the default


@dataclass(frozen=True)
class TextFacts:
    """What a result has to remember of its text: enough to recognise it and to draw the lines of guessing."""

    name: str
    characters: int
    symbols: int
    chance_loss: float
    unigram_loss: float
    sha256: str


@dataclass(frozen=True)
class Outcome:
    """A trained encoding, measured: number of weights, loss by length, and loss by position at the longest length."""

    n_weights: int
    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]


@dataclass(frozen=True)
class RunRecord:
    """A run as far as it has come: training loss after each step, and an outcome for each encoding that is done."""

    config: RunConfig
    text: TextFacts
    curves: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)

    def verdict(self, encoding: str) -> Verdict:
        """Return the verdict on an encoding that is done."""
        return verdict(self.outcomes[encoding].lengths, self.text.unigram_loss)


def text_facts(corpus: Corpus) -> TextFacts:
    """Return the facts of a corpus."""
    tokens = torch.cat([corpus.train, corpus.held_out])
    digest = hashlib.sha256("".join(corpus.symbols).encode() + tokens.numpy().tobytes()).hexdigest()
    return TextFacts(corpus.name, len(tokens), len(corpus.symbols), corpus.chance_loss, corpus.unigram_loss, digest)


def rows(record: RunRecord) -> list[dict[str, str | float]]:
    """Return one row per encoding that is done: title, loss at each length, ratio of last to first, verdict."""
    return [
        {
            "Encoding": ENCODINGS[key].title,
            **{f"Loss at {loss.length:,}": loss.loss for loss in outcome.lengths},
            "Ratio": ratio(outcome.lengths),
            "Verdict": record.verdict(key),
        }
        for key, outcome in record.outcomes.items()
    ]


def to_json(record: RunRecord) -> str:
    """Return the record with its settings and the versions it was made with; losses to six digits."""
    content = {
        "format": FORMAT,
        "settings": record.config.settings(),
        "text": asdict(record.text),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "curves": record.curves,
        "outcomes": {
            key: {**asdict(outcome), "verdict": record.verdict(key)} for key, outcome in record.outcomes.items()
        },
    }
    return json.dumps(_rounded(content), indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> RunRecord:
    """Return the record that `to_json` wrote; raise `ValueError` for anything else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"file must hold JSON, got {error}") from None
    try:
        require(content["format"] == FORMAT, "format", f"be {FORMAT}", content["format"])
        given = content["settings"]
        settings = {name: given[name] for name in CONFIG_FIELDS if name in given or name not in ADDED}
        config = RunConfig(**{**settings, "encodings": tuple(settings["encodings"])})
        kinds = {field.name: (str,) if field.type is str else (int, float) for field in fields(TextFacts)}
        facts = TextFacts(**{name: _of_type(value, kinds[name]) for name, value in content["text"].items()})
        curves = {key: _numbers(curve) for key, curve in content["curves"].items()}
        outcomes = {key: _outcome(outcome) for key, outcome in content["outcomes"].items()}
        for outcome in outcomes.values():
            lengths = tuple(loss.length for loss in outcome.lengths)
            require(lengths == config.lengths, "lengths", f"be {config.lengths}", lengths)
        for key in (*curves, *outcomes):
            require(key in config.encodings, "encoding", f"be among {', '.join(config.encodings)}, the run's", key)
        return RunRecord(config, facts, curves, outcomes)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"file must hold a run of the lab, got {type(error).__name__}: {error}") from None


def to_csv(record: RunRecord) -> str:
    """Return the rows of the record as CSV, with a header; empty where no encoding is done."""
    table = rows(record)
    text = io.StringIO()
    if table:
        writer = csv.DictWriter(text, fieldnames=list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(_rounded(table))
    return text.getvalue()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: what stood at `path` before stays until the new content is complete."""
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def _outcome(content: Mapping[str, Any]) -> Outcome:
    lengths = tuple(LengthLoss(**dict(zip(loss, _numbers(loss.values()), strict=True))) for loss in content["lengths"])
    return Outcome(_of_type(content["n_weights"], (int,)), lengths, _numbers(content["positions"]))


def _numbers(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(_of_type(value, (int, float)) for value in values)


def _of_type(value: Any, types: tuple[type, ...]) -> Any:
    if not isinstance(value, types) or isinstance(value, bool):
        raise TypeError(f"{value!r} where {' or '.join(kind.__name__ for kind in types)} belongs")
    return value
