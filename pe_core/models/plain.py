"""An inspection as JSON can write it: every number of a reading, and what a text of a given length meets."""

from dataclasses import is_dataclass
from typing import Any

from torch import Tensor

from pe_core.models.at_length import at_length, new_angles
from pe_core.models.checkpoints.weights import Weights
from pe_core.models.engines import engines
from pe_core.models.positions import Positions


def plain(found: Positions, length: int | None) -> dict[str, Any]:
    """Return a reading as objects, lists, texts and numbers; with a length also what a text of so many tokens meets."""
    told: dict[str, Any] = {}
    if length is not None:
        answer = at_length(found, length)
        told["at_length"] = {
            "length": length,
            "answer": answer[0],
            "more": answer[1:],
            "new_angles": [vars(one) for one in new_angles(found, length) or []],
            "engines": [vars(one) for one in engines(found, length)],
        }
    return told | {
        "summary": found.summary,
        "model_type": found.model_type,
        "level": found.level,
        "mechanism": found.mechanism,
        "original_length": found.original_length,
        "claimed_length": found.claimed_length,
        "cut": found.cut,
        "pair_layout": found.pairs,
        "layers": [
            {name: _written(value) for name, value in vars(group).items() if name != "both_sides"}
            for group in found.groups
        ],
        "said": dict(found.said),
        "filled": dict(found.filled),
        "unknown": list(found.unknown),
        "warnings": list(found.warnings),
    }


def _written(value: Any) -> Any:
    """Return a value as JSON has it: what has fields as an object, and a tensor as lists."""
    if isinstance(value, Tensor):
        return value.tolist()
    if is_dataclass(value):
        return {name: _written(one) for name, one in vars(value).items()}
    return [_written(one) for one in value] if isinstance(value, tuple | list) else value


def plain_weights(found: Weights) -> dict[str, Any]:
    """Return what weights say as objects, lists, texts and numbers."""
    uses = [{**vars(one), "frequencies": one.rotation.frequencies} for one in found.uses]
    return {
        "tables": _written(found.tables),
        "biases": _written(found.biases),
        "uses": [{name: _written(value) for name, value in one.items() if name != "rotation"} for one in uses],
        "notes": found.notes,
    }
