"""A run as a file: JSON, which is read again and checked, and CSV. All files of the lab say how they were made."""

import csv
import io
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import torch

from pe_core.lab.device import CPU
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig, read_config
from pe_core.lab.results.record import RunRecord, TextFacts, judged
from pe_core.lab.results.table import rows
from pe_core.parameters import cut, failure, require

FORMAT = 1  # of all files of the lab; a file of another one is refused


def versions() -> dict[str, str]:
    """Return the versions of what computes here, by name."""
    return {"python": platform.python_version(), "torch": torch.__version__}


def check_format(content: Mapping[str, Any]) -> None:
    """Raise `ValueError` for a file of another format, and `KeyError` for one that names none."""
    require(content["format"] == FORMAT, "format", f"be {FORMAT}", content["format"])


def head(settings: Mapping[str, Any], text: TextFacts) -> dict[str, Any]:
    """Return what every file of the lab begins with: how it was made."""
    return {"format": FORMAT, "settings": settings, "text": asdict(text), "versions": versions()}


def in_lines(head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return JSON that ends with a list of rows, each on a line of its own."""
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return f'{json.dumps(head, indent=1, ensure_ascii=False)[:-2]},\n "trainings": [\n{lines}\n ]\n}}\n'


def csv_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same names as CSV, with a header; empty where there are none."""
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def rounded(value: Any) -> Any:
    """Return a number, or all numbers within lists and dictionaries, to six digits."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def to_json(record: RunRecord) -> str:
    """Return the record with its settings, and the versions and the device it was made with; losses to six digits."""
    return json.dumps(rounded(_content(record)), indent=1, ensure_ascii=False) + "\n"


def exact_json(record: RunRecord) -> str:
    """Return what `to_json` does with all digits, so that two runs can be compared bit for bit."""
    return json.dumps(_content(record), indent=1, ensure_ascii=False) + "\n"


def _content(record: RunRecord) -> dict[str, Any]:
    """Return what the file holds: the first seed at the top, as before runs had several, the further ones in a list."""
    first, *further = (_of_seed(record, seed) for seed in record.config.seeds)
    return {
        **head(record.config.settings(), record.text),
        "device": record.device,
        **first,
        **({"again": further} if further else {}),
    }


def _of_seed(record: RunRecord, seed: int) -> dict[str, Any]:
    """Return what a file has of one seed."""
    return {
        "curves": {key: by_seed[seed] for key, by_seed in record.curves.items() if seed in by_seed},
        "outcomes": {
            key: _of_outcome(by_seed[seed], record.text) for key, by_seed in record.outcomes.items() if seed in by_seed
        },
    }


def _of_outcome(outcome: Outcome, text: TextFacts) -> dict[str, Any]:
    return {
        "n_weights": outcome.n_parameters,
        **_written(outcome.as_trained),
        "repaired": {name: _written(read) for name, read in outcome.repaired.items()},
        "tuned": {name: _written(read) for name, read in outcome.tuned.items()},
        "verdict": judged(outcome.lengths, text),
    }


def _written(measured: Measurement) -> dict[str, Any]:
    """Return what was measured; what is not known of a text or a task is not written down."""
    known = [
        {name: value for name, value in asdict(one).items() if value is not None and value != ()}
        for one in measured.lengths
    ]
    return {"lengths": known, "positions": measured.positions}


def from_json(text: str) -> RunRecord:
    """Return the record that `to_json` or `exact_json` wrote; raise `ValueError` for anything else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"file must hold JSON, got {error}") from None
    try:
        check_format(content)
        config = read_config(content["settings"])
        kinds = {field.name: (str,) if field.type is str else (int, float) for field in fields(TextFacts)}
        facts = TextFacts(**content["text"])
        for name, kind in kinds.items():
            _of_type(getattr(facts, name), kind)
        again = content.get("again", [])
        require(len(again) < config.n_seeds, "again", f"hold at most {config.n_seeds - 1} more seeds", len(again))
        curves: dict[str, dict[int, tuple[float, ...]]] = {}
        outcomes: dict[str, dict[int, Outcome]] = {}
        for seed, own in zip(config.seeds, (content, *again), strict=False):
            for key, curve in own["curves"].items():
                curves.setdefault(_known(key, "encoding", config.encodings), {})[seed] = _numbers(curve)
            for key, outcome in own["outcomes"].items():
                found = _checked(_outcome(outcome), config)
                outcomes.setdefault(_known(key, "encoding", config.encodings), {})[seed] = found
        device = _of_type(content.get("device", CPU), (str,))  # before there was another, no file named it
        return RunRecord(config, facts, curves, outcomes, device)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"file must hold a run of the lab, got {failure(error)}") from None


def _known(key: str, what: str, keys: Sequence[str]) -> str:
    """Return the key of an encoding or a repair; raise `ValueError` where the run has none such."""
    require(key in keys, what, f"be one of {', '.join(keys)}, the {what}s of the run", cut(key))
    return key


def _checked(outcome: Outcome, config: RunConfig) -> Outcome:
    """Return the outcome; raise `ValueError` where it does not belong to the settings."""
    further = (*outcome.repaired.values(), *outcome.tuned.values())
    for losses in (outcome.lengths, *(read.lengths for read in further)):
        lengths = tuple(loss.length for loss in losses)
        require(lengths == config.lengths, "lengths", f"be {config.lengths}", lengths)
    for name in {*outcome.repaired, *outcome.tuned} - {AS_TRAINED.key}:
        _known(name, "repair", config.repairs)
    return outcome


def to_csv(record: RunRecord) -> str:
    """Return the rows of the record as CSV, with a header; empty where no encoding is done."""
    return csv_of(rounded(rows(record)))


def _outcome(content: Mapping[str, Any]) -> Outcome:
    repaired, tuned = (
        {name: _measurement(read) for name, read in content.get(kind, {}).items()} for kind in ("repaired", "tuned")
    )
    own = _measurement(content)
    return Outcome(_of_type(content["n_weights"], (int,)), own.lengths, own.positions, repaired, tuned)


def _measurement(content: Mapping[str, Any]) -> Measurement:
    return Measurement(tuple(map(_length_loss, content["lengths"])), _numbers(content["positions"]))


def _length_loss(content: Mapping[str, Any]) -> LengthLoss:
    """Return the numbers of one length; files from before the end of windows was measured have fewer."""
    single = {name: value for name, value in content.items() if name != "blocks"}
    numbers = dict(zip(single, _numbers(single.values()), strict=True))
    return LengthLoss(**numbers, blocks=_numbers(content.get("blocks", ())))


def _numbers(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(_of_type(value, (int, float)) for value in values)


def _of_type(value: Any, types: tuple[type, ...]) -> Any:
    if not isinstance(value, types) or isinstance(value, bool):
        raise TypeError(f"a value must be {' or '.join(kind.__name__ for kind in types)}, got {cut(repr(value))}")
    return value
