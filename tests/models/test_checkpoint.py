"""Checkpoints: what transformers writes is read, lazily, and nothing outside the folder is."""

import json
import os
import re
import struct
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from pe_core.lab import __main__ as lab
from pe_core.lab.inspection.trained_run import KEPT
from pe_core.models import ConfigError
from pe_core.models.checkpoints.checkpoint import Checkpoint, is_checkpoint, opened
from pe_core.models.checkpoints.trained_positions import pair_norms
from pe_core.models.checkpoints.weights import weights
from pe_core.models.classes import CLASSES
from tests.cases import each
from tests.models.modules import quietly

SMALL = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 5, "intermediate_size": 64, "vocab_size": 50}


@pytest.fixture
def written(tmp_path):
    """Return a function that lets transformers write a model of random weights into a folder."""

    def write(kind, **fields):
        from transformers import AutoModel

        folder = tmp_path / kind
        model = AutoModel.from_config(quietly()[kind](**fields))
        model.save_pretrained(folder)
        return folder, model

    return write


def test_a_learned_table_of_transformers(written):
    folder, model = written("gpt2", n_embd=64, n_head=4, n_layer=1, vocab_size=50, n_positions=40)
    with torch.no_grad():
        model.wpe.weight[:30] = (torch.arange(30)[:, None] * 0.9 ** torch.arange(64)).sin() + 1
        model.wpe.weight[30] = 0
    model.save_pretrained(folder)
    found, measured = weights(opened(folder))
    (table,) = measured.tables
    assert found.model_type == "gpt2"
    assert table.name.endswith("wpe.weight")
    assert (len(table.norms), table.width) == (40, 64)
    assert torch.equal(table.norms, model.wpe.weight.detach().double().norm(dim=-1))
    assert table.untrained == [(30, 39)]
    assert list(table.cosines) == [1, 2, 4, 8, 16, 32]
    assert measured.biases == measured.uses == measured.notes == []


def test_queries_and_keys_of_transformers(written):
    folder, model = written("llama", **SMALL, num_key_value_heads=2, rope_theta=1e4)
    found, measured = weights(opened(folder))
    assert [use.layer for use in measured.uses] == [0, 2, 4]
    for use in measured.uses:
        attention = model.layers[use.layer].self_attn
        assert (use.queries.shape, use.keys.shape) == ((4, 8), (2, 8))
        expected = pair_norms(attention.q_proj.weight.detach(), head_dim=16, n_rotated=16, layout="halves")
        assert torch.equal(use.queries, expected)
        assert not use.normalised
    assert found.groups[0].rotation.head_dim == 16
    folder, _ = written("qwen3", **SMALL, head_dim=16)
    assert weights(opened(folder))[1].uses[0].normalised
    folder, model = written("cohere", **SMALL)
    use = weights(opened(folder))[1].uses[1]
    own = model.layers[2].self_attn.q_proj.weight.detach()
    assert torch.equal(use.queries, pair_norms(own, head_dim=16, n_rotated=16, layout="neighbours"))


@each(("kind", "fields", "name", "end"), [
    ("phi3", {"num_key_value_heads": 2}, "self_attn.qkv_proj", 96),
    ("modernbert", {"cls_token_id": 1, "sep_token_id": 2}, "attn.Wqkv", 128),
])  # fmt: skip
def test_queries_and_keys_in_one_matrix(kind, fields, name, end, written):
    folder, model = written(kind, **SMALL, pad_token_id=0, **fields)
    use = weights(opened(folder))[1].uses[0]
    rows = model.layers[0].get_submodule(name).weight.detach()
    assert torch.equal(use.queries, pair_norms(rows[:64], head_dim=16, n_rotated=16, layout="halves"))
    assert torch.equal(use.keys, pair_norms(rows[64:end], head_dim=16, n_rotated=16, layout="halves"))


GROUPED = {**SMALL, "new_decoder_architecture": True, "num_kv_heads": 2}
LATENT = {**SMALL, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 12, "kv_lora_rank": 20} | {
    "first_k_dense_replace": 5
}


