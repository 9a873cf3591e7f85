"""A mutation run over what is drawn and said: `python -m tests.verification.mutation --help`.

Cosmic Ray (`pip install cosmic-ray`) changes operators, comparisons, numbers and constants. Its operators know nothing
of what goes wrong in pictures and facts, so some of our own swap what belongs together: argmax and argmin, min and max,
two values of a dictionary, the ends of a pair. Mutants are drawn with a fixed seed. Each is tried by its own process in
a copy of the tree: first the tests of its own module, then those of all that draw with it.
"""

import argparse
import ast
import difflib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import cosmic_ray.plugins
from cosmic_ray.mutating import mutate_code

ROOT = Path(__file__).parents[2]
PLACES = ("pe_core/figures", "pe_core/chapters", "ui")
SECONDS = 600  # after which a mutant counts as killed: something does not end
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
# The tests of the app that a module of `ui` has to get past, where the name of its file does not say it.
PAGES = {
    "ui": ["chapter_pages"],
    "ui/frame": ["shell", "turns", "links", "hosted"],
    "ui/widgets": ["take_away", "links", "chapter_pages", "turns"],
    "ui/lab": ["lab*"],
    "ui/inside": ["inside*"],
    "ui/language": ["links"],
    "ui/lecture": ["lectures"],
    "ui/poll": ["poll"],
}


def own_mutants(source: str) -> Iterator[str]:
    """Yield the source with one pair of things swapped, for every such pair."""
    raw = source.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr) -> tuple[int, int]:
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
    operator = cosmic_ray.plugins.get_operator(name)()
    occurrence = 0
    while (mutant := mutate_code(source, operator, occurrence)) is not None:
        yield mutant
        occurrence += 1


def sample(n: int, seed: int) -> list[tuple[str, str]]:
    """Return `n` mutants as file and source: half of them of each kind, the longer a file the more of it."""
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


def tests_of(file: str) -> list[str]:
    """Return the tests that a mutant of the file has to get past, its own first."""
    path = Path(file)
    page, folder = path.stem, path.parent.as_posix()
    if folder == "pe_core/figures":
        patterns = [f"figures/test_{page}.py", "figures/test_specs.py", "figures/test_*.py", "chapters/test_*.py"]
    elif folder == "pe_core/chapters":
        app = [f"app/test_{page}*.py", "app/test_chapter_pages.py"]
        patterns = [f"chapters/test_{page}*.py", "figures/test_specs.py", "chapters/test_*.py", *app]
    else:
        patterns = [f"app/test_{name}.py" for name in [page, *PAGES.get(folder, [])]] + ["app/test_home.py"]
    found = [path for pattern in patterns for path in sorted((ROOT / "tests").glob(pattern))]
    return [str(path.relative_to(ROOT)) for path in dict.fromkeys(found)]


def try_mutant(tree: Path, file: str, mutant: str) -> dict[str, Any]:
    """Return whether a test in a copy of the tree fails for the mutant, and the last lines of the tests."""
    path = tree / file
    before = path.read_text(encoding="utf-8")
    path.write_text(mutant, encoding="utf-8")
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests_of(file)]
    try:
        tried = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=SECONDS, check=False)
        status, said = tried.returncode, tried.stdout[-500:]
    except subprocess.TimeoutExpired:
        status, said = 1, "it did not end"
    finally:
        path.write_text(before, encoding="utf-8")
    if status not in (0, 1, 2, 3, 4):  # 2 to 4: the mutant breaks the import of the tests
        raise RuntimeError(f"pytest ended with {status} for {file}: {said}")
    return {"killed": status != 0, "said": said}


def run(mutants: list[tuple[str, str]], workers: int, out: Path) -> None:
    """Try every mutant that the file does not hold yet, and append what became of each."""
    known = {json.loads(line)["place"] for line in out.read_text(encoding="utf-8").splitlines()}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            tree = Path(folder) / str(number)
            shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__"))
            free.put(tree)

        def one(place: int) -> None:
            file, mutant = mutants[place]
            tree = free.get()
            began = time.monotonic()
            result = try_mutant(tree, file, mutant)
            line = {"place": place, "file": file, **result, "seconds": round(time.monotonic() - began, 1)}
            free.put(tree)
            with out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({**line, "mutant": mutant}) + "\n")

        list(pool.map(one, [place for place in range(len(mutants)) if place not in known]))


def main() -> int:
    """Draw the mutants, try them, and print which survived and how many were killed."""
    program = argparse.ArgumentParser(
        prog="python -m tests.verification.mutation", description="Try mutants of what is drawn."
    )
    program.add_argument("--mutants", type=int, default=200, metavar="N")
    program.add_argument("--seed", type=int, default=0, metavar="N")
    program.add_argument("--workers", type=int, default=2, metavar="N")
    program.add_argument("--out", type=Path, default=Path("runs/mutants.jsonl"), metavar="FILE")
    options = program.parse_args()
    out: Path = options.out
    out.parent.mkdir(exist_ok=True)
    out.touch()
    run(sample(options.mutants, options.seed), options.workers, out)
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    for one in sorted(found, key=lambda one: one["place"]):
        if not one["killed"]:
            source = (ROOT / one["file"]).read_text(encoding="utf-8").splitlines()
            changes = list(difflib.unified_diff(source, one["mutant"].splitlines(), one["file"], lineterm="", n=0))
            print(one["place"], changes[0], *changes[2:], sep="\n")
    killed = Counter(one["killed"] for one in found)[True]
    print(f"{killed} of {len(found)} killed: {killed / max(1, len(found)):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
