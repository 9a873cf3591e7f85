"""The one picture of a run in a file: losses or right answers by length, and below what repairs make of each model."""

from typing import Any

from pe_core.chapters.lab import Right, length_losses, repaired, repaired_titles, right_answers
from pe_core.figures.looks.language import has_chinese, spec_in
from pe_core.lab.results.record import RunRecord
from pe_core.translation import Say

WIDTH, HEIGHT = 640, 380  # pixels of each part
_OF_ALL = ("$schema", "config")  # what a Vega-Lite spec says once, whatever parts it has


def run_picture(record: RunRecord, say: Say = str) -> dict[str, Any]:
    """Return the picture of a run as a Vega-Lite spec with its data, in the words of `say` if there is a font."""
    spec = _in_english(record)
    return spec_in(spec, say) if has_chinese() else spec


def _in_english(record: RunRecord) -> dict[str, Any]:
    whole = right_answers(record, "accuracy") if record.text.is_task else length_losses(record)
    size = {"width": WIDTH, "height": HEIGHT}
    right: Right | None = "accuracy" if record.text.is_task else None
    below = [
        (title, repaired(record, key, right, tuned=tuned))
        for key in record.done
        for tuned, title in repaired_titles(record, key).items()
    ]
    if not below:
        return {**whole.standalone(), **size}
    parts: list[dict[str, Any]] = []
    datasets: dict[str, Any] = {}
    for place, (title, figure) in enumerate([("All encodings, as trained", whole), *below]):
        names = {name: f"{name}-{place}" for name in figure.frames}
        own = {key: part for key, part in figure.spec.items() if key not in _OF_ALL}
        parts.append({**_renamed(own, names), "title": title, **size})
        datasets |= {names[name]: frame.to_dict(orient="records") for name, frame in figure.frames.items()}
    alone = dict.fromkeys(("color", "strokeDash"), "independent")  # each part has lines, and a legend, of its own
    shared = {key: whole.spec[key] for key in _OF_ALL}
    return {**shared, "vconcat": parts, "resolve": {"scale": alone}, "datasets": datasets}


def _renamed(part: Any, names: dict[str, str]) -> Any:
    """Return a part of a spec whose named data have other names."""
    if isinstance(part, list):
        return [_renamed(one, names) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {**one, "name": names[one["name"]]} if key == "data" else _renamed(one, names) for key, one in part.items()
    }
