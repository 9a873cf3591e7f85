"""What the content security policy of nginx forbids, and that uploads and files that are made need none of it.

That no page does any of it shows the walk of all pages.
"""

import json
import struct

import pytest
from playwright.sync_api import expect

from tests.browser.serving import wait_until_idle
from tests.browser.visiting import GO_TO, window

pytestmark = [pytest.mark.browser, pytest.mark.services]

AT_LOAD = "script-src wasm-eval"  # Streamlit's page tries once whether it may compile WebAssembly, and does without
POLICY = "Content Security Policy"
EVIL = "document.body.append(Object.assign(document.createElement('script'), {text: 'evil = 1'}))"
VIOLATIONS = """addEventListener('securitypolicyviolation', event => {
    sessionStorage.violations = `${sessionStorage.violations ?? ''}${event.violatedDirective} ${event.blockedURI}\n`;
})"""


@pytest.fixture
def page(browser, hosted):
    """A window before nginx that notes what its policy forbids."""
    with window(browser, accept_downloads=True) as opened:
        opened.add_init_script(VIOLATIONS)
        page = opened.new_page()
        page.goto(hosted)  # a deep link would be the first visit of the process
        yield page


def test_a_text_is_brought_and_files_are_made_without_a_violation_and_a_script_that_is_put_in_does_not_run(page):
    wait_until_idle(page)
    page.evaluate(GO_TO, "/lab?text=upload")
    wait_until_idle(page)
    text = {"name": "own.txt", "mimeType": "text/plain", "buffer": b"to be or not to be " * 300}
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(text)
    expect(page.locator(".st-key-train").get_by_role("button")).to_be_enabled()
    page.evaluate(GO_TO, "/counting")
    wait_until_idle(page)
    page.get_by_role("button", name="Link, pictures, Python").click()
    files = {name: _downloaded(page, name) for name in ("PNG", "SVG", "CSV", "Notebook")}
    assert struct.unpack(">II", files["PNG"][16:24]) == (1920, 1080)
    assert files["SVG"].startswith(b"<svg")
    assert len(files["CSV"].splitlines()) > 2 or files["CSV"].startswith(b"PK")
    assert json.loads(files["Notebook"])["nbformat"] == 4
    page.evaluate(GO_TO, "/lectures")
    wait_until_idle(page)
    assert b"[[scenes]]" in _downloaded(page, "Download file")
    assert _violations(page) == []
    with page.expect_console_message(lambda message: message.type == "error" and POLICY in message.text):
        page.evaluate(EVIL)
    assert page.evaluate("typeof evil") == "undefined"
    page.wait_for_function("() => sessionStorage.violations?.includes('inline')")
    assert _violations(page) == ["script-src-elem inline"]  # they would have been seen


def _violations(page):
    """Return what the policy has forbidden on the pages of this window, but for what each does as it is loaded."""
    return [line for line in page.evaluate("sessionStorage.violations ?? ''").splitlines() if line != AT_LOAD]


def _downloaded(page, name):
    """Return the file that the first button with this name brings."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).first.click()
    return download.value.path().read_bytes()
