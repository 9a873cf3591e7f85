"""The states of a page: its default, every control at its ends, every choice, and what comes with a choice."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from streamlit.testing.v1 import AppTest

from tests.sameness.shown import Item, items, prepare
from tests.sameness.steady import plain

TIMEOUT = 3_600  # seconds for a page, on a machine that may be stopped for other work
ONE_OF = ("button_group", "selectbox", "radio")
CHOICES = (*ONE_OF, "multiselect")
RANGES = ("slider", "number_input", "select_slider", "checkbox", "toggle", "text_input", "text_area", "file_uploader")
INSIDE = 0.382  # where between the ends of a range a third value is taken
MAX_LOOKS = 8  # options of a choice that may be one of closer looks: with more it is one of things
MAX_TRIED = 64  # answers to a question that are tried one by one
BAD = ("abc", "99999999999999999999")  # values that no control may have
ANSWERS = ("guess", "_answer")  # what is in the names of controls that ask for an answer; a link does not name it
# What is typed, where something else than a number and three words makes sense.
TYPED = {
    "sentence": ("one two three", "x", "a b c d e f g h"),
    "img_parts": ("text 2, image 2x2", "image 3x3", "nothing"),
    "ins_text": ("the king", "x"),
    "pasted": ("A text of one's own. " * 100, "short"),
    "self_pasted": ("0 1 " * 24, "one two"),
}
OTHERWISE = ("7", "one two three")
UPLOADED = ("text.txt", b"What the models learn to continue. " * 100, "text/plain")
LEFT_OUT = {
    "train": "trains; the part `trained` does it, with settings that take a second",
    "self_another": "draws a question at random",
}


@dataclass(frozen=True)
class Origin:
    """How to get to a state in a new session: a page, its link, and what is then done that no link holds."""

    page: str
    link: dict[str, Any] = field(default_factory=dict)
    actions: tuple[tuple[str, str, Any], ...] = ()


@dataclass(frozen=True)
class State:
    """A state of a page under a name that does not depend on words, and what the page shows in it."""

    name: str
    title: str
    items: list[Item]


def opened(root: Path, origin: Origin) -> AppTest:
    """Return the page as a link opens it in a new session."""
    prepare()
    at = AppTest.from_file(root / "app.py", default_timeout=TIMEOUT)
    at.switch_page(f"pages/{origin.page}.py")
    at.query_params.update(origin.link)
    at.run()
    for action in origin.actions:
        act(at, *action)
    return at


def controls(at: AppTest) -> list[Any]:
    """Return the controls of a page in its order that can be set and have a name of their own."""
    order = {id(node): place for place, node in enumerate(in_order(at._tree))}
    found = [one for kind in (*CHOICES, *RANGES) for one in at.get(kind) if one.key and not one.proto.disabled]
    return sorted(found, key=lambda one: order[id(one)])


def in_order(block: Any) -> Iterator[Any]:
    """All elements as they stand on the page: a container may have been filled late."""
    for number in sorted(block.children):
        child = block.children[number]
        yield child
        if hasattr(child, "children"):
            yield from in_order(child)


def act(at: AppTest, kind: str, key: str, value: Any) -> None:
    """Do what a visitor does with a control, a button or a folded block, and let the page follow."""
    if kind == "expander":
        at.session_state[key] = value
    else:
        found: Any = next(one for one in at.get(kind) if one.key == key)
        if kind == "button":
            found.click()
        elif kind == "file_uploader":
            found.upload(*value)
        else:
            found.set_value(value)
    at.run()


def address(at: AppTest, control: Any, value: Any) -> dict[str, Any]:
    """Return the link of a page after a control was put to a value, as the browser writes it where it is bound."""
    name = getattr(control.proto, "query_param_key", "")
    return {**at.query_params, name: str(value)} if name else dict(at.query_params)


def values(control: Any) -> list[tuple[str, Any]]:
    """Return the values that a control is put to, under names that stay when words change."""
    if control.type in ("slider", "number_input"):
        return _of_range(control)
    if control.type == "select_slider":
        last = len(control.options) - 1
        places = {"min": 0, "inside": round(INSIDE * last), "max": last}
        return [(name, control.options[place]) for name, place in places.items()]
    if control.type == "multiselect":
        max_chosen = control.max_selections or len(control.options)
        some = {"none": [], "all": control.options[:max_chosen], "two": control.options[-2:]}
        return [*some.items(), *((f"#{place}", [one]) for place, one in enumerate(control.options))]
    if control.type in ("checkbox", "toggle"):
        return [("on", True), ("off", False)]
    if control.type in ("text_input", "text_area"):
        return [(f"text {place}", text) for place, text in enumerate(TYPED.get(control.key, OTHERWISE))]
    if control.type == "file_uploader":
        return [("a file", UPLOADED)]
    return [(f"#{place}", one) for place, one in enumerate(control.options)]


def _of_range(control: Any) -> list[tuple[str, Any]]:
    whole = control.proto.data_type == control.proto.INT
    number: Callable[[float], Any] = int if whole else float
    first, last, step = control.min, control.max, control.step or 1
    between = round(first + round(INSIDE * (last - first) / step) * step, 9)
    return [(name, number(one)) for name, one in (("min", first), ("inside", between), ("max", last))]


def folded(at: AppTest) -> list[Any]:
    """Return the folded blocks of which a page draws the content only when they are opened."""
    return [block for block in at.expander if block.key and not block.proto.expanded]


class Walk:
    """A walk over the states of one page; each is handed to `keep`."""

    def __init__(self, root: Path, keep: Callable[[State], None]) -> None:
        self.root, self.keep = root, keep

    def default(self, page: str) -> None:
        """Record the page as a bare link opens it, with what is folded, after every button, and where its ways lead."""
        origin = Origin(page)
        at = self.open("default", "default", origin)
        if at is None:
            return
        self.beside("default", origin, at)
        for one in at.button:
            if one.key and one.key not in LEFT_OUT and one.key != "take_away" and not one.proto.disabled:
                self._do(f"button {one.key}", f"button {one.key}", origin, [("button", one.key, True)])
        ways = {(one.proto.page, one.proto.query_string) for one in at.get("page_link") if one.proto.query_string}
        for to, link in sorted(ways):
            self.open(f"way {to}?{link}", f"way {to}?{link}", Origin(to, parse_qs(link)))

    def bad_links(self, page: str) -> None:
        """Record what the page says of a link with values that its controls may not have."""
        for control in controls(opened(self.root, Origin(page))):
            for bad in BAD:
                name = f"?{control.key}={bad}"
                self.open(name, name, Origin(page, {control.key: bad}))

    def control(self, origin: Origin, before: str, key: str, depth: int = 0, known_already: bool = False) -> None:
        """Put one control to all its values, one after the other in one session, and go on from there.

        One that was walked before, in another state of the page, is put to one value only.

        Where a choice brings other controls, these are walked too; at the first depth all that come after it as well,
        since a look shows what the controls above it say.
        """
        at = opened(self.root, origin)
        control = _named(at, key)
        known = {one.key for one in controls(at)}
        link, type_ = dict(at.query_params), control.type
        shown_first = _value(control)
        for name, value in values(control):
            if known_already and not (name in ("inside", "none") or type_ in ONE_OF):
                continue
            if value == shown_first or (type_ == "multiselect" and value == list(shown_first)):
                continue
            if key not in {one.key for one in controls(at)}:  # an answer has taken the place of its question
                at = opened(self.root, origin)
            title = f"{key}={value if len(str(value)) < 60 else name}"
            action = (type_, key, value)
            if not self._act(f"{before}{key}={name}", f"{before}{title}", at, action):
                at = opened(self.root, origin)
                continue
            asked = address(at, control, value)
            if depth and type_ in RANGES and (known_already or name != "max"):
                there, again = origin, None
            elif asked != link and not at.exception:
                there = Origin(origin.page, asked)
                again = self.open(f"{before}{key}={name} by link", f"{before}{title} by link", there)
            else:
                there, again = Origin(origin.page, origin.link, (*origin.actions, action)), at
            if type_ in CHOICES and again is not None and name not in ("all", "none", "two"):
                self._beyond(f"{before}{key}={name}", there, again, key, known, depth)
        if any(part in key for part in ANSWERS) and type_ in ("number_input", "text_input") and not known_already:
            self._right_answer(before, origin, at, control)

    def _beyond(self, before: str, origin: Origin, at: AppTest, key: str, known: set[str], depth: int) -> None:
        """Walk what comes with a choice."""
        now = controls(at)
        new = {one.key for one in now} - known
        opens = {one.key for one in now} != known
        place = next((n for n, one in enumerate(now) if one.key == key), None)
        if place is None:  # an answer that takes the place of its question
            return
        if depth == 0 and opens:
            after = {one.key for n, one in enumerate(now) if n > place and one.type in CHOICES}
            new |= after | {one.key for one in now if one.type not in CHOICES}
        if depth == 0 and (opens or len(now[place].options) <= MAX_LOOKS):
            self.beside(before, origin, at)
        for one in now:
            if one.key in new and one.key != key:
                self.control(origin, f"{before} / ", one.key, depth + 1, one.key in known)

    def beside(self, before: str, origin: Origin, at: AppTest) -> None:
        """Record a state with all folded blocks open, and with what can be taken away."""
        blocks = [("expander", block.key, True) for block in folded(at)]
        if blocks:
            self._do(f"{before} / unfolded", f"{before} / unfolded", origin, blocks)
        if any(one.key == "take_away" for one in at.button):
            name = f"{before} / taken away"
            self._do(name, name, origin, [("button", "take_away", True)])

    def _right_answer(self, before: str, origin: Origin, at: AppTest, control: Any) -> None:
        """Find the right answer to a question: one of all, or of the numbers that the page names after a wrong one."""
        if control.type == "text_input":  # the last one was no number
            act(at, control.type, control.key, OTHERWISE[0])
        for one in _tried(at, control):
            act(at, control.type, control.key, one)
            if at.success:
                title = f"{before}{control.key}=right"
                self.keep(State(title, f"{title}: {one}", items(at)))
                return

    def open(self, name: str, title: str, origin: Origin) -> AppTest | None:
        try:
            at = opened(self.root, origin)
            self.keep(State(name, title, items(at)))
        except Exception as error:
            self.keep(State(name, title, [failed(error)]))
            return None
        return at

    def _do(self, name: str, title: str, origin: Origin, actions: list[tuple[str, str, Any]]) -> None:
        try:
            at = opened(self.root, origin)
            for action in actions:
                act(at, *action)
            self.keep(State(name, title, items(at)))
        except Exception as error:
            self.keep(State(name, title, [failed(error)]))

    def _act(self, name: str, title: str, at: AppTest, action: tuple[str, str, Any]) -> bool:
        try:
            act(at, *action)
            self.keep(State(name, title, items(at)))
        except Exception as error:
            self.keep(State(name, title, [failed(error)]))
            return False
        return True


def _tried(at: AppTest, control: Any) -> list[Any]:
    """Return what may be the right answer to a question, once it was answered wrongly."""
    if control.type == "number_input" and control.max - control.min < MAX_TRIED:
        return list(range(int(control.min), int(control.max) + 1))
    said = " ".join(one.value for one in (*at.warning, *at.error))
    numbers = list(dict.fromkeys(one.replace(",", "") for one in re.findall(r"-?\d[\d,]*(?:\.\d+)?", said)))
    if control.type == "text_input":
        return numbers
    return [int(one) for one in numbers if one.isdigit() and control.min <= int(one) <= control.max]


def _named(at: AppTest, key: str) -> Any:
    return next(one for one in controls(at) if one.key == key)


def _value(control: Any) -> Any:
    if control.type == "multiselect":
        return control.values
    if control.type == "button_group":
        found = control.formatted_values
        return found[0] if len(found) == 1 else found
    if control.type == "selectbox":
        return None if control.index is None else control.options[control.index]
    return control.value


def failed(error: Exception) -> Item:
    """What stands in the place of a page that `AppTest` cannot show."""
    return Item("exception", "", plain({"while recording": f"{type(error).__name__}: {error}"}))
