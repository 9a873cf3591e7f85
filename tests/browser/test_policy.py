"""What the content security policy of nginx forbids; that no page does any of it shows the walk of all pages."""

import pytest

from tests.browser.serving import wait_until_idle
from tests.deploy.services import missing

pytestmark = [pytest.mark.browser, pytest.mark.services]


@pytest.mark.skipif(bool(missing()), reason="nginx is not installed")
def test_a_script_that_is_put_into_the_page_does_not_run_and_the_browser_complains(browser, hosted):
    window = browser.new_context()
    page, complaints = window.new_page(), []
    page.on("console", lambda message: complaints.append((message.type, message.text)))
    page.goto(hosted)
    wait_until_idle(page)
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'evil = 1'}))")
    page.wait_for_timeout(200)
    assert [kind for kind, text in complaints if "Content Security Policy" in text] == ["error"]
    assert page.evaluate("typeof evil") == "undefined"
    window.close()
