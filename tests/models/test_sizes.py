"""Widths and heads that are said are those of the classes: of their defaults, and of what a file has in their place."""

import json

import pytest

from pe_core.models import inspected
from tests.cases import each
from tests.models import make_sizes
from tests.models.make_classes import text
from tests.models.make_parts import built
from tests.models.modules import made, quietly
from tests.parity import oracle

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
KEPT = json.loads(make_sizes.TARGET.read_text(encoding="utf-8"))
TOLD = "its vectors of positions have"


def test_the_file_is_of_the_version_that_is_installed_and_as_it_is_written():
    assert oracle("transformers").__version__ == KEPT["transformers"]
    assert make_sizes.TARGET.read_text(encoding="utf-8") == text(KEPT)
    assert len(KEPT["sizes"]) >= 150


@each("kind", ["albert", "bart", "distilbert", "gpt2", "swin", "t5", "vit", "whisper", "xlm"])
def test_the_facts_are_as_they_are_made(kind):
    assert json.loads(json.dumps(make_sizes.facts(quietly()[kind]))) == KEPT["sizes"][kind]


@each(
    ("kind", "fields", "name"),
    [
        ("albert", {"embedding_size": 96}, "position_embeddings"),
        ("electra", {"embedding_size": 96}, "position_embeddings"),
        ("bert", {"hidden_size": 96}, "position_embeddings"),
        ("bart", {"d_model": 96}, "embed_positions"),
        ("opt", {"hidden_size": 96}, "embed_positions"),
        ("gpt2", {"n_embd": 96}, "wpe"),
        ("xlm", {"emb_dim": 96}, "position_embeddings"),
        ("vit", {"hidden_size": 96}, "position_embeddings"),
        ("whisper", {"d_model": 96}, "embed_positions"),
        ("time_series_transformer", {"d_model": 96, "prediction_length": 8}, "embed_positions"),
    ],
)
def test_tables_have_the_width_that_is_said(kind, fields, name):
    tables = [*(module := built(made(quietly()[kind], **fields))).named_parameters(), *module.named_buffers()]
    assert {one.shape[-1] for path, one in tables if name in path and one.dim() > 1} == {96}
    assert f"{TOLD} 96 channels" in inspected({"model_type": kind, **fields}).summary


@each(
    "config",
    [
        {"architectures": ["BertModel"], "max_position_embeddings": 96},
        {"architecture": "vit_giant_patch14_224", "input_size": [3, 224, 224]},
        {"model_type": "bert-base-uncased"},
    ],
)
def test_of_what_is_only_guessed_no_width_of_a_class_is_said(config):
    assert TOLD not in inspected(config).summary
