"""What the weights of a checkpoint say about positions, as text with tables."""

import math
from collections.abc import Iterator

from torch import Tensor

from pe_core.lab.command_line import aligned
from pe_core.measures.channels import evenly
from pe_core.models.weights import Bias, Table, Use, Weights
from pe_core.translation import Say

N_ROWS = 8
MAX_RUNS = 4


def paragraphs(found: Weights, say: Say) -> Iterator[str]:
    """Yield what was measured, paragraph by paragraph, and at the end what could not be read."""
    for table in found.tables:
        yield _table(table, say)
    for bias in found.biases:
        yield _bias(bias, say)
    for use in found.uses:
        yield _use(use, say)
    if not (found.tables or found.biases or found.uses or found.notes):
        yield say("No tensor is known here as a table of positions, a relative bias, or queries and keys that turn.")
    if found.notes:
        yield "\n".join([say("Not read:"), *(f"- {say(note)}" for note in found.notes)])


def _table(table: Table, say: Say) -> str:
    norms = table.norms
    told = f"{table.name}: {len(norms):,} rows of {table.width:,} channels, of norm {float(norms.min()):.4g} to "
    told += f"{float(norms.max()):.4g}, in the median {float(norms.median()):.4g}"
    rows = [{"Rows apart": str(offset), "Mean cosine": f"{value:.3f}"} for offset, value in table.cosines.items()]
    return "\n".join([say(told), *([aligned(rows, say)] if rows else []), say(_untrained(table))])


def _untrained(table: Table) -> str:
    """Return which rows look never trained."""
    if not table.untrained:
        return "No row looks as if it was never trained."
    if table.untrained == [(0, len(table.norms) - 1)]:
        return "All rows look random: no neighbours are alike, as in a table that was never trained."
    count = sum(last - first + 1 for first, last in table.untrained)
    where = [str(first) if first == last else f"{first} to {last}" for first, last in table.untrained[:MAX_RUNS]]
    more = " ..." if len(table.untrained) > MAX_RUNS else ""
    return f"{count} rows look never trained, zeros or like no neighbour: {', '.join(where)}{more}"


def _bias(bias: Bias, say: Say) -> str:
    rows = [
        {
            bias.of: str(place),
            "Mean": f"{float(values.mean()):.3f}",
            "Lowest": _head(values, int(values.argmin())),
            "Highest": _head(values, int(values.argmax())),
        }
        for place, values in zip(bias.places, bias.values, strict=True)
    ]
    heads = bias.values.shape[1]
    return f"{say(f'{bias.name}: the bias of {heads} heads by {bias.of}')}\n{aligned(rows, say)}"


def _use(use: Use, say: Say) -> str:
    rows = []
    for pair in evenly(use.queries.shape[1], N_ROWS):
        frequency = float(use.rotation.frequencies[pair])
        q, k = use.queries[:, pair], use.keys[:, pair]
        rows.append(
            {
                "pair": str(pair),
                "wavelength": f"{2 * math.pi / frequency:,.1f}" if frequency else "never",
                "Queries": f"{float(q.mean()):.3f}",
                "Highest query head": _head(q, int(q.argmax())),
                "Keys": f"{float(k.mean()):.3f}",
                "Highest key head": _head(k, int(k.argmax())),
            }
        )
    told = (
        f"Layer {use.layer}: norms of the query and key weights of each pair, on average over {len(use.queries)} heads"
    )
    after = ["The model normalises queries and keys after these weights."] if use.normalised else []
    return "\n".join([say(told), aligned(rows, say), *map(say, after)])


def _head(values: Tensor, head: int) -> str:
    return f"{float(values[head]):.3f} ({head})"
