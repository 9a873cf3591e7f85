"""`pe-lab inspect`: what it prints, and its exit status."""

import io
import json
import re

import pytest
import torch
from safetensors.torch import save_file

from pe_core.lab import __main__ as lab
from pe_core.models import KNOWN
from tests.cases import each


def run(tmp_path, text):
    path = tmp_path / "config.json"
    path.write_bytes(text)
    return lab.main(["inspect", str(path)])


def written(tmp_path, *keys):
    """The paths of the configurations of these models."""
    paths = [tmp_path / f"{key}.json" for key in keys]
    for key, path in zip(keys, paths, strict=True):
        path.write_text(json.dumps(KNOWN[key].config))
    return [str(path) for path in paths]


@each("key", ["llama_3_1_8b", "gemma_3_4b", "deepseek_v3", "gpt_2"])
def test_it_prints_the_sentence_and_the_warnings(key, tmp_path, capsys):
    assert run(tmp_path, json.dumps(KNOWN[key].config).encode()) == 0
    printed = capsys.readouterr().out
    model_type = KNOWN[key].config["model_type"]
    assert f"\n{model_type}" in printed
    assert ("wavelength" in printed) == (model_type != "gpt2")
    assert "The file does not tell:" in printed


def test_a_table_has_the_turns_within_both_lengths(tmp_path, capsys):
    assert lab.main(["inspect", *written(tmp_path, "llama_3_1_8b")]) == 0
    printed = capsys.readouterr().out
    assert "turns in original 8,192" in printed
    assert "turns in claimed 131,072" in printed
    assert "all layers: 64 pairs, of which 25 turn less than once in 131,072 tokens" in printed
    assert "The factor 8" not in printed  # genuine: the rule reads the factor alone


def test_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"model_type": "gpt2"}')))
    assert lab.main(["inspect", "-"]) == 0
    assert capsys.readouterr().out.startswith("A text of 1,024 tokens fits: the table has a row")


@each("text", [b"", b"{", b"\xff", b"[1]", b'{"model_type": "x"}', b"[" * 5_000_000])
def test_a_broken_file_is_one_sentence_and_status_2(text, tmp_path, capsys):
    assert run(tmp_path, text) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert printed.err.count("\n") == 1


def test_the_answer_stands_first(tmp_path, capsys):
    [path] = written(tmp_path, "llama_3_1_8b")
    assert lab.main(["inspect", path, "--length", "200000"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("A text of 200,000 tokens is 24.4 times the original 8,192, and the rule of Llama 3 ")
    assert "The class turns pairs of halves." in printed
    assert "- vLLM 0052a5b: refuses more than 131,072 tokens" in printed
    assert lab.main(["inspect", path, "--length", "200k"]) == 2
    assert "length must be a whole number from 1 to 1,099,511,627,776, got '200k'" in capsys.readouterr().err


def test_json_for_one_and_for_several(tmp_path, capsys):
    names = written(tmp_path, "llama_3_1_8b", "gpt_2")
    assert lab.main(["inspect", names[0], "--length", "100000", "--json", "--language", "zh"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["at_length"]["new_angles"] == [{"kind": "all layers", "new": 29, "pairs": 64}]
    assert told["pair_layout"] == "halves"
    assert lab.main(["inspect", *names, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == names


def test_several_files_side_by_side(tmp_path, capsys):
    names = written(tmp_path, "llama_3_1_8b", "gemma_2_2b", "bloom")
    assert lab.main(["inspect", *names, "--length", "9000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["File", "Model", "Positions"]
    assert "0 of 128 / 28 of 128" in lines[2]
    assert lines[5].startswith(f"{names[0]}: A text of 9,000 tokens is 1.1 times the original 8,192")
    (tmp_path / "bad.json").write_text("{")
    assert lab.main(["inspect", names[0], str(tmp_path / "bad.json"), str(tmp_path / "none.json")]) == 2
    printed = capsys.readouterr()
    assert "llama" in printed.out
    assert "bad.json: the configuration must be JSON" in printed.err
    assert "none.json: " in printed.err
    assert printed.err.count("\n") == 1


def test_a_folder_of_weights(tmp_path, capsys):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "n_positions": 100}')
    save_file({"transformer.wpe.weight": torch.ones(100, 64)}, tmp_path / "model.safetensors")
    assert lab.main(["inspect", str(tmp_path), "--length", "101"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("A text of 101 tokens does not fit: ")
    assert "transformer.wpe.weight: 100 rows of 64 channels, of norm 8 to 8, in the median 8" in printed
    assert "No row looks as if it was never trained." in printed
    assert lab.main(["inspect", str(tmp_path / "model.safetensors"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["weights"]["tables"][0]["cosines"]["1"] == pytest.approx(1)
    assert "summary" not in told


def test_in_chinese_no_sentence_of_ours_stays_english(tmp_path, capsys):
    keys = "llama_3_1_8b gemma_2_2b bloom gpt_2 t5 gpt_j_6b mpt_7b gemma_3_4b deberta_3_base"
    paths = written(tmp_path, *keys.split())
    table = torch.ones(100, 64)
    table[60:] = 0
    save_file(
        {"wpe.weight": table, "a.relative_attention_bias.weight": torch.zeros(32, 2)}, tmp_path / "model.safetensors"
    )
    for files in ([paths[0]], [paths[1]], paths, [str(tmp_path / "model.safetensors")]):
        assert lab.main(["inspect", *files, "--length", "200000", "--language", "zh"]) == 0
        lines = capsys.readouterr().out.replace(str(tmp_path), "").splitlines()
        words = re.compile("tokens|pairs|table| text|length|rows|bias of|channels|Layout|Mean|Engines")
        assert [line for line in lines if words.search(line) and "https://" not in line] == []
