"""A lecture is a TOML file of scenes: each is the link of a page with its state, a sentence and notes.

A file may come from anybody, so its size and all that stands in it are bounded. What is wrong is named: which scene,
which field, and the rule.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from pe_core.parameters import MAX_SHOWN, require
from pe_core.translation import CONTENT, ENGLISH
from ui.language import words

ROOT = Path(__file__).parents[2]
PAGES = frozenset(path.stem for path in (ROOT / "pages").glob("*.py"))
OURS = ("present", "scene", "reveal", "notes")  # names in a link that say which scene is shown, and how

MAX_BYTES = 200_000
MAX_SCENES = 100
MAX_MINUTES = 600
MAX_REVEALS = 6
MAX_CONTROLS = 2
MAX_LENGTHS = {"title": 120, "link": 2_000, "sentence": 200, "notes": 4_000, "reveals": 200, "controls": 60}

Parameters = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Scene:
    """One view of a lecture.

    `page` is the name of the page's file, `parameters` are what its link says, `minutes` how long it is talked about.
    `reveals` are sentences that come one by one after the first one. `controls` are the names of the one or two
    controls that are shown with the picture; where there are none, they are the first ones that the link names.
    """

    page: str
    parameters: Parameters
    sentence: str
    notes: str
    minutes: float
    reveals: Sequence[str] = ()
    controls: Sequence[str] = ()

    @property
    def link(self) -> str:
        """The link of the view, from the root of the app."""
        path = "/" if self.page == "home" else f"/{self.page}"
        return f"{path}?{urlencode(list(self.parameters))}" if self.parameters else path

    def presented(self, lecture: str, number: int) -> str:
        """Return the link that presents this scene as that `number`, from 1, of a lecture."""
        return replace(self, parameters=(*self.parameters, ("present", lecture), ("scene", str(number)))).link


@dataclass(frozen=True)
class Lecture:
    """A title, how many minutes there are, and the scenes in their order."""

    title: str
    minutes: float
    scenes: Sequence[Scene] = field(default_factory=tuple)


def names() -> tuple[str, ...]:
    """Return the names of the lectures that come with the project, the shortest one first."""
    found = (path.stem for path in _folder(ENGLISH).glob("*.toml"))
    return tuple(sorted(found, key=lambda name: (len(name), name)))


def _folder(language: str) -> Path:
    return CONTENT / language / "lectures"


def load(name: str, language: str = "") -> Lecture:
    """Return a lecture of the project, in the visitor's language if none is said; `ValueError` for a name of none."""
    require(name in names(), "the lecture", f"be one of {', '.join(names())}", repr(name[:MAX_SHOWN]))
    path = _folder(language or words.language()) / f"{name}.toml"
    if not path.exists():  # a translation that is not done yet
        path = _folder(ENGLISH) / path.name
    return parse(path.read_bytes())


def parse(content: bytes) -> Lecture:
    """Return the lecture that a file holds; `ValueError` names the scene, the field and the rule that it breaks."""
    require(len(content) <= MAX_BYTES, "the file", f"have at most {MAX_BYTES:,} bytes", f"{len(content):,}")
    try:
        told = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("the file must be a text in UTF-8, got other bytes") from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ValueError(f"the file must be TOML, got an error: {str(error)[:200]}") from None
    _check_fields("the file", told, needed=("title", "minutes", "scenes"))
    scenes = told["scenes"]
    is_list = isinstance(scenes, list) and all(isinstance(scene, dict) for scene in scenes)
    require(is_list, "scenes", "be TOML tables, each below a line [[scenes]]", type(scenes).__name__)
    require(1 <= len(scenes) <= MAX_SCENES, "the file", f"have 1 to {MAX_SCENES} scenes", len(scenes))
    title, minutes = _text("the file", "title", told["title"]), _minutes("the file", told["minutes"])
    return Lecture(title, minutes, tuple(_scene(f"scene {number}", one) for number, one in enumerate(scenes, start=1)))


