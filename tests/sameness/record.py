"""Make a recording: a folder with a file for each page, and one each for what was trained and for the command line."""

import gzip
import hashlib
import json
import logging
import multiprocessing
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from tests.sameness.programs import programs
from tests.sameness.shown import Item
from tests.sameness.steady import plain
from tests.sameness.trained import trained
from tests.sameness.walk import CHOICES, Origin, State, Walk, controls, failed, opened

PARTS, COMMAND_LINE, TRAINED, LINKS = "parts", "command_line", "trained", "links"
SUFFIX = ".jsonl.gz"


@dataclass(frozen=True)
class Task:
    """A part of the recording that is made in one go: a page's default, its bad links, or one of its controls."""

    page: str
    number: int
    what: str
    key: str = ""


def record(out: Path, root: Path, workers: int, only: list[str]) -> Counter[str]:
    """Record the tree at `root` into a new folder, with so many processes; return how many states each page has."""
    started = time.monotonic()
    if out.exists():
        raise ValueError(f"{out} is there already")
    (out / PARTS).mkdir(parents=True)
    pages = [path.stem for path in sorted((root / "pages").glob("*.py")) if not only or path.stem in only]
    os.chdir(root)  # processes start where this one is, and Streamlit reads its settings there
    with _processes(root, workers) as pool:
        planned = [task for found in pool.map(plan, repeat(root), pages) for task in found]
        # The long ones first, so that none is left alone at the end: choices bring other controls.
        planned.sort(key=lambda task: task.what != "choice")
        parts = [pool.submit(programs_part, root, out)] if not only or COMMAND_LINE in only else []
        parts += [pool.submit(walk_task, root, out, task) for task in planned]
        for number, part in enumerate(as_completed(parts), start=1):
            told = f"{time.monotonic() - started:5.0f} s  {number} of {len(parts)}  {part.result()}"
            print(f"\r{told:80.80}", end="", file=sys.stderr)
    if not only or TRAINED in only:  # in a process of its own: what keeps runs is decided by the environment, once
        with _processes(root, 1) as pool:
            pool.submit(trained_part, root, out).result()
    print(file=sys.stderr)
    names = sorted({path.name.split(".")[0] for path in (out / PARTS).iterdir()})
    found = Counter({name: merge(out, name) for name in names})
    shutil.rmtree(out / PARTS)
    write_links(out, names)
    return found


def _processes(root: Path, workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), enter, (root,))


def write_links(out: Path, pages: Iterable[str]) -> None:
    """Write one more file: the names that each page has in links, wherever one of its states shows them."""
    states = []
    for page in pages:
        names: set[str] = set()
        for name, text in _texts(out / f"{page}{SUFFIX}"):
            if name == "link":
                names |= json.loads(text).keys()
            elif name == "widget":
                names.add(json.loads(text).get("query_param_key", ""))
        states.append(State(page, page, [Item("names in links", "", plain(sorted(names - {""})))]))
    write(out / LINKS, states)


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """The kinds and the texts of all items of a page, each once."""
    texts: dict[str, str] = {}
    shown: set[tuple[str, str]] = set()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            one = json.loads(line)
            if "hash" in one:
                texts[one["hash"]] = one["text"]
            elif not one["state"].startswith("?"):  # a link that asks for what may not be
                shown |= {(kind, name) for kind, _, name in one["items"]}
    return ((kind, texts[name]) for kind, name in shown)


def enter(root: Path) -> None:
    """Make a process one of the tree that is recorded: its folder, its modules, no kept runs, no limits."""
    os.chdir(root)
    here = str(Path(__file__).resolve().parents[2])
    sys.path[:] = [str(root), *(path for path in sys.path if path not in ("", here, str(root), str(Path.cwd())))]
    os.environ |= {"PE_STORE": "", "PE_MAX_SECONDS": "86400", "PE_MAX_MEMORY": "1000000"}
    logging.disable()  # else it is said at every page that there is no server
    os.environ.pop("PE_MAX_RUNS", None)


def plan(root: Path, page: str) -> list[Task]:
    """Return the parts of a page: its default, bad links, and a walk over each of its controls."""
    found = controls(opened(root, Origin(page)))
    kinds = [("default", ""), ("bad links", "")]
    kinds += [("choice" if one.type in CHOICES else "range", one.key) for one in found]
    return [Task(page, number, what, key) for number, (what, key) in enumerate(kinds)]


def walk_task(root: Path, out: Path, task: Task) -> str:
    """Do one part and write it; return its name."""
    states: list[State] = []
    walk = Walk(root, states.append)
    try:
        if task.what == "default":
            walk.default(task.page)
        elif task.what == "bad links":
            walk.bad_links(task.page)
        else:
            walk.control(Origin(task.page), "", task.key)
    except Exception as error:  # one page that cannot be walked leaves the others
        name = f"{task.what} {task.key}, not walked to its end"
        states.append(State(name, name, [failed(error)]))
    own_modules(root)
    write(out / PARTS / f"{task.page}.{task.number:03}", states)
    return f"{task.page} {task.key}"


def programs_part(root: Path, out: Path) -> str:
    """Record the command line; return the name of this part."""
    write(out / PARTS / f"{COMMAND_LINE}.000", programs(root))
    return COMMAND_LINE


def trained_part(root: Path, out: Path) -> None:
    """Record the lab and what follows it, with tiny runs trained there."""
    try:
        states = trained(root)
    except Exception as error:  # the pages are recorded all the same
        states = [State("not trained to the end", "not trained to the end", [failed(error)])]
    write(out / PARTS / f"{TRAINED}.000", states)


def own_modules(root: Path) -> None:
    """Stop if a module of another checkout was imported."""
    for name in [path.name for path in root.iterdir() if (path / "__init__.py").exists()]:
        module = sys.modules.get(name)
        if module is not None and not Path(str(module.__file__)).is_relative_to(root):
            raise RuntimeError(f"{name} was imported from {module.__file__} and not from {root}")


def write(path: Path, states: Iterable[State]) -> None:
    """Write states as lines of JSON: each text once, under its hash, and each state as a list of hashes."""
    known: set[str] = set()
    with gzip.open(path.with_name(f"{path.name}{SUFFIX}"), "wt", compresslevel=3, encoding="utf-8") as file:
        for state in states:
            shown = []
            for item in state.items:
                name = hashlib.sha256(item.text.encode()).hexdigest()[:20]
                if name not in known:
                    known.add(name)
                    file.write(f"{json.dumps({'hash': name, 'text': item.text}, ensure_ascii=False)}\n")
                shown.append([item.kind, item.place, name])
            line = {"state": state.name, "title": state.title, "items": shown}
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")


def merge(out: Path, page: str) -> int:
    """Put the parts of a page together in their order; return how many states there are."""
    n, known = 0, set()
    with gzip.GzipFile(out / f"{page}{SUFFIX}", "wb", mtime=0) as file:
        for part in sorted((out / PARTS).glob(f"{page}.*")):
            with gzip.open(part, "rt", encoding="utf-8") as lines:
                for line in lines:
                    name = line[10:30] if line.startswith('{"hash": "') else ""
                    if name not in known or not name:
                        file.write(line.encode())
                    if name:
                        known.add(name)
                    else:
                        n += 1
    return n
