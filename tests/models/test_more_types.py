"""Types of images, of speech and older ones: what is said of them, held against classes that are run."""

import pytest
import torch
from transformers import AutoConfig, AutoModel

from pe_core.lab.inspect_cli import row
from pe_core.models import ConfigError, inspected
from pe_core.models.at_length import at_length
from pe_core.models.images import IMAGES_AND_SOUND
from pe_core.models.sentences import times
from tests.cases import each
from tests.models.modules import made, quietly
from tests.models.tried import model_class

TINY = {"hidden_size": 128, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
N = 16
RESIZED = [kind for kind in IMAGES_AND_SOUND if "another size is" in inspected({"model_type": kind}).summary] + [
    kind for kind in IMAGES_AND_SOUND if "another size the table is" in inspected({"model_type": kind}).summary
]
FILMS = ("videomae", "vivit", "timesformer")
NOT_RUN = {  # other inputs than an image, or much more than a small configuration
    "blip_2_vision_model",
    "glm4v_moe_vision",
    "glm4v_vision",
    "idefics_vision",  # in a module of another name
    "internvl_vision",
    "llama4_vision_model",
    "phi4_multimodal_vision",
    "siglip2_vision_model",
    "xclip_vision_model",
}


@pytest.mark.parametrize("kind", sorted({*RESIZED} - {*FILMS} - NOT_RUN))
def test_what_another_size_of_image_does_as_the_classes_are_run(kind):
    maker = quietly()[kind]
    usual = made(maker)
    asked = {name: value for name, value in TINY.items() if hasattr(usual, name)}
    depth = {"neck_hidden_sizes": [16] * 4, "reassemble_factors": [1, 1, 1, 1], "backbone_out_indices": [0] * 4}
    config = maker(**asked, **(depth if kind == "dpt" else {}))
    height, width = usual.image_size if isinstance(usual.image_size, list | tuple) else (usual.image_size,) * 2
    model = model_class(__import__("transformers"), config)(config).eval()
    image = torch.randn(1, 3, height, width)
    larger = torch.randn(1, 3, height + 64, width + 64)
    with torch.no_grad():
        model(image)
        told = inspected({"model_type": kind}).summary
        if "refused" not in told:
            model(larger)
            return
        with pytest.raises((ValueError, RuntimeError, AssertionError)):
            model(larger)
        if "unless" in told:
            model(larger, interpolate_pos_encoding=True)


def asked(name, settings, length):
    """Return the answer to a text of so many tokens."""
    return at_length(inspected({"model_type": name, **settings}), length)[0]


PROPHET = {"num_encoder_layers": 1, "num_decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16} | {
    "hidden_size": 16,
    "num_encoder_attention_heads": 2,
    "num_decoder_attention_heads": 2,
    "vocab_size": 50,
    "max_position_embeddings": N + 2,
}
LONG = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16} | {
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "vocab_size": 50,
    "max_position_embeddings": N,
    "block_size": 4,
    "num_global_tokens": 2,
}
AXIAL = {"hidden_size": 16, "axial_pos_embds_dim": [8, 8], "axial_pos_shape": [4, 4], "attn_layers": ["local"]} | {
    "num_attention_heads": 2,
    "attention_head_size": 8,
    "feed_forward_size": 16,
    "vocab_size": 50,
    "local_attn_chunk_length": 4,
}


@each(
    ("name", "settings", "pair"),
    [
        ("prophetnet", PROPHET, True),
        ("pegasus_x", LONG, True),
        ("ctrl", {"n_embd": 16, "dff": 16, "n_layer": 1, "n_head": 2, "n_positions": N, "vocab_size": 50}, False),
        ("reformer", AXIAL, False),
        ("tapas", {**TINY, "vocab_size": 50, "max_position_embeddings": N}, False),
        (
            "tapas",
            {**TINY, "vocab_size": 50, "max_position_embeddings": N, "reset_position_index_per_cell": False},
            False,
        ),
        ("yoso", {**TINY, "vocab_size": 50, "max_position_embeddings": N}, False),
        ("markuplm", {**TINY, "vocab_size": 50, "max_position_embeddings": N + 2, "pad_token_id": 1}, False),
    ],
)
def test_behind_the_length_as_the_classes_are_run(name, settings, pair):
    model = AutoModel.from_config(AutoConfig.for_model(name, **settings)).eval()
    assert inspected({"model_type": name, **settings}).claimed_length == N

    def read(length):
        tokens = torch.full((1, length), 7)
        with torch.no_grad():
            model(input_ids=tokens, **({"decoder_input_ids": tokens} if pair else {}))

    read(N)
    if "does not fit" in asked(name, settings, N + 4):
        with pytest.raises((IndexError, ValueError, RuntimeError)):
            read(N + 4)
    else:
        assert asked(name, settings, N + 4).startswith("No table ends")
        read(N + 4)


