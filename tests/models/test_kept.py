"""The tables of facts about the classes of transformers are those that are made of its classes today."""

import json

import pytest

from pe_core.models.classes import CLASSES, COMPOSITES, VERSION
from pe_core.models.kinds.built import BUILT, LEVELS_OF
from pe_core.models.kinds.others import BY_HAND, OTHERS
from pe_core.models.kinds.wholes import WHOLES
from pe_core.models.unread import OBEYED
from tests.cases import each
from tests.models import make_classes, make_layers, make_obeyed, make_parts, make_sizes
from tests.models.make_classes import text
from tests.models.modules import made, quietly
from tests.models.tried import tried
from tests.parity import oracle

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # of rope_scaling, where it is an attribute
WRITTEN = {
    make: make.TARGET.read_text(encoding="utf-8")
    for make in (make_classes, make_layers, make_obeyed, make_parts, make_sizes)
}
KEPT = {make: json.loads(written) for make, written in WRITTEN.items()}
# Full layers of these turn nothing.
STILL = {"afmoe", "cohere2", "cohere2_moe", "exaone4", "exaone_moe", "flint", "kolibri1"}
STILL |= {"muse_glimmer_text", "muse_spark_text"}


@each("make", KEPT)
def test_a_table_is_of_the_version_that_is_installed_and_as_it_is_written(make):
    assert oracle("transformers").__version__ == VERSION == KEPT[make]["transformers"]
    assert WRITTEN[make] == text(KEPT[make])


@each(("make", "table", "facts", "kinds"), [
    (make_classes, "classes", lambda kind: make_classes.facts(kind, quietly()[kind]),
     [*sorted(CLASSES)[::15], "gemma3_text", "llama", "phi3", "gpt_oss"]),
    (make_layers, "tried", lambda kind: tried(quietly()[kind]),
     ["llama", "cohere2", "exaone4", "modernbert", "glm", "deepseek_v3"]),
    (make_obeyed, "obeyed", lambda kind: make_obeyed.obeyed(quietly()[kind]),
     ["gpt2", "lw_detr", "molmo2_text", "seggpt", "siglip_vision_model", "swinv2", "t5", "timesfm2_5"]),
    (make_parts, "built", lambda kind: make_parts.facts(quietly()[kind]),
     ["flava_image_codebook", "inkling_audio"]),
    (make_sizes, "sizes", lambda kind: make_sizes.facts(quietly()[kind]),
     ["albert", "bart", "distilbert", "gpt2", "swin", "t5", "vit", "whisper", "xlm"]),
])  # fmt: skip
def test_facts_are_as_they_are_made(make, table, facts, kinds):
    for kind in kinds:
        assert json.loads(json.dumps(facts(kind))) == KEPT[make][table].get(kind, []), kind


def test_a_table_has_all_classes_that_it_is_for():
    tried_ones, parts = KEPT[make_layers], KEPT[make_parts]
    assert {*tried_ones["tried"], *tried_ones["not_tried"]} == set(CLASSES)
    assert len(tried_ones["tried"]) >= 120
    assert not {*parts["built"], *parts["not_built"]} & {*CLASSES, *BY_HAND, *LEVELS_OF}
    assert len(BUILT) >= 5
    assert len(KEPT[make_sizes]["sizes"]) >= 150
    assert KEPT[make_obeyed]["obeyed"] == OBEYED


def test_every_composite_leads_to_a_known_class():
    for kind, keys in COMPOSITES.items():
        assert kind not in CLASSES
        assert set(keys.values()) <= set(CLASSES)


def test_defaults_of_readers_are_those_of_the_classes():
    makers, wrong = quietly(), []
    for kind, other in (*OTHERS.items(), *WHOLES.items()):
        said = config.to_dict() if kind in makers and (config := made(makers[kind])) is not None else {}
        for name in other.defaults.keys() & said.keys():
            ours, theirs = (json.loads(json.dumps(one)) for one in (other.defaults[name], said[name]))
            if ours not in (None, theirs) and theirs != [ours, ours]:
                wrong.append((kind, name, ours, theirs))
    assert wrong == []


def test_full_layers_of_these_classes_turn_nothing():
    kept = KEPT[make_layers]["tried"]
    found = {kind for kind, one in kept.items() if one["still"] == ["full_attention"]}
    assert found >= STILL
    assert not found & {"llama", "gemma3_text", "olmo3", "gpt_oss", "granite_swa", "granitemoe_swa", "modernbert"}
    assert kept["exaone4"]["still_open"] == []


def test_the_parts_of_composite_classes_are_as_they_are_made():
    mapping = quietly()
    for kind in ("clip", "git"):
        makers = {part: mapping[part] for part in make_parts.levels(mapping[kind]).values() if part in mapping}
        assert make_parts.levels(mapping[kind]) == LEVELS_OF[kind]
        assert make_parts.attends_itself(mapping[kind], makers) == (kind in KEPT[make_parts]["attend_themselves"])
