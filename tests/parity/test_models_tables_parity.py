"""How many rows tables of positions have: what is read, held against models that transformers builds without memory."""

import importlib
import re

import pytest

from pe_core.models import inspected
from pe_core.models.others import LIKE_ROBERTA, LIKE_XL, OTHERS, TABLES
from tests.models.modules import made, quietly, read
from tests.models.tried import model_class
from tests.parity import oracle

SINUSOIDS = [
    "marian",
    "pegasus",
    "m2m_100",
    "nllb-moe",
    "xglm",
    "fsmt",
    "roformer",
    "ctrl",
    "kosmos_2_text_model",
    "musicgen_melody_decoder",
]
ROWS = re.compile(r"([\d,]+) (?:rows(?! of)|patches;)")
IMAGES = [
    kind
    for kind in OTHERS
    if kind not in ("idefics_vision", "vitdet")  # in a module of another name; with a row that no patch takes
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


@pytest.mark.parametrize("kind", [*TEXTS, *SINUSOIDS])
def test_the_rows_of_a_table_of_positions(classes, kind):
    length = inspected({"model_type": kind}).claimed_length
    assert {length, length + 2} & sizes(classes, kind)
    assert (kind in (f"{LIKE_ROBERTA} {LIKE_XL}").split()) <= (length + 2 in sizes(classes, kind))


@pytest.mark.parametrize("kind", IMAGES)
def test_the_rows_of_a_table_of_patches(classes, kind):
    told = [int(one.replace(",", "")) for one in ROWS.findall(inspected({"model_type": kind}).summary)]
    assert set(told) & sizes(classes, kind), told


def test_the_table_of_vitdet_is_that_of_the_images_of_pretraining(classes):
    told = inspected({"model_type": "vitdet", "image_size": 1024}).summary
    assert "14 x 14 patches" in told
    assert 14 * 14 + 1 in sizes(classes, "vitdet")


def run(kind, length, **fields):
    """Run a small text model with a table of 24 rows on so many tokens."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    small = {"hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    if kind == "luke":
        small |= {"entity_vocab_size": 8, "entity_emb_size": 48}  # of half a million rows by default
    config = transformers.CONFIG_MAPPING[kind](vocab_size=40, max_position_embeddings=24, **small, **fields)
    with torch.no_grad():
        return model_class(transformers, config)(config).eval()(input_ids=torch.full((1, length), 5))


@pytest.mark.parametrize(
    ("kind", "fields"), [("luke", {}), ("luke", {"pad_token_id": 0}), ("lilt", {}), ("esm", {"pad_token_id": 1})]
)
def test_a_table_that_counts_from_behind_the_padding_token(kind, fields):
    length = inspected({"model_type": kind, "max_position_embeddings": 24, **fields}).claimed_length
    run(kind, length, **fields)
    with pytest.raises(IndexError):
        run(kind, length + 1, **fields)


def sees(kind, size, **fields):
    """Run a small model of films on one of this size."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    small = {"hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.CONFIG_MAPPING[kind](num_frames=2, **small)
    more = {"interpolate_pos_encoding": True} if kind == "vivit" else {}
    with torch.no_grad():
        return model_class(transformers, config)(config).eval()(pixel_values=torch.zeros(1, 2, 3, *size), **more)


def test_films_of_another_size():
    oracle("transformers")
    told = inspected({"model_type": "timesformer"}).summary
    assert "unless the number of patches is a multiple of 14; learned vectors of 8 frames are added" in told
    sees("timesformer", (256, 224))
    with pytest.raises(RuntimeError):
        sees("timesformer", (256, 256))
    assert inspected({"model_type": "vivit"}).summary.endswith("another size is refused.")
    with pytest.raises(RuntimeError):
        sees("vivit", (256, 256))


def test_offsets_of_swin(classes):
    assert "169 offsets" in inspected({"model_type": "swin"}).summary
    assert 169 in sizes(classes, "swin")


@pytest.mark.parametrize("kind", ["jamba", "kimi_linear", "mamba", "mamba2", "nemotron_h", "rwkv", "zamba"])
def test_models_without_an_encoding_have_no_tensor_of_one(classes, kind):
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    config = made(classes[kind])
    with torch.device("meta"):
        model = model_class(transformers, config)(config)
    named = [name for name, _ in (*model.named_parameters(), *model.named_buffers())]
    assert not any(re.search(r"rotary|inv_freq|position|pos_emb|relative", name) for name in named)
