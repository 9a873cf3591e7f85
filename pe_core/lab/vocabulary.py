"""The vocabulary of trained models as JSON, as it travels with their weights."""

import json
from collections.abc import Sequence

from pe_core.parameters import LONGEST_SHOWN, require


def to_json(symbols: Sequence[str]) -> str:
    """Return a vocabulary as a JSON list, the symbol of token 0 first."""
    return json.dumps(symbols)


def from_json(text: str, n_symbols: int) -> tuple[str, ...]:
    """Return the vocabulary of a model that has so many symbols.

    Raises `ValueError` unless the text is a list of as many single characters, no two of them the same.
    """
    try:
        symbols = json.loads(text)
    except (ValueError, RecursionError):
        symbols = None
    sound = isinstance(symbols, list) and all(isinstance(symbol, str) and len(symbol) == 1 for symbol in symbols)
    require(sound, "symbols", "be a list of single characters", text[:LONGEST_SHOWN])
    require(len(symbols) == n_symbols, "symbols", f"be {n_symbols}, as in the run", len(symbols))
    twice = sorted({symbol for symbol in symbols if symbols.count(symbol) > 1})
    require(not twice, "symbols", "be different", ", ".join(map(repr, twice[:3])))
    return tuple(symbols)
