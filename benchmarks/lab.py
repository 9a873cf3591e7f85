"""Eight encodings trained side by side: threads and processes, and what a run costs those who look at other pages.

`python -m benchmarks.lab` prints the seconds of the lab's default text run with eight encodings, by threads of this
process, by the threads of a trainer in a process of its own, as the app has it, and by one process for each core; and
a slider step of another page while such a run goes on, beside the same step at rest.
"""

import statistics
import time

from playwright.sync_api import Page

from benchmarks.pages import opened, step_seconds
from pe_core.lab.__main__ import run
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.queue.jobs import JobManager
from pe_core.lab.queue.messages import LIVE
from pe_core.lab.queue.process import OneProcess
from pe_core.lab.queue.trainer import Trainer, TrainerOptions
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.repeat import repeat
from pe_core.lab.sweeps.pool import on_all_cores
from tests.browser.serving import launched, served
from tests.browser.training import train

EIGHT = ("none", "learned", "sinusoidal", "rope", "t5", "alibi", "kerple_log", "fire")
STEPS = 15  # of a slider
SLIDERS = (("/rope", "query"), ("/sinusoidal", "base"))


def one(encoding: str) -> RunRecord:
    """Train one of the encodings in a process of the pool."""
    return repeat(RunConfig((encoding,)), built_in())


def by_threads() -> float:
    """Return the seconds of a run by threads of this process."""
    start = time.perf_counter()
    run(RunConfig(EIGHT), built_in())
    return time.perf_counter() - start


def by_trainer() -> float:
    """Return the seconds of a run by a trainer in a process of its own, once that has started."""
    pool = OneProcess(TrainerOptions())
    pool.trainers()[0].ask(Trainer.live)
    jobs, start = JobManager(pool), time.perf_counter()
    try:
        job_id = jobs.submit(RunConfig(EIGHT), built_in())
        while (snapshot := jobs.snapshot(job_id)).state in LIVE:
            time.sleep(0.2)
    finally:
        jobs.close()
    if snapshot.state != "finished":
        raise RuntimeError(snapshot.message)
    return time.perf_counter() - start


def by_processes() -> float:
    """Return the seconds of the same runs in a pool of processes, with their start."""
    start = time.perf_counter()
    for _ in on_all_cores(one, EIGHT):
        pass
    return time.perf_counter() - start


def median_step(page: Page, key: str) -> float:
    """Return the median seconds of a slider step."""
    steps = [step_seconds(page, key, right=number % 2 == 0) for number in range(-2, STEPS)]
    return statistics.median(steps[2:])


def main() -> None:
    """Print both comparisons."""
    built_in()
    for name, seconds in (("threads", by_threads), ("trainer", by_trainer), ("processes", by_processes)):
        print(f"eight encodings, {name:<10} {seconds():6.1f} s", flush=True)
    with launched() as browser, served() as app:
        pages = {path: opened(browser, app + path) for path, _ in SLIDERS}
        idle = {path: median_step(pages[path], key) for path, key in SLIDERS}
        lab = opened(browser, f"{app}/lab?" + "&".join(f"encodings={key}" for key in EIGHT) + "&steps=5000")
        train(lab)
        for path, key in SLIDERS:
            busy = median_step(pages[path], key)
            print(
                f"slider of {path:<12} idle {idle[path] * 1000:4.0f} ms   while a run goes on {busy * 1000:4.0f} ms   "
                f"{busy / idle[path]:5.2f} x",
                flush=True,
            )


if __name__ == "__main__":
    main()
