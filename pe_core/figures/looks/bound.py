"""The controls of a picture that live in the browser: what they are called, what they may be, where they start."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pe_core.figures.looks.motion import FLOWING, OF_PAGE, PLAYED, POINTED
from pe_core.parameters import Parameter, Value, require


def controls(spec: Mapping[str, Any]) -> dict[str, Parameter[Value]]:
    """Return the sliders and switches under a picture by the name of what they set."""
    found = {}
    for one in (*spec.get("params", ()), *_signals(spec)):
        bind = one.get("bind")
        if not isinstance(bind, dict) or one["name"].startswith((OF_PAGE, POINTED)):
            continue
        name, start, label = _name(one), _start(one), str(bind.get("name", "")).strip()
        if bind.get("input") == "range":
            found[name] = Parameter(name, label, start, "", bind["min"], bind["max"], bind.get("step", 1))
        elif bind.get("input") == "checkbox":
            found[name] = Parameter(name, label, str(start).lower(), "", choices=("true", "false"))
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
    begun = dict(spec)
    if "params" in spec:
        begun["params"] = _all_starting(spec["params"], values)
    if _signals(spec):
        begun["config"] = {**spec["config"], "signals": _all_starting(_signals(spec), values)}
    return begun


def _signals(spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the signals of Vega's own, which Vega-Lite passes on: those that are dragged."""
    signals: Sequence[Mapping[str, Any]] = spec.get("config", {}).get("signals", ())
    return signals


def _all_starting(controls: Iterable[Mapping[str, Any]], values: Mapping[str, Value]) -> list[Mapping[str, Any]]:
    return [_starting(one, values[_name(one)]) if _name(one) in values else one for one in controls]


def _name(one: Mapping[str, Any]) -> str:
    """Return the name of the signal without the mark of one that flows: that of a selection has its field behind it."""
    fields = one["select"].get("fields", ()) if isinstance(one.get("select"), dict) else ()
    return "_".join([one["name"].removeprefix(FLOWING), *fields])


def _start(one: Mapping[str, Any]) -> Any:
    value = one.get("value")
    return next(iter(value[0].values())) if isinstance(value, list) else value


def _starting(one: Mapping[str, Any], value: Value) -> dict[str, Any]:
    start: Any = value == "true" if value in ("true", "false") else value
    if isinstance(one.get("value"), list):
        start = [dict.fromkeys(one["value"][0], value)]
    return {**one, "value": start}
