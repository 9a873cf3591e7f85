"""What a link brings: all that the page showed when it was copied, and nothing that it may not have."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture, press, slider, value
from tests.browser.serving import ROOT, served, wait_until_idle

pytestmark = pytest.mark.browser

N_PAGES = len(list((ROOT / "pages").glob("*.py")))
# One changes a picture and a sentence, others take sentences away and bring them back.
STEPS = (("bias_head", "ArrowRight"), ("bias_length", "ArrowRight"), ("bias_row", "Home"), ("bias_head", "Home"))


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


def shown(page):
    """The words of a page, those for who cannot see its pictures too, its first picture, and how many there are."""
    wait_until_idle(page)
    first = re.sub(r"gradient_\d+", "gradient", picture(page))  # Vega counts them as long as the page is open
    return page.get_by_test_id("stMain").inner_text(), first, page.get_by_test_id("stVegaLiteChart").count()


def test_a_page_after_steps_shows_what_the_page_of_its_link_shows(visit, app):
    """No step leaves anything out or behind; of steps that follow each other at once the last one counts."""
    page = visit("/biases")
    for control, key in STEPS:
        before = page.url
        press(page, control, key)
        page.wait_for_url(lambda url, before=before: url != before)
    other = visit("/binary_vs_sinusoid")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight", "ArrowRight"):
        slider(other, "positions").press(key)
    other.wait_for_url("**positions=56**")
    for one in (page, other):
        one.bring_to_front()
        stepped = shown(one)
        assert stepped == shown(visit(one.url.removeprefix(app)))


PAGE, NAME = "/binary_vs_sinusoid", "bs_table_at_position"
OTHER = "bs_lanes_at_position"  # of the picture that shows the same position
SLIDER = ".vega-bindings input[name=at_position]"


def test_the_slider_of_a_picture_stands_in_the_link_and_comes_back(visit, app):
    page = visit(f"{PAGE}?{NAME}=20&tab=x", fresh=True)
    slider = page.locator(SLIDER).first
    expect(slider).to_have_value("20")
    sent = []
    page.on("websocket", lambda socket: sent.append(socket))  # none is opened anew either
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    page.wait_for_url(f"**{NAME}=23*")
    wait_until_idle(page)
    expect(page).to_have_url(re.compile(rf"{re.escape(PAGE)}\?{NAME}=23&tab=x&{OTHER}=23$"))
    press(page, "bits", "ArrowRight")  # the server writes the address now
    expect(slider).to_have_value("23")
    expect(page).to_have_url(re.compile(f"{NAME}=23"))
    page.get_by_role("button", name="Link, pictures, Python").click()
    expect(page.get_by_role("dialog").get_by_text(f"{NAME}=23")).to_be_visible()
    page.keyboard.press("Escape")
    before = page.evaluate("history.length")
    page.reload()
    wait_until_idle(page)
    expect(page.locator(SLIDER).first).to_have_value("23")
    assert page.evaluate("history.length") == before
    assert sent == sent[-1:]
