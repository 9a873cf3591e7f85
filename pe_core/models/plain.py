"""An inspection as JSON can write it: every number of a reading, and what a text of a given length meets."""

from typing import Any

from pe_core.models.at_length import at_length, new_angles
from pe_core.models.engines import engines
from pe_core.models.positions import LayerGroup, Positions, Rotation
from pe_core.models.weights import Weights


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
        "pair_layout": found.pairs,
        "layers": [_layers(group) for group in found.groups],
        "said": dict(found.said),
        "filled": dict(found.filled),
        "unknown": list(found.unknown),
        "warnings": list(found.warnings),
    }


def _layers(group: LayerGroup) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "layers": None if group.layers is None else list(group.layers),
        "window": group.window,
        "chunk": group.chunk,
        "rotation": None if group.rotation is None else _rotation(group.rotation),
        "query_factor": None if group.query_factor is None else vars(group.query_factor),
    }


def _rotation(rotation: Rotation) -> dict[str, Any]:
    tensors = ("plain", "frequencies", "beyond", "axes")
    lists = {name: getattr(rotation, name) for name in tensors}
    return {name: value for name, value in vars(rotation).items() if name not in tensors} | {
        name: None if value is None else value.tolist() for name, value in lists.items()
    }


def plain_weights(found: Weights) -> dict[str, Any]:
    """Return what weights say as objects, lists, texts and numbers."""
    return {
        "tables": [{**vars(one), "norms": one.norms.tolist()} for one in found.tables],
        "biases": [{**vars(one), "values": one.values.tolist()} for one in found.biases],
        "uses": [
            {
                "layer": one.layer,
                "frequencies": one.rotation.frequencies.tolist(),
                "queries": one.queries.tolist(),
                "keys": one.keys.tolist(),
                "normalised": one.normalised,
            }
            for one in found.uses
        ],
        "notes": found.notes,
    }
