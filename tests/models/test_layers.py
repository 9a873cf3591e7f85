"""What the layers of transformers' classes do, as it is kept: today's classes, run with random weights, do the same."""

import json

import pytest

from pe_core.models.classes import CLASSES, VERSION
from tests.cases import each
from tests.models import make_layers
from tests.models.make_classes import text
from tests.models.modules import quietly
from tests.models.tried import tried
from tests.parity import oracle

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
KEPT = json.loads(make_layers.TARGET.read_text(encoding="utf-8"))
STILL = ("afmoe", "cohere2", "cohere2_moe", "exaone4", "exaone_moe", "flint", "kolibri1")
STILL_TOO = ("muse_glimmer_text", "muse_spark_text")


def test_the_facts_are_of_the_version_that_is_installed_and_of_every_class():
    assert oracle("transformers").__version__ == VERSION == KEPT["transformers"]
    assert {*KEPT["tried"], *KEPT["not_tried"]} == set(CLASSES)
    assert len(KEPT["tried"]) >= 120


def test_the_file_is_as_it_is_written():
    assert make_layers.TARGET.read_text(encoding="utf-8") == text(KEPT)


@each("kind", ["llama", "cohere2", "exaone4", "modernbert", "glm", "deepseek_v3"])
def test_the_facts_are_as_they_are_tried(kind):
    oracle("transformers")
    assert tried(quietly()[kind]) == KEPT["tried"][kind]


def test_full_layers_of_these_classes_turn_nothing():
    found = {kind for kind, one in KEPT["tried"].items() if one["still"] == ["full_attention"]}
    assert {*STILL, *STILL_TOO} <= found
    assert not found & {"llama", "gemma3_text", "olmo3", "gpt_oss", "granite_swa", "granitemoe_swa", "modernbert"}
    assert KEPT["tried"]["exaone4"]["still_open"] == []
