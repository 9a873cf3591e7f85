"""Mend it: listings with one wrong line, what they make beside what is right, and numbers of one's own code."""

from collections.abc import Sequence
from typing import Literal

from torch import Tensor

from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import heatmap, limit_of
from pe_core.parameters import Choice, Parameter
from pe_core.quiz import own_table
from pe_core.quiz.mending import LISTINGS
from pe_core.quiz.own_table import Checked

VISIBLE = 1e-6  # differences below are rounding

LISTING = Choice("mend_listing", "Listing", {key: one.title for key, one in LISTINGS.items()}, next(iter(LISTINGS)))
Side = Literal["wrong", "right", "difference"]

ROPE, ALIBI = "rope", "alibi"
TASK = Choice("mend_task", "Task", {ROPE: "RoPE", ALIBI: "ALiBi"}, ROPE)
BASE = Parameter("mend_base", "Base", 100, "Base of the frequencies.", choices=(10, 100, 1_000, 10_000))
SEED = Parameter("mend_seed", "Seed of the vectors", 1, "Which random vectors are turned.", 0, 99)
N_HEADS = Parameter("mend_heads", "Heads", 12, "Each head has its own slope.", 1, 16)


def table(listing: str, side: Side) -> Figure:
    """Return the table that a listing makes, the right one, or by how much the listing's is too large."""
    asked = LISTINGS[listing]
    wrong, right = asked.tables()
    shown = {"wrong": wrong, "right": right, "difference": wrong - right}[side]
    # Both tables have one scale; a difference that is small beside them, or larger than each, has its own.
    limit = limit_of(shown) if side == "difference" else max(limit_of(wrong), limit_of(right))
    differs = (wrong - right).abs() > VISIBLE
    row, column = differs.nonzero()[0].tolist()
    facts = {
        "n-rows": len(right),
        "n-columns": right.shape[1],
        "rows": asked.rows.lower(),
        "columns": asked.columns.lower(),
        "differ": int(differs.sum()),
        "count": right.numel(),
        "max": float((wrong - right).abs().max()),
        "row": row,
        "column": column,
        "first-wrong": float(wrong[row, column]),
        "first-right": float(right[row, column]),
    }
    title = "Listing minus right" if side == "difference" else "Value"
    return heatmap(shown, rows=asked.rows, columns=asked.columns, title=title, limit=limit).with_facts(facts)


def code(listing: str) -> str:
    """Return the source of a listing, with the number of each line before it."""
    return "\n".join(f"{number:2}  {line}" for number, line in enumerate(LISTINGS[listing].lines, start=1))


def judged(listing: str, line: int) -> Facts:
    """Return whether a line is the wrong one, which is, and what it should be."""
    asked = LISTINGS[listing]
    return {
        "found": "line-right" if line == asked.line else "line-wrong",
        "guess": line,
        "line": asked.line,
        "wrong": asked.wrong,
        "mended": asked.mended,
    }


def vectors(seed: int) -> str:
    """Return the vectors that are to be turned, as a list that can be copied."""
    lines = ",\n".join(f"    {row}" for row in own_table.to_turn(seed).tolist())
    return f"[\n{lines},\n]"


def own_rope(numbers: Sequence[float], base: float, seed: int) -> Figure:
    """Return where numbers, row by row, differ from the turned vectors; `ValueError` for too many or too few."""
    right = own_table.rope(base, seed)
    found = own_table.compared(numbers, right, lambda: own_table.rope_mistakes(base, seed))
    return _beside_ours(found, right, "Position", "Channel")


def own_alibi(numbers: Sequence[float], n_heads: int) -> Figure:
    """Return where numbers, row by row, differ from the biases; `ValueError` if they are too many or too few."""
    right = own_table.biases(n_heads)
    found = own_table.compared(numbers, right, lambda: own_table.alibi_mistakes(n_heads))
    return _beside_ours(found, right, "Head, from 0", "Key")


def _beside_ours(found: Checked, right: Tensor, rows: str, columns: str) -> Figure:
    facts = {
        **judged_numbers(found, "own"),
        "rows": rows.split(",")[0].lower(),
        "columns": columns.lower(),
        "ours": float(right[found.first_wrong or (0, 0)]),
    }
    limit = max(limit_of(right), limit_of(found.difference))
    figure = heatmap(found.difference, rows=rows, columns=columns, title="Yours minus ours", limit=limit)
    return figure.with_facts(facts)


def judged_numbers(found: Checked, named: str) -> Facts:
    """Return what a sentence says of pasted numbers; the section "found" is that of right or wrong ones so `named`."""
    row, column = found.first_wrong or (0, 0)
    return {
        "count": found.difference.numel(),
        "found": f"{named}-right" if found.first_wrong is None else f"{named}-wrong",
        "wrong": found.n_wrong,
        "row": row,
        "column": column,
        "max-difference": found.max_difference,
        "mistakes": " ".join(f"mistake-{name}" for name in found.mistakes),
    }
