"""The kept facts about classes are those that transformers shows today."""

import json

import pytest

from pe_core.models.classes import CLASSES, COMPOSITES, VERSION
from tests.cases import each
from tests.models import make_classes
from tests.parity import oracle

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # of rope_scaling, where it is an attribute
KEPT = json.loads(make_classes.TARGET.read_text(encoding="utf-8"))


def test_the_facts_are_of_the_version_that_is_installed():
    assert oracle("transformers").__version__ == VERSION


@each("kind", [*sorted(CLASSES)[::15], "gemma3_text", "llama", "phi3", "gpt_oss"])
def test_the_facts_are_as_they_are_made(kind):
    oracle("transformers")
    mapping = make_classes.quietly()
    assert json.loads(json.dumps(make_classes.facts(kind, mapping[kind]))) == KEPT["classes"][kind]


def test_every_composite_leads_to_a_known_class():
    for kind, keys in COMPOSITES.items():
        assert kind not in CLASSES
        assert set(keys.values()) <= set(CLASSES)


def test_the_file_is_as_it_is_written():
    assert make_classes.TARGET.read_text(encoding="utf-8") == make_classes.text(KEPT)