@each(
    ("kind", "fields"),
    [("gpt_neox", SMALL), ("falcon", {**SMALL, "multi_query": False}), ("falcon", SMALL), ("falcon", GROUPED)],
)
def test_queries_and_keys_of_groups_in_one_matrix(kind, fields, written):
    """Falcon itself says which rows are which: its weights, as if they were the outputs of 64 tokens, are split."""
    folder, model = written(kind, **fields)
    found, measured = weights(opened(folder))
    use, rotation = measured.uses[0], found.groups[0].rotation
    if kind == "gpt_neox":
        rows = model.layers[0].attention.query_key_value.weight.detach().view(4, 3, 16, 64)
        q, k = rows[:, 0], rows[:, 1]
    else:
        attention = model.h[0].self_attention
        split = attention._split_heads(attention.query_key_value.weight.detach().T[None])
        q, k = (one[0].permute(1, 2, 0) for one in split[:2])
        k = k[:: len(k) // len(use.keys)]  # each key stands there for all queries of its group
    expected = {"head_dim": 16, "n_rotated": rotation.n_rotated, "layout": "halves"}
    assert len(measured.uses) == 3
    assert torch.allclose(use.queries, pair_norms(q.flatten(0, 1), **expected))
    assert torch.allclose(use.keys, pair_norms(k.flatten(0, 1), **expected))


@each(("kind", "layout", "rank"), [
    ("deepseek_v3", "neighbours", 24),
    ("deepseek_v3", "neighbours", None),
    ("deepseek_v2", "neighbours", None),
    ("minicpm3", "halves", 24),
])  # fmt: skip
def test_the_part_of_latent_attention_that_turns(kind, layout, rank, written):
    fields = {**LATENT, "q_lora_rank": rank, "pad_token_id": 0}
    folder, model = written(kind, **fields)
    use = weights(opened(folder))[1].uses[0]
    attention = model.layers[0].self_attn
    name = "q_proj" if rank is None else "q_b_proj"
    rows = getattr(attention, name).weight.detach().view(4, 24, -1)[:, 16:]
    expected = {"head_dim": 8, "n_rotated": 8, "layout": layout}
    assert torch.equal(use.queries, pair_norms(rows.flatten(0, 1), **expected))
    key = attention.kv_a_proj_with_mqa.weight.detach()[20:]
    assert torch.equal(use.keys, pair_norms(key, **expected))
    assert use.keys.shape == (1, 4)


@each("kind", ["falcon", "dbrx"])
def test_the_layout_of_classes_that_are_not_run_is_that_of_their_source(kind):
    source = __import__(f"transformers.models.{kind}.modeling_{kind}", fromlist=["x"])
    one = torch.zeros(1, 1, 1, 8)
    one[..., 1] = 1.0
    moved = source.rotate_half(one).nonzero()[:, -1].tolist()
    assert CLASSES[kind].pairs == {5: "halves", 0: "neighbours"}[moved[0]]


def test_biases_of_t5_and_swin_as_trained(written):
    folder, model = written("t5", d_model=32, d_kv=16, num_heads=2, num_layers=2, d_ff=32, vocab_size=50)
    found, measured = weights(opened(folder))
    assert found.mechanism == "buckets"
    by_name = {bias.name.split(".")[0]: bias for bias in measured.biases}
    assert set(by_name) == {"encoder", "decoder"}
    own = model.decoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight.detach().double()
    assert by_name["decoder"].places == [0, 1, 2, 4, 8, 16, 32, 64, 128]
    assert torch.equal(by_name["decoder"].values[:4], own[[0, 1, 2, 4]])
    assert torch.equal(by_name["decoder"].values[-1], own[31])
    assert by_name["encoder"].places[0] == -128
    both = model.encoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight.detach().double()
    assert torch.equal(by_name["encoder"].values[0], both[31])  # the farthest key after the query
    folder, model = written("swin", embed_dim=8, depths=[1], num_heads=[2], window_size=4, image_size=32)
    checkpoint = opened(folder)
    (bias,) = weights(Checkpoint(None, checkpoint.tensors))[1].biases
    assert (bias.of, bias.places, bias.values.shape) == ("ring", [0, 1, 2, 3], (4, 2))
    table = next(value for name, value in model.state_dict().items() if name.endswith("relative_position_bias_table"))
    assert torch.equal(bias.values[0], table[24].double())


def test_only_what_is_asked_for_is_read(written, monkeypatch):
    folder, _ = written("llama", **SMALL)
    read, own = [], Checkpoint.read
    monkeypatch.setattr(Checkpoint, "read", lambda self, name, *rows: (read.append(name), own(self, name, *rows))[1])
    weights(opened(folder))
    assert len(read) == 6
    assert all(re.search(r"layers\.[024]\.self_attn\.[qk]_proj\.weight$", name) for name in read)


def test_a_model_that_comes_with_the_package():
    checkpoint = opened(KEPT)
    assert {name.split("/")[0] for name in checkpoint.tensors} == {"alibi", "none", "rope", "sinusoidal"}
    name = "rope/blocks.0.attention.qkv.weight"
    assert torch.equal(checkpoint.read(name), load_file(KEPT)[name])
    found, measured = weights(checkpoint)
    assert found is None
    assert measured.tables == measured.biases == measured.uses == []


def test_shards_of_an_index(written, capsys):
    folder, model = written("llama", **SMALL)
    model.save_pretrained(folder, max_shard_size="50KB")
    (folder / "model.safetensors").unlink()
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    assert len(weights(opened(folder))[1].uses) == 3
    next(folder.glob("model-*.safetensors")).unlink()
    assert lab.main(["inspect", str(folder)]) == 2
    assert "a file of the folder must be there, got" in capsys.readouterr().err


def refused(folder, rule):
    """Assert that a folder is refused in one sentence with this rule."""
    with pytest.raises(ConfigError) as error:
        weights(opened(folder))
    assert rule in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


@pytest.fixture
def folder(tmp_path):
    """Return an empty folder beside a file of weights that is none of its business."""
    inner = tmp_path / "inner"
    inner.mkdir()
    save_file({"wpe.weight": torch.zeros(4, 4)}, tmp_path / "outside.safetensors")
    (tmp_path / "outside.json").write_text('{"model_type": "gpt2"}')
    return inner


@each("name", ["../outside.safetensors", "/etc/passwd", "a/../../outside.safetensors", "..", "", "a\\b", "x\0y"])
def test_an_index_names_nothing_outside(name, folder):
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"wpe.weight": name}}))
    refused(folder, "a file of the folder must lie in the folder itself, and be no link out of it, got")


