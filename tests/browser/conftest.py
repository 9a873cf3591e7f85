"""One server and one browser for all tests of a process, and visitors who must never see a JavaScript error."""

import pytest
from playwright.sync_api import expect

from tests.browser.serving import ROOT, launched, served, wait_until_idle
from tests.browser.visiting import GO_TO, TELEPHONE, leave, visitors, window
from tests.deploy.services import need_programs, nginx
from tests.waiting import PATIENCE, until

# Opening a page costs more than what is done on it. Pages of one process share what it has compiled of Streamlit.
# Benchmarks have a browser without this.
THRIFTY = ("--process-per-site",)

expect.set_options(timeout=1_000 * PATIENCE)


@pytest.fixture(scope="session")
def browser():
    with launched(*THRIFTY) as browser:
        yield browser


@pytest.fixture(scope="session")
def app():
    """The address of the app."""
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def hosted(app, tmp_path_factory):
    """The address of nginx before the app: its policy forbids nothing that a page does."""
    need_programs()
    with nginx(tmp_path_factory.mktemp("nginx"), [app]) as address:
        yield address


@pytest.fixture(scope="session")
def windows(browser, app):
    """The windows of the browser: they share what it has loaded and compiled of Streamlit as long as one is open."""
    with window(browser) as windows:
        page = windows.new_page()
        page.emulate_media(reduced_motion="reduce")  # nothing plays on a page that nobody looks at
        page.goto(app)
        leave(page)
        yield windows


@pytest.fixture(scope="session")
def seats(windows):
    """The windows that visitors have left for the next ones."""
    return list(windows.pages)


@pytest.fixture
def visit(windows, seats, request):
    """Opens a link as one visitor of this test alone."""
    with visitors(windows, seats, request) as open_page:
        yield open_page


@pytest.fixture(scope="session")
def telephone(windows, seats, hosted, request):
    """One visitor on a telephone, for all tests that leave the pages as they are."""
    with visitors(windows, seats, request) as open_page:
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

    def opened():
        # A page that just then reports its width or theme is drawn anew instead, and takes its own address back.
        telephone.evaluate(GO_TO, link)
        wait_until_idle(telephone)
        return here.count()

    telephone.bring_to_front()
    wait_until_idle(telephone)
    until(opened, f"{link} does not open")
    return telephone
