"""Home shows the length cliff with no click, and every number of it is that of the kept run."""

import json
import re
import subprocess
import sys

import pytest

from pe_core.chapters import home as chapter
from pe_core.chapters import story
from pe_core.encodings import ENCODINGS
from tests.app.opened import ROOT, frames, opened, said, sentences
from tests.browser.protocol import apart, connected
from tests.browser.serving import serving
from ui import home as ui_home
from ui.lab.setup import EXPERIMENTS


@pytest.fixture(scope="module")
def home():
    return opened("home")


@pytest.fixture(scope="module")
def kept():
    """The file as it stands there, read by no code of ours."""
    return json.loads((ROOT / "pe_core" / "runs" / "home.json").read_text(encoding="utf-8"))


ALONE = """
import sys
from ui import home
from ui.widgets.prose import Text
home.moving_picture(Text("home"))
print([library for library in ("torch", "numpy", "pandas", "pyarrow", "altair") if library in sys.modules])
"""


def test_the_first_picture_of_a_fresh_server_waits_for_no_library():
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_fresh_server_loads_no_library_before_its_first_page(tmp_path):
    async def visit(address):
        async with connected(address) as client:
            await client.open("")

    log = tmp_path / "imports"
    told = {"PYTHONPROFILEIMPORTTIME": "1"}
    with log.open("wb") as file, serving(environment=told, log=file.fileno()) as (address, _):
        apart(visit(address))
    imported = re.findall(r"^import time: .*\| *([\w.]+)$", log.read_text(), re.MULTILINE)
    page = imported.index("ui.home")
    libraries = {"torch", "pandas", "pyarrow", "altair"}
    assert libraries & set(imported[:page]) == set()
    assert libraries <= set(imported[page:])


def test_the_kept_run_shows_a_cliff_and_an_encoding_without_one(kept):
    """What the page promises: otherwise it teaches nothing without a click."""
    verdicts = {kept["readers"][key]["verdict"] for key in chapter.SHOWN}
    assert {"holds", "breaks"} <= verdicts


def test_the_last_picture_and_its_sentence_are_those_of_the_gallery(home):
    """Its numbers are found by other ways in `tests/chapters/test_gallery.py`."""
    *_, chart = frames(home)
    shown = {name.partition(" (n=")[0] for name in chart["lines"]["name"]}
    assert shown == {ENCODINGS[key].title for key in ("none", "sinusoidal", "rope", "t5", "alibi")}
    assert all(f"{title} × " in said(home) for title in shown)


def test_the_texts_have_the_numbers_of_the_picture_of_the_run_and_of_the_memory(home, kept):
    facts = chapter.past_training().facts
    assert f"after 64 characters: {facts['at-training']}; after 512: {facts['at-end']}." in sentences(home)[0]
    text = " ".join(paragraph.value for paragraph in home.markdown)
    assert f"trained for {kept['steps']} steps on *{kept['name']}*, seed {kept['seed']}" in text
    assert "| Llama 3 8B | 0.5 GiB | 4 GiB | 16 GiB |" in text
    assert "Llama 3 8B 128 KiB" in text  # 2 x 32 x 8 x 128 x 2 bytes a token


def test_the_story_is_told_in_words_that_both_languages_have(home):
    """Each picture has its text, the way to its chapter, and words for those who cannot see it."""
    for at in (home, opened("home", lang="zh")):
        told = [json.loads(one.proto.json) for one in at.get("bidi_component") if "picture" in one.proto.json]
        assert len(told) == len(story.CHAPTERS)
        assert all(len(one["alternative"]) > 20 and "[[" not in one["alternative"] for one in told)
        links = [link.proto.page for link in at.page_link]
        assert set(story.CHAPTERS.values()) <= set(links)
    words = {mark["words"] for one in told for mark in one["picture"]["marks"]}
    assert {"狗", "从未出现", "查询"} <= words
    assert "0 of 3 outputs change. With a position added to each word, 3 do." in said(home)


def test_three_ways_lead_in_and_a_text_of_ones_own_is_one_click_away(home):
    ways = [page for pages in ui_home.WAYS.values() for page in pages]
    assert [link.proto.page for link in home.page_link][: len(ways)] == ways
    assert len(ui_home.WAYS) == 3
    [link] = [one.proto for one in home.page_link if one.proto.query_string]
    own = EXPERIMENTS["own_text"]
    assert (link.page, link.query_string, link.icon) == ("lab", "experiment=own_text", own.icon)
