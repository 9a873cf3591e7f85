"""Shades from pale to dark, each darker than the one before: they are told apart in a grey print and by every eye.

They are the same in both themes, and bring the colour of the words that stand on them.
"""

from pe_core.figures.looks.palette import DIVERGING, lookup_table

SHADES = DIVERGING[::-1]  # from the yellow to the blue
INKS = ("#000000", "#FFFFFF")  # one of them has a contrast of 4.58 or more on any colour


def shade(grade: float) -> str:
    """Return the colour of a grade from 0, the palest, to 1, the darkest, as "#RRGGBB"."""
    red, green, blue = lookup_table(SHADES)[round(255 * grade)]
    return f"#{red:02X}{green:02X}{blue:02X}"


def ink(colour: str) -> str:
    """Return the colour of words on a colour "#RRGGBB": black or white, whichever stands out more."""
    return max(INKS, key=lambda words: contrast(words, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours "#RRGGBB", from 1 to 21.

    Source: W3C, Web Content Accessibility Guidelines 2.2, "contrast ratio".
    """
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Return how light a colour "#RRGGBB" is in grey, from 0, black, to 1, white.

    Source: W3C, Web Content Accessibility Guidelines 2.2, "relative luminance".
    """
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
