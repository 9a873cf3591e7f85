"""Visitors of the app, who must never see a JavaScript error."""

from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.rest import BEGIN
from tests.browser.serving import wait_until_idle
from tests.waiting import PATIENCE

HEIGHT = 900
TELEPHONE = 390  # wide
NARROWEST = 360  # of the telephones that many people have
# Vega's warnings of a picture whose table has no row yet: of a run that has only just begun, or still on its way.
NO_POINT_YET = ("Infinite extent for field", "Log scale domain includes zero: [Infinity,-Infinity]")


@contextmanager
def window(browser, **settings):
    """Yield a window of a browser of its own, whose pages wait as long as all tests do."""
    with browser.new_context(**settings) as opened:
        opened.set_default_timeout(1_000 * PATIENCE)
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
def visitors(windows, request):
    """Yield what opens a link in a window of its own, as one visitor, and returns the page with the app at rest.

    In the end no visitor's console may hold an error, or a warning of Vega's, and nothing that a window has kept is
    there for the next one.
    """
    pages, complaints = [], []

    def open_page(link, *, address=None, width=1280, scheme="light", still=False, sent=None):
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

        page = windows.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce" if still else "no-preference")
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if sent is not None:
            page.on("websocket", lambda socket: socket.on("framesent", note_asked))
        page.goto(address + link)
        wait_until_idle(page)
        return page

    try:
        yield open_page
    finally:
        for page in pages:
            if not page.is_closed():
                page.evaluate("localStorage.clear()")
                page.close()
        windows.clear_cookies()
    assert complaints == [], complaints
