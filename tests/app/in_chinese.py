"""Pages in Chinese: opened, pressed, and read to the last word, which is not to be English."""

import re

from pe_core.models import KNOWN
from pe_core.translation import speaking
from tests.app.opened import ROOT, opened
from tests.app.running import press
from tests.app.told import latin, told
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


def in_chinese(at):
    """The page, after checking that nothing on it is English."""
    assert not left_english(at)
    return at


def read(page, **link):
    """A page in Chinese, after checking that it is."""
    return in_chinese(opened(page, lang="zh", **link))


def pressed(at, key):
    """The page after a press of a button, in Chinese."""
    return in_chinese(press(at, key))
