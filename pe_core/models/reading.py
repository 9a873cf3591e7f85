"""From the text of a configuration to checked values: bounded in size and depth, each refusal one sentence."""

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from pe_core.parameters import cut

MAX_CHARACTERS = 10_000_000  # a list of the layers that are quantised has millions
MAX_OBJECTS = 500_000  # objects and lists, which take the most memory
MAX_DEPTH = 16
POINTER = "version https://git-lfs"  # how a file begins that stands for a larger one
CONFLICT = re.compile("^<{7} ", re.MULTILINE)  # how git marks where two versions differ
# Fields that say nothing of positions, and are the longest: they are dropped.
DROPPED = frozenset({"quantization_config", "compression_config", "id2label", "label2id"})
MAX_DIGITS = 18  # a whole number of more digits counts nothing in a model, and is read as one that is not whole
Json = dict[str, Any]


class ConfigError(ValueError):
    """What is wrong with a configuration, in one sentence: the field, the rule and the value."""


def shown(value: object) -> str:
    """Return a value as JSON has it, cut short, printable on one line."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return cut(text)


def is_whole(value: object, minimum: int = 1, maximum: float = math.inf) -> TypeGuard[int]:
    """Return whether a value is a whole number from the minimum to the maximum; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and minimum <= value <= maximum


def facts(name: str) -> Json:
    """Return what a file of JSON beside this module has: facts about classes and models."""
    found: Json = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return found


def at(whole: Json, path: str) -> Json:
    """Return the object of a configuration that lies at a path, as "text_config" or "" for the whole."""
    for name in filter(None, path.split(".")):
        whole = whole.get(name) or {}
    return whole


def refuse(field: str, rule: str, value: object) -> NoReturn:
    """Raise `ConfigError("<field> must <rule>, got <value>")`."""
    raise ConfigError(f"{field} must {rule}, got {shown(value)}")


def parsed(source: str | bytes | Mapping[str, Any]) -> Json:
    """Return the object that a configuration is, from text, UTF-8 bytes, or a mapping; nothing is executed or fetched.

    A byte order mark before it is left out. Numbers that are not finite, and huge ones, are read: `Fields` refuses them
    where a number counts. Fields of `DROPPED` are left out. Raises `ConfigError` for what is no JSON object, is longer
    than 10,000,000 characters, has more than 500,000 objects and lists, is nested deeper than 16, or has a key with two
    values.
    """
    text = _text(source).removeprefix("\ufeff")
    if text.startswith(POINTER):
        raise ConfigError("the configuration must be JSON, got a pointer of Git LFS: fetch the file that it stands for")
    if len(text) > MAX_CHARACTERS:
        raise ConfigError(f"the configuration must have at most {MAX_CHARACTERS:,} characters, got {len(text):,}")
    if (count := text.count("{") + text.count("[")) > MAX_OBJECTS:
        raise ConfigError(f"the configuration must have at most {MAX_OBJECTS:,} objects and lists, got {count:,}")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=lambda digits: int(digits) if len(digits.lstrip("-")) <= MAX_DIGITS else float(digits),
        )
    except json.JSONDecodeError as error:
        if CONFLICT.search(text):
            raise ConfigError("the configuration must be JSON, got a conflict of git that is not resolved") from None
        place = f"line {error.lineno}, column {error.colno}"
        raise ConfigError(f"the configuration must be JSON, got a mistake in {place}: {error.msg}") from None
    except RecursionError:
        raise ConfigError(f"the configuration must be nested at most {MAX_DEPTH} deep, got more") from None
    if not isinstance(value, dict):
        refuse("the configuration", "be a JSON object", value)
    if not value:
        refuse("the configuration", "have fields", value)
    _check_depth(value, 1)
    return value


def _text(source: str | bytes | Mapping[str, Any]) -> str:
    if isinstance(source, bytes):
        if len(source) > MAX_CHARACTERS:
            raise ConfigError(f"the configuration must have at most {MAX_CHARACTERS:,} characters, got more")
        try:
            return source.decode("utf-8")
        except UnicodeDecodeError as error:
            first = error.start + 1
            raise ConfigError(f"the configuration must be UTF-8, got other bytes from byte {first} on") from None
    if isinstance(source, str):
        return source
    try:
        return json.dumps(source)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"the configuration must be what JSON can write, got {str(error)[:100]}") from None


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    found: Json = {}
    for key, value in pairs:
        if key in found and found[key] != value:  # some files say the same twice
            raise ConfigError(f"{shown(key)} must stand once in its object, got it twice with two values")
        if key not in DROPPED:
            found[key] = value
    return found


def _check_depth(value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ConfigError(f"the configuration must be nested at most {MAX_DEPTH} deep, got more")
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                _check_depth(inner, depth + 1)
