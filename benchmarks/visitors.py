"""Random use of the lab by several visitors at once: nothing may raise, no run may be stuck, no memory may stay.

`python -m benchmarks.visitors --minutes 30` serves the app with a store of its own, lets each visitor press, choose,
reload and leave at random, and looks at three things: a page with an exception or one that stands still, whether a
small run still comes to its end when all are gone, and the server's memory after a warm-up beside that at the end.
"""

import argparse
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable

from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from benchmarks.process import AS_RUN, memory, server_pid
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import REPAIRS
from pe_core.masks import MASKS
from tests.browser.serving import launched, served, wait_until_idle

WARM_UP = 0.2  # of the time: by then every kind of page has been seen and every cache has been filled
MAY_GROW = 1.10
REST = 150  # seconds after which every run that nobody looks at has ended, and every session without a visitor
SMALL = "train_length=16&d_model=16&n_heads=1&n_layers=1&steps=50"
ELSEWHERE = ("", "gallery", "rope", "sinusoidal", "extension", "scorecard")

Random = random.Random


def lab_link(chance: Random) -> str:
    """Return a link to the lab with settings drawn at random, most of them small, some of them not allowed."""
    encodings = ",".join(chance.sample(list(ENCODINGS), chance.randint(1, 3)))
    repairs = ",".join(chance.sample(list(REPAIRS), chance.choice((0, 0, 1))))
    settings = {
        "encodings": encodings,
        "repairs": repairs,
        "train_length": chance.choice((16, 32, 64)),
        "d_model": chance.choice((16, 32, 64)),
        "n_heads": chance.choice((1, 2, 4)),
        "n_layers": chance.choice((1, 2)),
        "steps": chance.choice((50, 50, 100, 200, 5000)),
        "seed": chance.randint(0, 3),
        "mask": chance.choice(("causal", "causal", *MASKS)),
        "n_seeds": chance.choice((1, 1, 2)),
    }
    if chance.random() < 0.1:
        settings[chance.choice(list(settings))] = "%3Cscript%3E"
    return "lab?" + "&".join(f"{name}={value}" for name, value in settings.items() if value != "")


def press(page: Page, key: str) -> None:
    """Press a button of the page if it is there and can be pressed."""
    button = page.locator(f".st-key-{key}").get_by_role("button")
    if button.count() and button.is_enabled():
        button.click(timeout=5_000)


def reload(page: Page, address: str, chance: Random) -> None:
    """Open the page once more."""
    page.reload()


def new_settings(page: Page, address: str, chance: Random) -> None:
    """Follow a link to the lab."""
    page.goto(f"{address}/{lab_link(chance)}")


def other_page(page: Page, address: str, chance: Random) -> None:
    """Leave the lab by its address, which closes the session."""
    page.goto(f"{address}/{chance.choice(ELSEWHERE)}")


def turn_page(page: Page, address: str, chance: Random) -> None:
    """Go on to another page of the navigation, in the same session."""
    links = page.get_by_test_id("stSidebarNav").get_by_role("link")
    if n := links.count():
        links.nth(chance.randrange(n)).click(timeout=5_000)


def slide(page: Page, address: str, chance: Random) -> None:
    """Move any slider of the page by some steps."""
    sliders = page.get_by_role("slider")
    if n := sliders.count():
        slider = sliders.nth(chance.randrange(n))
        for _ in range(chance.randint(1, 4)):
            slider.press(chance.choice(("ArrowRight", "ArrowLeft", "Home")), timeout=5_000)


def wait(page: Page, address: str, chance: Random) -> None:
    """Only watch."""
    page.wait_for_timeout(chance.randint(500, 4_000))


def pressing(key: str) -> Callable[[Page, str, Random], None]:
    """Return what presses the button of this key."""

    def act(page: Page, address: str, chance: Random) -> None:
        press(page, key)

    return act


ACTIONS: dict[str, tuple[Callable[[Page, str, Random], None], int]] = {
    "new settings": (new_settings, 3),
    "train": (pressing("train"), 6),
    "pause or resume": (pressing("pause"), 2),
    "stop": (pressing("stop"), 2),
    "slide": (slide, 2),
    "reload": (reload, 1),
    "turn the page": (turn_page, 1),
    "other page": (other_page, 1),
    "wait": (wait, 4),
}


