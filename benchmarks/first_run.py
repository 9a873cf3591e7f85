"""The lab's first run as a visitor sees it: from the click on Train to the first point of a curve and to all verdicts.

`python -m benchmarks.first_run --rounds 3` serves the app with no store, so that nothing is kept, opens the lab as it
is first seen and presses Train once in each round, with a server of its own. The page watches itself, frame by frame:
it shows a run that comes with the project before, so a curve counts once its lines have changed and are not empty, and
verdicts count once each of them was "not done yet" and none is any more.
"""

import argparse
import statistics
from dataclasses import dataclass

from playwright.sync_api import Browser

from benchmarks.pages import PAINTED
from benchmarks.process import AS_RUN, children_seconds, cpu_seconds, rest
from tests.browser.serving import launched, serving, wait_until_idle

POINT, VERDICT = 1.0, 15.0  # seconds that the two may take on two idle cores
MAX_WAIT = 300.0  # seconds that a run is waited for

# Notes in `window.seen` when what was waited for was painted first, in milliseconds after the click.
WATCH = """
() => {
  const chart = () => document.querySelector('[data-testid=stVegaLiteChart]');
  const lines = () => [...(chart()?.querySelectorAll('.mark-line path') ?? [])]
    .map(path => path.getAttribute('d') ?? '').filter(drawn => drawn.length > 0);
  const verdicts = () => [...document.querySelectorAll('.stMain [data-testid=stMarkdown] ul')]
    .map(list => [...list.children].map(line => line.textContent.trim()))
    .find(all => all.every(said => /: (not done yet|(holds|degrades|breaks|not learned).*)$/.test(said))) ?? [];
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


def first_run(browser: Browser, address: str, pid: int) -> FirstRun:
    """Press Train on the lab as it is first seen, and return when the page has shown what came of it."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}/lab")
    wait_until_idle(page)
    rest(pid)
    page.evaluate(WATCH)
    page.evaluate(PAINTED)
    before = cpu_seconds(pid), children_seconds(pid)
    page.locator(".st-key-train").get_by_role("button").click()
    page.wait_for_function("() => 'verdict' in window.seen", timeout=1000 * MAX_WAIT)
    server, trainers = cpu_seconds(pid) - before[0], children_seconds(pid) - before[1]
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
            with serving(environment=AS_RUN) as (address, server):
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
