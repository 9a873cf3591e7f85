"""What a step tells the browser: what has changed, in one go, and nothing that the browser would then remove."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from tests.app.messages import (
    INTERRUPTED,
    MINE,
    OTHER,
    begun,
    container,
    copied,
    element,
    ended,
    page,
    placed,
    step,
    told,
)
from tests.browser.protocol import apart
from tests.waiting import until_async
from ui.frame import sending
from ui.frame.sending import Sending


class Browser:
    """What comes out for one browser, as soon as it comes out."""

    def __init__(self):
        self.sending = Sending()

    def take(self, *messages):
        """Return what the browser is told when the server says these messages, and let it arrive."""
        out = self.drop(*messages)
        self.sending.sent(out)
        return out

    def drop(self, *messages):
        """Return what the browser would be told, and let nothing arrive."""
        return [out for message in messages for out in self.sending.take(message)]


BOX, FIRST, SECOND = container([0, 1]), element([0, 1, 0], "a"), element([0, 1, 1], "b")
CHANGED = element([0, 1, 1], "c")


@pytest.fixture
def browser():
    """A browser that has a page with a container and two paragraphs, all of one fragment."""
    shown = Browser()
    shown.take(*page(BOX, FIRST, SECOND))
    return shown


def test_a_page_comes_as_it_is_drawn_with_containers_without_the_name_of_their_fragment():
    shown = Browser()
    assert shown.take(begun())
    assert told(shown.take(copied(BOX))) == {(0, 1): ""}
    assert told(shown.take(copied(FIRST))) == {(0, 1, 0): MINE}
    assert told(shown.take(container([0, 2], folds=True))) == {(0, 2): MINE}, "one that folds calls its fragment"


def test_a_step_waits_for_its_end(browser):
    *parts, last = step(BOX, FIRST, CHANGED)
    assert browser.take(*parts) == []
    assert [message.WhichOneof("type") for message in browser.take(last)] == ["new_session", "delta", "script_finished"]


def test_a_step_tells_what_has_changed(browser):
    assert told(browser.take(*step(BOX, FIRST, CHANGED))) == {(0, 1, 1): MINE}
    assert told(browser.take(*step(BOX, FIRST, CHANGED))) == {}
    assert told(browser.take(*step(BOX, FIRST, SECOND))) == {(0, 1, 1): MINE}


def test_what_is_no_part_of_the_page_is_always_told(browser):
    address = ForwardMsg()
    address.page_info_changed.query_string = "n=2"
    start, *rest = step(BOX, FIRST, SECOND)
    kinds = [message.WhichOneof("type") for message in browser.take(start, address, *rest)]
    assert kinds == ["new_session", "page_info_changed", "script_finished"]


def test_what_acts_each_time_it_comes_comes_each_time():
    shown, acting = Browser(), element([0, 1, 0], "a", acts=True)
    shown.take(*page(BOX, acting))
    assert told(shown.take(*step(BOX, acting))) == {(0, 1, 0): MINE}


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([BOX, FIRST], id="one less"),
        pytest.param([BOX, FIRST, SECOND, element([0, 1, 2], "d")], id="one more"),
        pytest.param([container([0, 1], key="wide"), FIRST, SECOND], id="another container"),
        pytest.param([BOX, FIRST, SECOND, CHANGED], id="one place twice"),
        pytest.param([BOX, FIRST, container([0, 1, 1])], id="a container for a paragraph"),
    ],
)
def test_another_page_is_told_whole_and_with_names_so_that_the_browser_removes_the_rest(browser, parts):
    assert told(browser.take(*step(*parts))) == {tuple(part.metadata.delta_path): MINE for part in parts}


def test_after_another_page_containers_lose_their_name_once(browser):
    browser.take(*step(BOX, FIRST))
    assert told(browser.take(*step(BOX, FIRST))) == {(0, 1): ""}
    assert told(browser.take(*step(BOX, FIRST))) == {}


def test_a_step_with_a_container_that_calls_its_fragment_is_told_whole():
    shown, parts = Browser(), [container([0, 1], folds=True), FIRST]
    shown.take(*page(*parts))
    assert told(shown.take(*step(*parts))) == {(0, 1): MINE, (0, 1, 0): MINE}


def test_a_step_that_shows_something_for_a_moment_is_told_whole():
    waiting = ForwardMsg()
    waiting.delta.new_transient.SetInParent()
    shown, parts = Browser(), [BOX, placed(waiting, [0, 1, 0], MINE)]
    shown.take(*page(*parts))
    assert told(shown.take(*step(*parts))) == {(0, 1): MINE, (0, 1, 0): MINE}


def test_a_step_leaves_the_parts_of_other_fragments_alone(browser):
    browser.take(*page(BOX, FIRST, SECOND, element([0, 2], "e", fragment=OTHER)))
    assert told(browser.take(*step(BOX, FIRST, CHANGED))) == {(0, 1, 1): MINE}
    assert told(browser.take(*step(element([0, 2], "f", fragment=OTHER), fragment=OTHER))) == {(0, 2): OTHER}


def test_of_a_run_that_is_cut_short_the_browser_removes_nothing(browser):
    browser.take(*step(BOX, FIRST, how=INTERRUPTED))
    assert told(browser.take(*step(BOX, FIRST, SECOND))) == {(0, 1): ""}
    browser.take(*step(BOX, FIRST, how=INTERRUPTED))
    assert len(told(browser.take(*step(BOX, FIRST)))) == 2, "told whole, so that the second paragraph goes"


def test_what_the_browser_was_to_remove_is_there_as_long_as_the_end_has_not_arrived(browser):
    *parts, end = step(BOX, FIRST)
    browser.drop(*parts, end)  # the queue drops the parts, and says of the run that it was cut short
    end.script_finished = INTERRUPTED
    browser.sending.sent([end])
    assert len(told(browser.take(*step(BOX, FIRST)))) == 2


def test_a_run_that_is_cut_short_is_told_as_far_as_it_came(browser):
    assert told(browser.take(*step(BOX, FIRST, how=INTERRUPTED))) == {(0, 1): MINE, (0, 1, 0): MINE}


def test_what_has_not_arrived_is_told_again(browser):
    assert told(browser.drop(*step(BOX, FIRST, CHANGED))) == {(0, 1, 1): MINE}
    assert told(browser.take(*step(BOX, FIRST, CHANGED))) == {(0, 1, 1): MINE}


def test_as_long_as_something_is_on_its_way_a_step_is_told_whole(browser):
    browser.drop(element([0, 3], "late", fragment=OTHER))
    assert told(browser.drop(*step(BOX, FIRST, SECOND))) == {(0, 1): MINE, (0, 1, 0): MINE, (0, 1, 1): MINE}


def test_a_new_page_takes_the_place_of_what_was_there(browser):
    browser.take(*page(BOX, FIRST))
    assert told(browser.take(*step(BOX, FIRST))) == {}
    browser.drop(*page(BOX, FIRST, SECOND))
    assert len(told(browser.take(*step(BOX, FIRST, SECOND)))) == 3


def test_once_it_was_released_a_step_comes_as_it_is_drawn(browser):
    start, *parts, end = step(BOX, FIRST, CHANGED)
    browser.take(start, parts[0])
    released = browser.sending.release()
    browser.sending.sent(released)
    assert told(released) == {(0, 1): MINE}
    assert told(browser.take(parts[1])) == {(0, 1, 0): MINE}
    assert told(browser.take(parts[2])) == {(0, 1, 1): MINE}
    assert browser.take(end) == [end]
    assert told(browser.take(*step(BOX, FIRST, CHANGED))) == {(0, 1): ""}
    start, *parts, end = step(BOX, FIRST)
    browser.take(start, parts[0])
    browser.sending.sent(browser.sending.release())
    browser.take(parts[1], end)
    assert told(browser.take(*step(BOX, FIRST))) == {(0, 1): ""}, "the second paragraph is gone"


class Session(AppSession):
    """A session as far as it sends: what goes out is in `_browser_queue`, and nobody is waiting for it."""

    def __init__(self):
        self._browser_queue = ForwardMsgQueue()
        self._message_enqueued_callback = None

    def __del__(self):
        """Leave alone what a whole session would close."""


@pytest.fixture
def session(monkeypatch):
    """A session that sends changes."""
    for name in ("_enqueue_forward_msg", "flush_browser_queue"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))  # to be put back
    sending.send_changes()
    return Session()


def test_a_session_sends_what_has_changed(session):
    async def run():
        for message in page(BOX, FIRST, SECOND):
            session._enqueue_forward_msg(message)
        assert len(told(session.flush_browser_queue())) == 3
        for message in step(BOX, FIRST, CHANGED):
            session._enqueue_forward_msg(message)
        return told(session.flush_browser_queue())

    assert apart(run()) == {(0, 1, 1): MINE}


def test_a_step_that_takes_long_is_sent_as_it_is_drawn(session, monkeypatch):
    monkeypatch.setattr(sending, "TOGETHER", 0.01)

    async def is_sent():
        return len(session._browser_queue) == 2

    async def run():
        session._enqueue_forward_msg(begun(MINE))
        session._enqueue_forward_msg(copied(FIRST))
        assert session.flush_browser_queue() == []
        await until_async(is_sent, "the step is sent", every=0.005)
        session._enqueue_forward_msg(copied(SECOND))
        return told(session.flush_browser_queue())

    assert apart(run()) == {(0, 1, 0): MINE, (0, 1, 1): MINE}


def test_the_end_of_the_wait_for_one_step_leaves_the_next_one_alone(session):
    async def run():
        session._enqueue_forward_msg(begun(MINE))
        first = sending._sending(session).step
        session._enqueue_forward_msg(ended(MINE))
        session._enqueue_forward_msg(begun(MINE))
        session._enqueue_forward_msg(copied(FIRST))
        sending._release(session, first)
        return told(session.flush_browser_queue())

    assert apart(run()) == {}


def test_to_send_changes_twice_is_to_send_them_once(session):
    before = AppSession._enqueue_forward_msg
    sending.send_changes()
    assert AppSession._enqueue_forward_msg is before