def test_links_lead_nowhere(folder):
    link = folder / "model.safetensors"
    link.symlink_to("../outside.safetensors")
    refused(folder, "a file of the folder must lie in the folder itself, and be no link out of it")
    link.unlink()
    (folder / "config.json").symlink_to("../outside.json")
    refused(folder, "and be no link out of it, got")
    (folder / "config.json").unlink()
    link.symlink_to("model.safetensors")  # to itself
    refused(folder, "a file of the folder must be there, got")
    link.unlink()
    save_file({"wpe.weight": torch.zeros(4, 4)}, folder / "real.safetensors")
    link.symlink_to("real.safetensors")
    assert len(opened(folder).tensors) == 1
    os.mkfifo(folder / "model.safetensors.index.json")
    refused(folder, "must lie in the folder itself, and be no link out of it")


@each(
    "content",
    [b"", b"\0" * 7, struct.pack("<Q", 2**62), struct.pack("<Q", 10) + b"{" * 10, b"{}" * 1000, b"PK\3\4" * 9],
)  # fmt: skip
def test_a_file_that_is_none_is_a_sentence(content, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    refused(path, "model.safetensors must be a file of safetensors, got another (")
    refused(tmp_path, "model.safetensors must be a file of safetensors, got another (")


@each("content", [b"", b"[]", b"{}", b'{"weight_map": 3}', b'{"weight_map": {"a": 3}}', b"\xff", b"[" * 10**6])
def test_an_index_that_is_none_is_a_sentence(content, tmp_path):
    (tmp_path / "model.safetensors.index.json").write_bytes(content)
    refused(tmp_path, "model.safetensors.index.json must be JSON with an object weight_map of names of files")


def test_an_empty_folder_and_one_tensor_in_two_files(folder):
    refused(folder, "the folder must have a config.json or a file that ends in .safetensors, got inner")
    for name in ("a", "b"):
        save_file({"wpe.weight": torch.zeros(4, 4)}, folder / f"{name}.safetensors")
    refused(folder, "wpe.weight must lie in one file, got a.safetensors and b.safetensors")


def test_shapes_that_do_not_fit_are_told(folder):
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", **SMALL}))
    names = [f"model.layers.0.self_attn.{which}_proj.weight" for which in "qk"]
    save_file({name: torch.zeros(63, 64) for name in names}, folder / "model.safetensors")
    refused(folder, "layer 0: rows must be a multiple of the width of a head (16), got 63")
    save_file({name: torch.zeros(64, 64, dtype=torch.int8) for name in names}, folder / "model.safetensors")
    (note,) = weights(opened(folder))[1].notes
    assert note == "Queries and keys of layer 0 are no matrices of real numbers, and are not read."
    save_file({names[0]: torch.zeros(64, 64)}, folder / "model.safetensors")  # and no keys
    assert weights(opened(folder))[1].notes == [note]
    fused = {"model.layers.0.self_attn.qkv_proj.weight": torch.zeros(48, 64)}
    save_file(fused, folder / "model.safetensors")
    refused(folder, "layer 0: rows must be those of 4 heads of queries, and of keys and values, got 48")
    save_file(
        {"a.relative_position_bias_table": torch.zeros(172, 2), "relative_attention_bias.weight": torch.zeros(3, 2)},
        folder / "model.safetensors",
    )
    notes = weights(opened(folder))[1].notes
    names = "q_proj, q_b_proj, qkv_proj, Wqkv, query_key_value"
    assert notes[-1] == f"No tensor of a layer that turns is called {names}: queries and keys are not read."
    assert notes[0] == "relative_attention_bias.weight has 3 buckets, and is not read."
    assert notes[1].startswith("a.relative_position_bias_table has 172 rows, no square of an odd number")


def test_a_long_index_is_read_and_a_configuration_of_ten_megabytes_refused(folder):
    names = {f"model.layers.{i}.experts.{i}.weight": "model.safetensors" for i in range(20_000)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    save_file({"wpe.weight": torch.zeros(4, 4)}, folder / "model.safetensors")
    assert list(opened(folder).tensors) == ["wpe.weight"]
    (folder / "config.json").write_text('{"a": "' + "x" * 10**7 + '"}')
    with pytest.raises(ConfigError, match=r"the configuration must have at most 10,000,000 characters, got more"):
        weights(opened(folder))


def test_what_counts_as_a_checkpoint(tmp_path):
    assert is_checkpoint(tmp_path)
    assert is_checkpoint(Path("a.safetensors"))
    assert not is_checkpoint(Path("config.json"))
