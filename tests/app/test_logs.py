"""The log as JSON lines says what happened and not what a visitor has written."""

import json
import logging
import sys
from itertools import product

from tests.cases import each
from ui.frame.logs import JsonLines

SECRETS = ("hunter2 and a diary", "diary of 2026.txt", "/lab?run=kept-4711")


def line(name, message, *args, error=None):
    """What is written of one message, as the object that it is."""
    record = logging.getLogger(name).makeRecord(name, logging.ERROR, __file__, 1, message, args, error)
    text = JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_a_line_says_when_how_grave_who_and_what():
    found = line("pe_core.lab", "run %s took %d steps", "kept-4711", 300)
    assert found.pop("time").endswith("+00:00")
    assert found == {"level": "error", "logger": "pe_core.lab", "message": "run ... took 300 steps"}


@each(("secret", "name"), product(SECRETS, ("pe_core.lab", "streamlit.runtime", "uvicorn.error")))
def test_what_a_visitor_wrote_is_in_no_line(secret, name):
    try:
        raise ValueError(f"must be short, got {secret!r}")
    except ValueError:
        error = sys.exc_info()
    found = line(name, "the text %s was refused", secret, error=error)
    assert secret not in json.dumps(found)
    assert found["error"] == "ValueError"
    assert found["where"] == [f"test_logs.py:{error[2].tb_lineno}"]
    other = line("streamlit.runtime", f"cannot open {secret}")  # libraries put values into their messages
    assert secret not in json.dumps(other)
