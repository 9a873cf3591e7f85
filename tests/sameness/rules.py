"""The list of differences that are expected, each with its reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Rule:
    """An expected difference.

    `side` is "=" where `old` is replaced by `new` in what was recorded before, "-" where `old` is found in something
    that only the first recording has, and "+" where it is found in something that only the second one has.
    """

    side: str
    where: re.Pattern[str]
    old: re.Pattern[str]
    new: str
    line: str
    used: int = 0


def rules_of(path: Path | None) -> list[Rule]:
    """Return the rules of a file; `ValueError` for a line that is none.

    A line is `old => new  # reason`, `- pattern  # reason` or `+ pattern  # reason`, with regular expressions as of
    Python; `[where]` before it is a pattern of `page kind state` that the rule is for. Empty lines and lines that start
    with # say nothing.
    """
    rules = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path else (), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        found = re.fullmatch(r"(?:\[(?P<where>.*?)\] )?(?P<rule>.*?)\s+# (?P<reason>.*\S)", line)
        if found is None:
            raise ValueError(f"{path}:{number}: must end with ` # ` and a reason, got {line}")
        rule, where = found["rule"], re.compile(found["where"] or "")
        if rule[:2] in ("- ", "+ "):
            rules.append(Rule(rule[0], where, re.compile(rule[2:]), "", line))
        elif " =>" in rule:
            old, new = rule.split(" =>", 1)
            rules.append(Rule("=", where, re.compile(old), new.removeprefix(" "), line))
        else:
            raise ValueError(f"{path}:{number}: must be `old => new`, `- pattern` or `+ pattern`, got {line}")
    return rules


def rewritten(text: str, where: str, rules: Sequence[Rule]) -> str:
    """Return a text of the first recording as the second one should have it."""
    for rule in rules:
        if rule.side == "=" and rule.where.search(where):
            text, n = rule.old.subn(rule.new, text)
            rule.used += n > 0
    return text


def accepted(before: str, after: str, where: str, rules: Sequence[Rule]) -> bool:
    """Return whether each side that has something has something expected."""
    return all(not text or _expected(side, text, where, rules) for side, text in (("-", before), ("+", after)))


def _expected(side: str, text: str, where: str, rules: Sequence[Rule]) -> bool:
    for rule in rules:
        if rule.side == side and rule.where.search(where) and rule.old.search(text):
            rule.used += 1
            return True
    return False
