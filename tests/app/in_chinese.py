"""Pages in Chinese: opened, pressed, and read to the last word, which is not to be English."""

import re

from pe_core.models import KNOWN
from tests.app.opened import ROOT, opened
from tests.app.running import press
from tests.app.told import latin, told

ALLOWED = set((ROOT / "content/zh/latin.txt").read_text(encoding="utf-8").split())
ALLOWED |= {word for model in KNOWN.values() for word in re.findall("[A-Za-z]+", str(model.config["model_type"]))}


def left_english(at):
    """The texts of a page that hold a Latin word that does not stay one in Chinese, with these words."""
    found = {text: [word for word in latin(text) if word not in ALLOWED] for text in told(at)}
    return {text[:200]: words for text, words in found.items() if words}


def in_chinese(at):
    """The page, after checking that nothing on it is English."""
    assert not at.exception
    assert not left_english(at)
    return at


def read(page, **link):
    """A page in Chinese, after checking that it is."""
    return in_chinese(opened(page, lang="zh", **link))


def pressed(at, key):
    """The page after a press of a button, in Chinese."""
    return in_chinese(press(at, key))
