"""A run that ends while the page is drawn: the buttons were drawn while it lived, and must not stay as they are."""

from pe_core.lab.queue.jobs import OPERATOR
from pe_core.lab.queue.messages import LIVE
from tests.app.running import can_press, configured, press, snapshot
from tests.waiting import until
from ui.lab import jobs as lab
from ui.lab import panel


def test_train_can_be_pressed_after_a_run_that_has_ended_behind_its_buttons(endless, monkeypatch):
    at, buttons = press(configured(), "train"), panel.buttons

    def drawn_before_the_end(*, job_id, **kwargs):
        lived = buttons(job_id=job_id, **kwargs)
        if lived:
            lab.job_manager().cancel(job_id, OPERATOR)
            until(lambda: snapshot(at).state not in LIVE, "the run does not end")
        return lived

    monkeypatch.setattr(panel, "buttons", drawn_before_the_end)
    assert can_press(at.run()) == {"Train"}
