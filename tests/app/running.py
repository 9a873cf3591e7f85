"""Drive a run on the lab's page as a visitor does."""

import time

from pe_core.lab.experiment.settings import RunConfig
from tests.app.opened import opened
from ui.lab import jobs as lab

LINK = {"train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50", "seed": "3"}
TINY = RunConfig(("none", "alibi"), 16, 16, 1, 1, 50, seed=3)  # the link's run, with two encodings chosen


def configured():
    """The page with the tiny run chosen."""
    return opened("lab", **LINK).multiselect(key="encodings").set_value(list(TINY.encodings)).run()


def press(at, key):
    at.button(key=key).click().run()
    assert not at.exception
    return at


def rerun_until(at, condition, seconds=60.0):
    """Look again, as the timer in the browser does, until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
        at.run()
        assert not at.exception


def finished(at, seconds=60.0):
    """Wait until the run of the page has ended well, without drawing the page on the way; the page as it is then."""
    end = time.monotonic() + seconds
    while snapshot(at).state != "finished":
        assert time.monotonic() < end, snapshot(at)
        time.sleep(0.02)
    at.run()
    assert not at.exception
    return at


def at_rest(number, seconds=30.0):
    """Wait until a number has not changed for a while, and return it."""
    end, before = time.monotonic() + seconds, None
    while (now := number()) != before:
        assert time.monotonic() < end, "still changing"
        before = now
        time.sleep(0.3)
    return now


def snapshot(at):
    return lab.job_manager().snapshot(at.session_state["run"])


def can_press(at):
    """The buttons of the page itself, without those below every page."""
    below = ("to_", "take_away", "lecture_add")
    return {button.label for button in at.button if not button.disabled and not button.key.startswith(below)}


def standing(at):
    """The words beside the bar of the run."""
    assert len(at.main.progress) == 1  # the sidebar has that of the course
    return at.main.progress[0].text
