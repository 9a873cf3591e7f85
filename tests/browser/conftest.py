"""One server and one browser for all tests of a process, and visitors who must never see a JavaScript error."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser.looking import DEADLINE
from tests.browser.serving import chromium_path, launched, served, wait_until_idle

expect.set_options(timeout=1_000 * DEADLINE)
NO_POINT_YET = "Infinite extent for field"  # Vega's warning of a run that has only just begun


@pytest.fixture(scope="session")
def browser():
    if chromium_path() is None:
        missing = "Chromium is not installed"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def app():
    """The address of the app."""
    with served() as address:
        yield address


@pytest.fixture
def visit(browser, request):
    """Opens a link in a window of its own, as one visitor; returns the page, with the app at rest.

    After the test no visitor's console may hold an error, or a warning of Vega's.
    """
    contexts, complaints = [], []

    def open_page(link, *, address=None, width=1280, scheme="light"):
        address = address or request.getfixturevalue("app")

        def note(message):
            where = message.location["url"]
            # Streamlit looks below a page's own address first for these two, and browsers for icons elsewhere.
            missed = message.text.startswith("Failed to load resource") and (
                where.endswith(("/_stcore/health", "/_stcore/host-config")) or not where.startswith(address)
            )
            warned = message.type == "warning" and "WARN" in message.text and NO_POINT_YET not in message.text
            if (message.type == "error" and not missed) or warned:
                complaints.append(f"{message.text} at {where}")

        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.set_default_timeout(1_000 * DEADLINE)
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address + link)
        wait_until_idle(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
