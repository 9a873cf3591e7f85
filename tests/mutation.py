"""A mutation run over what is drawn and said: `python -m tests.mutation --help`.

Cosmic Ray (`pip install cosmic-ray`) changes operators, comparisons, numbers and constants. Its operators know nothing
of what goes wrong in pictures and facts, so some of our own swap what belongs together: argmax and argmin, min and max,
two values of a dictionary, the ends of a pair. Mutants are drawn with a fixed seed; each is tried in a fork of a
process that has loaded the libraries, in a copy of the tree, first with the tests of its own module.
"""

import argparse
import ast
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parents[1]
PLACES = ("pe_core/figures", "pe_core/chapters", "ui")
SECONDS = 240  # after which a mutant counts as killed: something does not end
FIELD = (
    "NumberReplacer",
    "ReplaceBinaryOperator",
    "ReplaceComparisonOperator",
    "ReplaceUnaryOperator",
    "AddNot",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ZeroIterationForLoop",
)
SWAPPED = {"argmax": "argmin", "max": "min", "amax": "amin", "ceil": "floor", "rows": "columns", "first": "last"}
SWAPPED |= {other: one for one, other in SWAPPED.items()}
FIRST = {
    "ui/frame": ["shell", "turns", "coming_back"],
    "ui/widgets": ["take_away", "rope", "sinusoidal", "windows"],
    "ui/lab": [
        "lab",
        "lab_seeds",
        "lab_tasks",
        "lab_runs",
        "lab_repairs",
        "lab_links",
        "lab_kept",
        "lab_queue",
        "lab_table",
    ],
    "ui/inside": ["inside", "inside_runs", "inside_kept"],
}
FRAME = ["rope", "windows", "sinusoidal", "binary_vs_sinusoid", "biases", "images", "extension", "gallery"]


