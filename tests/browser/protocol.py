"""Speak Streamlit's protocol without a browser: open a page, set a widget, send any message a client can send."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX
from websockets.asyncio.client import ClientConnection, connect

from tests.waiting import PATIENCE

MAX_BYTES = 64 * 2**20  # of one message
Result = TypeVar("Result")

DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass
class Client:
    """One visitor: what the server has sent of the page that is open, and what the visitor has set on it."""

    connection: ClientConnection
    page: str = ""
    link: dict[str, str] = field(default_factory=dict)  # parameters of the address, which the server may change
    elements: dict[str, Element] = field(default_factory=dict)  # widgets by id
    fragments: dict[str, str] = field(default_factory=dict)  # of each widget, "" outside of all
    timers: dict[str, float] = field(default_factory=dict)  # seconds after which a browser asks for a fragment again
    due: dict[str, float] = field(default_factory=dict)  # when that is next
    exceptions: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)  # in boxes and beside bars, in the last answer
    written: list[str] = field(default_factory=list)  # as Markdown, in the last answer
    html: list[str] = field(default_factory=list)  # of the last answer
    told: list[str] = field(default_factory=list)  # what pictures show in a sentence, in the last answer
    bytes_received: int = 0
    whole_page: bool = False  # whether the last answer drew the whole page
    _page_hash: str = ""
    _states: dict[str, WidgetState] = field(default_factory=dict)

    async def open(self, page: str, link: dict[str, str] | None = None) -> None:
        """Open a page by the last part of its address, with the parameters of a link, and wait until it is drawn."""
        self.page, self.link = page, dict(link or {})
        self.elements, self.fragments, self._states, self._page_hash = {}, {}, {}, ""
        await self.rerun()

    async def rerun(self, fragment: str = "") -> None:
        """Ask for the whole page again, or for a fragment of it, and wait until it is drawn."""
        if not fragment:
            self.timers, self.due = {}, {}
        await self.send(self._request(fragment))
        await self._drawn()

    async def wait(self) -> None:
        """Wait until a browser asks for the next fragment by itself, ask for it, and wait until it is drawn."""
        fragment = min(self.due, key=lambda name: self.due[name])
        await asyncio.sleep(self.due[fragment] - time.monotonic())
        self.due[fragment] = time.monotonic() + self.timers[fragment]
        await self.rerun(fragment)

    async def set(self, key: str, value: float) -> None:
        """Move the slider with this key to a value, of a select slider a place in its options, as `step` does."""
        await self.step(next(name for name in self.sliders if name.endswith(f"-{key}")), value)

    async def step(self, widget: str, value: float) -> None:
        """Move a slider to a value and wait until the page has answered."""
        slider, state = self.elements[widget].slider, WidgetState(id=widget)
        if slider.type == Slider.SELECT_SLIDER:
            state.string_array_value.data.append(slider.options[round(value)])
        else:
            state.double_array_value.data.append(value)
        self._states[widget] = state
        if slider.query_param_key:
            shown = slider.options[round(value)] if slider.options else f"{value:g}"
            self.link[slider.query_param_key] = shown
        await self.rerun(self.fragments[widget])

    async def press(self, key: str) -> None:
        """Press the button with this key and wait until the page has answered."""
        widget = next(
            name for name, one in self.elements.items() if name.endswith(f"-{key}") and one.HasField("button")
        )
        request = self._request(self.fragments[widget])
        request.rerun_script.widget_states.widgets.append(WidgetState(id=widget, trigger_value=True))
        await self.send(request)
        await self._drawn()

    async def trigger(self, key: str, event: str, value: object) -> None:
        """Tell the component with this key of an event, as its code in a browser does, and wait for the answer."""
        widget = next(name for name in self.elements if name.endswith(f"-{key}"))
        request = self._request(self.fragments[widget])
        said = json.dumps({"event": event, "value": value})
        request.rerun_script.widget_states.widgets.append(
            WidgetState(id=f"{STREAMLIT_INTERNAL_KEY_PREFIX}_{widget}__events", json_trigger_value=said)
        )
        await self.send(request)
        await self._drawn()

    async def send(self, message: BackMsg) -> None:
        """Send any message."""
        await self.connection.send(message.SerializeToString())

    @property
    def sliders(self) -> list[str]:
        """The ids of the sliders that can be moved."""
        found = {name: one.slider for name, one in self.elements.items() if one.HasField("slider")}
        return [name for name, slider in found.items() if len(slider.default) == 1 and not slider.disabled]

    def value(self, widget: str) -> float:
        """Return where a slider stands, of a select slider the place in its options."""
        slider = self.elements[widget].slider
        if widget not in self._states:
            return float(slider.value[0] if slider.set_value and slider.value else slider.default[0])
        state = self._states[widget]
        if slider.type == Slider.SELECT_SLIDER:
            return list(slider.options).index(state.string_array_value.data[0])
        return float(state.double_array_value.data[0])

    def _request(self, fragment: str) -> BackMsg:
        message = BackMsg()
        request = message.rerun_script
        request.query_string, request.page_name = urlencode(self.link), self.page
        request.page_script_hash, request.fragment_id = self._page_hash, fragment
        request.widget_states.widgets.extend(self._states.values())
        return message

    async def _drawn(self) -> None:
        """Take in messages until a run of the script has ended that was not cut short by another one."""
        self.said, self.written, self.html, self.told = [], [], [], []
        while True:
            content = await self.connection.recv()
            assert isinstance(content, bytes)
            self.bytes_received += len(content)
            message = ForwardMsg.FromString(content)
            kind = message.WhichOneof("type")
            if kind == "delta":
                self._take(message)
            elif kind == "page_info_changed":
                self.link = dict(parse_qsl(message.page_info_changed.query_string))
            elif kind == "auto_rerun":
                timer = message.auto_rerun
                self.timers[timer.fragment_id] = timer.interval
                self.due[timer.fragment_id] = time.monotonic() + timer.interval
            elif kind == "navigation":
                self._page_hash = message.navigation.page_script_hash
            elif kind == "script_finished" and message.script_finished in DONE:
                self.whole_page = message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                return
            elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                raise RuntimeError(f"the script of {self.page} does not compile")

    def _take(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.exceptions.append(element.exception.message)
        elif kind in ("alert", "progress"):
            self.said.append(element.alert.body or element.progress.text)
        elif kind == "markdown":
            self.written.append(element.markdown.body)
        elif kind == "html":
            self.html.append(element.html.body)
        elif kind == "text":
            self.told.append(element.text.body)
        elif kind is not None and (name := getattr(getattr(element, kind), "id", "")):
            self.elements[name], self.fragments[name] = element, message.delta.fragment_id


def cookies_of(address: str) -> str:
    """Return the cookies that a new visitor gets with the page, as a browser sends them back."""
    with urlopen(address, timeout=PATIENCE) as answer:
        return "; ".join(said.partition(";")[0] for said in answer.headers.get_all("Set-Cookie", []))


def apart(visit: Coroutine[Any, Any, Result]) -> Result:
    """Return what visitors have done, in a thread of its own: in this one the browser of other tests has a loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, visit).result()


@asynccontextmanager
async def connected(address: str, cookies: str = "") -> AsyncIterator[Client]:
    """Yield a new visitor of the app at an address, with cookies if it has some; the session ends with the block."""
    host = urlsplit(address).netloc
    stream = connect(
        f"ws://{host}/_stcore/stream",
        subprotocols=["streamlit"],  # type: ignore[list-item]
        origin=address,  # type: ignore[arg-type]
        additional_headers={"Cookie": cookies} if cookies else None,
        max_size=MAX_BYTES,
        open_timeout=PATIENCE,
        ping_interval=None,
    )
    async with stream as connection:
        yield Client(connection)
