"""What models do with another size of image, or length of sound, than their own: said, and held against their runs."""

import importlib
import inspect
import itertools

import pytest
import torch

from pe_core.models import ConfigError, inspected
from pe_core.models.kinds.built import LEVELS_OF
from pe_core.models.kinds.images import ALWAYS, BY_FRACTION, COUNTED, FIRST_OR_ASKED, IF_ASKED, IMAGES, NEVER
from pe_core.models.kinds.images_turned import IMAGES_TURNED
from pe_core.models.kinds.wholes import OPTION
from pe_core.models.kinds.windows import REFUSED, WINDOWS
from tests.cases import each
from tests.models.modules import made, quietly
from tests.models.tried import model_class

TINY = {"hidden_size": 128, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
N = 16
STAGES = {"hidden_sizes": [8, 8, 8, 8], "depths": [1, 1, 1, 1]}
# What a class needs to be small beside that, and those whose sizes depend on each other, which keep theirs.
NEEDS = {
    "dpt": {"neck_hidden_sizes": [N] * 4, "reassemble_factors": [1, 1, 1, 1], "backbone_out_indices": [0] * 4},
    "got_ocr2_vision": {"global_attn_indexes": [0]},
    "hiera": {"embed_dim": 8, "num_heads": [1, 1, 1, 1], "depths": [1, 1, 1, 1]},
    "levit": {"hidden_sizes": [16, 32, 48], "num_attention_heads": [1, 2, 3], "depths": [1, 1, 1]},
    "pvt": {**STAGES, "num_attention_heads": [1, 1, 1, 1]},
    "sam3_vit_model": {"global_attn_indexes": [0], "pretrain_image_size": 28},
}
AS_THEY_ARE = ("hiera", "levit", "mgp-str", "pvt", "vitpose_backbone", "yolos")
SAID = (NEVER, REFUSED, COUNTED, ALWAYS, FIRST_OR_ASKED, BY_FRACTION)
# Other inputs than an image, a module of another name or another library than those here, and sizes of a film.
NOT_RUN = {
    "cosmos3_edge_vision", "eomt", "glm4v_moe_vision", "glm4v_vision", "glm_image_vision", "hunyuan_vl_vision",
    "idefics_vision", "inkling2_vision", "llama4_vision_model", "lw_detr_vit", "minicpm_ocr_vision",
    "minicpmv4_6_vision", "minicpmv4_7_vision", "molmo2_vision", "muse_glimmer_vision", "muse_spark_vision",
    "paddleocr_vl_vision", "rf_detr_dinov2", "seggpt", "siglip2_vision_model", "timesformer",
    "unlimited_ocr_vision_encoder", "videomae", "videomt", "vivit", "xclip_vision_model",
}  # fmt: skip


def seeing(kind):
    """Return a type, what is told of it with a small image, and the fields of that."""
    if kind in AS_THEY_ARE:
        return kind, {}, inspected({"model_type": kind}).summary
    fields = {"image_size": 64, "patch_size": N}
    return kind, fields, inspected({"model_type": kind, **fields}).summary


TOLD = [seeing(kind) for kind in " ".join((*IMAGES, *IMAGES_TURNED, *WINDOWS)).split() if kind not in NOT_RUN]
RESIZED = [one for one in TOLD if any(said in one[2] for said in SAID)]


def runs(model, size, **options):
    """Return whether a model takes an image of this size."""
    try:
        with torch.no_grad():
            model(torch.randn(1, 3, *size), **options)
    except (ValueError, RuntimeError, AssertionError):
        return False
    return True


def class_of(config):
    """Return the class of a configuration; of a part without a name as a model, the one that reads pixels."""
    try:
        return model_class(importlib.import_module("transformers"), config)
    except StopIteration:
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
        owners = [one for one in vars(module).values() if getattr(one, "config_class", None) is type(config)]
        return next(one for one in owners if "pixel_values" in inspect.signature(one.forward).parameters)


def small(kind, **fields):
    """Return a small model of this type, with these fields."""
    maker = quietly()[kind]
    usual = made(maker)
    asked = {name: value for name, value in TINY.items() if type(getattr(usual, name, None)) is int}
    config = maker(**{**asked, **NEEDS.get(kind, {}), **fields})
    torch.manual_seed(0)
    return class_of(config)(config).eval()


@each("kind, fields, told", RESIZED)
def test_what_another_size_of_image_does_as_the_classes_are_run(kind, fields, told):
    model = small(kind, **fields)
    side = model.config.image_size
    height, width = side if isinstance(side, list | tuple) else (side, side)
    step = 32 if kind == "hiera" else 16
    other = [(height + step, width + step), (height - step, width - step), (height + step, width), (height, width * 2)]
    alike = [(height + 1, width + 1), (height - 1, width - 1), (height * 2, width // 2), (height // 7, width * 7)]
    assert runs(model, (height, width))
    fits = [runs(model, size) for size in other]
    if NEVER in told or REFUSED in told:
        assert not any(runs(model, size) for size in (*other, *alike))
    elif COUNTED in told:
        assert not any(fits)
        assert any(runs(model, size) for size in alike)  # which "another size is refused" would deny
    elif FIRST_OR_ASKED in told:
        assert fits == [False, True, False, False]
    else:
        assert all(fits)
        assert runs(model, (height + 1, width + 3))
    if IF_ASKED in told:
        assert all(runs(model, size, interpolate_pos_encoding=True) for size in other)


ROUNDED = {  # backbones whose convolutions round up, and down
    "resnet": {"embedding_size": 8, "layer_type": "basic"},
    "convnext": {},
}


@each("kind, backbone", itertools.product(["rt_detr", "rt_detr_v2", "d_fine"], ROUNDED))
def test_sides_far_from_a_multiple_of_32_are_refused(kind, backbone):
    seen = {"model_type": backbone, "out_indices": [2, 3, 4], **STAGES, **ROUNDED[backbone]}
    model = small(kind, hidden_size=256, num_queries=2, backbone_config=seen, encoder_in_channels=[8, 8, 8])
    passing = [side for side in range(64, 97) if runs(model, (side, 64))]
    assert passing == ([64, *range(89, 97)] if backbone == "resnet" else [*range(64, 72), 96])
    assert "multiples of 32 pixels, or some of those up to 7 off" in inspected({"model_type": kind}).summary


SOUND = {"d_model": 16, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 16}
OF_CLAP = {"patch_embeds_hidden_size": 8, "depths": [1, 1, 1, 1], "num_attention_heads": [1, 1, 1, 1]}
FILM = {"image_size": 32, "num_frames": 4}
LW = {"image_size": 64, "pretrain_image_size": 32, "num_windows": 4}
SWIN = {"embed_dim": 8, "depths": [1, 1], "num_heads": [1, 1], "image_size": 32, "window_size": 4}
NOT_LONGER = {"is_longer": torch.tensor([[False]])}
# A type, its fields, the shapes that it takes and those that it refuses, what is told of it, and further inputs.
SHAPES = [
    ("audio-spectrogram-transformer", {}, [(1016, 128), (1025, 128)], [(1015, 128), (1026, 128)],
     "its sound has 1,024 frames of 128 bands; another number of patches is refused", {}),
    ("clap_audio_model", {**OF_CLAP, "hidden_size": 64}, [(1, 9, 64), (1, 1024, 64)], [(1, 1025, 64)],
     "a sound of up to 1,024 frames becomes 64 x 64 patches, and a longer one is refused", NOT_LONGER),
    ("audioflamingo3_encoder", {**SOUND, "max_source_positions": 20}, [(128, 39), (128, 40)], [(128, 38), (128, 41)],
     "20 frames, a hard limit; a sound of fewer frames is refused, too", {"input_features_mask": torch.ones(1, 38)}),
    ("voxtral_encoder", {**SOUND, "max_source_positions": 20}, [(128, 40)], [(128, 39), (128, 41)],
     "20 frames, a hard limit; a sound of fewer frames is refused, too", {}),
    ("lw_detr_vit", LW, [(3, 64, 96), (3, 79, 64)], [(3, 80, 80), (3, 63, 63)],
     "the patches of an image must be 2 x 2 windows of one size", {}),
    ("lw_detr_vit", {**LW, "window_block_indices": [0]}, [(3, 64, 96)], [(3, 80, 80)], "must be whole windows", {}),
    ("rf_detr_dinov2", {"image_size": 64, "patch_size": N, "num_windows": 2}, [(3, 64, 96)], [(3, 80, 80)],
     "must be whole windows", {}),
    ("videomae", FILM, [(4, 3, 32, 32), (5, 3, 32, 32)], [(6, 3, 32, 32), (4, 3, 48, 48)],
     "pixels; another number of patches is refused", {}),
    ("vivit", FILM, [(4, 3, 33, 33)], [(6, 3, 32, 32), (4, 3, 48, 48)],
     "pixels; another number of patches is refused", {"interpolate_pos_encoding": True}),
    ("swin", SWIN, [(3, 29, 29), (3, 32, 50)], [(3, 24, 32)], "any size of which each stage has a window or more", {}),
    ("swin2sr", {"embed_dim": 12, "depths": [1], "num_heads": [2]}, [(3, 64, 72)], [(3, 65, 64), (3, 60, 64)],
     "unless each side is a multiple of 8 pixels", {}),
    ("radio", {"max_img_size": 64}, [(3, 32, 80)], [(3, 33, 80)], "unless each side is a multiple of 16 pixels", {}),
    ("patchtst", {"d_model": 16, "context_length": 34, "patch_length": 8}, [(34, 1)], [(33, 1), (35, 1)],
     "a series of another length than 34 points is refused", {}),
]  # fmt: skip


@each("kind, fields, taken, refused, said, options", SHAPES)
def test_shapes_are_taken_and_refused_as_is_said(kind, fields, taken, refused, said, options):
    assert said in inspected({"model_type": kind, **fields}).summary
    model = small(kind, **fields)
    for shape in (*taken, *refused):
        model = small(kind, **fields) if kind == "swin" else model  # which keeps the window of a smaller image
        given = torch.randn(1, *shape)
        with torch.no_grad():
            if shape in taken:
                model(given, **options)
                continue
            with pytest.raises((ValueError, RuntimeError)):
                model(given, **options)


def with_parts(kind):
    """Return what is told of a whole whose parts have their defaults; nothing where its text has none."""
    try:
        return inspected({"model_type": kind, **{name: {} for name in LEVELS_OF[kind]}}).summary
    except ConfigError:
        return ""


# Wholes with a part that interpolates its table if asked; the last three have no class of their own, or are a part.
ASKED_FOR = {kind: told for kind in LEVELS_OF if OPTION in (told := with_parts(kind))}


@each("kind", sorted(ASKED_FOR.keys() - {"shieldgemma2", "t5gemma2", "vision-encoder-decoder"}))
def test_what_cannot_ask_for_another_size_has_no_such_option(kind):
    model = importlib.import_module("transformers").AutoModel._model_mapping[quietly()[kind]]
    assert ("cannot ask for that" in ASKED_FOR[kind]) is (OPTION not in inspect.signature(model.forward).parameters)
