"""Open a page of the app as a link does, with no page before it, and read what its charts were given."""

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
import pyarrow as pa
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from ui.frame.visitor import KEY

ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds: only a page that never ends takes as long
VISITOR = "0123456789abcdef" * 2  # the key of a visitor
OWNER = hashlib.sha256(VISITOR.encode()).hexdigest()  # and whose his runs are

# Every AppTest looks through all installed packages for components, which takes thrice as long as a page: once will do.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


def wait_for_run(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    """Wait for the script of a page to end; raise `RuntimeError` if it does not."""
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        raise RuntimeError(f"the page did not end within {timeout} s")


# An AppTest asks a thousand times a second whether the page has ended, and takes a tenth of its time with that.
local_script_runner.require_widgets_deltas = wait_for_run


# Every run of an AppTest would compile app.py and its page anew; a server does it once.
SCRIPTS = ScriptCache()
local_script_runner.ScriptCache = lambda: SCRIPTS


def without_browser(spec: type) -> SimpleNamespace:
    """A server of which no session has a browser; a stand-in that answers whatever it is asked is slow to make."""
    return SimpleNamespace(get_client=lambda session: None, is_active_session=lambda session: True)


app_test.MagicMock = without_browser


class AfterFirstRun(PagesManager):
    """The pages as a server knows them that has drawn one before."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        PagesManager.uses_pages_directory = False


# An AppTest takes every run for the first one of a server, which runs the file of the page before it runs app.py;
# `test_every_page.py` has that one.
app_test.PagesManager = AfterFirstRun


class Visit(AppTest):
    """A visit of the app, of which no run may end with an exception."""

    def __init__(self) -> None:
        super().__init__(ROOT / "app.py", default_timeout=PATIENCE)

    def _run(self, *args: Any, **kwargs: Any) -> AppTest:
        at = super()._run(*args, **kwargs)
        assert not at.exception
        return at


def opened(
    page: str, *, visitor: str = "", session: Mapping[str, object] = MappingProxyType({}), **link: str | list[str]
) -> AppTest:
    """Open a page by its file's name, with the parameters of the link, as a visitor with this key or as a new one.

    `session` is what was chosen there before.
    """
    at = Visit()
    at.switch_page(f"pages/{page}.py")
    for name, value in {**session, **({KEY: visitor} if visitor else {})}.items():
        at.session_state[name] = value
    at.query_params.update(link)
    return at.run()


def followed(link: str) -> AppTest:
    """Open a page by its link, written as `page?name=value&name=value`."""
    page, _, query = link.partition("?")
    return opened(page, **parse_qs(query, keep_blank_values=True))


def frames(at: AppTest) -> list[dict[str, pd.DataFrame]]:
    """The data of every chart of the page by name, in the order of the page; those of a kept figure are in its spec."""
    return [{name: data.to_pandas() for name, data in chart.items()} for chart in tables(at)]


def tables(at: AppTest) -> list[dict[str, pa.Table]]:
    """The same data as the browser gets them: as frames they would take ten times as long to make."""
    charts = [chart.proto for chart in at.get("vega_lite_chart")]
    sent = [{d.name: pa.ipc.open_stream(d.data.data).read_all() for d in chart.datasets} for chart in charts]
    return [{**in_spec(json.loads(chart.spec)), **data} for chart, data in zip(charts, sent, strict=True)]


def in_spec(spec: dict[str, Any]) -> dict[str, pa.Table]:
    """The named data that a spec holds itself, by name."""
    parts = [layer.get("data", {}) for layer in spec.get("layer", [])]
    named = [part for part in parts if {"name", "values"} <= part.keys()]
    return {part["name"]: pa.Table.from_pandas(pd.DataFrame(part["values"])) for part in named}


def sentences(at: AppTest) -> list[str]:
    """What is said of every chart to those who cannot see it: the element after each chart."""
    after = [text for chart, text in pairwise(at) if (chart.type, text.type) == ("vega_lite_chart", "text")]
    return [spaced(element.value) for element in after]


POWER = re.compile(r"(?:([\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")  # of ten, as print has it
TYPED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def typed(text):
    """A text with its powers of ten as a program writes them."""
    return POWER.sub(lambda found: f"{found[1] or 1}e{found[2].translate(TYPED)}", text)


def said(at: AppTest) -> str:
    """All Markdown of the page; a space is a space, whether or not a line may end there."""
    return spaced("\n".join(element.value for element in at.markdown))


def spaced(text: str) -> str:
    """A text with plain spaces for those at which no line ends."""
    return text.replace("\u00a0", " ")


def checked(at: AppTest, n_charts: int) -> AppTest:
    """The page, after checking that nothing failed and that it has so many charts, with numbers and a sentence each."""
    assert not at.error
    assert len(frames(at)) == len(sentences(at)) == n_charts
    assert all(len(sentence) > 20 for sentence in sentences(at))
    assert all(not frame.empty and not frame.isna().any(axis=None) for data in frames(at) for frame in data.values())
    words = said(at) + "".join(sentences(at)) + "".join(caption.value for caption in at.caption)
    assert "[[" not in words
    assert "nan" not in re.findall(r"\w+", words.lower())
    return at
