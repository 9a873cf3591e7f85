"""What a tooltip tells is in the data, and in words for people; no words of a picture are smaller than 12 pixels.

`test_specs` asks it of every picture.
"""

import re

import pandas as pd

from pe_core.figures.figure import Figure

MADE = re.compile(r"^_|_$|^data:|\w_\w")  # names of keys, and images, are not for people
SIZES = ("fontSize", "labelFontSize", "titleFontSize")
MIN_SIZE = 12


def marked(spec, data=None, made=()):
    """Every part of a spec that has a mark: its tooltips, the name of its data, and what its transforms make."""
    data = spec.get("data", {}).get("name", data)
    names = [step.get("as") for step in spec.get("transform", [])]
    names += [one.get("as") for step in spec.get("transform", []) for one in step.get("window", [])]
    made = (*made, *(name for name in names if name))
    found = spec.get("encoding", {}).get("tooltip", [])
    if "mark" in spec:
        yield (found if isinstance(found, list) else [found]), data, made
        yield [spec["mark"].get("tooltip") or {}], data, made
    for child in spec.get("layer", []):
        yield from marked(child, data, made)


def unknown(figure):
    """Fields of tooltips that neither the data nor a transform has, and values in them that nobody wants to read."""
    for tooltips, data, made in marked(figure.spec):
        for one in tooltips:
            in_sentence = re.fullmatch(r"datum\.(\w+)", one.get("expr", ""))
            field = in_sentence[1] if in_sentence else one.get("field")
            if field is None or field in made:
                continue
            frame = figure.frames[data]
            if field not in frame:
                yield f"{data} has no {field}"
            else:
                yield from (value for value in frame[field] if isinstance(value, str) and MADE.search(value))


def sizes(part):
    """Every size of words that a spec sets."""
    for key, child in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        if key in SIZES:
            yield child
        yield from sizes(child)


def is_large(size):
    """Whether a size is at least 12 pixels: a number, or an expression that begins with one and grows."""
    number = re.match(r"(?:min\()?([\d.]+) \* clamp\(", size["expr"])[1] if isinstance(size, dict) else size
    return float(number) >= MIN_SIZE


def test_what_is_not_told_and_what_is_small_is_found():
    told = [
        {"field": "key", "title": "Encoding"},
        {"field": "gone", "title": "Gone"},
        {"field": "made", "title": "Sum"},
    ]
    layer = {"mark": {"type": "point", "tooltip": {"expr": "datum.picture"}}, "encoding": {"tooltip": told}}
    spec = {"data": {"name": "dots"}, "layer": [{**layer, "transform": [{"calculate": "1", "as": "made"}]}]}
    dots = pd.DataFrame({"key": ["rope_scaled", "RoPE"], "picture": ["data:image/png;base64,x", "2 of 3"]})
    found = list(unknown(Figure(spec, {"dots": dots})))
    assert found == ["rope_scaled", "dots has no gone", "data:image/png;base64,x"]
    assert not is_large(10)
    assert is_large({"expr": "12 * clamp(1, 1, 2)"})
    assert not is_large({"expr": "min(11.5 * clamp(1, 1, 2), 14)"})
