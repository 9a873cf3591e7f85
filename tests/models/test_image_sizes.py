"""What models of images do with another size than their own: what is said, held against classes that are run."""

import inspect

import pytest
import torch

from pe_core.models import ConfigError, inspected
from pe_core.models.kinds.built import LEVELS_OF
from pe_core.models.kinds.images import IMAGES
from pe_core.models.kinds.images_turned import IMAGES_TURNED
from pe_core.models.kinds.wholes import OPTION
from tests.cases import each
from tests.models.modules import made, quietly
from tests.models.tried import model_class

TINY = {"hidden_size": 128, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
N = 16
SEEING = " ".join((*IMAGES, *IMAGES_TURNED)).split()
RESIZED = [kind for kind in SEEING if "another size is" in inspected({"model_type": kind}).summary] + [
    kind for kind in SEEING if "another size the table is" in inspected({"model_type": kind}).summary
]
FILMS = ("videomae", "vivit", "timesformer")
# Other inputs than an image, much more than a small configuration, or (idefics_vision) a module of another name.
NOT_RUN = {
    "blip_2_vision_model", "cosmos3_edge_vision", "eomt", "glm4v_moe_vision", "glm4v_vision", "glm_image_vision",
    "hunyuan_vl_vision", "idefics_vision", "inkling2_vision", "internvl_vision", "llama4_vision_model",
    "molmo2_vision", "muse_glimmer_vision", "muse_spark_vision", "paddleocr_vl_vision", "phi4_multimodal_vision",
    "siglip2_vision_model", "unlimited_ocr_vision_encoder", "videomt", "xclip_vision_model",
}  # fmt: skip


@each("kind", sorted({*RESIZED} - {*FILMS} - NOT_RUN))
def test_what_another_size_of_image_does_as_the_classes_are_run(kind):
    maker = quietly()[kind]
    usual = made(maker)
    asked = {name: value for name, value in TINY.items() if type(getattr(usual, name, None)) is int}
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


def with_parts(kind):
    """Return what is told of a whole whose parts have their defaults; nothing where its text has none."""
    try:
        return inspected({"model_type": kind, **{name: {} for name in LEVELS_OF[kind]}}).summary
    except ConfigError:
        return ""


# Wholes with a part that interpolates its table if asked; the last three have no class of their own, or are a part.
ASKED = {kind: told for kind in LEVELS_OF if OPTION in (told := with_parts(kind))}


@each("kind", sorted(ASKED.keys() - {"shieldgemma2", "t5gemma2", "vision-encoder-decoder"}))
def test_what_cannot_ask_for_another_size_has_no_such_option(kind):
    model = __import__("transformers").AutoModel._model_mapping[quietly()[kind]]
    assert ("cannot ask for that" in ASKED[kind]) is (OPTION not in inspect.signature(model.forward).parameters)
