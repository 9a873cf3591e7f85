#!/bin/sh
# Whether the app in this container is ready, where that is served, else whether it answers: the image's own check.
# The first check runs the app once for nobody, so that the first visitor does not wait for what is imported.
exec python3 - <<'END'
import os
import sys
import urllib.error
import urllib.request

APP = "http://127.0.0.1:8501/_stcore"


def answers(address: str, seconds: float) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=seconds):
            return True
    except (urllib.error.URLError, OSError):
        return False


if port := os.environ.get("PE_OPERATIONS_PORT"):
    ready = f"http://127.0.0.1:{port}/ready"
    sys.exit(not (answers(ready, 4) or (answers(f"{APP}/script-health-check", 60) and answers(ready, 4))))
sys.exit(not answers(f"{APP}/health", 4))
END
