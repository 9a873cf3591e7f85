"""A step of a fragment tells the browser what it has changed, and that in one go.

At each step Streamlit sends every part of a fragment again, changed or not: on most pages three of some thirty change.
Its front end goes over each part that comes, and over the whole page for each lot of parts that comes by itself. What
did not come it removes when the run has ended.

So the messages of a step wait for its end. If it fills the same places as before, only the parts that differ from what
the browser has are passed on. Otherwise all of them are, as Streamlit would do it.

The front end removes what did not come from a container only if the container came with the name of the fragment, now
or earlier. So containers are passed on without that name as long as nothing is to be removed. Elements keep it, since
it says which fragment a widget calls.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

TOGETHER = 0.2  # seconds for which a step waits for its end; what comes later is sent as it is drawn
STATELESS = {"flex_container", "column", "transparent"}  # containers that never call their fragment

Place = tuple[int, ...]


class Part(NamedTuple):
    """What stands at a place of the page: its hash, its fragment, and whether it came without the name of that."""

    hash: str
    fragment: str
    nameless: bool


class Sending:
    """What the browser of one session has, and the messages of the step that is being drawn."""

    def __init__(self) -> None:
        self._has: dict[Place, Part] = {}
        self._on_its_way: dict[Place, Part] = {}
        self._run = ""  # its id
        self._fragments: frozenset[str] = frozenset()  # of the run; none where the whole page is drawn
        self._whole_page = False
        self._drawn: set[Place] = set()  # in the run
        self._drawn_whole: dict[str, set[Place]] = {}  # in runs that were told whole, by their ids
        self.step: list[ForwardMsg] | None = None  # what waits; None where nothing has to

    def take(self, message: ForwardMsg) -> Sequence[ForwardMsg]:
        """Take in what the server says and return what the browser is to be told now."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            before = self.release()
            self._begin(message.metadata.run.script_run_id, frozenset(message.metadata.run.fragment_ids))
            return [*before, *self._taken_on(message)]
        if kind == "script_finished" and self.step is not None:
            return [*(self._changes() if _is_complete(message) else self.release()), message]
        return self._taken_on(message)

    def _taken_on(self, message: ForwardMsg) -> Sequence[ForwardMsg]:
        """Let a message wait if there is a step, else return it."""
        if self.step is None:
            return [self._passed_on(message, nameless=self._whole_page)]
        self.step.append(message)
        return []

    def release(self) -> Sequence[ForwardMsg]:
        """Return all that waits, as Streamlit would send it; what comes after it in this step does not wait."""
        if self.step:
            self._drawn_whole[self._run] = self._drawn
        step, self.step = self.step or [], None
        return [self._passed_on(message, nameless=False) for message in step]

    def sent(self, messages: Sequence[ForwardMsg]) -> None:
        """Note what has gone to the browser."""
        for message in messages:
            kind = message.WhichOneof("type")
            if kind == "new_session" and not message.metadata.run.fragment_ids:
                self._has.clear()
            elif kind == "script_finished":
                self._forget_removed(message)
            elif kind == "delta" and (part := self._on_its_way.pop(_place(message), None)):
                self._has[_place(message)] = part

    def _begin(self, run: str, fragments: frozenset[str]) -> None:
        """Begin a run of these fragments, or of the whole page; Streamlit has dropped what had not been sent of it."""
        self._run, self._fragments, self._whole_page = run, fragments, not fragments
        self.step, self._drawn = [] if fragments else None, set()
        left = self._on_its_way.items() if fragments else ()
        self._on_its_way = {place: part for place, part in left if part.fragment not in fragments}

    def _forget_removed(self, end: ForwardMsg) -> None:
        """Forget what the browser removes when a run ends that was told whole and not cut short: what did not come."""
        run, has = end.metadata.run, self._has
        drawn = self._drawn_whole.pop(run.script_run_id, None)
        if drawn is not None and _is_complete(end):
            for place in [place for place in has.keys() - drawn if has[place].fragment in run.fragment_ids]:
                del has[place]

    def _changes(self) -> Sequence[ForwardMsg]:
        """Return the messages of the step without the parts that the browser has; all if it has other places."""
        drawn = [message for message in self.step or [] if message.WhichOneof("type") == "delta"]
        parts = {_place(part): part for part in drawn}
        has = {place: part for place, part in self._has.items() if part.fragment in self._fragments}
        same_places = len(drawn) == len(parts) and parts.keys() == has.keys()
        if self._on_its_way or not same_places or any(_is_new(part, has[place]) for place, part in parts.items()):
            return self.release()
        same = {id(part) for place, part in parts.items() if not _differs(part, has[place])}
        step, self.step = self.step or [], None
        return [self._passed_on(message, nameless=True) for message in step if id(message) not in same]

    def _passed_on(self, message: ForwardMsg, *, nameless: bool) -> ForwardMsg:
        if message.WhichOneof("type") == "delta":
            nameless = nameless and _is_stateless(message)
            self._drawn.add(_place(message))
            self._on_its_way[_place(message)] = Part(message.hash, message.delta.fragment_id, nameless)
            if nameless:
                message.delta.fragment_id = ""
        return message


def _place(message: ForwardMsg) -> Place:
    return tuple(message.metadata.delta_path)


def _is_complete(end: ForwardMsg) -> bool:
    return end.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY


def _is_new(part: ForwardMsg, has: Part) -> bool:
    """Return whether a part is no element, and no container that the browser has and that may go without its name."""
    return not part.delta.HasField("new_element") and (part.hash != has.hash or not _is_stateless(part))


def _differs(part: ForwardMsg, has: Part) -> bool:
    """Return whether the browser needs a part: another one, one that acts each time, a container with a name."""
    if part.delta.HasField("add_block"):
        return not has.nameless
    return part.hash != has.hash or part.delta.new_element.has_one_shot_effect


def _is_stateless(message: ForwardMsg) -> bool:
    return message.delta.add_block.WhichOneof("type") in STATELESS


_sendings: WeakKeyDictionary[AppSession, Sending] = WeakKeyDictionary()
_enqueue, _flush = AppSession._enqueue_forward_msg, AppSession.flush_browser_queue  # the first has no public name


def _sending(session: AppSession) -> Sending:
    return _sendings.get(session) or _sendings.setdefault(session, Sending())


def _take(session: AppSession, message: ForwardMsg) -> None:
    """Send a message of a session, or let it wait for the end of the step."""
    sending = _sending(session)
    before = sending.step
    for one in sending.take(message):
        _enqueue(session, one)
    if sending.step is not None and sending.step is not before:
        asyncio.get_running_loop().call_later(TOGETHER, _release, session, sending.step)


def _release(session: AppSession, step: list[ForwardMsg]) -> None:
    """Send what waits of a step, if that step has not ended."""
    sending = _sending(session)
    if sending.step is step:
        for one in sending.release():
            _enqueue(session, one)


def _flushed(session: AppSession) -> list[ForwardMsg]:
    """Return what goes to the browser now, and note it."""
    messages = _flush(session)
    _sending(session).sent(messages)
    return messages


def send_changes() -> None:
    """From now on, let every session send what a step has changed."""
    if AppSession._enqueue_forward_msg.__module__ == __name__:  # Streamlit imports anew what was edited
        return
    AppSession._enqueue_forward_msg = _take  # type: ignore[method-assign, assignment]
    AppSession.flush_browser_queue = _flushed  # type: ignore[method-assign, assignment]
