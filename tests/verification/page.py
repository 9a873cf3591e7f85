"""The page `docs/verification.md`, made of what a run has recorded."""

import inspect
import platform
import re
from importlib import import_module
from importlib.metadata import packages_distributions, version

from pe_core import measures
from pe_core.encodings import ENCODINGS
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from tests.verification.cases import claims, criteria, table
from tests.verification.evidence import OWN, PRECISION
from tests.verification.public import PUBLIC

REGISTRIES = {
    "encodings": ("Encodings", ENCODINGS),
    "rope_scaling": ("Rules for longer contexts", SCALINGS),
    "masks": ("Masks", MASKS),
    "positions": ("Index remaps", REMAPS),
}

INSTALLED = packages_distributions()  # read once: it takes a moment

HEAD = """# Verification

What every number of this project was held against, and by how much it differs. This page is written by a command that
runs the tests it names; no number in it was typed. To run it again, in a checkout:

```
make test                                # once: installs what is compared with
.venv/bin/python -m tests.verification   # runs the tests below and writes this page anew
```

If one of the tests fails or is skipped, or an entry has no comparison, nothing is written.

- **Held against** are cases by hand and plain loops written from the definition, in the tests that are linked.
- **Largest difference** is the largest absolute difference between a number of the code and the number it was held
  against, over all draws of the tests. *Exact* means that whole numbers, truth values or all bits agree. Float64,
  unless another type is named.
- **Numbers up to** is the size of the largest finite number that was compared. Where it is 5,000, a difference of 1e-12
  is one of rounding.
- A test that serves several entries gives each of them the largest difference of them all, and a case by hand that was
  written down with few digits differs by its own rounding.
- **Public code** is code of other authors that pip installs, called by the tests of `tests/parity`. Much of it computes
  in float32, and so does our side of some comparisons: there about 1e-7 of the size of the numbers is all that can be
  asked for, also where the result was converted to float64 before it was compared.
- **In float32** is the largest absolute difference of all that an encoding computes in float32, in which models are
  trained, from what it computes from the same numbers in float64: texts of up to 64 tokens, one of them from position
  5,000 on, and four layers (`tests/test_extremes.py`).
- Draws are fixed, so that the same versions give the same page; another processor may differ in the last bits.

"""


def page(recorder):
    """Return the page; raises `ValueError` where an entry has no comparison."""
    n_comparisons = sum(record.n_close + record.n_exact for record in recorder.records.values())
    made_with = {"Python": platform.python_version(), "torch": version("torch"), "hypothesis": version("hypothesis")}
    made_with |= {name: version(name) for record in recorder.records.values() for name in packages(record)}
    versions = ", ".join(f"{name} {number}" for name, number in made_with.items())
    counted = f"{recorder.outcomes['passed']:,} tests passed, with {n_comparisons:,} comparisons"
    parts = [f"{HEAD}This run: {counted}. Made with {versions}."]
    for group, (heading, registry) in REGISTRIES.items():
        rows = [
            [
                f"{entry.title}<br>`{key}`",
                definition(entry, group),
                *own(recorder, group, key),
                *in_float32(recorder, group, key),
                public(recorder, group, key),
            ]
            for key, entry in registry.items()
        ]
        single = ["In float32"] if group == "encodings" else []
        columns = ["Entry", "Definition", "Held against", "Largest difference", "Numbers up to", *single, "Public code"]
        parts.append(f"## {heading}\n\n{table(columns, rows)}")
    rows = [
        [f"`{name}`", first_sentence(import_module(f"{measures.__name__}.{name}")), *own(recorder, "measures", name)]
        for name in OWN["measures"]
    ]
    columns = ["Module", "What it measures", "Held against", "Largest difference", "Numbers up to"]
    parts.append(f"## Measures\n\nThe modules of `pe_core.measures`.\n\n{table(columns, rows)}")
    return "\n\n".join([*parts, criteria(), claims()]) + "\n"


def packages(record):
    """Return the names by which pip knows the public packages that a test asked for."""
    return {INSTALLED[module.split(".")[0]][0] for module in record.modules}


