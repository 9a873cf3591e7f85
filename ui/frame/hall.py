"""Type within pictures for a lecture hall, in place of type that grows with the width of the picture."""

import json
from typing import Any

import streamlit as st

from pe_core.figures.looks.growth import GROWTH

# Words of 12 pixels in a narrow picture have 15 in a window of 1,200 pixels or less, and 24 in one of 1,920.
_ROOM = 400  # pixels of a label: Streamlit gives it 100
_SCALE = "clamp(windowSize()[0] / 960, 1.25, 2.5)"


def in_hall(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec of a picture, with type and marks that are seen from the last row where it is presented."""
    if "present" not in st.query_params:
        return spec
    large: dict[str, Any] = json.loads(json.dumps(spec).replace(GROWTH, _SCALE))
    config = large.setdefault("config", {})
    for part in ("axis", "legend"):
        config[part] = {"labelLimit": _ROOM, **config.get(part, {})}
    return large
