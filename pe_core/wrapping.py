"""Text as it is set: numbers with a minus sign, and wide characters, as of Chinese.

Each of these takes two columns, a line may end behind it, and spaces differ.
"""

import re
from collections.abc import Iterable
from textwrap import wrap
from unicodedata import east_asian_width

# Words of Latin letters stay whole, no line begins with a sign that closes or ends with one that opens.
_PIECES = re.compile(r"\s*（*(?:[^\s\u2e80-\uffff]+|.)[，。；：？！、）》”’…]*")

_POWER = re.compile(r"([+-]?)([\d.]+)e([+-]\d+)")  # of ten, with its sign and digits
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_CHINESE = "\u3400-\u9fff"
_CHARACTER = re.compile(f"[{_CHINESE}]")  # of Chinese; wide signs such as ，（ are none

# In Markdown: code and formulas, which stay as they are, and the spaces at which no line ends.
_TOGETHER = re.compile(
    r"(?=[`$ ])(?:"  # looked at first: four to ten times as fast
    r"(`+).*?\1|\$\$.*?\$\$|\$[^$\n]*\$"
    rf"|(?<=\d)[ ](?=[{_CHINESE}])"  # a number and its measure word
    rf"|(?<=[第式])[ ](?=\(?\d)|(?<=[{_CHINESE}])[ ](?=[\d.]+[）。，；：])"  # else a line is no more than "4）。"
    r"|[ ]=[ ]|(?<=[=≈]\$)[ ]|(?<=×)[ ](?=\d))",  # the sides of an equation, and a factor
    re.DOTALL,
)


def spelt(number: float, spec: str) -> str:
    """Return a number as Python's `format` writes it, but as print has it: "−0.5" for "-0.5", "2·10⁻⁹" for "2e-09".

    Zero has no sign, what is rounded to it neither.
    """
    text = format(number, spec)
    if found := _POWER.fullmatch(text):
        sign, digits, power = found.groups()
        text = f"{sign}{'' if digits == '1' else f'{digits}·'}10{str(int(power)).translate(_RAISED)}"
    sign = "−" if text.strip("-0.,%") else ""
    return f"{sign}{text[1:]}" if text.startswith("-") else text


def joined(parts: Iterable[str]) -> str:
    """Return the parts of a text put together, with the spaces that Chinese has where two of them meet.

    There is one between a Chinese character and a Latin letter, a digit or %, and none beside another wide sign.
    """
    text = ""
    for part in parts:
        left, right = text.rstrip(" "), part.lstrip(" ")
        one, other = left[-1:], right[:1]
        if one > "\u2e80" or other > "\u2e80":
            text, part = left + _between(one, other, text[len(left) :] + part[: len(part) - len(right)]), right
        text += part
    return text


def _between(one: str, other: str, there: str) -> str:
    """Return the space between two signs, of which at least one is wide; what is there, where there is no rule."""
    if not one or not other or one.isspace() or other.isspace():
        return there
    if _is_wide(one) and _is_wide(other):
        return ""
    narrow, wide = (one, other) if _is_wide(other) else (other, one)
    if not _CHARACTER.match(wide):
        return ""
    return " " if narrow.isalnum() or narrow == "%" else there


def kept_together(text: str) -> str:
    """Return Markdown with no-break spaces where a line must not end: in "23 个", "n = 5" and "× 2.12"."""
    return _TOGETHER.sub(lambda found: found[0] if found[0][0] in "`$" else found[0].replace(" ", "\u00a0"), text)


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
