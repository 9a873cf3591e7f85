"""Fields that the code of a class reads, though nothing here does, are not said to be read by nobody."""

import json

import pytest
import torch

from pe_core.models import ConfigError, inspected
from pe_core.models.unread import OBEYED
from tests.cases import each
from tests.models import make_obeyed
from tests.models.make_classes import text
from tests.models.modules import quietly
from tests.parity import oracle

KEPT = json.loads(make_obeyed.TARGET.read_text(encoding="utf-8"))
HEADS = {"hidden_size": 64, "num_attention_heads": 4}
OBEYED_HERE = "The class reads these fields, and what they do to positions is not said here"
NOBODYS = "Not read by this model, though the name speaks of positions"
YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64, "rope_theta": 1e4}
MOLMO = {"model_type": "molmo2_text", **HEADS, "head_dim": 16, "num_hidden_layers": 4, "rope_parameters": YARN}


def test_the_file_is_of_the_version_that_is_installed_and_as_it_is_written():
    assert oracle("transformers").__version__ == KEPT["transformers"]
    assert make_obeyed.TARGET.read_text(encoding="utf-8") == text(KEPT)
    assert KEPT["obeyed"] == OBEYED


@each("kind", ["gpt2", "lw_detr", "molmo2_text", "seggpt", "swinv2", "t5", "timesfm2_5"])
def test_the_facts_are_as_they_are_made(kind):
    assert make_obeyed.obeyed(quietly()[kind]) == KEPT["obeyed"].get(kind, [])


@each(
    ("config", "told"),
    [
        ({"model_type": "timesfm2_5", "context_length": 96}, f"{OBEYED_HERE}: context_length."),
        ({"model_type": "t5", "n_positions": 96}, f"{NOBODYS}: n_positions."),
        ({"model_type": "lw_detr_vit", "num_windows": 16, "window_of_mine": 4}, f"{OBEYED_HERE}: num_windows."),
        ({"model_type": "lw_detr_vit", "num_windows": 16, "window_of_mine": 4}, f"{NOBODYS}: window_of_mine."),
    ],
)
def test_what_is_said_of_a_field(config, told):
    assert told in inspected(config).warnings


def test_the_scaling_factor_of_a_router_speaks_of_no_positions():
    found = inspected({"model_type": "llama", **HEADS, "router_scaling_factor": 2.5, "moe_router_scaling_factor": 2.5})
    assert not any("scaling_factor" in line for line in found.warnings)


def test_molmo_2_scales_the_layers_that_are_named():
    """The class has two tables of frequencies, and the layers beside the list take that without the rule."""
    module = pytest.importorskip("transformers.models.molmo2.modeling_molmo2")
    config = quietly()["molmo2_text"](**{**MOLMO, "rope_scaling_layers": [1, 3]}, num_key_value_heads=4)
    scaled, unscaled = inspected({**MOLMO, "rope_scaling_layers": [1, 3]}).groups
    assert (scaled.layers, unscaled.layers) == ((1, 3), (0, 2))
    for group, own in ((scaled, True), (unscaled, False)):
        theirs = module.Molmo2RotaryEmbedding(config, scaled=own)
        assert torch.allclose(theirs.inv_freq.double(), group.rotation.frequencies, rtol=1e-6)
        assert theirs.attention_scaling == pytest.approx(group.rotation.attention_factor)
    assert inspected({**MOLMO, "rope_scaling_layers": [3, 1, 1]}).groups[0].layers == (1, 3)
    assert len(inspected({**MOLMO, "rope_scaling_layers": []}).groups) == 1
    assert len(inspected(MOLMO).groups) == 1
    with pytest.raises(
        ConfigError, match=r"^rope_scaling_layers must be a list of numbers of layers from 0 to 3, got "
    ):
        inspected({**MOLMO, "rope_scaling_layers": [4]})


@each(
    ("size", "window", "told"),
    [
        (64, 8, "its last stages have one window each, of 4 patches a side, and shift none"),
        (64, 16, "its last stages have one window each, of 8, 4 patches a side, and shift none"),
        (64, 4, None),
    ],
)
def test_windows_of_swin_v2_are_no_larger_than_their_stage(size, window, told):
    given = {"image_size": size, "patch_size": 4, "window_size": window, "depths": [2, 2, 2], "num_heads": [1, 2, 4]}
    module = pytest.importorskip("transformers.models.swinv2.modeling_swinv2")
    stages = module.Swinv2Model(quietly()["swinv2"](**given, embed_dim=16)).encoder.layers
    small = [stage.blocks[1].window_size for stage in stages if stage.blocks[1].window_size < window]
    assert all(stage.blocks[1].shift_size == 0 for stage in stages[len(stages) - len(small) :] if small)
    summary = inspected({"model_type": "swinv2", **given}).summary
    assert bool(small) == ("its last stages" in summary) == (told is not None)
    assert told is None or told in summary
    before = inspected({"model_type": "swinv2", **given, "pretrained_window_sizes": [6, 6, 3]})
    assert "windows of its first training, of 6, 6, 3 patches a side in its stages" in before.summary
    assert not any("pretrained_window_sizes" in line for line in before.warnings)


def test_a_long_list_of_stages_of_swin_v2_has_no_picture_left():
    given = {"model_type": "swinv2", "image_size": 64, "depths": [2] * 100_000, "num_heads": [1]}
    assert "of 4, 2, 1 patches a side" in inspected({**given, "pretrained_window_sizes": [6] * 100_000}).summary


def test_the_encoder_of_t5gemma_sees_both_ways():
    part = {"model_type": "t5_gemma_module", **HEADS, "head_dim": 16, "num_hidden_layers": 2, "sliding_window": 4}
    summary = inspected({"model_type": "t5gemma", "decoder": part, "encoder": part}).summary
    decoder, encoder = summary.split("; t5_gemma_module (encoder)")
    assert "seeing at most 4 tokens" in decoder
    assert "as far ahead" not in decoder
    assert "seeing at most 9 tokens" in encoder
    assert "a token sees as far ahead as back" in encoder


def test_the_first_chatglm_turns_halves():
    found = inspected({"model_type": "chatglm", **HEADS, "num_layers": 2, "position_encoding_2d": True})
    assert found.pairs == "halves"
    assert [group.rotation.n_rotated for group in found.groups] == [8]
    assert inspected({"model_type": "chatglm", **HEADS, "num_layers": 2}).pairs == "neighbours"
