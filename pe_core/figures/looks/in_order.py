"""Lines that go through their rows as they are sent, and which of many rows the browser needs."""

import altair as alt
import numpy as np
import pandas as pd

MAX_UNSEEN = 64  # dots of a line that a pointer finds: they lie closer than they are wide, and each one costs time
STRAIGHT = 1e-9  # of what lines span: less than rounding is no bend


def in_order(name: str) -> alt.Chart:
    """Return a chart of the frame `name`, whose columns are numbers or words, not numbers written as words.

    A line of it is drawn with `order=False`: its rows stand in order. Else Vega copies each row to read its numbers
    from words, and sorts them all, at each step of a slider.
    """
    return alt.Chart(alt.NamedData(name, format={"parse": None}))


def told(names: pd.Series) -> np.ndarray:
    """Return which rows of lines, whose `names` (N,) stand together, have a dot that a pointer finds: evenly spread."""
    own = names.to_numpy()
    starts = np.flatnonzero(np.concatenate([[True], own[1:] != own[:-1]])) if len(own) else np.arange(0)
    counts = np.diff(starts, append=len(own))
    place = np.arange(len(own)) - np.repeat(starts, counts)
    found: np.ndarray = place % np.repeat(-(-counts // MAX_UNSEEN), counts) == 0
    return found


def without_straight(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of lines x, y, name without those that have no dot and where a line goes straight on."""
    if frame.empty:  # of a run that has just begun
        return frame
    x, y, name = (frame[column].to_numpy() for column in ("x", "y", "name"))
    kept = frame.told.to_numpy(copy=True)
    across, up = np.diff(x), np.diff(y)
    turn = np.abs(up[1:] * across[:-1] - up[:-1] * across[1:])
    straight = turn <= STRAIGHT * np.ptp(y) * np.abs(across[1:])
    inside = (name[2:] == name[1:-1]) & (name[1:-1] == name[:-2])
    kept[1:-1] |= ~(straight & inside)
    kept[[0, -1]] = True
    return frame[kept]


def edges(frame: pd.DataFrame) -> pd.DataFrame:
    """Return left, bottom, top and name of the bands from min to max of those lines in `frame` that have a wide one.

    Where none is wider than a line, it is one row: of an empty frame Vega would warn. Its columns make no table.
    """
    if frame.empty:
        return pd.DataFrame(columns=["name", "left", "bottom", "top"])
    wide = frame.name[frame["max"] - frame["min"] > STRAIGHT * np.ptp(frame.y.to_numpy())].unique()
    rows = frame[frame.name.isin(wide)] if len(wide) else frame[:1]
    return rows[["name"]].assign(left=rows.x, bottom=rows["min"], top=rows["max"])
