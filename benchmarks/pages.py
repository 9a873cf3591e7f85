"""From key press to last paint: one step of each page's main slider, beside two bare Streamlit pages with one slider.

One of the two draws `st.line_chart`, the other only writes the slider's value. Also from the start of the server to
the first page painted. Ratios are ours over the bare page: below 1 we are faster.
"""

import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser.serving import ROOT, launched, served, wait_until_idle

ROUNDS = 21  # of one page a single step takes 67 to 114 ms: the median of nine strays by a tenth
STARTS = 7  # of each server
WARM_UP = 25  # seconds in which a fresh server prepares the lab
BARE = {"bare chart": "bare_chart.py", "bare text": "bare_text.py"}
BARE_TEXT = Path(__file__).with_name(BARE["bare text"])

# Notes the time of every stroke on a canvas and of every change inside what shows a result.
WATCH = """
(() => {
  const shown = '[data-testid=stVegaLiteChart],[data-testid=stMarkdown],[data-testid=stMetric],[data-testid=stAlert]';
  const note = () => { window.lastPaint = performance.now(); };
  const context = CanvasRenderingContext2D.prototype;
  for (const name of ['fill', 'stroke', 'fillRect', 'drawImage', 'fillText']) {
    const original = context[name];
    context[name] = function (...rest) { note(); return original.apply(this, rest); };
  }
  new MutationObserver(changes => {
    if (changes.some(c => (c.target.closest ? c.target : c.target.parentElement)?.closest(shown))) note();
  }).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
  addEventListener('keydown', () => { window.pressed = performance.now(); window.lastPaint = null; }, true);
})();
"""
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SETTLED = "() => window.lastPaint !== null && performance.now() - window.lastPaint > 400"
STANDS = "selector => document.querySelector(selector)?.checkVisibility({visibilityProperty: true})"


@dataclass(frozen=True)
class Case:
    """A slider of a page, or words to be moved, at a setting given by the page's link; in a `fold` it is unfolded."""

    name: str
    path: str
    key: str
    fold: str = ""


CASES = (
    Case("binary against sinusoid, default", "/binary_vs_sinusoid", "positions"),
    Case("binary against sinusoid, 512 positions", "/binary_vs_sinusoid?positions=504&bits=10", "positions"),
    Case("sinusoidal, default: base", "/sinusoidal", "base"),
    Case("sinusoidal, default: length", "/sinusoidal", "length"),
    Case("sinusoidal, 512 x 768: base", "/sinusoidal?length=512&width=768", "base"),
    Case("sinusoidal, 512 x 768: length", "/sinusoidal?length=510&width=768", "length"),
    Case("RoPE, default: query", "/rope", "query"),
    Case("RoPE, head width 128: query", "/rope?rope_width=128", "query"),
    Case("context extension, default: factor", "/extension", "ext_factor"),
    Case("context extension, 8,192 x 31", "/extension?ext_train=8192&ext_factor=31&ext_width=256", "ext_factor"),
    Case("catalogue, ALiBi: length", "/catalogue", "cat_length"),
    Case("catalogue, 256 tokens: length", "/catalogue?cat_length=240", "cat_length"),
    Case("counting, default: second sentence", "/counting", "cnt_second"),
    Case("counting, 500 words", "/counting?cnt_second=500&cnt_first=64", "cnt_second"),
    Case("learned, default: step", "/learned?lrn_step=200", "lrn_step"),
    Case("relative biases, default: head", "/biases", "bias_head"),
    Case("relative biases, length 512: head", "/biases?bias_length=512", "bias_head"),
    Case("windows, default: layers", "/windows", "win_layers"),
    Case("windows, longest text: layers", "/windows?win_length=128", "win_layers"),
    Case("images, default: row of the patch", "/images", "img_row_of_14"),
    Case("images, 24 x 24: row of the patch", "/images?img_rows=24&img_columns=24", "img_row_of_24"),
    Case("claims, default: base", "/claims", "clm_falls_base"),
    Case("gallery, default: times", "/gallery?gal_multiple=3", "gal_multiple"),
    Case("lab, default: layers", "/lab", "n_layers", fold="lab_more"),
    Case("inside, default: length", "/inside", "ins_length_of_256"),
    Case("inside, 256 characters: length", "/inside?ins_length_of_256=240", "ins_length_of_256"),
)


