"""Which channels the class of a model turns as a pair: neighbours, as in GPT-J, or one of each half, as in Llama.

Weights that were made for one layout give other scores in the other. The layouts lie in `layouts.json`, which
`python -m tests.models.make_layouts` writes: it runs small models of transformers, and reads no source.
"""

import json
from pathlib import Path
from typing import Literal

from pe_core.models.positions import Positions

Layout = Literal["neighbours", "halves"]
SWITCH = "rope_interleave"  # a field that some classes obey: true for neighbours

LAYOUTS: dict[str, Layout] = json.loads(Path(__file__).with_name("layouts.json").read_text(encoding="utf-8"))["layouts"]


def pair_layout(found: Positions) -> Layout | None:
    """Return which channels make a pair in the class of a model; None where it turns nothing, or was not measured."""
    if not any(group.rotation is not None for group in found.groups):
        return None
    switch = {**found.filled, **found.said}.get(f"{found.level}.{SWITCH}" if found.level else SWITCH)
    if isinstance(switch, bool):
        return "neighbours" if switch else "halves"
    return LAYOUTS.get(found.model_type)
