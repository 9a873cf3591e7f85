"""Tables that keep what they are about in view: names and verdicts stay while the numbers are scrolled."""

from typing import Any

from streamlit.column_config import Column


def in_view(*names: str) -> dict[str, Any]:
    """Return the settings of columns that stay in view, to the left of the others."""
    return {name: Column(pinned=True) for name in names}
