"""What every figure function returns: a spec that stays the same, and the frames that change."""

from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite spec whose data are named, and a frame for each name.

    Specs are built by Altair once per kind of figure (checking one takes some 20 ms) and never hold
    numbers that a slider changes; so a new figure of the same kind is new frames only, and the browser keeps the view
    it has.
    """

    spec: dict[str, Any]
    frames: dict[str, pd.DataFrame]

    def standalone(self) -> dict[str, Any]:
        """Return the spec with its data inside, as Vega tools and files take it."""
        datasets = {name: frame.to_dict(orient="records") for name, frame in self.frames.items()}
        return {**self.spec, "datasets": datasets}
