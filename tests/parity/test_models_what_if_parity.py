"""The lines of a what-if, the axes of M-RoPE and the factors of queries, held against those of transformers."""

import json
import math

import pytest
from torch.testing import assert_close

from pe_core.models import inspected
from pe_core.models.classes import CLASSES
from pe_core.models.what_if import RULES, what_if
from tests.cases import each
from tests.models.modules import axes, quietly
from tests.parity import oracle
from tests.parity.test_models_parity import EXPLAINED, IN_FLOAT32, A, same, theirs

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # of rope_scaling, where it is an attribute


@pytest.fixture(scope="module")
def classes():
    oracle("transformers")
    return quietly()


@each("rule", sorted(RULES))
def test_the_lines_of_a_what_if_are_valid_for_the_functions_of_transformers(classes, rule):
    rules = oracle("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS
    part = 0.25 if rule == "proportional" else None
    found = what_if(A, rule=rule, factor=4, base=5e4, part=part, long_factors=[1.0 + i / 8 for i in range(64)])
    config = json.loads(json.dumps({**A, **found.lines}))
    same(inspected(config), theirs(classes, config), rtol=IN_FLOAT32)
    if rule == "default":
        return
    made = classes["llama"].from_dict({key: value for key, value in config.items() if key != "model_type"})
    there, attention = rules[rule](made, "cpu", seq_len=found.length)
    after = found.after.frequencies if found.after.beyond is None else found.after.beyond
    assert_close(there.double(), after, rtol=IN_FLOAT32, atol=0)
    assert attention == pytest.approx(found.after.attention_factor)


MULTIMODAL = sorted(kind for kind, model in CLASSES.items() if model.multimodal and kind not in EXPLAINED)
STRICT = "cosmos3_edge_text"  # refuses other sections than its own sizes have


@each("kind", [*MULTIMODAL, "ernie4_5_vl_moe_text"])
@each("sizes", [None, [2, 2, 2], [4, 1, 1], [2, 2, 1]])
def test_each_pair_counts_the_axis_that_it_counts_there(classes, kind, sizes):
    config = {"model_type": kind}
    if sizes is not None and kind != STRICT:
        rope = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 1.0, "mrope_section": sizes}
        config |= {"head_dim": 12, "hidden_size": 12, "num_attention_heads": 1, "rope_parameters": rope}
    found = inspected(config)
    made = classes[kind].from_dict({key: value for key, value in config.items() if key != "model_type"})
    own = next(group.rotation.axes for group in found.groups if group.rotation is not None)
    there = axes(made)
    assert there == (None if own is None else own.tolist())
    if sizes is not None and kind != STRICT:
        assert any("are not the 6 pairs" in line for line in found.warnings) == (sum(sizes) != 6)


def test_queries_grow_with_their_position_as_they_do_in_ministral_and_llama_4(classes):
    positions = [0, 16_382, 16_383, 16_384, 32_767, 32_768, 262_143]
    scale = oracle("transformers.models.ministral3.modeling_ministral3").get_llama_4_attn_scale
    (group,) = inspected({"model_type": "ministral3"}).groups
    for position in positions:
        there = scale(oracle("torch").tensor([[position]]), 0.1, 16_384)
        assert group.query_factor.at_end(position + 1) == pytest.approx(float(there), rel=1e-6)
    turned, still = inspected({"model_type": "llama4_text", "floor_scale": 16_384, "attn_scale": 0.2}).groups
    assert turned.query_factor is None
    for position in positions:
        there = 1 + 0.2 * math.log1p((position + 1) // 16_384)  # the lines of Llama4TextAttention.forward
        assert still.query_factor.at_end(position + 1) == pytest.approx(there, rel=1e-12)
    off = inspected({"model_type": "llama4_text", "attn_temperature_tuning": False})
    assert all(one.query_factor is None for one in off.groups)
