"""`pe-lab inspect`: what it prints, and its exit status."""

import io
import json

import pytest
import torch
from safetensors.torch import save_file

from pe_core.lab import __main__ as lab
from pe_core.models import KNOWN
from tests.cases import each


def written(tmp_path, *keys):
    """The paths of the configurations of these models."""
    paths = [tmp_path / f"{key}.json" for key in keys]
    for key, path in zip(keys, paths, strict=True):
        path.write_text(json.dumps(KNOWN[key].config))
    return [str(path) for path in paths]


def printed(capsys, *arguments):
    """What the command prints when all goes well."""
    assert lab.main(["inspect", *arguments]) == 0
    return capsys.readouterr().out


def test_the_answer_stands_first_and_a_table_has_the_turns_within_both_lengths(tmp_path, capsys):
    [path] = written(tmp_path, "llama_3_1_8b")
    text = printed(capsys, path, "--length", "200000")
    assert text.startswith("A text of 200,000 tokens is 24.4 times the original 8,192, and the rule of Llama 3 ")
    assert "\n\nllama" in text
    assert "The class turns pairs of halves." in text
    assert "wavelength" in text
    assert "turns in original 8,192" in text
    assert "turns in claimed 131,072" in text
    assert "all layers: 64 pairs, of which 25 turn less than once in 131,072 tokens" in text
    assert "- vLLM 0052a5b: refuses more than 131,072 tokens" in text
    assert "The file does not tell:" in text
    assert "The factor 8" not in text  # genuine: the rule reads the factor alone
    assert printed(capsys, path).startswith("A text of 131,072 tokens is ")
    assert lab.main(["inspect", path, "--length", "200k"]) == 2
    assert "length must be a whole number from 1 to 1,099,511,627,776, got '200k'" in capsys.readouterr().err


def test_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"model_type": "gpt2"}')))
    text = printed(capsys, "-")
    assert text.startswith("A text of 1,024 tokens fits: the table has a row")
    assert "wavelength" not in text  # nothing is turned


@each("text", [b"", b"{", b"\xff", b"[1]", b'{"model_type": "x"}', b"[" * 5_000_000])
def test_a_broken_file_is_one_sentence_and_status_2(text, tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_bytes(text)
    assert lab.main(["inspect", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: ")
    assert shown.err.count("\n") == 1


def test_json_for_one_and_for_several(tmp_path, capsys):
    names = written(tmp_path, "llama_3_1_8b", "gpt_2")
    told = json.loads(printed(capsys, names[0], "--length", "100000", "--json", "--language", "zh"))
    assert told["at_length"]["new_angles"] == [{"kind": "all layers", "new": 29, "pairs": 64}]
    assert told["pair_layout"] == "halves"
    assert list(json.loads(printed(capsys, *names, "--json"))) == names


def test_several_files_side_by_side(tmp_path, capsys):
    names = written(tmp_path, "llama_3_1_8b", "gemma_2_2b", "bloom")
    lines = printed(capsys, *names, "--length", "9000").splitlines()
    assert lines[0].split()[:3] == ["File", "Model", "Positions"]
    assert "0 of 128 / 28 of 128" in lines[2]
    assert lines[5].startswith(f"{names[0]}: A text of 9,000 tokens is 1.1 times the original 8,192")
    (tmp_path / "bad.json").write_text("{")
    assert lab.main(["inspect", names[0], str(tmp_path / "bad.json"), str(tmp_path / "none.json")]) == 2
    shown = capsys.readouterr()
    assert "llama" in shown.out
    assert "bad.json: the configuration must be JSON" in shown.err
    assert "none.json: " in shown.err
    assert shown.err.count("\n") == 1


def test_a_folder_of_weights(tmp_path, capsys):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "n_positions": 100}')
    save_file({"transformer.wpe.weight": torch.ones(100, 64)}, tmp_path / "model.safetensors")
    text = printed(capsys, str(tmp_path), "--length", "101")
    assert text.startswith("A text of 101 tokens does not fit: ")
    assert "transformer.wpe.weight: 100 rows of 64 channels, of norm 8 to 8, in the median 8" in text
    assert "No row looks as if it was never trained." in text
    told = json.loads(printed(capsys, str(tmp_path / "model.safetensors"), "--json"))
    assert told["weights"]["tables"][0]["cosines"]["1"] == pytest.approx(1)
    assert "summary" not in told
