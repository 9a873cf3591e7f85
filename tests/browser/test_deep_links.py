"""The first request of a fresh server is the link of a page: its frame, its picture and its values are there."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture, press, value
from tests.browser.serving import ROOT, served

pytestmark = pytest.mark.browser

N_PAGES = len(list((ROOT / "pages").glob("*.py")))


def unfold(page):
    """Open what the lab has folded."""
    for folded in page.locator(".st-key-lab_more summary").all():
        folded.click()


def test_the_link_is_the_first_request_of_the_server(visit):
    link = "/lab?train_length=32&n_heads=2"
    with served() as address:
        page = visit(link, address=address)
        expect(page.get_by_role("heading", level=1)).to_contain_text("Which encoding survives longer texts?")
        names = page.get_by_test_id("stSidebarNav").get_by_role("link").all_inner_texts()
        assert len(names) == N_PAGES
        assert {"Home", "4 · Binary against sinusoid", "Lab"} <= {name.split("\n")[-1] for name in names}
        unfold(page)
        assert (value(page, "train_length"), value(page, "n_heads")) == ("32", "2")
        assert picture(page)
        assert page.url == address + link
        page.close()


def test_a_value_that_the_link_may_not_have_leaves_it_and_the_control_works(visit, app):
    page = visit("/lab?train_length=17&seed=inf&n_layers=1", fresh=True)
    expect(page.get_by_test_id("stAlert")).to_have_count(2)
    expect(page.get_by_test_id("stAlert").filter(has_text="got '17'. Shown instead: 64.")).to_be_visible()
    unfold(page)
    assert value(page, "train_length") == "64"
    expect(page).to_have_url(f"{app}/lab?n_layers=1")
    press(page, "train_length", "ArrowRight")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    press(page, "train_length", "ArrowRight")  # only now is the control bound to the link again
    assert value(page, "train_length") == "96"
    expect(page).to_have_url(f"{app}/lab?n_layers=1&train_length=96")
    for _ in range(2):  # what a page has by itself its link does not name
        press(page, "train_length", "ArrowLeft")
    expect(page).to_have_url(f"{app}/lab?n_layers=1")


def test_a_warning_shows_what_stood_in_the_link_and_links_nowhere(visit):
    """Or a stranger's link could put one of its own into a page that people trust."""
    values = {"n_layers": "[go](//a.bc)", "n_heads": "www.a.bc", "steps": ":red[x]", "run": "https://a.bc/d"}
    page = visit("/lab?" + "&".join(f"{name}={value}" for name, value in values.items()), fresh=True)
    alerts = page.get_by_test_id("stAlert")
    expect(alerts).to_have_count(len(values))
    for text in values.values():
        expect(alerts.filter(has_text=text)).to_have_count(1)
    assert alerts.get_by_role("link").count() == 0
