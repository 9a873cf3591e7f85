"""A visitor's run on the lab's page."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.waiting import GIVES_WAY, until

TINY = "/lab?train_length=16&d_model=16&n_heads=1&n_layers=1"
LONG = "/lab?steps=5000"  # minutes also where nothing else runs: it must not end before who looks at it does
TRAINED = 1_000 * GIVES_WAY  # milliseconds until a trainer has done what is waited for


def button(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key}").get_by_role("button")


def train(page: Page) -> None:
    """Press Train and wait until the run is seen to go on."""
    button(page, "train").click()
    expect(words(page)).to_contain_text(re.compile(r"Step [1-9]"), timeout=TRAINED)


def words(page: Page) -> Locator:
    """The words beside the bar of the run, which is in the sidebar on the other pages, beside that of the course."""
    return page.get_by_test_id("stProgress").filter(has_not_text="chapters")


def steps(page: Page) -> int:
    """How many steps the run of the page has done."""
    found = until(lambda: re.search(r"Step ([\d,]+)", words(page).inner_text()), "no step is said")
    return int(found[1].replace(",", ""))


def stopped(page: Page) -> Locator:
    """The sentence on a run that was stopped."""
    return page.get_by_text(re.compile(r"^Stopped\. Step [1-9]"))
