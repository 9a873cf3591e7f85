"""Visitors of the app, who must never see a JavaScript error."""

from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.rest import BEGIN
from tests.browser.serving import wait_until_idle
from tests.waiting import PATIENCE

HEIGHT = 900
TELEPHONE = 390  # wide
NARROWEST = 360  # of the telephones that many people have
# Where a window is left for the next visitor: it has no control of its own.
EMPTY = "/privacy"
GO_TO = "link => { history.pushState(null, '', link); dispatchEvent(new PopStateEvent('popstate')); }"
# The next connection of a page names no session, so that its server begins a new one.
FORGETS = """(() => {
    const Socket = WebSocket;
    window.WebSocket = class extends Socket {
        constructor(address, protocols) {
            super(address, window.isNew ? protocols.slice(0, 2) : protocols);
            window.isNew = false;
            window.connection = this;
        }
    };
})()"""
FORGET = "localStorage.clear(), sessionStorage.clear()"
BE_NEW = "window.isNew = true, connection.close()"
IS_NEW = """() => !window.isNew
    && document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState === 'CONNECTED'"""
# Vega's warnings of a picture whose table has no row yet: of a run that has only just begun, or still on its way.
NO_POINT_YET = ("Infinite extent for field", "Log scale domain includes zero: [Infinity,-Infinity]")


@contextmanager
def window(browser, **settings):
    """Yield a window of a browser of its own, whose pages wait as long as all tests do."""
    with browser.new_context(**settings) as opened:
        opened.set_default_timeout(1_000 * PATIENCE)
        opened.add_init_script(FORGETS)
        opened.add_init_script(BEGIN)
        yield opened


@contextmanager
def finger(page):
    """Let a page take it for the time being that a finger points at it."""
    devices = page.context.new_cdp_session(page)
    devices.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        yield
    finally:
        devices.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
        devices.detach()


@contextmanager
def visitors(windows, seats, request):
    """Yield what opens a link as one visitor, and returns the page with the app at rest.

    A visitor is given a window that others have left, where there is one: to load Streamlit anew costs more than most
    of what is done. Nothing else of those others is there. Who changes what belongs to the window itself, or looks at
    how it is loaded, asks for a `fresh` one. In the end no visitor's console may hold an error, or a warning of Vega's.
    """
    pages, complaints = [], []

    def open_page(link, *, address=None, width=1280, scheme="light", still=False, sent=None, fresh=False):
        """Open a link; `sent` is a list that gets an entry for what the page asks its server for, whatever it is."""
        address = address or request.getfixturevalue("app")

        def note(message):
            where = message.location["url"]
            # Streamlit looks below a page's own address first for these two, and browsers for icons elsewhere.
            missed = message.text.startswith("Failed to load resource") and (
                where.endswith(("/_stcore/health", "/_stcore/host-config")) or not where.startswith(address)
            )
            empty = any(words in message.text for words in NO_POINT_YET)
            warned = message.type == "warning" and "WARN" in message.text and not empty
            if (message.type == "error" and not missed) or warned:
                complaints.append(f"{message.text} at {where}")

        def note_asked(frame):
            kind = BackMsg.FromString(frame).WhichOneof("type")
            if kind != "app_heartbeat":  # asks for nothing, and is sent after a time
                sent.append(kind)

        listeners = {"console": note, "pageerror": lambda error: complaints.append(str(error))}
        if sent is not None:
            listeners["websocket"] = lambda socket: socket.on("framesent", note_asked)
        left = not fresh and address == request.getfixturevalue("app") and bool(seats)
        page = seats.pop() if left else windows.new_page()
        pages.append((page, listeners, address, fresh))
        for event, listener in listeners.items():
            page.on(event, listener)
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce" if still else "no-preference")
        if left:
            enter(page, link)
        else:
            page.goto(address + link)
            wait_until_idle(page)
        return page

    failed = request.session.testsfailed
    try:
        yield open_page
    finally:
        for page, listeners, address, fresh in pages:
            if page.is_closed():
                continue
            keep = not fresh and len(seats) < 2 and failed == request.session.testsfailed
            if keep and address == request.getfixturevalue("app"):
                leave(page)
                for event, listener in listeners.items():
                    page.remove_listener(event, listener)
                seats.append(page)
            else:
                page.evaluate(FORGET)
                page.close()
        windows.clear_cookies()
    assert complaints == [], complaints


def enter(page, link):
    """Open a link with a new session in a window that another visitor has left."""
    page.bring_to_front()
    page.evaluate(BE_NEW)
    page.wait_for_function(IS_NEW)
    page.evaluate(GO_TO, link)
    wait_until_idle(page)


def leave(page):
    """Leave a window for the next visitor."""
    page.bring_to_front()  # what is behind another one draws once a second
    page.mouse.move(1, 1)
    page.evaluate(GO_TO, EMPTY)
    page.wait_for_url(f"**{EMPTY}*")
    wait_until_idle(page)
    page.evaluate(FORGET)
