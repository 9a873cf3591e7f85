"""What a page tells people, in its elements and pictures, and that nothing of it is English on a page in Chinese."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from pyarrow.types import is_boolean, is_floating, is_integer

from pe_core.models import KNOWN
from pe_core.translation import speaking
from tests.app.opened import ROOT, opened, tables
from tests.app.running import press
from ui.catalogue import KINDS

ALLOWED = set((ROOT / "content/zh/latin.txt").read_text(encoding="utf-8").split())
ALLOWED |= {word for model in KNOWN.values() for word in re.findall("[A-Za-z]+", str(model.config["model_type"]))}

# Terms that have their English beside them where a page uses them first: those with a star in docs/glossary.md.
STARRED = {
    "查询": "query",
    "底数(?!下界)": "base",
    "图像块": "patch",
    "过渡函数": "ramp",
    "注意力汇点?": "sink",
    "长度断崖": "length cliff",
    "奈特": "nat",
    "归纳头": "induction head",
}
READ = ("markdown", "caption", "info", "success", "warning", "error")
# What is no prose: rows of tables, code, formulas, addresses, names of controls and of entries.
TITLES = {speaking("zh")(spec.title) for kind in KINDS.values() for spec in kind.entries.values()}
LEFT_OUT = re.compile(
    "|".join([r"^\|.*$", r"```[\s\S]*?```", r"\$\$[\s\S]*?\$\$", r"\$[^$]*\$", "`[^`]*`", r"\]\([^)]*\)", "“[^”]*”"])
    + "|"
    + "|".join(map(re.escape, sorted(TITLES, key=len, reverse=True))),
    re.MULTILINE,
)


def explained(term, english):
    """The pattern of a term that has its English beside it."""
    return rf"{term}\**(?:（[^（）]*|，){english}"


def unexplained(at):
    """The starred terms that have no English beside them where a page has them first, each with that place."""
    prose = LEFT_OUT.sub("§", "\n".join(one.value for one in at.main if one.type in READ))
    first = {term: found.start() for term in STARRED if (found := re.search(term, prose))}
    return {
        term: prose[max(place - 20, 0) : place + 20]
        for term, place in first.items()
        if not re.match(explained(term, STARRED[term]), prose[place:])
    }


def left_english(at):
    """The texts of a page that hold a Latin word that does not stay one in Chinese, with these words."""
    found = {text: [word for word in latin(text) if word not in ALLOWED] for text in told(at)}
    return {text[:200]: words for text, words in found.items() if words}


def badly_set(at):
    """The texts of a page with a space between Chinese signs, two marks in a row, or a "none" within a sentence."""
    return [text for text in told(at) if BADLY_SET.search(NO_PROSE.sub("§", text))]


def in_chinese(at):
    """The page, after checking that nothing on it is English, or set as Chinese is not."""
    assert not left_english(at), left_english(at)
    assert not badly_set(at), badly_set(at)
    return at


def also_in_chinese(at):
    """Check the page in Chinese as it stands; its next run is in English again."""
    in_chinese(at.segmented_control(key="language").set_value("zh").run())
    at.segmented_control(key="language").set_value("en")


def read(page, **link):
    """A page in Chinese, after checking that it is."""
    return in_chinese(opened(page, lang="zh", **link))


def pressed(at, key):
    """The page after a press of a button, in Chinese."""
    return in_chinese(press(at, key))


# Fields of Streamlit's messages that no visitor reads.
UNREAD = {
    *("id", "key", "element_id", "form_id", "query_param_key", "icon", "url", "type", "border", "format", "color"),
    *("spec", "data", "data_frame", "arrow_data", "datasets", "config", "query_string", "page", "name", "language"),
    *("css", "js", "css_content", "js_content", "html_content", "component_name", "json", "mixed_json"),
    *("script_hash", "page_script_hash", "columns"),
}
WORDS = {"title", "text", "domain", "values", "label", "labels"}
EXPRESSIONS = {"expr", "labelExpr", "calculate", "test", "filter", "update", "value"}
UNREAD_COLUMNS = {"numbers", "url", "image", "line", "key", "kind", "side"}
QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
NO_PROSE = re.compile(
    r"<p style=.white-space.*?</p>|\b[0-9a-f]{7,}\S*|"
    r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|`[^`]*`|\]\([^)]*\)|:material/\w+:|\S*/\?\S+|https?://\S+|arXiv:\S+|:[a-z-]+\[|<[^>]*>"
    # a term in English behind its Chinese name
    r"|（[^（）]*）"
    # authors and titles of papers, and what a model writes
    r"|(?:来源|论文)：(?:“[A-Za-z][^”]*”|[^“*])*"
    r"|\*[A-Z][^*\n]*\*|“[0-9]?-?[A-Za-z][^”]*”"
    # names of functions, fields, variables, files, modules and rules; a formula, and JSON, in a field that is empty
    r"|\*\*\w+\.\*\*|\w+[./-][\w./-]+|\w+(?:\\?_\w+)+"
    r"|规则 linear|可以使用名称 [^。]*|^\{.*\}$|^\x22[^\x22]*\x22$|^true$|^false$|^null$|^where\(.*$|softplus|NeMo",
    re.DOTALL,
)
STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
BETWEEN_CELLS, ESCAPED = re.compile(r"(?<!\\)\|"), re.compile(r"\\(.)")
LATIN = re.compile(r"[A-Za-z][A-Za-z'’]{3,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
HAN, MARKS = "[\u4e00-\u9fff]", "，。、；：）”"
# A visitor has to type 行x列 as it stands.
BADLY_SET = re.compile(
    rf"{HAN}[ \u00a0]+(?!帧?x?行x列){HAN}|[{MARKS}][ \u00a0]+{HAN}|{HAN}[ \u00a0]+[{MARKS}（“]"
    "|[，。、；][，。、；：]|是无[，。；]"
)


def told(at: Any) -> Iterator[str]:
    """Yield every text that a page tells, in its dialogs and passing notes too."""
    for block in at._tree.children.values():
        for element in block:
            proto = getattr(element, "proto", None)
            if proto is None or element.type in ("code", "json"):
                continue
            if element.type in ("dataframe", "table"):
                yield from _in_table(element)
            elif element.type == "vega_lite_chart":
                yield from _in_spec(json.loads(proto.spec))
            else:
                yield from (html.unescape(STYLE.sub(" ", cell)) for text in _strings(proto) for cell in _cells(text))
    for data in tables(at):
        for of, table in data.items():
            for name, column in zip(table.column_names, table.columns, strict=True):
                if not is_number(column.type) and is_read(of, name):
                    known = (value for value in column.to_pylist() if isinstance(value, str))
                    yield from (value for value in known if not value.startswith("data:"))


def is_read(frame: str | None, column: str) -> bool:
    """Return whether people read this column of a frame; what a model reads is in the language of its text."""
    return column not in UNREAD_COLUMNS and (frame, column) != ("text", "text")


def is_number(kind: Any) -> bool:
    """Return whether a column of this type holds numbers."""
    return is_integer(kind) or is_floating(kind) or is_boolean(kind)


def latin(text: str) -> list[str]:
    """Return the words of more than three Latin letters in a text; formulas, code and addresses are none."""
    return LATIN.findall(NO_PROSE.sub(" ", text))


def _in_table(element: Any) -> Iterator[str]:
    """Yield the heads of a table as they are shown, what is said of them, and its cells."""
    table, settings = element.value, json.loads(getattr(element.proto, "columns", "") or "{}")
    for name in table.columns:
        said = settings.get(name, {})
        yield said.get("label", str(name))
        yield said.get("help", "")
    yield from map(str, table.to_numpy().ravel())


def _cells(text: str) -> list[str]:
    """Return the cells of a table in Markdown as they are shown; any other text as it is."""
    if not text.startswith("| "):
        return [text]
    cells = [cell.strip() for line in text.splitlines() for cell in BETWEEN_CELLS.split(line)]
    return [ESCAPED.sub(r"\1", cell) for cell in cells]


def _strings(proto: Message) -> Iterator[str]:
    for described, value in proto.ListFields():
        if described.name in UNREAD:
            continue
        values = value if described.is_repeated else [value]
        if described.type == FieldDescriptor.TYPE_STRING:
            yield from values
        elif described.message_type is not None and not described.message_type.GetOptions().map_entry:
            for one in values:
                yield from _strings(one)


def _in_spec(part: Any, key: str = "", above: str = "") -> Iterator[str]:
    if isinstance(part, dict):
        for name, one in part.items():
            if name in ("datasets", "usermeta", "config"):
                continue
            if name == "data" and isinstance(one, dict) and "values" in one:
                rows = [row for row in one["values"] if isinstance(row, dict)]
                read = (value for row in rows for column, value in row.items() if is_read(one.get("name"), column))
                yield from (value for value in read if isinstance(value, str))
            else:
                yield from _in_spec(one, name, key)
    elif isinstance(part, list):
        for one in part:
            yield from _in_spec(one, key, above)
    elif isinstance(part, str) and (key in WORDS or (key, above) == ("name", "bind")):
        yield part
    elif isinstance(part, str) and key in EXPRESSIONS:
        # A single word may be a name of Vega's own.
        yield from (one or other for one, other in QUOTED.findall(part) if " " in (one or other))
