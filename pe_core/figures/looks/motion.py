"""What moves in a picture, in the browser: signals of Vega with a slider under the picture, which the page can play.

They stand in the config of a spec: Altair has no words for them, and an end of a slider needs no new spec. `controls`
and `page_controls` read there what they are called, what they may be, and where they start.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pe_core.parameters import Parameter, Value, require

# These begin the names of signals. Names in links are without the first one.
FLOWING = "flowing_"  # of one whose values between two steps mean something too
AT_ONCE = f"{FLOWING}at_once_"  # of one that starts at its end, and that a page plays once without being asked
OF_PAGE = "of_page_"  # of one that stands for a control of the page; its slider is not seen
PLAYED = f"{OF_PAGE}played_"  # of one that goes through the choices of such a control; what is seen of it plays
NOW = "now"  # the frame that says which of them the picture starts with
START = 20  # position at which the first waves that are drawn are apart
POINTED = "pointed_at"  # of what is pointed at, which is in no link; its slider is not seen


def last_of_scrubber(n_positions: int) -> int:
    """Return where the scrubber ends, at 12, 24, 48 ... positions: so few ends that specs seldom change."""
    return (12 << max(0, math.ceil(math.log2(n_positions / 12)))) - 1


def with_signals(spec: Mapping[str, Any], *signals: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec with more signals."""
    config = spec["config"]
    return {**spec, "config": {**config, "signals": [*config.get("signals", ()), *signals]}}


def signal(name: str, words: str, *, last: int, start: int) -> dict[str, Any]:
    """Return the signal `name` with a slider from 0 to `last`; those with the same `words` on a page move together."""
    bind = {"input": "range", "min": 0, "max": last, "step": 1, "name": f"{words} "}
    return {"name": name, "value": start, "bind": bind, "on": []}


def dragged(name: str, words: str, *, last: int, start: int) -> dict[str, Any]:
    """Return the same signal, which is also moved by a press or a drag along the x axis, which counts from 0."""
    drag = "pointerdown, [pointerdown, window:pointerup] > window:pointermove"
    moved = {"events": drag, "update": f"clamp(round(invert('x', x())), 0, {last})"}
    return {**signal(name, words, last=last, start=start), "on": [moved]}


def of_page(control: str, *, last: int, told: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the signal of a control of the page, a whole number from 0 to `last`, behind one that brings its value.

    It is what the frame `told` says in the column of its name in links, until the visitor drags it; the page then
    follows.
    """
    return _told(f"{OF_PAGE}{control}", signal(control, control, last=last, start=0)["bind"], told, control)


def played(control: Parameter[Value]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the signal that goes through the choices of a control of the page, counted from 0, behind one as above."""
    bind = signal(control.name, control.label, last=len(control.choices) - 1, start=0)["bind"]
    return _told(f"{PLAYED}{control.name}", {**bind, "choices": list(control.choices)}, NOW, control.name)


def _told(name: str, bind: dict[str, Any], frame: str, column: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the signal that brings what the first row of a frame has in a column, and the signal `name` that takes it.

    On a page the frame comes after the picture. A single signal with an `update` Vega would compute anew whenever its
    slider has moved it.
    """
    now, brings = f"length(data('{frame}')) ? data('{frame}')[0].{column} : 0", f"told_{column}"
    follows = [{"events": {"signal": brings}, "update": brings}]
    return {"name": brings, "update": now}, {"name": name, "bind": bind, "init": now, "on": follows}


def pointed(layer: str, field: str, *, last: int) -> dict[str, Any]:
    """Return the signal POINTED, which pictures of a page share: the `field` of the mark pointed at, else -1."""
    bare = signal(POINTED, POINTED, last=last, start=-1)
    here, gone = (f"@{layer}_marks:pointer{what}" for what in ("over", "out"))
    on = [{"events": here, "update": f"datum.{field}"}, {"events": gone, "update": "-1"}]
    return {**bare, "bind": {**bare["bind"], "min": -1}, "on": on}


def by_hands(layer: str, held: str, *, clockwise: bool, moved: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the signals `moved` so that whoever drags a hand on a dial moves one of them, and what that needs.

    A dial is a mark of `layer`, whose datum has its middle as `column` and `row`, and as `rate` how far its hands turn
    with each step, in radians. `held` is an expression of Vega that says which hand is taken: the key of its signal
    among `moved`; it may quote the angle of the pointer as `pointer_angle`. The hand goes the way of the pointer, not
    to it, so that a press alone moves nothing; let go, it goes to the nearest step.
    """
    across, up = "x() - scale('x', {0}.column)", "scale('y', {0}.row) - y()"
    pointer = f"atan2({across}, {up})" if clockwise else f"atan2({up}, {across})"
    begun = ", ".join(f"{who}: {one['name']}" for who, one in moved.items())
    place = "column: datum.column, row: datum.row, rate: datum.rate, angle: pointer_angle"
    taken = f"{{{place}, who: {held}, begun: {{{begun}}}}}"
    down, drag = f"@{layer}_marks:pointerdown", f"[@{layer}_marks:pointerdown, window:pointerup] > window:pointermove"
    signals: list[dict[str, Any]] = [
        {"name": "pointer_angle", "value": 0, "on": [{"events": down, "update": pointer.format("datum")}]},
        {"name": "held_hand", "value": {}, "on": [{"events": down, "update": taken}]},
    ]
    for who, one in moved.items():
        name, last = one["name"], one["bind"]["max"]
        turned = f"held_hand.rate * ({name} - held_hand.begun.{who})"
        ahead = f"{pointer.format('held_hand')} - held_hand.angle - {turned}"
        moving = f"clamp({name} + atan2(sin({ahead}), cos({ahead})) / held_hand.rate, 0, {last})"
        on = [
            {"events": drag, "update": f"held_hand.who === '{who}' ? {moving} : {name}"},
            {"events": "window:pointerup", "update": f"round({name})"},
        ]
        signals.append({**one, "on": [*one["on"], *on]})
    return signals


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


def page_controls(spec: Mapping[str, Any]) -> dict[str, Parameter[Value]]:
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
    """Return the spec with what its controls start with, by name; `ValueError` for a name or value it has not."""
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
