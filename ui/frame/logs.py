"""The log as one JSON object a line, without a word that a visitor has written.

Messages are logged as a constant sentence with values to fill in. Values can come from a visitor, and so can the
message of an exception; neither is written down. What a traceback tells of our code is: files, lines and the kind of
error.
"""

import json
import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path

OURS = ("ui", "pe_core", "pages")  # whose messages are constant; others put values into theirs


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and the kind and place of an error."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        if record.exc_info and record.exc_info[0]:
            kind, _, trace = record.exc_info
            frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(trace)]
            line |= {"error": kind.__name__, "where": frames}
        return json.dumps(line)


def _message(record: logging.LogRecord) -> str:
    """Return the sentence of a record without its values; of other libraries only where in them it is said."""
    if record.name.split(".")[0] in OURS:
        return str(record.msg)
    return f"{record.module}.{record.funcName}, line {record.lineno}"


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
