"""A run as a file: JSON, which is read again and checked, and CSV."""

import csv
import io
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import torch

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig, read_config
from pe_core.lab.results.record import RunRecord, TextFacts, judged
from pe_core.lab.results.table import rows
from pe_core.parameters import require

FORMAT = 1  # of the JSON file


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
        "text": record.text.content(),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        **_of_seed(record),
        **({"again": [_of_seed(one) for one in record.again]} if record.again else {}),
    }


def _of_seed(record: RunRecord) -> dict[str, Any]:
    outcomes = {}
    for key, outcome in record.outcomes.items():
        repaired = {name: _written(read) for name, read in outcome.repaired.items()}
        tuned = {name: _written(read) for name, read in outcome.tuned.items()}
        own = {"n_weights": outcome.n_parameters, **_written(Measurement(outcome.lengths, outcome.positions))}
        outcomes[key] = {**own, "repaired": repaired, "tuned": tuned, "verdict": judged(outcome.lengths, record.text)}
    return {"curves": record.curves, "outcomes": outcomes}


def _written(measured: Measurement) -> dict[str, Any]:
    """Return what was measured; of a text there is no accuracy to be written down."""
    known = [{name: value for name, value in asdict(one).items() if value is not None} for one in measured.lengths]
    return {"lengths": known, "positions": measured.positions}


def from_json(text: str) -> RunRecord:
    """Return the record that `to_json` or `exact_json` wrote; raise `ValueError` for anything else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"file must hold JSON, got {error}") from None
    try:
        require(content["format"] == FORMAT, "format", f"be {FORMAT}", content["format"])
        config = read_config(content["settings"])
        kinds = {field.name: (str,) if field.type is str else (int, float) for field in fields(TextFacts)}
        facts = TextFacts.from_content(content["text"])
        for name, kind in kinds.items():
            _of_type(getattr(facts, name), kind)
        again = content.get("again", [])
        require(len(again) < config.n_seeds, "again", f"hold at most {config.n_seeds - 1} more trainings", len(again))
        others = (_record(one, config.of_seed(seed), facts) for seed, one in zip(config.seeds[1:], again, strict=False))
        return replace(_record(content, config, facts), again=tuple(others))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"file must hold a run of the lab, got {type(error).__name__}: {error}") from None


def _record(content: Mapping[str, Any], config: RunConfig, facts: TextFacts) -> RunRecord:
    """Return the record of one seed; raise `ValueError` where it does not belong to the settings."""
    curves = {key: _numbers(curve) for key, curve in content["curves"].items()}
    outcomes = {key: _outcome(outcome) for key, outcome in content["outcomes"].items()}
    for outcome in outcomes.values():
        further = (*outcome.repaired.values(), *outcome.tuned.values())
        for losses in (outcome.lengths, *(read.lengths for read in further)):
            lengths = tuple(loss.length for loss in losses)
            require(lengths == config.lengths, "lengths", f"be {config.lengths}", lengths)
        for name in {*outcome.repaired, *outcome.tuned} - {AS_TRAINED.key}:
            require(name in config.repairs, "repair", f"be among {', '.join(config.repairs)}, the run's", name)
    for key in (*curves, *outcomes):
        require(key in config.encodings, "encoding", f"be among {', '.join(config.encodings)}, the run's", key)
    return RunRecord(config, facts, curves, outcomes)


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
    repaired, tuned = (
        {name: _measurement(read) for name, read in content.get(kind, {}).items()} for kind in ("repaired", "tuned")
    )
    own = _measurement(content)
    return Outcome(_of_type(content["n_weights"], (int,)), own.lengths, own.positions, repaired, tuned)


def _measurement(content: Mapping[str, Any]) -> Measurement:
    lengths = tuple(LengthLoss(**dict(zip(loss, _numbers(loss.values()), strict=True))) for loss in content["lengths"])
    return Measurement(lengths, _numbers(content["positions"]))


def _numbers(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(_of_type(value, (int, float)) for value in values)


def _of_type(value: Any, types: tuple[type, ...]) -> Any:
    if not isinstance(value, types) or isinstance(value, bool):
        raise TypeError(f"{value!r} where {' or '.join(kind.__name__ for kind in types)} belongs")
    return value