def found(recorder, names):
    """Return the records of the tests of these names, by the name of each case.

    Raises `ValueError` for a name under which nothing was compared.
    """
    chosen = {}
    for name in names:
        whole = f"tests/{name}"
        pattern = re.compile(re.escape(whole) + ("" if "[" in name else r"($|\[|::)"))
        matching = {test: record for test, record in recorder.records.items() if pattern.match(test)}
        if not any(record.n_close or record.n_exact for record in matching.values()):
            raise ValueError(f"{name} must compare something, got nothing")
        chosen |= matching
    return chosen


def own(recorder, group, key):
    """Return three cells: the tests of an entry, their largest difference, the largest number."""
    names = OWN[group].get(key, ())
    if not names:
        raise ValueError(f"{key} of {group} must be held against something, got nothing")
    links = ", ".join(link(name) for name in names)
    return [links, *largest(found(recorder, names).values())]


def in_float32(recorder, group, key):
    """Return one cell for an encoding, how far float32 is from float64, and none for an entry of another registry."""
    if group != "encodings":
        return []
    (record,) = found(recorder, [f"{PRECISION}[{key}]"]).values()
    return [shown(record.differences["float32"][0])]


def largest(records):
    """Return two cells: the largest difference by type of number, and the largest number."""
    kinds = {}
    for record in records:
        for kind, (apart, size) in record.differences.items():
            before = kinds.get(kind, (0.0, 0.0))
            kinds[kind] = (max(before[0], apart), max(before[1], size))
    if not kinds:
        return ["exact", ""]
    apart = [
        f"{shown(kinds[kind][0])}{'' if kind == 'float64' else f' ({kind})'}" for kind in sorted(kinds, reverse=True)
    ]
    return [", ".join(apart), f"{max(size for _, size in kinds.values()):,.4g}"]


def shown(difference):
    """Return a difference as a cell shows it."""
    return f"{difference:.1e}" if difference else "exact"


def public(recorder, group, key):
    """Return one cell: the packages that an entry was held against, their modules and the largest difference."""
    names = PUBLIC.get(group, {}).get(key)
    if names is None:
        return "none that pip installs"
    by_package = {}
    for test, record in found(recorder, names).items():
        for package in packages(record):
            by_package.setdefault(package, {})[test] = record
    if not by_package:
        raise ValueError(f"{key} of {group} must be held against public code, got none")
    lines = []
    for package, records in sorted(by_package.items()):
        parts = {module.split(".")[-1].removeprefix("modeling_") for one in records.values() for module in one.modules}
        inside = ", ".join(f"`{part}`" for part in sorted(parts))
        lines.append(f"{package} {version(package)} ({inside}): {largest(records.values())[0]}")
    return "<br>".join([*lines, ", ".join(link(name) for name in names)])


def link(name):
    """Return a link to the file of a test that reads as the test's name."""
    file, _, test = name.split("[")[0].partition("::")
    words = (test or file.rsplit("/", 1)[-1].removesuffix(".py")).removeprefix("test_").replace("_", " ")
    return f"[{words}](../tests/{file})"


def definition(entry, group):
    """Return the summary of an entry, its formula, and where it comes from with equation or section."""
    made = entry.rule if group == "rope_scaling" else entry.make
    text = inspect.getdoc(import_module(made.__module__)) or ""
    formula, source = text.split("\n\n")[0], ""
    if entry.paper:
        words = f"{entry.paper.authors} {entry.paper.year}, *{entry.paper.title}*"
        source = (
            f"{words}, [arXiv:{entry.paper.arxiv}](https://arxiv.org/abs/{entry.paper.arxiv})"
            if entry.paper.arxiv
            else words
        )
    if group in ("masks", "positions"):
        return "<br>".join(part for part in (entry.summary, source or "folklore") if part)
    reference = re.search(r"^References?: (.*)", text, re.MULTILINE | re.DOTALL)
    if reference:
        source = re.sub(r"arXiv:(\d{4}\.\d{4,5})", r"[arXiv:\1](https://arxiv.org/abs/\1)", reference[1].strip())
    return "<br>".join([entry.summary, formula, source or "folklore"])


def first_sentence(module):
    """Return the first paragraph of a module's docstring."""
    return (inspect.getdoc(module) or "").split("\n\n")[0]
