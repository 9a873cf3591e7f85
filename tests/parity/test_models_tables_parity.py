"""How many rows tables of positions have: what is read, held against models that transformers builds without memory."""

import importlib
import re

import pytest

from pe_core.models import inspected
from pe_core.models.others import LIKE_ROBERTA, LIKE_XL, OTHERS, TABLES
from tests.cases import each
from tests.models.modules import made, quietly, read
from tests.models.tried import model_class
from tests.parity import oracle

SINUSOIDS = [
    "marian", "pegasus", "m2m_100", "nllb-moe", "xglm", "fsmt", "roformer", "ctrl", "kosmos_2_text_model",
    "musicgen_melody_decoder",
]  # fmt: skip
ROWS = re.compile(r"(?<!x )\b([\d,]+) (?:rows(?! of)|patches;)")
# Their part of images has no model of its own in transformers, or needs a package; that of vitdet has a row more.
SAM = ("got_ocr2_vision", "slanext_vision", "deepseek_ocr2_sam_vision_model", "unlimited_ocr_sam_vision_model")
NO_TENSOR = ("eomt", "idefics_vision", "vitdet", *SAM)
IMAGES = [
    kind
    for kind in OTHERS
    if kind not in NO_TENSOR
    and re.search(r"learned vector.* patches", told := inspected({"model_type": kind}).summary)
    and ROWS.search(told)
]
TEXTS = [kind for kinds in TABLES.values() for kind in kinds.split()] + LIKE_ROBERTA.split() + LIKE_XL.split()
DEPTHS = ("num_hidden_layers", "encoder_layers", "decoder_layers", "n_layers", "num_layers", "n_layer")


@pytest.fixture(scope="module")
def classes():
    oracle("transformers")
    return quietly()


def sizes(classes, kind):
    """The sizes of all tensors of a model by default whose name speaks of positions."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    config = made(classes[kind])
    for name in DEPTHS:
        if isinstance(read(config, name), int):
            setattr(config, name, 1)
    with torch.device("meta"):
        model = model_class(transformers, config)(config)
    tensors = [*model.named_parameters(), *model.named_buffers()]
    return {size for name, one in tensors if "pos" in name for size in one.shape}


@each("kind", [*TEXTS, *SINUSOIDS])
def test_the_rows_of_a_table_of_positions(classes, kind):
    length = inspected({"model_type": kind}).claimed_length
    assert {length, length + 2} & sizes(classes, kind)
    assert (kind in (f"{LIKE_ROBERTA} {LIKE_XL}").split()) <= (length + 2 in sizes(classes, kind))


@each("kind", IMAGES)
def test_the_rows_of_a_table_of_patches(classes, kind):
    told = [int(one.replace(",", "")) for one in ROWS.findall(inspected({"model_type": kind}).summary)]
    assert set(told) & sizes(classes, kind), told


def test_offsets_of_swin(classes):
    assert "169 offsets" in inspected({"model_type": "swin"}).summary
    assert 169 in sizes(classes, "swin")
