"""Drive a run on the lab's page as a visitor does."""

import re

from pe_core.lab.experiment.settings import RunConfig
from tests.app.opened import opened
from tests.waiting import until
from ui.lab import jobs as lab

LINK = {"train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50", "seed": "3"}
TINY = RunConfig(("none", "alibi"), 16, 16, 1, 1, 50, seed=3)  # the link's run, with two encodings chosen


def configured():
    """The page with the tiny run chosen."""
    return opened("lab", **LINK, encodings=list(TINY.encodings))


def press(at, key):
    return at.button(key=key).click().run()


def reached(at, condition):
    """Wait until the condition holds, without drawing the page on the way; the page as it is then."""
    until(condition, lambda: snapshot(at))
    return at.run()


def finished(at):
    """Wait until the run of the page has ended well; the page as it is then."""
    return reached(at, lambda: snapshot(at).state == "finished")


def at_rest(number):
    """Wait until no run takes turns and no worker has a step in hand any more, and return a number then."""
    trainer = lab.job_manager()._pool.trainer

    def rests():
        with trainer._changed:
            return not len(trainer._queue) and not any(job.busy for job in trainer._jobs.values())

    until(rests, "the workers still have something to do")
    return number()


def snapshot(at):
    return lab.job_manager().snapshot(at.session_state["run"])


def can_press(at):
    """The buttons of the page itself, without those below every page."""
    below = ("take_away", "lecture_add")
    return {button.label for button in at.button if not button.disabled and not button.key.startswith(below)}


def standing(at):
    """The words beside the bar of the run."""
    assert len(at.main.progress) == 1  # the sidebar has that of the course
    return at.main.progress[0].text


def refusal(at):
    """Why nothing can be trained, as a rule; Train waits where a text is pasted with the same click."""
    assert at.button(key="train").disabled is not bool(at.text_area)
    [error] = at.error
    return re.fullmatch(r"This cannot be trained: `(.*)`\.", error.value)[1]
