"""Colours of every figure, chosen by meaning and safe for colour-blind eyes."""

from functools import cache

import numpy as np

# Okabe & Ito 2008, "Color Universal Design"; yellow darkened and black greyed, to show on light and dark.
CATEGORICAL = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6D00", "#7F7F7F")
GREY = CATEGORICAL[7]  # what others are compared with
FAR_APART = tuple(CATEGORICAL[place] for place in (0, 1, 4, 2, 7, 3, 5, 6))  # the first few of them

# Signed values around 0: blue below, light in the middle, orange above.
DIVERGING = ("#08306B", "#2171B5", "#6BAED6", "#C6DBEF", "#F7F7F7", "#FDD0A2", "#FD8D3C", "#D94801", "#7F2704")

# A bit: off and on, the two ends of what a sine can be in the same picture.
BITS = ("#2171B5", "#D94801")

# Text that is a mark, as a Vega expression: the theme colours axes and legends, but not marks, and sets the background.
INK = "background && luminance(background) < 0.4 ? '#E8EDF2' : '#1B2430'"

# Words of axes and legends: Streamlit's own grey is too pale on white for a projector.
QUIET_INK = "background && luminance(background) < 0.4 ? '#E8EDF2' : '#424C58'"


@cache
def lookup_table(colours: tuple[str, ...] = DIVERGING) -> np.ndarray:
    """Return 256 colours, evenly interpolated from the given ones, uint8, shape (256, 3)."""
    stops = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours])
    where = np.linspace(0, len(colours) - 1, 256)
    channels = [np.interp(where, np.arange(len(colours)), stops[:, channel]) for channel in range(3)]
    table: np.ndarray = np.stack(channels, axis=-1).round().astype(np.uint8)
    table.flags.writeable = False
    return table