def test_later_positions_that_prophetnet_reads_share_the_last_row():
    model = AutoModel.from_config(AutoConfig.for_model("prophetnet", **PROPHET)).eval()
    rows, _ = model.encoder.position_embeddings((1, N + 4), torch.device("cpu"))
    assert torch.equal(rows[0, N], rows[0, N + 3])
    assert not torch.equal(rows[0, 1], rows[0, 2])


TROCR = {"model_type": "trocr"}


@each(
    ("config", "words"),
    [
        ({"model_type": "beit", "use_relative_position_bias": True}, ("732 offsets",)),
        ({"model_type": "beit", "use_absolute_position_embeddings": True}, ("14 x 14 patches and 1 more",)),
        ({"model_type": "detr", "position_embedding_type": "learned"}, ("50 rows and 50 columns",)),
        ({"model_type": "detr"}, ("sinusoids of row and column", "100 object queries")),
        ({"model_type": "sam", "vision_config": {}}, ("64 x 64 patches", "windows of 14")),
        ({"model_type": "sam_vision_model", "use_rel_pos": False, "window_size": 0}, ("64 x 64 patches; another",)),
        ({"model_type": "speecht5"}, ("450 tokens", "4,000 frames", "up to 160")),
        ({"model_type": "videomae"}, ("1,568 patches of a film",)),
        ({"model_type": "vits"}, ("up to 4 on each side",)),
        ({"model_type": "depth_anything", "backbone_config": {"model_type": "dinov2"}}, ("16 x 16 patches",)),
        ({"model_type": "owlvit", "text_config": {}, "vision_config": {}}, ("16 positions", "24 x 24 patches")),
        (
            {
                "model_type": "vision-encoder-decoder",
                "decoder": {"model_type": "trocr"},
                "encoder": {"model_type": "vit"},
            },
            ("trocr adds a learned vector for each of 512", "encoder (vit)", "14 x 14"),
        ),
        ({"model_type": "trocr", "use_learned_position_embeddings": False}, ("fixed sinusoid", "longer text")),
    ],
)
def test_what_the_sentence_says(config, words):
    summary = inspected(config).summary
    assert all(word in summary for word in words), summary


def test_the_bias_of_beit_has_as_many_rows_as_are_told():
    config = AutoConfig.for_model("beit", **TINY, use_relative_position_bias=True)
    sizes = {size for one in AutoModel.from_config(config).state_dict().values() for size in one.shape}
    assert 732 in sizes


@each(
    "config",
    [
        {"model_type": "detr", "position_embedding_type": "x"},
        {"model_type": "vivit", "tubelet_size": 2},
        {"model_type": "reformer", "axial_pos_shape": [64]},
        {"model_type": "seamless_m4t", "position_embeddings_type": "x"},
        {"model_type": "audio-spectrogram-transformer", "max_length": 8},
        {"model_type": ""},
    ],
)
def test_what_is_refused(config):
    with pytest.raises(ConfigError, match=", got"):
        inspected(config)


def test_the_table_of_several_files_names_the_rule_of_hunyuan():
    scaling = {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}
    config = {"model_type": "hunyuan_v1_dense", "head_dim": 128, "rope_scaling": scaling}
    found = inspected({**config, "max_position_embeddings": 32_768})
    assert row("a", found, None, str)["Rule"] == "static NTK"
    assert "with static NTK of alpha 1000" in found.summary


@each(
    ("ratio", "text"),
    [(1.099, "1.1"), (24.41, "24.4"), (999.4, "999"), (999.6, "1,000"), (2929.7, "2,930"), (1.234e8, "123,000,000")],
)
def test_ratios_are_never_powers_of_ten(ratio, text):
    assert times(ratio) == text
