"""What a learned table and a sinusoid make of little data: held-out loss over the amount of text they were trained on.

`file` is what `python -m pe_core.lab.inspection.amounts` has written; unless given, the one that comes with the
project.
"""

import torch

from pe_core.encodings import ENCODINGS
from pe_core.figures.curves import across, curves, layered, ranges, upwards
from pe_core.figures.figure import Figure
from pe_core.lab.inspection.amounts import KEPT, read

ENDS, TICKS = (20_000, 400_000), (25_000, 50_000, 100_000, 200_000, 400_000)  # characters


def by_amount(file: str = str(KEPT)) -> Figure:
    """Return the mean held-out loss of each encoding over the amount of data, in a band from its best to worst seed."""
    found = read(file)
    amounts = torch.tensor(found.characters, dtype=torch.float64)
    losses = {key: torch.tensor(rows, dtype=torch.float64) for key, rows in found.losses.items()}
    seeds = {
        ENCODINGS[key].title: (amounts, values.mean(1), values.amin(1), values.amax(1))
        for key, values in losses.items()
    }
    table, waves = losses["learned"], losses["sinusoidal"]
    enough = waves.mean(1) <= table.mean(1)[-1]
    facts = {
        "seeds": table.shape[1],
        "steps": found.config.steps,
        "amounts": len(amounts),
        "fewest": found.characters[0],
        "half": found.characters[-2],
        "most": found.characters[-1],
        **{f"{key}-fewest": float(values[0].mean()) for key, values in losses.items()},
        **{f"{key}-half": float(values[-2].mean()) for key, values in losses.items()},
        **{f"{key}-most": float(values[-1].mean()) for key, values in losses.items()},
        "lower": int((waves.amax(1) < table.amin(1)).sum()),
        "enough": "amounts-enough" if enough.any() else "amounts-not-enough",
        "enough-characters": found.characters[int(enough.int().argmax())],
    }
    x = across("Characters trained on", ends=ENDS, log=True, ticks=TICKS)
    y = upwards("Held-out loss (nats per character)", zero=False)
    return layered(curves(ranges(seeds), x, y, dots=True, band=True, spread=True)).with_facts(facts)
