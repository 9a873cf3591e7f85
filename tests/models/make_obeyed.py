"""Which fields that speak of positions the code of a type reads: `python -m tests.models.make_obeyed` writes it anew.

What this inspector does not read of a file, the class may: then it must not be said that nothing reads it. The source
of the models of a type is searched for the names of the fields, but for classes that name only other parts of a whole.
"""

import importlib
import re
from functools import cache
from pathlib import Path

from pe_core.models.unread import speaks
from tests.models.make_classes import text
from tests.models.modules import quietly

TARGET = Path(__file__).parents[2] / "pe_core" / "models" / "obeyed.json"
CLASS, NAMED = re.compile(r"^class ", re.M), re.compile(r"\b\w+Config\b")
READ = re.compile(r"config\.(\w+)|getattr\(\w*\.?config, \"(\w+)\"")


@cache
def parts():
    """Return the names of all configuration classes without parts of their own."""
    return {maker.__name__ for maker in quietly().values() if not maker.sub_configs}


def obeyed(maker):
    """Return the fields that the code beside a configuration class reads, and the other names of these fields."""
    folder = Path(importlib.import_module(maker.__module__).__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("modeling_*.py")))
    named = {code: {*NAMED.findall(code)} & parts() for code in CLASS.split(source)}
    own = [code for code, some in named.items() if not some or {maker.__name__} - parts() or maker.__name__ in some]
    names = {one or other for one, other in READ.findall("".join(own))}
    renamed = [*maker.attribute_map.items()]
    names |= {name for older, name in renamed if older in names} | {older for older, name in renamed if name in names}
    return sorted(filter(speaks, names))


if __name__ == "__main__":
    mapping = quietly()
    found = {kind: names for kind in sorted(mapping.keys()) if (names := obeyed(mapping[kind]))}
    version = importlib.import_module("transformers").__version__
    TARGET.write_text(text({"transformers": version, "obeyed": found}), encoding="utf-8")
