"""One server and one browser for all tests of a process, and visitors who must never see a JavaScript error."""

import os
import time
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.looking import DEADLINE
from tests.browser.serving import ROOT, chromium_path, launched, served, wait_until_idle
from tests.browser.visiting import TELEPHONE, visitors
from tests.deploy.services import missing, need_programs, nginx

# Opening a page costs more than what is done on it. Pages of one process share what it has compiled of Streamlit.
# Benchmarks have a browser without this.
THRIFTY = ("--process-per-site",)
GO_TO = "link => { history.pushState(null, '', link); dispatchEvent(new PopStateEvent('popstate')); }"

expect.set_options(timeout=1_000 * DEADLINE)


@pytest.fixture(scope="session")
def browser():
    if chromium_path() is None:
        missing = "Chromium is not installed"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    with launched(*THRIFTY) as browser:
        yield browser


@pytest.fixture(scope="session")
def app():
    """The address of the app."""
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def hosted(app, tmp_path_factory):
    """The address of nginx before the app, where it is installed: its policy forbids nothing that a page does."""
    if missing() and not os.environ.get("CI"):
        yield app
    else:
        need_programs()
        with nginx(tmp_path_factory.mktemp("nginx"), [app]) as address:
            yield address


@pytest.fixture(scope="session")
def windows(browser, app):
    """The windows of the browser: they share what it has loaded and compiled of Streamlit as long as one is open."""
    windows = browser.new_context()
    page = windows.new_page()
    page.emulate_media(reduced_motion="reduce")  # nothing plays on a page that nobody looks at
    page.goto(app)
    return windows


@pytest.fixture
def visit(windows, request):
    """Opens a link as one visitor of this test alone."""
    with visitors(windows, request) as open_page:
        yield open_page


@pytest.fixture(scope="session")
def telephone(windows, hosted, request):
    """One visitor on a telephone, for all tests that leave the pages as they are."""
    with visitors(windows, request) as open_page:
        page = open_page("/", address=hosted, width=TELEPHONE)
        button = page.locator(".vega-bind .player button")
        button.wait_for()
        if button.text_content() == "Pause":  # a picture in motion is never at rest
            button.click()
        yield page


@pytest.fixture(scope="session", params=sorted(path.stem for path in (ROOT / "pages").glob("*.py")))
def loaded(telephone, request):
    """Every page, which that visitor goes to as a browser goes back; each test sets its window and theme."""
    link = "/" if request.param == "home" else f"/{request.param}"
    here = telephone.get_by_test_id("stSidebarNav").locator(f'a[aria-current="page"][href$="{link}"]')
    end = time.monotonic() + DEADLINE
    while not here.count():
        # A page that just then reports its width or theme is drawn anew instead, and takes its own address back.
        assert time.monotonic() < end, f"{link} does not open"
        telephone.evaluate(GO_TO, link)
        with suppress(TimeoutError):
            here.wait_for(state="attached", timeout=20_000)
    wait_until_idle(telephone)
    return telephone
