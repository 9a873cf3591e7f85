"""Every picture is the one that was kept: no axis is turned around, no two lines, colours or facts are swapped.

Kept by chapter are its spec (tests/figures/specs), and its facts with the ends and the mean of every column of numbers
(tests/figures/facts). Where a change is meant, look at the picture and renew them with
`python -m tests.figures.test_specs`; what git then shows is the change. Two threads build specs as one does.
"""

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import _lru_cache_wrapper, cache, partial
from pathlib import Path

import altair as alt
import pandas as pd
import pytest
from altair.utils.schemapi import _PropertySetter

from pe_core.chapters import lab
from pe_core.chapters.lab import length_cost
from pe_core.figures import figure
from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks.language import frame_in, spec_in
from pe_core.figures.ranking import pair
from pe_core.files import KEPT_RUNS
from pe_core.lab.inspection.trained_run import read
from pe_core.lab.results.record_file import from_json
from tests.app.opened import typed
from tests.chapters import test_catalogue, test_inside
from tests.chapters.test_offered import CHAPTERS

SPECS, FACTS = (Path(__file__).with_name(name) for name in ("specs", "facts"))


def kept(name):
    return from_json((KEPT_RUNS / f"{name}.json").read_text(encoding="utf-8"))


def pictures():
    """The pictures of every chapter at its first arguments, and those of kept runs of the lab, by chapter and name."""
    found = {
        chapter: {draw.__name__: partial(draw, **sets[0]) for draw, sets in drawn.items()}
        for chapter, drawn in CHAPTERS.items()
    }
    text, task, repaired = kept("default"), kept("copy"), kept("repair")
    found["runs"] = {
        **{
            f"{draw.__name__} of a {kind}": partial(draw, record)
            for kind, record in (("text", text), ("task", task))
            for draw in (lab.training_curves, lab.position_losses, lab.length_losses)
        },
        **{name: partial(lab.right_answers, task, name) for name in lab.TITLES},
        "repaired by length": partial(lab.repaired, repaired, "rope"),
        "repaired by position": partial(lab.repaired, repaired, "rope", by_position=True),
        "length_cost": partial(length_cost, text),
        "pair": partial(pair, text, "rope", "alibi", "ratio"),
        "two runs": partial(
            lab.two_runs, first=(("RoPE", ((64, 1.0), (512, 2.0))),), second=(("ALiBi", ((64, 3.0),)),)
        ),
    }
    found["catalogue"] = {draw.__name__: partial(draw, **arguments) for draw, arguments in test_catalogue.FIRST.items()}
    found["inside"] = {draw.__name__: partial(draw, run=read(), **base) for draw, base in test_inside.BASES.items()}
    return found


PICTURES = {(chapter, name): draw for chapter, drawn in pictures().items() for name, draw in drawn.items()}


def seen(value):
    """A fact as a file has it, numbers with nine digits."""
    value = float(f"{value:.9g}") if isinstance(value, float) else value
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def column(values):
    """What a column of numbers says of itself, or the ends of one of words."""
    words = [values.iloc[0], values.iloc[-1], len(values)] if len(values) else []
    if pd.api.types.is_numeric_dtype(values) and len(values):
        numbers = values.astype(float)
        return [seen(float(one)) for one in (numbers.iloc[0], numbers.iloc[-1], numbers.mean(), len(numbers))]
    return [seen(word) for word in words]


def facts(drawn):
    """The facts of a picture, and what its columns say of themselves."""
    frames = {name: {of: column(frame[of]) for of in frame} for name, frame in drawn.frames.items()}
    return {"facts": {name: seen(value) for name, value in drawn.facts.items()}, "frames": frames}


HYPHEN = re.compile(r"(?<![\w)])-[\d∞]")  # for a minus, which axes and tooltips have


def words(drawn):
    """All that a picture says: what a translation asks for."""
    asked = []

    def say(text):
        asked.append(text)
        return text

    spec_in(drawn.spec, say)
    for frame in drawn.frames.values():
        frame_in(frame, say)
    return asked


NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")  # in a text


