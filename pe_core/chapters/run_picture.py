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
    right: Right | None = "accuracy" if record.text.is_task else None
    whole = right_answers(record, right) if right else length_losses(record)
    pictures = {"All encodings, as trained": whole}
    for key in record.done:
        for tuned, title in repaired_titles(record, key).items():
            pictures[title] = repaired(record, key, right, tuned=tuned)
    size = {"width": WIDTH, "height": HEIGHT}
    spec = {**whole.standalone(), **size}
    if len(pictures) > 1:
        parts: list[dict[str, Any]] = []
        datasets: dict[str, Any] = {}
        for place, (title, figure) in enumerate(pictures.items()):
            names = {name: f"{name}-{place}" for name in figure.frames}
            own = {key: part for key, part in figure.spec.items() if key not in _OF_ALL}
            parts.append({**_renamed(own, names), "title": title, **size})
            datasets |= {names[name]: frame.to_dict(orient="records") for name, frame in figure.frames.items()}
        alone = dict.fromkeys(("color", "strokeDash"), "independent")  # each part has lines, and a legend, of its own
        shared = {key: whole.spec[key] for key in _OF_ALL}
        spec = {**shared, "vconcat": parts, "resolve": {"scale": alone}, "datasets": datasets}
    return spec_in(spec, say) if has_chinese() else spec


def _renamed(part: Any, names: dict[str, str]) -> Any:
    """Return a part of a spec whose named data have other names."""
    if isinstance(part, list):
        return [_renamed(one, names) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {**one, "name": names[one["name"]]} if key == "data" else _renamed(one, names) for key, one in part.items()
    }
