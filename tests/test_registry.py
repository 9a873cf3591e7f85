"""What every entry of every registry says of itself."""

import re

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.measures.criteria import CRITERIA
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from tests.cases import each
from tests.strategies import extremes

ENTRIES = [item for registry in (ENCODINGS, SCALINGS, MASKS, REMAPS, TASKS, CRITERIA) for item in registry.items()]


@each(("key", "entry"), ENTRIES)
def test_an_entry_is_described(key, entry):
    assert entry.key == key
    assert re.fullmatch(r"[a-z][a-z0-9_]*", key)
    assert entry.title
    assert re.fullmatch(r"[A-Z].*\.", entry.summary)
    assert entry.paper is None or entry.paper.arxiv is None or re.fullmatch(r"\d{4}\.\d{4,5}", entry.paper.arxiv)


@each(("key", "entry"), ENTRIES)
def test_parameters_are_described_and_their_defaults_allowed(key, entry):
    names = [parameter.name for parameter in entry.parameters]
    assert len(set(names)) == len(names)
    for parameter in entry.parameters:
        assert parameter.name.isidentifier()
        assert parameter.label
        assert parameter.help.endswith(".")
        parameter.check(parameter.default)
        for value in (parameter.default, *extremes(parameter)):
            assert parameter.parse(str(value)) == value
