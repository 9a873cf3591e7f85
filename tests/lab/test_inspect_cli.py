"""`pe-lab inspect`: what it prints, and its exit status."""

import io
import json

import pytest

from pe_core.lab import __main__ as lab
from pe_core.models import KNOWN


def run(tmp_path, text):
    path = tmp_path / "config.json"
    path.write_bytes(text)
    return lab.main(["inspect", str(path)])


@pytest.mark.parametrize("key", ["llama_3_1_8b", "gemma_3_4b", "deepseek_v3", "gpt_2"])
def test_it_prints_the_sentence_and_the_warnings(key, tmp_path, capsys):
    assert run(tmp_path, json.dumps(KNOWN[key].config).encode()) == 0
    printed = capsys.readouterr().out
    model_type = KNOWN[key].config["model_type"]
    assert printed.startswith(model_type)
    assert ("wavelength" in printed) == (model_type != "gpt2")
    assert "The file does not tell:" in printed


def test_a_table_has_the_turns_within_both_lengths(tmp_path, capsys):
    assert run(tmp_path, json.dumps(KNOWN["llama_3_1_8b"].config).encode()) == 0
    printed = capsys.readouterr().out
    assert "turns in trained 8,192" in printed
    assert "turns in claimed 131,072" in printed
    assert "all layers: 64 pairs, of which 25 turn less than once in 131,072 tokens" in printed
    assert "- The factor 8 is not 131,072 / 8,192 = 16." in printed


def test_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"model_type": "gpt2"}')))
    assert lab.main(["inspect", "-"]) == 0
    assert capsys.readouterr().out.startswith("gpt2 adds a learned vector for each of 1,024 positions, a hard limit.")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[1]", b'{"model_type": "x"}', b"[" * 5_000_000])
def test_a_broken_file_is_one_sentence_and_status_2(text, tmp_path, capsys):
    assert run(tmp_path, text) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert printed.err.count("\n") == 1


def test_a_file_that_is_not_there_is_status_2(tmp_path, capsys):
    assert lab.main(["inspect", str(tmp_path / "none.json")]) == 2
    assert "Traceback" not in capsys.readouterr().err
