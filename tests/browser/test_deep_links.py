"""What a link brings and may not have, and going from page to page: each is found at its top, as it was left."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture, picture_if_any, press, slider, value
from tests.browser.rest import settled
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


MAIN = "document.querySelector('[data-testid=stMain]')"
# What is set on the page of Counting: its sliders, its closer looks, the field of its exercise.
SLIDERS, LOOK, GUESS = ("cnt_first", "cnt_second"), "cnt_look", "cnt_guess"


def there(page, name):
    expect(page).to_have_url(re.compile(rf"/{name}(\?|$)"))
    expect(page.locator(".st-key-take_away")).to_be_visible()
    wait_until_idle(page)


def test_a_page_that_is_opened_from_far_down_opens_at_its_top(visit):
    """By a link within a page, from the sidebar, and by the link at the foot."""
    page = visit("/", still=True)  # its picture plays by itself
    main, sidebar = page.get_by_test_id("stMainBlockContainer"), page.get_by_test_id("stSidebarNav")
    expect(main.locator(".st-key-take_away")).to_be_visible()
    for way, name, title in (
        (main.locator('a[href$="gallery"]').last, "gallery", "Gallery"),
        (sidebar.get_by_role("link", name="Inspect a model"), "models", "Inspect a model"),
        (main.locator('a[href$="scorecard"]').last, "scorecard", "Scorecard"),
    ):
        page.evaluate(f"{MAIN}.scrollTop = {MAIN}.scrollHeight")
        assert settled(page, f"() => ({{top: {MAIN}.scrollTop}})", frames=10)["top"] > 0
        way.click()
        there(page, name)
        expect(page.get_by_role("heading", level=1)).to_contain_text(title)
        picture_if_any(page)
        page.wait_for_function(f"{MAIN}.scrollTop === 0")


def test_what_was_set_and_the_link_are_there_again_and_the_course_until_it_is_forgotten(visit):
    name = "counting"
    page = visit(f"/{name}")
    there(page, name)
    for one in SLIDERS:
        press(page, one, "ArrowLeft")
    page.locator(f".st-key-{LOOK}").get_by_role("radio").nth(1).click()
    wait_until_idle(page)
    answer = page.locator(f".st-key-{GUESS}").locator("input").first
    answer.fill("3")
    answer.press("Enter")
    wait_until_idle(page)
    names = [*SLIDERS, LOOK, GUESS]
    expect(page).to_have_url(re.compile("".join(rf"(?=.*[?&]{one}=)" for one in names)))
    # What the link names, whatever the order.
    link, values = set(page.url.partition("?")[2].split("&")), [value(page, one) for one in SLIDERS]
    assert len(link) == len(names)

    def found_as_it_was():
        there(page, name)
        assert [value(page, one) for one in SLIDERS] == values
        expect(page.locator(f".st-key-{LOOK}").get_by_role("radio").nth(1)).to_be_checked()
        expect(answer).to_have_value("3")
        assert set(page.url.partition("?")[2].split("&")) == link

    found_as_it_was()
    main, nav = page.get_by_test_id("stMainBlockContainer"), page.get_by_test_id("stSidebarNav")
    for part, other, way in ((main, "requirements", ""), (nav, "rope", "/")):
        part.locator(f'a[href$="{way}{other}"]').last.click()
        there(page, other)
        part.locator(f'a[href$="{way}{name}"]').last.click()
        found_as_it_was()
    # The session ends with the page, but what the course has come to is the browser's.
    progress = page.get_by_test_id("stSidebar").get_by_test_id("stProgress")
    opened = int(progress.inner_text().split(" of ")[0])
    assert opened >= 3
    page.reload()
    expect(progress).to_have_text(f"{opened} of 12 chapters")
    page.get_by_role("button", name="Forget my progress").click()
    expect(progress).to_have_text("1 of 12 chapters")


def test_going_back_to_a_value_that_the_link_may_not_have_names_it_again_and_the_page_goes_on(visit):
    page = visit("/rope?rope_width=7", fresh=True)
    there(page, "rope")
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    page.go_back()
    there(page, "rope")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert value(page, "rope_width") == "32"
