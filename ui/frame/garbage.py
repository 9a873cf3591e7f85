"""When the process collects garbage: seldom, and never because a page has been drawn.

Streamlit would force a full collection after every run of a page (`runner.postScriptGC`, which is off), and Python
starts one of its own whenever a quarter of what it has is new. Each holds up every visitor for as long as it walks all
that lives. What is not part of a reference cycle is freed at once in any case; cycles, such as those of sessions that
have ended, wait for the next round.
"""

import gc
import threading
import time

PERIOD = 60.0  # seconds between two full collections
# Of objects that are new, and of collections of the youngest; the oldest are left to the rounds.
THRESHOLDS = 10_000, 20, 1_000_000


def collect() -> None:
    """Free all cycles that nobody can reach, and take what is left out of sight of the collections between rounds."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def collect_in_rounds() -> None:
    """Collect now, and from now on once in a period, in a thread of its own."""
    gc.set_threshold(*THRESHOLDS)
    collect()
    threading.Thread(target=_rounds, name="garbage", daemon=True).start()


def _rounds() -> None:
    while True:
        time.sleep(PERIOD)
        collect()
