"""What a change of rule, base, factor or rotated part would do to a model: its picture, and the lines to paste back.

`source` is the key of a known model (`pe_core.models.KNOWN`) or the text of a `config.json`; `more` are values that
only some rules ask for, by name.
"""

import json
import re
from collections.abc import Mapping

from pe_core.chapters.extension import FACTORS
from pe_core.chapters.models import missing, preferred
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.wavelengths import drawn
from pe_core.measures.channels import unfinished
from pe_core.models import KNOWN
from pe_core.models.sentences import RULES
from pe_core.models.what_if import RULES as CHANGES
from pe_core.models.what_if import WhatIf, what_if
from pe_core.parameters import Choice, OptionalNumber, Parameter, Words, quoted, require

AS_IT_IS = "as it is"
MAX_FACTORS = 512  # of LongRoPE: pairs of a head
More = tuple[tuple[str, str], ...]

WHAT_IF: Mapping[str, Choice | Parameter | OptionalNumber] = {
    "rule": Choice("model_rule", "Rule", {key: RULES.get(key, "no rule") for key in CHANGES}, "yarn"),
    "factor": Parameter(
        "model_factor", "Factor", 4, "How many times longer the text is than in training.", choices=FACTORS
    ),
    "base": OptionalNumber("model_base", "Base", "Base of the frequencies.", 1, 10**9, int, AS_IT_IS),
    "part": OptionalNumber(
        "model_part", "Rotated part", "Which part of a head is turned, from 0 to 1.", 0.0, 1.0, float, AS_IT_IS
    ),
}


def listed_factors(text: str) -> list[float] | None:
    """Return the factors that a text has, separated by commas; None for an empty one, `ValueError` for others."""
    if not text.strip():
        return None
    try:
        found = [float(one) for one in text.split(",")]
    except ValueError:
        found = []
    fine = 1 <= len(found) <= MAX_FACTORS and all(1e-6 <= one <= 1e6 for one in found)
    rule = f"be 1 to {MAX_FACTORS} numbers from 0.000001 to 1,000,000, separated by commas"
    require(fine, "long_factors", rule, quoted(text))
    return found


LONG_FACTORS = Words(
    "model_long",
    "Long factors",
    "",
    "How many times slower each pair turns in long texts: one number for each pair, or one for all. Empty: the "
    "configuration's own.",
    checked=listed_factors,
    max_length=4_000,
)


def asked_more(rule: str) -> Mapping[str, Words]:
    """Return what only this rule asks for."""
    return {"long_factors": LONG_FACTORS} if rule == "longrope" else {}


def changed(
    source: str, rule: str, factor: int, base: int | None = None, part: float | None = None, more: More = ()
) -> WhatIf:
    """Return what a model does with another rule, factor, base and part, which stay where they are None.

    Raises `ConfigError` for a model that does not take the change.
    """
    config = KNOWN[source].config if source in KNOWN else source
    long_factors = listed_factors(dict(more).get("long_factors", ""))
    return what_if(config, rule=rule, factor=factor, base=base, part=part, long_factors=long_factors)


def changed_wavelengths(
    source: str, rule: str, factor: int, base: int | None = None, part: float | None = None, more: More = ()
) -> Figure:
    """Return the wavelength of every pair as it is, dashed, and after the change, with lines at both lengths."""
    found = changed(source, rule, factor, base, part, more)
    after = found.after.frequencies if found.after.beyond is None or factor == 1 else found.after.beyond
    told_so = found.before.trained_length is not None
    marks = [
        (f"{'trained' if told_so else 'claimed'} {found.trained:,}", found.trained),
        (f"what if {found.length:,}", found.length),
    ]
    now = found.before.frequencies
    facts = {
        "kind": found.kind.replace("_", " "),
        "target": found.length,
        "pairs": len(now),
        "pairs-then": len(after),
        "still": int((after == 0).sum()),
        "stands-still": "stands-still" if bool((after == 0).any()) else "",
        "new-base": f"{found.after.base:,.10g}",
        "never-now": unfinished(now, found.length),
        "never-then": unfinished(after, found.length),
        "preferred-now": preferred(now),
        "preferred-then": preferred(after),
        "where": f"`{found.level}`" if found.level else "the outermost object",
        "stands-in": "" if told_so else "stands-in",
        "instead": found.trained,
        "factor-of-attention": found.after.attention_factor,
    }
    return drawn({AS_IT_IS: now}, {"what if": after}, marks[: 1 if factor == 1 else 2]).with_facts(facts)


def refused(
    source: str, rule: str, factor: int, base: int | None = None, part: float | None = None, more: More = ()
) -> str:
    """Return the section that says that a model does not take the change; empty where it does."""
    return "refused" if problem(source, rule, factor, base, part, more)["problem"] else ""


def problem(
    source: str, rule: str, factor: int, base: int | None = None, part: float | None = None, more: More = ()
) -> Facts:
    """Return why a model does not take the change, in a sentence; empty where it does."""
    try:
        changed(source, rule, factor, base, part, more)
    except ValueError as error:
        return {"problem": str(error).replace("`", "'")}
    return {"problem": ""}


def pasted_back(
    source: str, rule: str, factor: int, base: int | None = None, part: float | None = None, more: More = ()
) -> str:
    """Return the lines of the change as JSON, each list on one: they replace fields of the same name."""
    lines = json.dumps(changed(source, rule, factor, base, part, more).lines, indent=2)
    return re.sub(r"\[[^\[\]{}]*\]", lambda found: " ".join(found.group().split()), lines)


def no_change(source: str) -> str:
    """Return the section that says that there is no what-if; empty for a model that turns pairs."""
    return "no-change" if missing(source) else ""
