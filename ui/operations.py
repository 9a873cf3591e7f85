"""For who operates the app: readiness and metrics on a port of their own, and what happens when the process ends."""

import atexit
import logging
import os
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from pe_core.lab.queue.snapshot import State
from pe_core.lab.storage.store import StoreError
from pe_core.parameters import Parameter
from ui.frame import meters
from ui.frame.meters import MISSING, PORT, StoreErrors
from ui.frame.process import Once
from ui.lab.jobs import job_manager, run_store

if TYPE_CHECKING:
    from prometheus_client import Metric

ADDRESS = "PE_OPERATIONS_ADDRESS"
PORTS = Parameter(PORT, "Port of operations", 9100, "Where readiness and metrics are served.", 1, 65_535)
GRACE = 5.0  # seconds that runs get to finish when the process ends
_OTHER_LIVE: tuple[State, ...] = ("queued", "running")  # runs that would go on by themselves

log = logging.getLogger(__name__)


def missing() -> list[str]:
    """Return what keeps this process from serving visitors, nothing where it is ready."""
    problems = []
    store = run_store()
    try:
        if store:
            store.listing(1)
    except StoreError:
        problems.append("the store does not answer")
    try:
        job_manager().counts()
    except Exception:  # whatever it is: an answer of this check is all that is wanted
        log.exception("the trainers do not answer")
        problems.append("the trainers do not answer")
    return problems


class Lookups:
    """What is looked up when somebody asks for the metrics: sessions, runs and the queue."""

    def collect(self) -> "Iterator[Metric]":
        """Yield the metrics as the library wants them."""
        from prometheus_client.core import GaugeMetricFamily

        yield GaugeMetricFamily("pe_sessions", "Sessions that are open now.", value=_sessions())
        runs = GaugeMetricFamily("pe_runs", "Runs of the lab that have not ended, by state.", labels=["state"])
        counts = job_manager().counts()
        for state, n in counts.items():
            runs.add_metric([state], n)
        yield runs
        yield GaugeMetricFamily("pe_queue_length", "Runs that wait or train.", value=_going_on(counts))


def _sessions() -> int:
    from streamlit.runtime import get_instance

    manager = get_instance()._session_mgr  # Streamlit has no public count of its sessions
    return manager.num_active_sessions()


def _going_on(counts: Mapping[State, int]) -> int:
    return sum(counts.get(state, 0) for state in _OTHER_LIVE)


class Answers(BaseHTTPRequestHandler):
    """Answers /ready and /metrics."""

    def do_GET(self) -> None:
        """Answer a request."""
        if self.path == "/ready":
            problems = missing()
            self._answer(503 if problems else 200, "\n".join(problems) or "ready")
        elif self.path != "/metrics":
            self._answer(404, "here are /ready and /metrics")
        elif (counted := meters.meters()) is None:
            self._answer(501, MISSING)
        else:
            from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

            self._answer(200, generate_latest(counted.registry).decode(), CONTENT_TYPE_LATEST)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: a check every ten seconds is no news."""

    def _answer(self, status: int, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@Once
def serve() -> ThreadingHTTPServer | None:
    """Serve readiness and metrics where PE_OPERATIONS_PORT says so; the log has why where that fails."""
    if not os.environ.get(PORT):
        return None
    if counted := meters.meters():
        counted.registry.register(Lookups())
        logging.getLogger("pe_core.lab.storage").addHandler(StoreErrors())
    try:
        port = PORTS.parse(os.environ[PORT])
        assert isinstance(port, int)
        server = ThreadingHTTPServer((os.environ.get(ADDRESS, "127.0.0.1"), port), Answers)
    except (ValueError, OSError):
        log.exception("readiness and metrics are not served")
        return None
    threading.Thread(target=server.serve_forever, name="operations", daemon=True).start()
    return server


@Once
def leave_gracefully() -> None:
    """Let `shut_down` be the last thing that this process does: Streamlit ends on SIGTERM as a program that is done."""
    atexit.register(shut_down)


def shut_down() -> None:
    """Give runs a few seconds to finish, then end them: the store has them as unfinished, and their links say so."""
    if not job_manager.is_made:
        return
    end = time.monotonic() + GRACE
    while time.monotonic() < end and _going_on(job_manager().counts()):
        time.sleep(0.05)
    job_manager().close()
