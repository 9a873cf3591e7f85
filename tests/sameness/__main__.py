"""The command: `python -m tests.sameness --help`."""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.sameness.compare import Report, Terms, compare, missing_numbers, printed
from tests.sameness.record import record
from tests.sameness.rules import Rule, rules_of

MAX_SHOWN = 5  # differences of a page and a kind that are printed
SENTENCES = ("sentence", "markdown", "caption", "text", "success", "warning", "error", "info")


def main() -> int:
    """Record or compare; return the exit status: 0 done or the same, 1 differences, 2 bad input."""
    options = _parser().parse_args()
    try:
        return int(options.work(options))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    program = argparse.ArgumentParser(
        prog="python -m tests.sameness", description="Record what every page shows, and compare two recordings."
    )
    commands = program.add_subparsers(required=True)
    recording = commands.add_parser("record", help="record a tree")
    recording.add_argument("out", type=Path, metavar="OUT", help="a new folder")
    recording.add_argument("--root", type=Path, default=Path(), metavar="TREE", help="by default the current folder")
    recording.add_argument("--workers", type=int, default=2, metavar="N", help="processes (default 2)")
    recording.add_argument("--only", nargs="+", default=[], metavar="PART", help="pages, `trained`, `command_line`")
    recording.set_defaults(work=_record)
    comparing = commands.add_parser("compare", help="compare two recordings; 1 is returned where they differ")
    comparing.add_argument("before", type=Path, metavar="BEFORE")
    comparing.add_argument("after", type=Path, metavar="AFTER")
    comparing.add_argument("--expected", type=Path, metavar="FILE", help="differences that are expected, see rules.py")
    comparing.add_argument(
        "--without", nargs="+", default=[], metavar="KIND", help="kinds left out, such as `source code place component`"
    )
    comparing.add_argument(
        "--tolerance", type=float, default=0, metavar="X", help="of a column's largest number, by which one may differ"
    )
    comparing.add_argument("--all", action="store_true", help="print every difference")
    comparing.set_defaults(work=_compare)
    counting = commands.add_parser("numbers", help="look for every drawn column of numbers, whatever it is called now")
    counting.add_argument("before", type=Path, metavar="BEFORE")
    counting.add_argument("after", type=Path, metavar="AFTER")
    counting.set_defaults(work=_numbers)
    return program


def _record(options: argparse.Namespace) -> int:
    started = time.monotonic()
    found = record(options.out.resolve(), options.root.resolve(), options.workers, options.only)
    for name, n in sorted(found.items()):
        print(f"{n:7,}  {name}")
    print(f"{sum(found.values()):7,}  states in {time.monotonic() - started:.0f} s")
    return 0


def _compare(options: argparse.Namespace) -> int:
    rules = rules_of(options.expected)
    report = compare(options.before, options.after, Terms(rules, options.without, options.tolerance))
    _tell(report, rules, None if options.all else MAX_SHOWN)
    return 1 if report.differences else 0


def _numbers(options: argparse.Namespace) -> int:
    n, missing = missing_numbers(options.before, options.after)
    for (page, name), times in sorted(missing.items()):
        print(f"{page}: {name} is missing {times:,} times")
    print(f"{n:,} columns of numbers, {missing.total():,} of them missing")
    return 1 if missing else 0


def _tell(report: Report, rules: list[Rule], max_shown: int | None) -> None:
    items = report.items
    sentences = sum(items[kind] for kind in SENTENCES)
    print(
        f"{report.states:,} states with {items['spec']:,} charts, {items['data']:,} tables of numbers, "
        f"{sentences:,} texts, and {sum(items.values()):,} things in all"
    )
    where = Counter((one.page, one.kind) for one in report.differences)
    for (page, kind), n in sorted(where.items()):
        print(f"\n{page}, {kind}: {n:,}")
        found = [one for one in report.differences if (one.page, one.kind) == (page, kind)]
        alike = Counter((one.before, one.after) for one in found)
        first = {(one.before, one.after): one for one in reversed(found)}
        for key, times in alike.most_common(max_shown):
            before, after = printed(first[key])
            others = f", and {times - 1:,} more alike" if times > 1 else ""
            print(f"  {first[key].state}{others}\n    - {before}\n    + {after}")
        if max_shown is not None and len(alike) > max_shown:
            print(f"  … {len(alike) - max_shown:,} more kinds of difference")
    for rule in rules:
        print(f"{rule.used:7,} times: {rule.line}")
    print(f"{len(report.differences):,} differences that are not expected, {report.expected:,} that are")


if __name__ == "__main__":
    sys.exit(main())
