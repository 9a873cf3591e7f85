"""Pictures that are played or dragged in the browser, without the server."""

import math
import re

import pytest
from playwright.sync_api import expect

from pe_core.chapters import rope
from pe_core.encodings import rotary
from pe_core.measures import rotation
from tests.browser.looking import CONTROLS, in_the_middle, middle, picture, slider
from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

VALUE = "slider => slider.value"
HANDS = "/sinusoidal?topic=Clock%20hands"


# Press the button of what plays as soon as a condition holds.
PRESS_ONCE = """([which, condition]) => new Promise(done => {
    const button = [...document.querySelectorAll('.vega-bind .player button')].at(which), holds = eval(condition);
    const look = () => holds() ? done(button.click()) : requestAnimationFrame(look);
    look();
})"""
ON_ITS_WAY = "() => /\\b(25|50)\\s*$/.test(document.querySelector('.vega-bind:has(.player) label').innerText)"
SAID = """() => new Promise(done => {
    const said = new Set(), button = document.querySelector('.vega-bind .player button');
    const look = () => {
        said.add([...document.querySelectorAll('.vega-bind:has(.player) label')].map(one => one.textContent).join());
        button.textContent === 'Play' ? done([...said]) : requestAnimationFrame(look);
    };
    button.click();
    look();
})"""
# From the start of a page on: what the button of its first player says, and where its slider stands.
NOTE_PLAY = """
    window.played = {said: new Set(), at: []};
    const look = () => {
        const slider = document.querySelector('.vega-bind input[type="range"]');
        const button = document.querySelector('.vega-bind .player button');
        if (button) played.said.add(button.textContent);
        if (button && played.at.at(-1) !== +slider.value) played.at.push(+slider.value);
        requestAnimationFrame(look);
    };
    look();
"""


def open_counted(visit, link):
    """The page of a link at rest, and a list that has an entry for every message to the server from now on."""
    sent = []
    page = visit(link, sent=sent)
    picture(page)
    return page, sent


def test_clock_hands_turn_without_the_server_until_they_are_stopped(visit):
    page, sent = open_counted(visit, HANDS)
    button = page.locator(".vega-bind .player button").last  # of the hands; the table has one too
    scrubber = page.locator(CONTROLS["scrubber"]).last
    expect(button).to_have_accessible_name("Play: Position")
    asked = len(sent)
    assert asked > 0
    still = picture(page, 1)
    page.get_by_label("Speed: Position").last.select_option("2 a second")  # it does not end by itself
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_text("Pause")
    between = "slider => slider.value > 22 && slider.value % 1"  # a hand turns between two positions too
    page.wait_for_function(between, arg=scrubber.element_handle())
    assert len(sent) == asked
    button.click()
    expect(button).to_have_text("Play")
    assert float(scrubber.input_value()) % 1 == 0
    assert picture(page, 1) != still


def turn(page, dial, begin, degrees, radius=30):
    """Drag from an angle on a dial, in degrees against the clock from the right, as far as said, and do not let go."""
    x, y = middle(dial)
    for step in range(21):
        angle = math.radians(begin + degrees * step / 20)
        page.mouse.move(x + radius * math.cos(angle), y - radius * math.sin(angle))
        if step == 0:
            page.mouse.down()


def drawn(page, number=0):
    """The words of a picture, and where its hands point."""
    chart = page.get_by_test_id("stVegaLiteChart").nth(number)
    hands = chart.locator("path[transform*=rotate]").all()
    return chart.locator("svg text").all_text_contents(), [hand.get_attribute("transform") for hand in hands]


def test_a_clock_hand_is_dragged_and_all_others_follow(visit):
    page, sent = open_counted(visit, HANDS)
    scrubber, dial = page.locator(CONTROLS["scrubber"]).last, page.locator(".dial_marks path")
    in_the_middle(dial.first)
    asked, before, frequency = len(sent), drawn(page, 1)[1], 10_000 ** (-24 / 64)  # of pair 12 of 32
    expect(scrubber).to_have_value("20")
    [number] = [place for place, words in enumerate(drawn(page, 1)[0]) if words == "pair 12"]
    turn(page, dial.nth(number), 80, -90)  # with the clock
    expect(scrubber).to_have_value(str(round(20 + math.pi / 2 / frequency)))
    wait_until_idle(page)
    assert len(sent) == asked
    after = drawn(page, 1)[1]
    assert len(before) == len(after) == dial.count() > 4
    assert all(one != other for one, other in zip(before, after, strict=True))
    page.mouse.up()
    page.wait_for_url(f"**clocks_position={round(20 + math.pi / 2 / frequency)}*")


