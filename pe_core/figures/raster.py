"""A table of numbers as one PNG: a heatmap of any size costs the browser a single mark."""

import base64
import io

import numpy as np
from PIL import Image
from torch import Tensor

from pe_core.figures.palette import DIVERGING, lookup_table


def png(values: Tensor, limit: float, *, colours: tuple[str, ...] = DIVERGING) -> bytes:
    """Return a palette PNG with one pixel per number of `values` (rows, columns), from -limit to limit.

    What lies outside takes the colour of the end; NaN and infinity are transparent.
    """
    numbers = values.float().numpy()  # a colour is one of 255: more digits would cost time for nothing
    scaled = (np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0) / np.float32(limit) + 1) * np.float32(127.5)
    index = 1 + np.clip(scaled, 0, 254).astype(np.uint8)  # 0 is kept for "no number"
    index[~np.isfinite(numbers)] = 0
    image = Image.fromarray(index, mode="P")
    image.putpalette(lookup_table(colours).tobytes())
    buffer = io.BytesIO()
    image.save(buffer, "png", compress_level=1, transparency=0)
    return buffer.getvalue()


def data_uri(values: Tensor, limit: float, *, colours: tuple[str, ...] = DIVERGING) -> str:
    """Return the PNG of `values` as a data URI for an image mark."""
    return "data:image/png;base64," + base64.b64encode(png(values, limit, colours=colours)).decode()
