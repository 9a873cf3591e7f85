"""Every page as nginx hands it out: the content security policy forbids nothing that the app does."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import GO_TO
from tests.browser.serving import ROOT, wait_until_idle
from tests.deploy.services import missing, nginx

pytestmark = [pytest.mark.browser, pytest.mark.services]

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py") if path.stem != "home")


@pytest.fixture
def guarded(app, browser, tmp_path):
    """A window on the app behind nginx, and all that its browser has complained of."""
    if absent := missing():
        said = f"not installed: {', '.join(absent)}"
        pytest.fail(said) if os.environ.get("CI") else pytest.skip(said)
    with nginx(tmp_path, [app]) as address:
        window = browser.new_context()
        page, complaints = window.new_page(), []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(address)
        wait_until_idle(page)
        yield page, complaints
        window.close()


def test_no_page_does_what_the_policy_forbids(guarded):
    page, complaints = guarded
    for name in PAGES:
        page.evaluate(GO_TO, f"/{name}")
        expect(page.get_by_test_id("stSidebarNav").locator('a[aria-current="page"]')).to_have_attribute(
            "href", f"{page.url.split('/' + name)[0]}/{name}"
        )
        wait_until_idle(page)
    assert [text for text in complaints if "Content Security Policy" in text] == []


def test_what_the_policy_forbids_is_noticed(guarded):
    """So that the test above can fail."""
    page, complaints = guarded
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'evil = 1'}))")
    page.wait_for_timeout(200)
    assert [text for text in complaints if "Content Security Policy" in text]
    assert page.evaluate("typeof evil") == "undefined"