def near(one, other):
    """Whether two facts are the same but for rounding: processors add in other orders, and what should be 0 is 1e-7."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(near(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(near(*both) for both in zip(one, other, strict=True))
    if isinstance(one, str) and isinstance(other, str):
        one, other = typed(one), typed(other)
        numbers = [[float(number) for number in NUMBER.findall(text)] for text in (one, other)]
        return NUMBER.sub("0", one) == NUMBER.sub("0", other) and near(*numbers)
    return one == other if isinstance(one, str | bool | None) else one == pytest.approx(other, 1e-6, 1e-6, nan_ok=True)


@cache
def content(path):
    """What is kept in a file."""
    return json.loads(path.read_text("utf-8"))


def turns_back(drawn):
    """Whether a line that is drawn in the order of its rows goes neither always to the right nor always down."""
    marks = [layer for layer in drawn.spec.get("layer", ()) if "mark" in layer]
    for layer in [layer for layer in marks if layer["mark"].get("order") is False]:
        own, data = layer["encoding"], layer.get("data", drawn.spec.get("data"))
        for _, line in drawn.frames[data["name"]].groupby(own.get("detail", own.get("color"))["field"]):
            if not any(line[own[channel]["field"]].is_monotonic_increasing for channel in ("x", "y")):
                return True
    return False


@pytest.fixture(scope="module")
def built_alone():
    """For each thing that Altair is told, whether no other thread may build a spec meanwhile; no spec is built yet."""
    found = set()
    for module in [module for name, module in list(sys.modules.items()) if name.startswith("pe_core.")]:
        for kept in vars(module).values():
            if isinstance(kept, _lru_cache_wrapper) and hasattr(kept.__wrapped__, "__wrapped__"):  # of `built_once`
                kept.cache_clear()

    def told(setter, *args, **kwargs):
        found.add(figure._ALONE._is_owned())
        return tell(setter, *args, **kwargs)

    tell = _PropertySetter.__call__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_PropertySetter, "__call__", told)
        yield found


@pytest.mark.parametrize(("chapter", "name"), PICTURES)
def test_spec_and_facts_are_those_that_were_kept(chapter, name, built_alone):
    kept_specs, kept_facts = (content(of / f"{chapter}.json") for of in (SPECS, FACTS))
    assert name in kept_specs, "a new picture: keep it with python -m tests.figures.test_specs"
    drawn = PICTURES[chapter, name]()
    assert json.loads(json.dumps(drawn.spec)) == kept_specs[name]
    assert False not in built_alone
    assert not turns_back(drawn)
    found, expected = facts(drawn), kept_facts[name]
    assert near(found, expected), (found, expected)
    assert [text for text in words(drawn) if HYPHEN.search(text)] == []
    assert list(unknown(drawn)) == []
    assert '"fold"' not in json.dumps(drawn.spec), "names of columns, of which it would make words, are not translated"
    assert [size for size in sizes(drawn.spec) if not is_large(size)] == []


def test_nothing_is_kept_of_a_picture_that_is_gone():
    for folder in (SPECS, FACTS):
        assert {(path.stem, name) for path in folder.glob("*.json") for name in content(path)} == set(PICTURES)


LIST = re.compile(r"\[\n([^\[\]{}\"]*?)\n\s+\]")


def in_a_line(found):
    """A list of numbers or words in one line of the file."""
    return "[" + " ".join(found[1].split()) + "]"


def renew():
    """Keep all as it is now."""
    for folder, told in ((SPECS, lambda figure: figure.spec), (FACTS, facts)):
        folder.mkdir(exist_ok=True)
        for path in folder.glob("*.json"):
            path.unlink()
        for chapter in dict.fromkeys(chapter for chapter, _ in PICTURES):
            found = {name: told(draw()) for (own, name), draw in PICTURES.items() if own == chapter}
            text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
            (folder / f"{chapter}.json").write_text(LIST.sub(in_a_line, text) + "\n", encoding="utf-8")


MADE = re.compile(r"^_|_$|^data:|\w_\w")  # names of keys, and images, are not for people
FOR_VEGA = {"url", "left", "right", "top", "bottom", "numbers", "decimals", "digits", "order", "value2"}  # no words
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


def is_for_people(tooltip):
    """Whether a tooltip is a sentence of the data, nothing, or a field with a title that is no name out of the data."""
    if set(tooltip) <= {"expr"}:
        return re.fullmatch(r"datum\.\w+|''|", tooltip.get("expr", "")) is not None
    title = tooltip.get("title", "")
    return bool(title) and "_" not in title and tooltip["field"] not in FOR_VEGA


def unknown(figure):
    """Tooltips without a title, with fields that neither the data nor a transform has, or with values for nobody."""
    for tooltips, data, made in marked(figure.spec):
        yield from (f"{one} has no title" for one in tooltips if not is_for_people(one))
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
        {"field": "made"},
    ]
    layer = {"mark": {"type": "point", "tooltip": {"expr": "datum.picture"}}, "encoding": {"tooltip": told}}
    spec = {"data": {"name": "dots"}, "layer": [{**layer, "transform": [{"calculate": "1", "as": "made"}]}]}
    dots = pd.DataFrame({"key": ["rope_scaled", "RoPE"], "picture": ["data:image/png;base64,x", "2 of 3"]})
    found = list(unknown(Figure(spec, {"dots": dots})))
    assert found == ["{'field': 'made'} has no title", "rope_scaled", "dots has no gone", "data:image/png;base64,x"]
    assert not is_large(10)
    assert is_large({"expr": "12 * clamp(1, 1, 2)"})
    assert not is_large({"expr": "min(11.5 * clamp(1, 1, 2), 14)"})


TRIES = 100


@built_once
def loss(number):
    return alt.Y("y:Q").title(f"Loss {number}").scale(zero=False, nice=True).to_dict()


@built_once
def weight(number):
    return alt.Y("z:Q").title(f"Weight {number}").scale(zero=True).axis(grid=False).to_dict()


@pytest.fixture
def hasty():
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
def test_no_spec_has_anything_of_one_that_another_thread_builds():
    alone = [(loss(number), weight(number)) for number in range(TRIES)]
    for build in (loss, weight):
        build.cache_clear()
    with ThreadPoolExecutor(2) as pool:
        built = [(pool.submit(loss, number), pool.submit(weight, number)) for number in range(TRIES)]
    assert [(of_loss.result(), of_weight.result()) for of_loss, of_weight in built] == alone


def test_what_was_built_is_kept():
    weight.cache_clear()
    assert weight(1) is weight(1)
    assert weight(1) is not weight(2)


if __name__ == "__main__":
    renew()