def _scene(where: str, told: Mapping[str, object]) -> Scene:
    _check_fields(where, told, needed=("link", "sentence", "notes", "minutes"), optional=("reveals", "controls"))
    page, parameters = split(where, _text(where, "link", told["link"]))
    return Scene(
        page,
        parameters,
        _text(where, "sentence", told["sentence"]),
        _text(where, "notes", told["notes"], empty=True),
        _minutes(where, told["minutes"]),
        _texts(where, "reveals", told.get("reveals", []), MAX_REVEALS),
        _texts(where, "controls", told.get("controls", []), MAX_CONTROLS),
    )


def split(where: str, link: str) -> tuple[str, Parameters]:
    """Return the name of the page and the parameters of a link within the app; `ValueError` for any other link."""
    rule = "be a link of a page of this app, such as /rope?query=20"
    shown = repr(link[:MAX_SHOWN])
    try:
        parts = urlsplit(link)
        parameters = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MAX_SCENES)
    except ValueError:
        raise ValueError(f"link of {where} must {rule}, got {shown}") from None
    page = parts.path.removeprefix("/") or "home"
    inside = link.startswith("/") and not (parts.scheme or parts.netloc or parts.fragment)
    require(inside and page in PAGES, f"link of {where}", rule, shown)
    ours = [name for name, _ in parameters if name in OURS]
    require(not ours, f"link of {where}", f"have none of the names {', '.join(OURS)}", ", ".join(ours))
    return page, tuple(parameters)


def _check_fields(where: str, told: Mapping[str, object], needed: Sequence[str], optional: Sequence[str] = ()) -> None:
    missing = [name for name in needed if name not in told]
    require(not missing, where, f"have the fields {', '.join(needed)}", f"no {', '.join(missing)}")
    unknown = [name[:MAX_SHOWN] for name in told if name not in (*needed, *optional)]
    require(not unknown, where, f"have no other fields than {', '.join((*needed, *optional))}", ", ".join(unknown[:3]))


def _text(where: str, name: str, value: object, *, empty: bool = False) -> str:
    longest = MAX_LENGTHS[name]
    rule = f"be a text of {0 if empty else 1} to {longest:,} characters"
    require(isinstance(value, str), f"{name} of {where}", rule, type(value).__name__)
    text = str(value).strip()
    fits = (bool(text) or empty) and len(text) <= longest
    require(fits, f"{name} of {where}", rule, f"{len(text):,}")
    return text


def _texts(where: str, name: str, value: object, most: int) -> tuple[str, ...]:
    rule = f"be a list of at most {most} texts"
    require(isinstance(value, list), f"{name} of {where}", rule, type(value).__name__)
    assert isinstance(value, list)  # for the type checker
    require(len(value) <= most, f"{name} of {where}", rule, len(value))
    return tuple(_text(where, name, one) for one in value)


def _minutes(where: str, value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = number and isinstance(value, int | float) and 0 < value <= MAX_MINUTES  # False for NaN too
    require(fits, f"minutes of {where}", f"be a number above 0, at most {MAX_MINUTES}", repr(value)[:MAX_SHOWN])
    assert isinstance(value, int | float)
    return float(value)


def written(lecture: Lecture) -> str:
    """Return the file of a lecture, which `parse` reads again."""
    lines = [f"title = {_quoted(lecture.title)}", f"minutes = {lecture.minutes:g}"]
    for scene in lecture.scenes:
        lines += ["", "[[scenes]]", f"link = {_quoted(scene.link)}", f"sentence = {_quoted(scene.sentence)}"]
        lines += [f"notes = {_quoted(scene.notes)}", f"minutes = {scene.minutes:g}"]
        for name, texts in (("reveals", scene.reveals), ("controls", scene.controls)):
            if texts:
                lines.append(f"{name} = [{', '.join(map(_quoted, texts))}]")
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    """Return a text as a basic string of TOML: as in JSON, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