FREQUENCY = 10_000 ** (-8 / 32)  # of pair 4 of 16


def rope_score(query, key):
    """The score of the page's query and key at these positions, as a picture writes it."""
    score = rotation.score(*rope.content(32, 1), query, key, rotary.frequencies(32))
    return f"{score:+.4f}".replace("-", "−")


def test_query_and_key_are_dragged_without_the_server(visit):
    page, sent = open_counted(visit, "/rope?rope_look=Turns")
    tokens, dials = page.locator(".token_marks path"), page.locator(".dial_marks path")
    asked, score = len(sent), rope_score(12, 9)
    assert f"Score at distance 3: {score}, all 16 pairs together" in drawn(page)[0]
    page.mouse.move(*middle(tokens.nth(9)))
    page.mouse.down()
    for token in (5, 1, 4):
        page.mouse.move(*middle(tokens.nth(token)), steps=5)
        words = f"Score at distance {12 - token}: {rope_score(12, token)}, all 16 pairs together"
        expect(page.get_by_text(words, exact=True)).to_be_visible()
    wait_until_idle(page)
    assert len(sent) == asked
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"[?&]key=4(&|$)"))  # once it is at rest, the page knows
    expect(slider(page, "key")).to_have_attribute("aria-valuetext", "4")
    expect(page.get_by_text("at positions 12 and 4, it is")).to_be_visible()
    wait_until_idle(page)
    q, _ = rope.content(32, 1)
    along = math.atan2(q[9], q[8]) + 12 * FREQUENCY  # where the query of pair 4 points
    turn(page, dials.nth(2), math.degrees(along), 90)
    moved = 12 + round(math.pi / 2 / FREQUENCY)
    expect(page.get_by_text(f"query {moved} →", exact=True)).to_be_visible()
    page.mouse.up()
    expect(page).to_have_url(re.compile(f"query={moved}"))
    wait_until_idle(page)
    slider(page, "query").press("ArrowLeft")
    expect(page).to_have_url(re.compile(f"query={moved - 1}(&|$)"))


def test_home_plays_once_by_itself_and_the_link_says_nothing_of_it(visit):
    page = visit("/selftest", fresh=True)
    page.add_init_script(NOTE_PLAY)
    page.goto(page.url.replace("/selftest", "/"))
    button, slider = page.locator(".vega-bind .player button"), page.locator(CONTROLS["scrubber"]).first
    page.wait_for_function("played.said.has('Pause')")
    page.get_by_label("Speed: Position").select_option("128 a second")
    wait_until_idle(page)
    expect(button).to_have_text("Play")
    expect(slider).to_have_value("512")
    on_its_way = [at for at in page.evaluate("played.at") if 0 < at < 512]
    assert on_its_way
    assert on_its_way == sorted(on_its_way)  # it was not begun anew while the page was drawn
    wait_until_idle(page)
    assert "position" not in page.url
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Counting").click()
    page.wait_for_url("**/counting")
    page.go_back()
    expect(button).to_have_text("Play")
    expect(slider).to_have_value("512")
    wait_until_idle(page)
    button.click()  # what the visitor plays is in the link, as everywhere
    page.evaluate(PRESS_ONCE, [0, "() => played.at.at(-1) > 0 && played.at.at(-1) < 512"])
    page.wait_for_url("**home_picture_at_once_position=*")


def test_the_position_of_the_table_or_of_the_waves_is_dragged_without_the_server_and_the_other_goes_with_it(visit):
    page, sent = open_counted(visit, "/sinusoidal?topic=Waves")
    sliders, line = page.locator(CONTROLS["scrubber"]), page.locator(".position_line_marks path")
    asked, (x, y) = len(sent), middle(line)
    row = page.locator("svg.marks image").first.bounding_box()["height"] / 64
    page.mouse.move(x, y)
    page.mouse.down()
    for moved in (10, -5, 17):
        page.mouse.move(x + moved, y + moved * row, steps=5)
        for one in sliders.all():
            expect(one).to_have_value(str(20 + moved))
    wait_until_idle(page)
    assert len(sent) == asked
    page.mouse.up()
    page.wait_for_url("**table_position=37*")
    assert "topic" not in page.url  # no part of the table was selected
    wait_until_idle(page)
    box, asked, seen = in_the_middle(page.locator('[data-testid="stVegaLiteChart"] canvas')), len(sent), []
    slider, height = sliders.last, box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], height)
    page.mouse.down()
    for part in (0.4, 0.6, 0.8, 0.5):
        page.mouse.move(box["x"] + part * box["width"], height, steps=5)
        wait_until_idle(page)
        seen.append(int(slider.input_value()))
    assert len(sent) == asked
    page.mouse.up()
    first, second, third, last = seen
    assert first < last < second < third < 64
    page.wait_for_url(f"**waves_position={last}*")  # once it is at rest, the link knows


