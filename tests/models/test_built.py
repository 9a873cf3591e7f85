"""The kept facts about what classes are built of are those that transformers shows today."""

import json

from pe_core.models.built import BUILT, LEVELS_OF
from pe_core.models.classes import CLASSES
from pe_core.models.others import BY_HAND
from tests.cases import each
from tests.models import make_parts
from tests.models.make_classes import text
from tests.models.modules import quietly
from tests.parity import oracle

KEPT = json.loads(make_parts.TARGET.read_text(encoding="utf-8"))


def test_the_facts_are_of_the_version_that_is_installed_and_of_classes_without_a_reader():
    assert oracle("transformers").__version__ == KEPT["transformers"]
    assert not {*KEPT["built"], *KEPT["not_built"]} & {*CLASSES, *BY_HAND, *LEVELS_OF}
    assert len(BUILT) >= 65


def test_the_file_is_as_it_is_written():
    assert make_parts.TARGET.read_text(encoding="utf-8") == text(KEPT)


@each("kind", ["canary_decoder", "mlcd", "qianfan_ocr_vision", "textnet", "levit"])
def test_the_facts_are_as_they_are_made(kind):
    oracle("transformers")
    assert json.loads(json.dumps(make_parts.facts(quietly()[kind]))) == KEPT["built"][kind]


def test_the_parts_of_composite_classes_are_as_they_are_made():
    mapping = quietly()
    for kind in ("clip", "git"):
        makers = {part: mapping[part] for part in make_parts.levels(mapping[kind]).values() if part in mapping}
        assert make_parts.levels(mapping[kind]) == LEVELS_OF[kind]
        assert make_parts.attends_itself(mapping[kind], makers) == (kind in KEPT["attend_themselves"])
