"""Which letters the fonts of this machine have: pictures in files are drawn with them."""

from functools import cache

_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
    '<text y="30" font-size="30" font-family="sans-serif">{}</text></svg>'
)
SAMPLES = "水火"  # two Chinese characters that look nothing like each other


@cache
def has_chinese() -> bool:
    """Return whether a picture in a file can hold Chinese: without a font all characters look the same."""
    import vl_convert  # only files need it

    one, other = (vl_convert.svg_to_png(_SVG.format(sample)) for sample in SAMPLES)
    return bool(one != other)
