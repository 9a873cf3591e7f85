"""What came out of a run: curves, losses by position and length, verdicts; as rows, JSON and CSV."""

import csv
import hashlib
import io
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.corpus import Corpus
from pe_core.lab.evaluation import LengthLoss, Verdict, ratio, verdict
from pe_core.lab.repair import AS_TRAINED, named
from pe_core.lab.training import CONFIG_FIELDS, RunConfig
from pe_core.parameters import require

FORMAT = 1  # of the JSON file
ADDED = (
    "mask",
    "remap",
    "repairs",
)  # settings that the first files do not name: their runs had what is now the default


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
class Measurement:
    """What a model can do, read in one way: loss by length, and loss by position at the longest length."""

    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """A trained encoding, measured: number of weights, its own losses, and those under each repair, by its key."""

    n_weights: int
    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]
    repaired: Mapping[str, Measurement] = field(default_factory=dict)

    def readings(self) -> dict[str, Measurement]:
        """Return what it can do by the title of how it is read: as trained first, then under each repair."""
        repaired = {named(name).title: read for name, read in self.repaired.items()}
        return {AS_TRAINED.title: Measurement(self.lengths, self.positions), **repaired}


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
    """Return one row per encoding that is done, and per repair of it: title, loss at each length, ratio, verdict."""
    found = []
    for key, outcome in record.outcomes.items():
        title = ENCODINGS[key].title
        read = {title: outcome.lengths}
        read |= {f"{title}, {named(name).title}": repaired.lengths for name, repaired in outcome.repaired.items()}
        found += [_row(name, lengths, record.text.unigram_loss) for name, lengths in read.items()]
    return found


def _row(name: str, lengths: Sequence[LengthLoss], unigram_loss: float) -> dict[str, str | float]:
    return {
        "Encoding": name,
        **{f"Loss at {loss.length:,}": loss.loss for loss in lengths},
        "Ratio": ratio(lengths),
        "Verdict": verdict(lengths, unigram_loss),
    }


def to_json(record: RunRecord) -> str:
    """Return the record with its settings and the versions it was made with; losses to six digits."""
    return _json(_rounded(_content(record)))


def exact_json(record: RunRecord) -> str:
    """Return what `to_json` does with all digits, so that two runs can be compared bit for bit."""
    return _json(_content(record))


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _content(record: RunRecord) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "settings": record.config.settings(),
        "text": asdict(record.text),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "curves": record.curves,
        "outcomes": {
            key: {**asdict(outcome), "verdict": record.verdict(key)} for key, outcome in record.outcomes.items()
        },
    }


def from_json(text: str) -> RunRecord:
    """Return the record that `to_json` or `exact_json` wrote; raise `ValueError` for anything else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"file must hold JSON, got {error}") from None
    try:
        require(content["format"] == FORMAT, "format", f"be {FORMAT}", content["format"])
        given = content["settings"]
        settings = {name: given[name] for name in CONFIG_FIELDS if name in given or name not in ADDED}
        lists = {name: tuple(settings.get(name, ())) for name in ("encodings", "repairs")}
        config = RunConfig(**{**settings, **lists})
        kinds = {field.name: (str,) if field.type is str else (int, float) for field in fields(TextFacts)}
        facts = TextFacts(**{name: _of_type(value, kinds[name]) for name, value in content["text"].items()})
        curves = {key: _numbers(curve) for key, curve in content["curves"].items()}
        outcomes = {key: _outcome(outcome) for key, outcome in content["outcomes"].items()}
        for outcome in outcomes.values():
            for losses in (outcome.lengths, *(read.lengths for read in outcome.repaired.values())):
                lengths = tuple(loss.length for loss in losses)
                require(lengths == config.lengths, "lengths", f"be {config.lengths}", lengths)
            for name in outcome.repaired:
                require(name in config.repairs, "repair", f"be among {', '.join(config.repairs)}, the run's", name)
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


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def _outcome(content: Mapping[str, Any]) -> Outcome:
    repaired = {name: _measurement(read) for name, read in content.get("repaired", {}).items()}
    own = _measurement(content)
    return Outcome(_of_type(content["n_weights"], (int,)), own.lengths, own.positions, repaired)


def _measurement(content: Mapping[str, Any]) -> Measurement:
    lengths = tuple(LengthLoss(**dict(zip(loss, _numbers(loss.values()), strict=True))) for loss in content["lengths"])
    return Measurement(lengths, _numbers(content["positions"]))


def _numbers(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(_of_type(value, (int, float)) for value in values)


def _of_type(value: Any, types: tuple[type, ...]) -> Any:
    if not isinstance(value, types) or isinstance(value, bool):
        raise TypeError(f"{value!r} where {' or '.join(kind.__name__ for kind in types)} belongs")
    return value