def problems(page: Page) -> list[str]:
    """Return what is wrong with a page: the first lines of its exceptions, or that it does not come to rest.

    Then it is loaded again.
    """
    try:
        wait_until_idle(page, timeout=120_000)
    except PlaywrightError:
        said = page.get_by_role("dialog").all_inner_texts()
        page.reload()
        return [" ".join(["the page does not come to rest", *said])]
    return [text.partition("\n")[0] for text in page.get_by_test_id("stException").all_inner_texts()]


def use(browser: Browser, address: str, *, seconds: float, visitors: int, chance: Random) -> list[str]:
    """Let visitors act in turn for so long; print the memory every minute and return what went wrong."""
    pages = [browser.new_context().new_page() for _ in range(visitors)]
    names, weights = list(ACTIONS), [weight for _, weight in ACTIONS.values()]
    wrong: list[str] = []
    done: Counter[str] = Counter()
    pid, start, shown = server_pid(address), time.monotonic(), 0
    for page in pages:
        page.goto(f"{address}/{lab_link(chance)}")
    while time.monotonic() - start < seconds:
        page, name = chance.choice(pages), chance.choices(names, weights)[0]
        try:
            ACTIONS[name][0](page, address, chance)
        except PlaywrightError as error:
            done[f"{name}: no answer"] += 1
            print(f"  {name} at {page.url}: {str(error).partition(chr(10))[0]}", flush=True)
        done[name] += 1
        wrong += [f"{name} at {page.url}: {problem}" for problem in problems(page)]
        if (minute := int((time.monotonic() - start) / 60)) > shown:
            shown = minute
            print(f"  minute {minute}: {memory(pid):.0f} MB, {done.total()} actions", flush=True)
    for page in pages:
        page.context.close()
    print(f"  {dict(done)}")
    return wrong


def comes_to_an_end(browser: Browser, address: str) -> bool:
    """Return whether a new visitor's small run ends well within two minutes, after all others have gone.

    Their runs have ended by then, and his session is what makes Streamlit let go of theirs.
    """
    time.sleep(REST)
    page = browser.new_context().new_page()
    page.goto(f"{address}/lab?{SMALL}&encodings=rope&seed={int(time.time()) % 10_000}")  # one that nobody has trained
    button = page.locator(".st-key-train").get_by_role("button", disabled=False)
    try:
        button.click(timeout=60_000)
        page.get_by_test_id("stProgress").get_by_text(re.compile("done")).wait_for(timeout=120_000)
        return True
    except PlaywrightError:
        return False
    finally:
        page.context.close()


def main() -> int:
    """Run the visitors; return 0 if nothing went wrong, else 1."""
    program = argparse.ArgumentParser(prog="python -m benchmarks.visitors", description=__doc__.partition("\n")[0])
    program.add_argument("--minutes", type=float, default=30.0)
    program.add_argument("--visitors", type=int, default=4)
    program.add_argument("--seed", type=int, default=0)
    options = program.parse_args()
    chance, seconds = Random(options.seed), 60 * options.minutes
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        store = {"PE_STORE": f"sqlite:///{folder}/lab.sqlite", **AS_RUN}
        with served(environment=store) as address:
            print("warm-up", flush=True)
            wrong = use(browser, address, seconds=WARM_UP * seconds, visitors=options.visitors, chance=chance)
            comes_to_an_end(browser, address)
            warm = memory(server_pid(address))
            print(f"after the warm-up: {warm:.0f} MB", flush=True)
            wrong += use(browser, address, seconds=(1 - WARM_UP) * seconds, visitors=options.visitors, chance=chance)
            ended, last = comes_to_an_end(browser, address), memory(server_pid(address))
    print(f"at the end: {last:.0f} MB, {last / warm:.3f} times that after the warm-up (at most {MAY_GROW})")
    print(f"a new run {'came to its end' if ended else 'is STUCK'}")
    print(f"exceptions and pages that stood still: {len(wrong)}")
    for line in wrong:
        print(f"  {line}")
    return 0 if ended and not wrong and last <= MAY_GROW * warm else 1


if __name__ == "__main__":
    sys.exit(main())
