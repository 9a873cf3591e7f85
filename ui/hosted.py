"""The app as it is hosted: beside its pages, whether the process is ready, what it counts, and a log without texts.

    streamlit run ui/hosted.py --server.headless=true

/ready and /metrics are on the port of the pages; a proxy keeps them from strangers (deploy/nginx.conf). A laptop needs
none of this: `streamlit run app.py` is the same app. The extra `hosting` brings prometheus-client.
"""

import asyncio
import json
import logging
import time
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import streamlit as st
from prometheus_client import CONTENT_TYPE_LATEST, Counter, Gauge, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pe_core.lab.queue.job import State
from pe_core.lab.storage.store import StoreError
from ui.frame.limits import open_sessions
from ui.lab.jobs import job_manager, run_store
from ui.start import warm_up

GRACE = 5.0  # seconds that runs get to finish when the process ends
OURS = ("ui", "pe_core", "pages")  # whose messages are constant; others put values into theirs
LIVE: tuple[State, ...] = ("queued", "running")  # runs that would go on by themselves

SESSIONS = Gauge("pe_sessions", "Sessions that are open now.")
RUNS = Gauge("pe_runs", "Runs of the lab that have not ended, by state.", ["state"])
ERRORS = Counter("pe_script_errors", "Runs of pages that ended with an error, by its kind.", ["kind"])

SESSIONS.set_function(open_sessions)

log = logging.getLogger("ui.hosted")  # Streamlit runs this file under another name


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and the kind and place of an error.

    Our messages are constant sentences with values to fill in. Values can come from a visitor, and so can the message
    of an exception; neither is written down. What a traceback tells of our code is: files, lines and the kind of error.
    Of messages of other libraries only their place is told.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        is_ours = record.name.split(".")[0] in OURS
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.msg if is_ours else f"{record.module}.{record.funcName}, line {record.lineno}",
        }
        if record.exc_info and record.exc_info[0]:
            kind, _, trace = record.exc_info
            frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(trace)]
            line |= {"error": kind.__name__, "where": frames}
        return json.dumps(line)


def write_json_lines() -> None:
    """Write all that this process logs as JSON, what is ours from the level of information on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    # Streamlit gives each of its loggers a handler of its own; their formats are all that is changed.
    for name in list(root.manager.loggerDict):
        for own in logging.getLogger(name).handlers:
            own.setFormatter(JsonLines())


def ready(request: Request) -> Response:
    """Answer whether this process can serve visitors: 200, or 503 with what is missing."""
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
    return PlainTextResponse("\n".join(problems) or "ready", 503 if problems else 200)


def metrics(request: Request) -> Response:
    """Answer with what is counted, as Prometheus reads it."""
    counts = job_manager().counts()
    for state in get_args(State):
        RUNS.labels(state).set(counts.get(state, 0))
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def count_error(error: Exception) -> None:
    """Count an error of a page by its kind; the visitor sees Streamlit's sentence."""
    ERRORS.labels(type(error).__name__).inc()


def shut_down() -> None:
    """Give runs a few seconds to finish, then end them: the store has them as unfinished, and their links say so."""
    if not job_manager.is_made:
        return
    end = time.monotonic() + GRACE
    while time.monotonic() < end and any(job_manager().counts().get(state) for state in LIVE):
        time.sleep(0.05)
    job_manager().close()
    log.info("the runs of this process are ended")


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Import what is heavy before the first visitor comes, and end runs when the process is told to end."""
    write_json_lines()
    await asyncio.to_thread(warm_up)
    yield
    await asyncio.to_thread(shut_down)


app = st.App(
    Path(__file__).parents[1] / "app.py",
    lifespan=lifespan,
    routes=[Route("/ready", ready), Route("/metrics", metrics)],
    on_script_error=count_error,
)
