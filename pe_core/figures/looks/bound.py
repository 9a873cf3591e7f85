"""The controls of a picture that live in the browser: what they are called, what they may be, where they start."""

from collections.abc import Mapping, Sequence
from typing import Any

from pe_core.figures.looks.motion import FLOWING, OF_PAGE, PLAYED, POINTED
from pe_core.parameters import Parameter, Value, require


def controls(spec: Mapping[str, Any]) -> dict[str, Parameter[Value]]:
    """Return the sliders and switches under a picture by the name of what they set."""
    found = {}
    for one in _signals(spec):
        if "bind" not in one or one["name"].startswith((OF_PAGE, POINTED)):
            continue
        name, bind = _name(one), one["bind"]
        label = bind["name"].strip()
        if bind["input"] == "range":
            found[name] = Parameter(name, label, one["value"], "", bind["min"], bind["max"], bind["step"])
        else:
            found[name] = Parameter(name, label, str(one["value"]).lower(), "", choices=("true", "false"))
    return found


def of_page(spec: Mapping[str, Any]) -> dict[str, Parameter[Value]]:
    """Return the controls of the page that are dragged or played in a picture, by the name that it has for each."""
    found = {}
    for one in _signals(spec):
        name, bind = one["name"], one.get("bind", {})
        if name.startswith(PLAYED):
            choices = tuple(bind["choices"])
            found[name] = Parameter(name.removeprefix(PLAYED), "", choices[0], "", choices=choices)
        elif name.startswith(OF_PAGE):
            control, ends = name.removeprefix(OF_PAGE), (bind["min"], bind["max"], bind["step"])
            found[name] = Parameter(control, "", bind["min"], "", *ends)
    return found


def started(spec: dict[str, Any], values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the spec with what its controls start with, by name; the spec itself where nothing is said.

    `ValueError` for a control that is not there, or a value that it may not have.
    """
    known = controls(spec)
    for name, value in values.items():
        require(name in known, "a control of the picture", f"be one of {', '.join(known) or 'none'}", name)
        known[name].check(value)
    if not values:
        return spec
    starts = {name: value == "true" if value in ("true", "false") else value for name, value in values.items()}
    begun = [{**one, "value": starts[_name(one)]} if _name(one) in starts else one for one in _signals(spec)]
    return {**spec, "config": {**spec["config"], "signals": begun}}


def _signals(spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the signals of Vega's own, which Vega-Lite passes on."""
    signals: Sequence[Mapping[str, Any]] = spec.get("config", {}).get("signals", ())
    return signals


def _name(one: Mapping[str, Any]) -> str:
    """Return the name of a signal without the mark of one that flows."""
    return str(one["name"]).removeprefix(FLOWING)
