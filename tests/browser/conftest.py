"""One server and one browser for all tests of a process, and visitors who must never see a JavaScript error."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser.looking import DEADLINE
from tests.browser.serving import chromium_path, launched, served
from tests.browser.visiting import visitors

expect.set_options(timeout=1_000 * DEADLINE)


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
    """Opens a link as one visitor of this test alone."""
    with visitors(browser, request) as open_page:
        yield open_page