def own_mutants(source: str) -> Iterator[str]:
    """Yield the source with one pair of things swapped, for every such pair."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    raw = source.encode()

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def exchanged(one: ast.expr, other: ast.expr) -> str:
        (a, b), (c, d) = span(one), span(other)
        return (raw[:a] + raw[c:d] + raw[b:c] + raw[a:b] + raw[d:]).decode()

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in SWAPPED:
            _, end = span(node)
            yield (raw[: end - len(node.attr)] + SWAPPED[node.attr].encode() + raw[end:]).decode()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            begin, end = span(node.func)
            yield (raw[:begin] + SWAPPED[node.func.id].encode() + raw[end:]).decode()
        elif isinstance(node, ast.Dict):
            for one, other in pairwise(node.values):
                if ast.dump(one) != ast.dump(other):
                    yield exchanged(one, other)
        elif isinstance(node, ast.keyword) and isinstance(node.value, ast.List) and len(node.value.elts) == 2:
            one, other = node.value.elts
            if ast.dump(one) != ast.dump(other):
                yield exchanged(one, other)


def field_mutants(source: str, name: str) -> Iterator[str]:
    """Yield the source with one change that an operator of Cosmic Ray makes, for every place."""
    import cosmic_ray.plugins
    from cosmic_ray.mutating import mutate_code

    operator = cosmic_ray.plugins.get_operator(name)()
    occurrence = 0
    while (mutant := mutate_code(source, operator, occurrence)) is not None:
        yield mutant
        occurrence += 1


def sample(n: int, seed: int) -> list[tuple[str, str]]:
    """Return `n` mutants as file and source: half of them of each kind, the longer a file the more of it."""
    import cosmic_ray.plugins

    chance = random.Random(seed)
    names = [name for name in sorted(cosmic_ray.plugins.operator_names()) if name.split("/")[1].startswith(FIELD)]
    names = [name for name in names if "BitOr" not in name]  # of types
    files = sorted(path for place in PLACES for path in (ROOT / place).rglob("*.py") if path.name != "__init__.py")
    weights = [len(path.read_text(encoding="utf-8")) for path in files]
    found: dict[tuple[str, str], None] = {}
    while len(found) < n:
        (path,) = chance.choices(files, weights)
        source = path.read_text(encoding="utf-8")
        if len(found) % 2:
            mutants = list(own_mutants(source))
        else:
            kind = chance.choice(FIELD)
            mutants = list(field_mutants(source, chance.choice([name for name in names if kind in name])))
        if mutants:
            found[str(path.relative_to(ROOT)), chance.choice(mutants)] = None
    return list(found)


def tests_of(file: str) -> list[list[str]]:
    """Return the tests that a mutant of the file has to get past, group by group."""
    path = Path(file)
    page, app = path.stem, "tests/app/test_{}.py".format
    if file.startswith("pe_core/figures"):
        groups = [[f"tests/figures/test_{page}.py"], ["tests/figures"], ["tests/chapters"]]
    elif file.startswith("pe_core/chapters"):
        own = sorted(str(one) for one in Path("tests/chapters").glob(f"test_{page}*.py"))
        page = {"sinusoidal_example": "sinusoidal", "alibi_and_t5": "biases"}.get(page, page)
        groups = [own, ["tests/chapters/test_offered.py", "-k", page], ["tests/figures/test_specs.py"], [app(page)]]
    elif path.parent.as_posix() in FIRST:
        groups = [[app(name)] for name in FIRST[path.parent.as_posix()]]
    elif page in ("chapter", "parts", "groups", "stage"):
        groups = [[app(name)] for name in FRAME]
    else:
        groups = [[app(page)], [app("home")]]
    return [group for group in groups if group and (Path(group[0]).exists())]


def _test(group: list[str]) -> NoReturn:
    """Run tests in this process, which then ends; whatever else happens counts as a failure."""
    import pytest

    status = 1
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        status = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *group]))
    finally:
        os._exit(status)


def try_mutant(file: str, mutant: str) -> str:
    """Return "killed" or "survived", after the tests in a fork; the current folder is a copy of the tree."""
    path = Path(file)
    before = path.read_text(encoding="utf-8")
    path.write_text(mutant, encoding="utf-8")
    try:
        for group in tests_of(file):
            child = os.fork()
            if child == 0:
                _test(group)
            end = time.monotonic() + SECONDS
            while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
                if time.monotonic() > end:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    return "killed"
                time.sleep(0.05)
            if os.waitstatus_to_exitcode(done[1]) not in (0, 5):
                return "killed"
        return "survived"
    finally:
        path.write_text(before, encoding="utf-8")


def work(number: int, of: int, mutants: list[tuple[str, str]], out: Path) -> None:
    """Try every mutant that is this worker's, and append what became of it to a file."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__"))
        os.chdir(tree)
        sys.path.insert(0, str(tree))
        sys.dont_write_bytecode = True
        for library in ("torch", "pandas", "altair", "streamlit", "streamlit.testing.v1", "hypothesis", "pytest"):
            __import__(library)
        for place in range(number, len(mutants), of):
            file, mutant = mutants[place]
            began = time.monotonic()
            result = try_mutant(file, mutant)
            line = {"place": place, "file": file, "result": result, "seconds": round(time.monotonic() - began, 1)}
            with out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({**line, "mutant": mutant}) + "\n")


def main() -> int:
    """Draw the mutants, try them, and print how many were killed and which survived."""
    import difflib

    program = argparse.ArgumentParser(prog="python -m tests.mutation", description="Try mutants of what is drawn.")
    program.add_argument("--mutants", type=int, default=200, metavar="N")
    program.add_argument("--seed", type=int, default=0, metavar="N")
    program.add_argument("--workers", type=int, default=2, metavar="N")
    program.add_argument("--out", type=Path, default=Path("runs/mutants.jsonl"), metavar="FILE")
    options = program.parse_args()
    mutants = sample(options.mutants, options.seed)
    out = options.out.resolve()
    out.parent.mkdir(exist_ok=True)
    out.write_text("")
    workers = [
        multiprocessing.get_context("spawn").Process(target=work, args=(number, options.workers, mutants, out))
        for number in range(options.workers)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    for one in sorted(found, key=lambda one: one["place"]):
        if one["result"] == "survived":
            source = (ROOT / one["file"]).read_text(encoding="utf-8").splitlines()
            changes = difflib.unified_diff(source, one["mutant"].splitlines(), one["file"], lineterm="", n=0)
            print(one["place"], *list(changes)[:1], *list(changes)[2:], sep="\n")
    counts = Counter(one["result"] for one in found)
    print(f"{counts['killed']} of {len(found)} killed: {counts['killed'] / max(1, len(found)):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