def test_both_pictures_of_binary_show_one_position_and_reduced_motion_goes_step_by_step(visit):
    page = visit("/binary_vs_sinusoid", still=True)
    scrubbers = page.locator(CONTROLS["scrubber"])
    picture(page, 1)
    button = page.locator(".vega-bind .player button").first
    expect(button).to_have_text("One step")
    for position in ("8", "9"):
        button.click()
        assert scrubbers.count() == 2
        for one in scrubbers.all():
            expect(one).to_have_value(position)


# Of the pictures that hold an image of each step: whether these are the ones that are drawn.
DRAWN = """drawn => {
    const images = [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg')]
        .map(svg => [...svg.querySelectorAll('image')]).filter(some => some.length === 10);
    return images.map(some => some.findIndex(one => one.getAttribute('opacity') === '1')).join() === drawn.join();
}"""


def test_the_learned_table_is_played_from_its_start_without_the_server_and_the_page_follows(visit):
    page, sent = open_counted(visit, "/learned")
    asked, rows = len(sent), page.locator(".vega-bind:has(.player) label")
    button = page.get_by_role("button", name="Training step").first
    expect(page.locator(".player button").locator("visible=true")).to_have_count(1)  # both pictures play together
    steps = ["0", "10", "25", "50", "100", "200", "350", "500", "750", "1000"]
    said = page.evaluate(SAID)
    assert [one.partition(",")[0].split()[-1] for one in said if len(set(one.split(","))) == 1] == ["1000", *steps[:-1]]
    wait_until_idle(page)
    assert len(sent) == asked  # it ends where the page stands
    button.click()
    page.evaluate(PRESS_ONCE, [0, ON_ITS_WAY])
    expect(page).to_have_url(re.compile(r"[?&]lrn_step=\d+$"))
    wait_until_idle(page)
    step = page.url.rpartition("=")[2]
    expect(rows).to_have_text([f"Training step {step}"] * 2)
    expect(slider(page, "lrn_step")).to_have_attribute("aria-valuetext", step)
    expect(page.get_by_text(f"After step {step}", exact=True)).to_be_visible()
    page.wait_for_function(DRAWN, arg=[steps.index(step)] * 2)
    slider(page, "lrn_step").press("ArrowRight")
    expect(rows).to_have_text([f"Training step {steps[steps.index(step) + 1]}"] * 2)
    page.wait_for_function(DRAWN, arg=[steps.index(step) + 1] * 2)


def test_a_picture_of_the_story_moves_when_it_is_seen_and_motion_is_wanted_and_stops_when_it_is_touched(visit):
    page = visit("/")
    page.emulate_media(reduced_motion="no-preference")
    story = page.locator(".moving").nth(3)
    slider, button = story.get_by_role("slider"), story.get_by_role("button")
    expect(slider).to_have_value("0")
    story.scroll_into_view_if_needed()
    expect(button).to_have_accessible_name(re.compile("^Pause: "))
    expect(slider).not_to_have_value("0")
    story.get_by_role("img").click()
    expect(button).to_have_accessible_name(re.compile("^Play: "))
    here = slider.input_value()
    assert settled(page, VALUE, slider.element_handle(), frames=60) == here  # enough for another step
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "31")
    button.press("Enter")
    expect(slider).not_to_have_value("31")
    expect(slider).to_have_value("31")
    page.emulate_media(reduced_motion="reduce")  # it stands at its end where motion is not wanted
    page.reload()
    story = page.locator(".moving").first
    story.scroll_into_view_if_needed()
    wait_until_idle(page)
    expect(story.get_by_role("button")).to_have_accessible_name(re.compile("^Play: "))
    expect(story.get_by_role("slider")).to_have_value("1")
