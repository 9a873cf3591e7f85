"""Text in columns: a wide character, as of Chinese, takes two of them, and a line may end behind it."""

import re
from textwrap import wrap
from unicodedata import east_asian_width

# Words of Latin letters stay whole, no line begins with a sign that closes or ends with one that opens.
_PIECES = re.compile(r"\s*（*(?:[^\s\u2e80-\uffff]+|.)[，。；：？！、）》”’…]*")


def columns(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(1 + _is_wide(sign) for sign in text)


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, each of at most `width` columns where it can be."""
    if not any(map(_is_wide, text)):
        return wrap(text, width)
    lines, taken = [""], 0
    for piece in _PIECES.findall(text):
        wide = columns(piece)
        if taken + wide > width and lines[-1]:
            lines.append("")
            taken, piece = 0, piece.lstrip()
        lines[-1] += piece
        taken += wide
    return lines


def _is_wide(sign: str) -> bool:
    return east_asian_width(sign) in "WF"
