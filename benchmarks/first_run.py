"""The lab's first run as a visitor sees it: from the click on Train to the first point of a curve and to all verdicts.

`python -m benchmarks.first_run --rounds 3` serves the app with no store, so that nothing is kept, opens the lab as it
is first seen and presses Train once in each round, with a server of its own. The page watches itself, frame by frame:
it shows a run that comes with the project before, so a curve counts once its lines have changed and are not empty, and
verdicts count once each of them was "not done yet" and none is any more.
"""

import argparse
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.load import cpu_seconds
from benchmarks.pages import PAINTED
from tests.browser.serving import launched, serving, wait_until_idle

POINT, VERDICT = 1.0, 15.0  # seconds that the two may take on two idle cores
MAX_WAIT = 300.0  # seconds that a run is waited for
QUIET = 0.1  # cores that a server uses at most once it has warmed up
LOOK = 2.0  # seconds between two looks whether it has

# Notes in `window.seen` when what was waited for was painted first, in milliseconds after the click.
WATCH = """
() => {
  const chart = () => document.querySelector('[data-testid=stVegaLiteChart]');
  const lines = () => [...(chart()?.querySelectorAll('.mark-line path') ?? [])]
    .map(path => path.getAttribute('d') ?? '').filter(drawn => drawn.length > 0);
  const verdicts = () => [...document.querySelectorAll('.stMain [data-testid=stMarkdown] ul')]
    .map(list => [...list.children].map(line => line.textContent.trim()))
    .find(all => all.every(said => /: (not done yet|.* times as high)$/.test(said))) ?? [];
  const step = () => [...document.querySelectorAll('.stMain [data-testid=stProgress]')]
    .map(bar => /Step ([0-9,]+) of ([0-9,]+)/.exec(bar.textContent)).find(found => found);
  const seen = window.seen = {}, before = String(lines());
  let clicked = null;
  addEventListener('click', () => { clicked ??= performance.now(); }, true);
  const note = (name, holds) => { if (!(name in seen) && holds) seen[name] = performance.now() - clicked; };
  const look = () => {
    if (clicked !== null) {
      const drawn = lines(), said = verdicts(), at = step();
      note('point', drawn.length > 0 && String(drawn) !== before);
      note('waiting', said.some(one => one.endsWith('not done yet')));
      note('trained', at && at[1] === at[2]);
      if ('waiting' in seen && said.length) {
        note('first', said.some(one => !one.endsWith('not done yet')));
        note('verdict', said.every(one => !one.endsWith('not done yet')));
      }
    }
    requestAnimationFrame(look);
  };
  look();
}
"""


@dataclass(frozen=True)
class FirstRun:
    """Seconds after the click at which a page has shown something first, and the processor time until the verdicts."""

    point: float
    first: float
    trained: float
    verdict: float
    server: float
    trainers: float


def family(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    try:
        children = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        children += [
            int(one)
            for task in Path(f"/proc/{pid}/task").iterdir()
            if task.name != str(pid)
            for one in (task / "children").read_text().split()
        ]
    except OSError:  # one has just ended
        return []
    return [one for child in children for one in (child, *family(child))]


def used(pid: int) -> tuple[float, float]:
    """Return the seconds of CPU that a server has used, and those of the processes that train for it."""
    trainers = 0.0
    for child in family(pid):
        try:
            trainers += cpu_seconds(child)
        except OSError:
            continue
    return cpu_seconds(pid), trainers


def wait_until_quiet(pid: int) -> None:
    """Return once a server that has warmed up has nothing left to do."""
    before = sum(used(pid))
    while True:
        time.sleep(LOOK)
        now = sum(used(pid))
        if now - before < QUIET * LOOK:
            return
        before = now


def first_run(browser: Browser, address: str, pid: int) -> FirstRun:
    """Press Train on the lab as it is first seen, and return when the page has shown what came of it."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}/lab")
    wait_until_idle(page)
    wait_until_quiet(pid)
    page.evaluate(WATCH)
    page.evaluate(PAINTED)
    before = used(pid)
    page.locator(".st-key-train").get_by_role("button").click()
    page.wait_for_function("() => 'verdict' in window.seen", timeout=1000 * MAX_WAIT)
    server, trainers = (now - then for now, then in zip(used(pid), before, strict=True))
    page.wait_for_function("() => 'trained' in window.seen", timeout=1000 * MAX_WAIT)
    seen: dict[str, float] = page.evaluate("() => window.seen")
    page.close()
    seconds = {name: seen[name] / 1000 for name in ("point", "first", "trained", "verdict")}
    return FirstRun(**seconds, server=server, trainers=trainers)


def main() -> None:
    """Measure the rounds one after the other, and print each and the medians beside the goals."""
    program = argparse.ArgumentParser(prog="python -m benchmarks.first_run", description=__doc__.partition("\n")[0])
    program.add_argument("--rounds", type=int, default=3)
    runs: list[FirstRun] = []
    with launched() as browser:
        for number in range(program.parse_args().rounds):
            with serving(environment={"MALLOC_ARENA_MAX": "2"}) as (address, server):  # as `make run` serves it
                runs.append(run := first_run(browser, address, server.pid))
            print(
                f"round {number + 1}: first point {run.point:.2f} s, first verdict {run.first:.2f} s, "
                f"last step {run.trained:.2f} s, last verdict {run.verdict:.2f} s; "
                f"processor time: pages {run.server:.2f} s, training {run.trainers:.2f} s",
                flush=True,
            )
    for what, seconds, goal in (
        ("the first point of a curve", [run.point for run in runs], POINT),
        ("the last verdict", [run.verdict for run in runs], VERDICT),
    ):
        print(f"click on Train to {what}: median {statistics.median(seconds):.2f} s, goal {goal:.0f} s")


if __name__ == "__main__":
    main()
