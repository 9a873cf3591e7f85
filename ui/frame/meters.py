"""What a process counts for who operates it: runs of pages, refused requests, errors of the store.

Nothing is counted unless PE_OPERATIONS_PORT asks for it and prometheus-client is installed, so a laptop needs neither.
Labels are names of pages and kinds, never what a visitor has written.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import streamlit as st

from ui.frame.process import Once

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Histogram

PORT = "PE_OPERATIONS_PORT"
MISSING = "metrics need prometheus-client: pip install 'positional-encoding-explorer[hosting]'"
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)  # ends of the histogram's bins
PAGE = "_page"  # where a session notes which page it is on, for its fragments

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Meters:
    """What is counted as it happens; the rest is looked up when somebody asks for the metrics."""

    registry: "CollectorRegistry"
    page_seconds: "Histogram"
    refused: "Counter"
    store_errors: "Counter"


@Once
def meters() -> Meters | None:
    """Return the meters of this process, None where nobody reads them."""
    if not os.environ.get(PORT):
        return None
    try:
        from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
    except ImportError:
        log.warning(MISSING)
        return None
    here = CollectorRegistry()
    ProcessCollector(registry=here)  # memory and processor time
    drawn, unstored = "Time to draw a page or a part of it.", "Times that the store could not be read or written."
    return Meters(
        here,
        Histogram("pe_page_run_seconds", drawn, ["page", "part"], buckets=SECONDS, registry=here),
        Counter("pe_refused_total", "Requests that were refused, by kind.", ["kind"], registry=here),
        Counter("pe_store_errors_total", unstored, registry=here),
    )


def refuse(kind: str) -> None:
    """Count a request of this kind that was refused."""
    if counted := meters():
        counted.refused.labels(kind).inc()


def enter_page(page: str) -> None:
    """Note which page a session is on; what is measured of it from now on has this name."""
    st.session_state[PAGE] = page


@contextmanager
def measured(part: Literal["page", "fragment"]) -> Iterator[None]:
    """Measure a run of the page that the session is on, or of a fragment of it."""
    page, began = st.session_state.get(PAGE, "unknown"), time.perf_counter()
    try:
        yield
    finally:
        seconds = time.perf_counter() - began
        if counted := meters():
            counted.page_seconds.labels(page, part).observe(seconds)
        log.info("drawn", extra={"page": page, "part": part, "milliseconds": round(1000 * seconds, 1)})


class StoreErrors(logging.Handler):
    """Counts what the store of runs reports to the log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Count an error."""
        if record.levelno >= logging.ERROR and (counted := meters()):
            counted.store_errors.inc()
