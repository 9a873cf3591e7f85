"""What a page shows, as a list of items that can be compared: one for every element, in the order of the page."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.json_format import MessageToDict
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.Block_pb2 import Block
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.testing.v1 import AppTest, local_script_runner

from tests.sameness.steady import frame, plain, steady_file

SOURCE = "Show code"  # the label of the blocks that print our own source

Path = tuple[int, ...]  # numbers of the blocks that an element stands in, and its own

# Fields of messages that no visitor sees: hashes of all arguments, and how a value gets to the browser.
UNSEEN = {
    "id",
    "form_id",
    "default",
    "default_expanded",
    "set_value",
    "raw_value",
    "raw_values",
    "ignore_rerun",
    "page_script_hash",
    "deferred_file_id",  # a new one in each run: the file is made when it is asked for
}
# How a block is that shows nothing of its own, and fields of it that no visitor sees.
USUAL = {
    "align": "ALIGN_START",
    "justify": "JUSTIFY_START",
    "direction": "VERTICAL",
    "gap_config": {"gap_size": "SMALL"},
    "height_config": {"use_content": True},
    "width_config": {"use_stretch": True},
    "expanded": False,
}
UNSEEN_OF_BLOCK = {"allow_empty", "scale", "wrap", "is_open", "dismissible"}
# Where a message has another name than what is written in the list of differences.
KINDS = {"imgs": "image", "page_link": "way", "bidi_component": "component", "download_button": "download"}


@dataclass(frozen=True)
class File:
    """What a button offers: a file that is there or one that is made when it is asked for."""

    name: str
    mime: str
    content: Any

    def described(self) -> dict[str, Any]:
        """Return its name, and its text where it has one; pictures are made of what is compared anyway."""
        told = {"file": self.name, "mime": self.mime}
        if self.mime.startswith("image/"):
            return told
        content = self.content() if callable(self.content) else self.content
        if isinstance(content, bytes):
            try:
                content = content.decode()
            except UnicodeDecodeError:
                return told
        return {**told, "text": steady_file(str(content))}


_files: dict[str, File] = {}  # by their ids or addresses, of the runs since items were taken last


@dataclass(frozen=True)
class Item:
    """One thing on a page: its kind, where it stands, and all that is to be compared of it, as JSON."""

    kind: str
    place: str
    text: str


@cache
def prepare() -> None:
    """Let `AppTest` keep the messages of a run, whose widths and heights its elements lack, and open pages faster.

    It would look through all installed packages for components of theirs each time; that took four fifths of the time.
    """
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
    runner: Any = local_script_runner
    parse = runner.parse_tree_from_messages

    def keep(messages: list[Any]) -> Any:
        tree = parse(messages)
        tree.messages = list(messages)
        return tree

    runner.parse_tree_from_messages = keep
    for name in ("add", "add_deferred"):
        setattr(MediaFileManager, name, _noting(getattr(MediaFileManager, name)))


def _noting(method: Callable[..., str]) -> Callable[..., str]:
    """The same method, where what is added is noted: a message has no name of a file, and no content."""

    def noted(self: Any, content: Any, mimetype: str, coordinates: str, file_name: str = "", **options: Any) -> str:
        address = method(self, content, mimetype, coordinates, file_name=file_name, **options)
        _files[address] = File(file_name or "", mimetype or "", content)
        return address

    return noted


def items(at: AppTest) -> list[Item]:
    """Return all that the page shows, the navigation and the link."""
    tree: Any = at._tree
    messages = tree.messages
    outer = {tuple(m.metadata.delta_path): m.delta for m in messages if m.HasField("delta")}
    found = [*_frame(messages), *_sentences(_within(tree, (), "", False, outer))]
    _files.clear()
    link = {name: value if isinstance(value, list) else [value] for name, value in at.query_params.items()}
    return [*found, Item("link", "", plain(link))]


def _sentences(found: Iterable[Item]) -> Iterator[Item]:
    """The same items, where what is written after a chart, for those who cannot see it, is a kind of its own."""
    after_chart = False
    for item in found:
        if item.kind == "html" and after_chart:
            yield Item("sentence", item.place, re.sub(r"<[^>]*>", "", json.loads(item.text)["body"]))
        else:
            yield item
        after_chart = item.kind in ("spec", "data")


def _frame(messages: Iterable[Any]) -> Iterator[Item]:
    """The list of pages, and the title of the window; what was said last counts."""
    last = {message.WhichOneof("type"): message for message in messages}
    for name in ("navigation", "page_config_changed"):
        if name in last:
            yield Item("navigation", "", plain(_seen(getattr(last[name], name))))


def _within(block: Any, path: Path, place: str, source: bool, outer: Mapping[Path, Any]) -> Iterator[Item]:
    """The items of a block of elements and of the blocks in it, by their places: a container may be filled late."""
    for number in sorted(block.children):
        child, here = block.children[number], (*path, number)
        delta: Any = outer.get(here)
        if hasattr(child, "children"):
            proto = delta.add_block if delta and delta.HasField("add_block") else Block()
            name = _name_of(proto, number) if path else ("", "sidebar", "event")[number]
            label = proto.expandable.label
            if label:
                yield Item("expander", place, plain(_seen(proto.expandable)))
            inside = f"{place} > {name}".removeprefix(" > ") if name else place
            yield from _within(child, here, inside, source or label == SOURCE, outer)
        else:
            element = delta.new_element
            for item in _of_element(child, element):
                yield Item("source" if source else item.kind, place, item.text)


def _name_of(proto: Block, number: int) -> str:
    """How a block shows; nothing for one that only groups what is in it."""
    kind = proto.WhichOneof("type")
    about = _seen(proto)
    inner = about.pop(kind, {}) if kind else {}
    shown = {
        name: value
        for name, value in {**about, **inner}.items()
        if name not in UNSEEN_OF_BLOCK and USUAL.get(name) != value and value not in ({}, "")
    }
    if kind == "flex_container" and shown == {"align": "STRETCH", "direction": "HORIZONTAL"}:
        return ""  # a row of columns, which are named themselves
    if kind in (None, "transparent", "vertical", "flex_container"):
        return plain(shown).replace('"', "") if shown else ""
    return f"{kind} {number} {plain(shown)}".replace('"', "")


def _of_element(node: Any, element: Any) -> Iterator[Item]:
    kind = element.WhichOneof("type")
    proto = getattr(element, kind)
    if kind == "empty":
        return
    about = _seen_size(element)
    if kind == "vega_lite_chart":
        spec = {**json.loads(proto.spec or "{}"), **about, "alt": proto.alt, "theme": proto.theme, "key": node.key}
        if proto.selection_mode:
            spec["selections"] = list(proto.selection_mode)
        yield Item("spec", "", plain(spec))
        for dataset in proto.datasets:
            yield Item("data", "", plain({"name": dataset.name, **frame(dataset.data.data, False)}))
        if proto.data.data:
            yield Item("data", "", plain({"name": "", **frame(proto.data.data, False)}))
        return
    if kind in ("dataframe", "table"):
        data = proto.arrow_data.data
        rest = _seen(proto)
        rest.pop("arrow_data", None)
        if "columns" in rest:
            rest["columns"] = json.loads(rest["columns"])
        yield Item("table", "", plain({**rest, **about, **(frame(data, True) if data else {})}))
        return
    told = _seen(proto)
    if kind not in ("button", "download_button") and hasattr(type(node), "_widget_state"):
        told.pop("value", None)  # only where the server sets it
        told |= {"value": _value(node), "key": node.key}
        yield Item("widget", "", plain({"kind": node.type, **told, **about}))
        return
    if kind == "button":
        told["key"] = node.key
    if kind == "download_button":
        address = told.pop("url", "") or proto.deferred_file_id
        told |= _files[address].described() if address in _files else {}
    if kind == "exception":
        told = {"type": proto.type, "message": proto.message}
    yield Item(
        node.type if kind in ("alert", "heading", "markdown") else KINDS.get(kind, kind), "", plain(told | about)
    )


def _value(node: Any) -> Any:
    """The value of a control as it is shown."""
    for shown in ("values", "formatted_values", "index"):
        if node.type != "slider" and hasattr(type(node), shown):
            return getattr(node, shown)
    value = node.value
    return value if isinstance(value, (int, float, str, bool, list, tuple, type(None))) else str(type(value).__name__)


def _seen_size(element: Any) -> dict[str, Any]:
    about = {
        name: MessageToDict(getattr(element, name), preserving_proto_field_name=True)
        for name in ("width_config", "height_config", "text_alignment_config")
        if element.HasField(name)
    }
    return {name: value for name, value in about.items() if value}


def _seen(proto: Any) -> dict[str, Any]:
    """The fields of a message that a visitor can see, without what is at its default."""
    told: dict[str, Any] = _without_unseen(MessageToDict(proto, preserving_proto_field_name=True))
    return told


def _without_unseen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_unseen(one) for name, one in value.items() if name not in UNSEEN}
    return [_without_unseen(one) for one in value] if isinstance(value, list) else value