def opened(browser: Browser, address: str) -> Page:
    """Return the page at an address, painted and watched."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(WATCH)
    page.goto(address)
    wait_until_idle(page)
    page.wait_for_timeout(1500)
    return page


def step_seconds(page: Page, key: str, *, right: bool) -> float:
    """Press an arrow on the slider of that key and return the seconds until the last paint that follows.

    A press that nothing follows, which happens once in some hundred to a tab that has just come to the front, is made
    again the other way.
    """
    page.bring_to_front()
    page.evaluate(PAINTED)  # a tab that was behind another one paints nothing for a moment
    control = page.locator(f".st-key-{key}")
    slider = control.get_by_role("slider").first
    slider.press("ArrowRight" if right else "ArrowLeft")
    try:
        page.wait_for_function(SETTLED, timeout=10_000)
    except PlaywrightTimeoutError:
        slider.press("ArrowLeft" if right else "ArrowRight")
        page.wait_for_function(SETTLED, timeout=30_000)
    elapsed: float = page.evaluate("() => (window.lastPaint - window.pressed) / 1000")
    return elapsed


def slider_steps(browser: Browser, app: str, bare: dict[str, str], cases: Sequence[Case]) -> None:
    """Print the median step of each case, measured in turn with the bare pages, whose addresses are given by name.

    All three are opened for the case, so that each has made as many steps as the others.
    """
    for case in cases:
        page = opened(browser, app + case.path)
        if case.fold:
            page.locator(f".st-key-{case.fold} summary").click()
        watched = {case.name: (page, case.key)}
        watched |= {name: (opened(browser, address), "value") for name, address in bare.items()}
        times: dict[str, list[float]] = {name: [] for name in watched}
        for number in range(-2, ROUNDS):  # two to warm up
            for name, (tab, key) in watched.items():
                seconds = step_seconds(tab, key, right=number % 2 == 0)
                if number >= 0:
                    times[name].append(seconds)
        for tab, _ in watched.values():
            tab.close()
        ours, *theirs = (statistics.median(of_one) for of_one in times.values())
        beside = [f"{name} {time * 1000:5.0f} ms {ours / time:5.2f} x" for name, time in zip(bare, theirs, strict=True)]
        print(f"{case.name:<42} {ours * 1000:6.0f} ms   {'   '.join(beside)}")


def first_paint(browser: Browser, script: Path, selector: str) -> float:
    """Return the seconds from the start of the server until what the selector names stands on the page.

    Each frame of the page is asked: a locator that waits for an element looks every half second at last.
    """
    start = time.perf_counter()
    with served(script) as address:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_function(STANDS, arg=selector, timeout=60_000)
        elapsed = time.perf_counter() - start
        page.close()
    return elapsed


def starts(browser: Browser) -> None:
    """Print the seconds from the start of a server to its first page, in turn with the bare page."""
    print("start of the server to first page painted")
    shown = {
        "bare page": (BARE_TEXT, "[data-testid=stSlider]"),
        "title of the home page": (ROOT / "app.py", "h1"),
        "its picture": (ROOT / "app.py", "[data-testid=stVegaLiteChart] :is(canvas, svg).marks"),
    }
    times: dict[str, list[float]] = {name: [] for name in shown}
    for _ in range(STARTS):
        for name, (script, selector) in shown.items():
            times[name].append(first_paint(browser, script, selector))
    bare = statistics.median(times["bare page"])
    for name, seconds in times.items():
        print(f"{name:<42} {statistics.median(seconds):6.2f} s    {statistics.median(seconds) / bare:5.2f} x")


def main() -> None:
    """Measure all, or the steps of the cases alone whose names begin with one of the words given."""
    words = tuple(sys.argv[1:])
    cases = [case for case in CASES if case.name.startswith(words or "")]
    with launched() as browser:
        if not words:
            starts(browser)
        print("\nslider step, key press to last paint")
        with ExitStack() as servers:
            bare = {name: servers.enter_context(served(BARE_TEXT.with_name(file))) for name, file in BARE.items()}
            app = servers.enter_context(served(ROOT / "app.py"))
            opened(browser, app + "/lab").close()
            time.sleep(WARM_UP)
            slider_steps(browser, app, bare, cases)


if __name__ == "__main__":
    main()
