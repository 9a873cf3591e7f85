"""Closer looks at relative biases that belong to one system: ALiBi's slips, slopes, forms; T5's buckets."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
import torch

from pe_core.chapters import bias_details as details
from pe_core.chapters.bias_details import LAST_KEYS
from pe_core.chapters.wording import number
from pe_core.encodings import alibi
from pe_core.measures import bias_buckets, bias_forms, bias_rows
from pe_core.parameters import Parameter
from ui.biases import Chosen, plain
from ui.widgets.charts import show
from ui.widgets.controls import control, side_by_side
from ui.widgets.prose import fill, write

ROW = Parameter("bias_row", "Keys in the row", 6, "How many tokens the last query can look at.", 2, 32)
SLOPE = Parameter(
    "bias_slope",
    "Slope a",
    1.0,
    "1 shows the slip best; the heads of ALiBi have a half and less.",
    choices=tuple(2.0**-power for power in range(8, -1, -1)),
)
BUCKETS = Parameter("bias_buckets", "Buckets", 32, "Into how many classes distances fall.", 4, 64, 4)
FARTHEST = Parameter(
    "bias_farthest",
    "Last bucket by",
    128,
    "From this distance on, at the latest, all keys share the last bucket.",
    choices=(32, 64, 128, 256, 512, 1_024),
)
HEADS = Parameter("bias_heads", "Heads H", 12, "Of a model; powers of two have a plain series.", 1, 32)
TEXT = Parameter("bias_text", "Keys in the row", 4_096, "Length of the text.", choices=(64, 256, 1_024, 4_096, 16_384))
FORMAT = Parameter(
    "bias_format", "Numbers are kept in", "bfloat16", "The format of the bias.", choices=tuple(bias_forms.PRECISIONS)
)


def draw_slips(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw one row with the right bias, with the wrong sign, and with the bias in the wrong place."""
    n_keys, slope = side_by_side(ROW, SLOPE)
    n_keys, slope = int(n_keys), float(slope)
    right, slipped = bias_rows.right_row(n_keys, slope), bias_rows.slipped_row(n_keys, slope)
    after = bias_rows.row_added_after(n_keys, slope)
    facts = {
        "keys": n_keys,
        "slope": f"{slope:g}",
        "right_own": _weight(right[-1]),
        "right_first": _weight(right[0]),
        "slip_own": _weight(slipped[-1]),
        "slip_first": _weight(slipped[0]),
        "sum": plain(after.sum()),
        "lowest": plain(after[0]),
        "hidden": plain(bias_rows.mask_added_after(n_keys).sum()),
    }
    write(text["slips"], facts)
    picture = partial(details.slips, n_keys=n_keys, slope=slope)
    show(picture, key="bias_slips", alternative=fill(text["slips-alternative"], facts), height=420)
    write(text["slips-after"], facts)


def draw_buckets(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw T5's buckets, those that training never meets, and what a text beyond training gets from them."""
    n_buckets, farthest = map(int, side_by_side(BUCKETS, FARTHEST))
    sizes = {"n_buckets": n_buckets, "max_distance": farthest, "train_length": chosen.train_length}
    first = bias_buckets.first_distances(n_buckets, farthest)
    unmet = int((~bias_buckets.met(**sizes)).sum())
    learned, straight = details.untrained_share(**sizes, head=chosen.head, seed=chosen.seed)
    last = first[n_buckets - 1]
    facts = {
        "buckets": n_buckets,
        "single": n_buckets // 2,
        "wide": ", ".join(str(distance) for bucket, distance in first.items() if bucket >= n_buckets // 2),
        "last": last,
        "farthest": farthest,
        "length": chosen.train_length,
        "twice": 2 * chosen.train_length,
        "unmet": unmet,
        "head": chosen.head,
        "slope": number(chosen.slope),
        "learned": f"{learned:.1%}",
        "straight": number(straight),
    }
    write(text["buckets"] + " " + text["buckets-early" if last < farthest else "buckets-late"], facts)
    left, right = st.columns(2)
    with left:
        picture = partial(details.buckets, **sizes)
        show(picture, key="bias_bucket", alternative=fill(text["buckets-alternative"], facts), height=380)
    with right:
        picture = partial(details.followed_table, **sizes, head=chosen.head, seed=chosen.seed)
        show(picture, key="bias_table", alternative=fill(text["table-alternative"], facts), height=380)
    write(text["table" if unmet else "table-met"], facts)


def draw_slopes(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the slopes of ALiBi for any number of heads."""
    n_heads = int(control(HEADS))
    own, found = bias_forms.largest_power(n_heads), alibi.slopes(n_heads)
    facts = {
        "heads": n_heads,
        "own": own,
        "rest": n_heads - own,
        "twice": 2 * own,
        "series": _listed(found[:own].tolist()),
        "filled": _listed(found[own:].tolist()),
        "off": f"{float((bias_forms.geometric(n_heads) / found).log2().abs().max().exp2()):.3g}",
    }
    write(text["slopes" if n_heads > own else "slopes-power"], facts)
    picture = partial(details.slopes, n_heads=n_heads)
    show(picture, key="bias_slopes", alternative=fill(text["slopes-alternative"], facts), height=380)


def draw_forms(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the bias as relative distance and as key index, both rounded, and what that does to the weights."""
    left, right = st.columns(2)
    with left:
        n_keys = int(control(TEXT))
    with right:
        precision = str(control(FORMAT))
    errors = {}
    for name in bias_forms.PRECISIONS:
        forms = bias_forms.forms(n_keys, chosen.slope, name)
        errors[name] = [bias_forms.error(form, n_keys, chosen.slope) for form in (forms.relative, forms.key_index)]
    last = bias_forms.forms(n_keys, chosen.slope, precision).key_index[-LAST_KEYS:]
    facts = {
        "head": chosen.head,
        "slope": number(chosen.slope),
        "keys": f"{n_keys:,}",
        "precision": precision,
        "same": _error(errors["float64"][1]),
        "ties": bias_forms.ties(last),
        "pairs": len(last) - 1,
        "off": _error(errors[precision][1]),
        "largest": number(chosen.slope * (n_keys - 1)),
    }
    write(text["forms"], facts)
    picture = partial(details.rounded_forms, n_keys=n_keys, head=chosen.head, precision=precision)
    show(picture, key="bias_forms", alternative=fill(text["forms-alternative"], facts), height=380)
    lines = (f"| {name} | {_error(relative)} | {_error(key_index)} |" for name, (relative, key_index) in errors.items())
    write("\n".join([text["forms-head"], *lines]))


def _weight(value: torch.Tensor) -> str:
    return f"{float(value):.3f}" if value >= 5e-4 else f"{float(value):.0e}"


def _error(value: float) -> str:
    """An error of a weight; less than the last digit of a weight near 1 is none."""
    return f"{round(value, 16):.2g}"


def _listed(values: Sequence[float]) -> str:
    """Slopes in words: as a fraction where they are one over a whole number."""
    return ", ".join(f"1/{1 / value:.0f}" if (1 / value).is_integer() else f"{value:.4f}" for value in values)
