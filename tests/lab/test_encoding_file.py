"""An encoding from a Python file: trained by the command line beside the registry, and refused with a sentence."""

from pathlib import Path

import pytest
import torch

from pe_core.encodings import ENCODINGS, PositionalEncoding
from pe_core.lab import __main__ as lab
from pe_core.lab.command_line import beside_the_registry, read_encoding
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.run_hash import run_hash
from tests.cases import each, refuses

EXAMPLE = (
    (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text(encoding="utf-8").split("```python\n")[2].split("```")[0]
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "square_root.py"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def test_the_example_of_the_architecture_is_in_a_model(file):
    with beside_the_registry(file):
        config = RunConfig(("square_root",), train_length=16, d_model=16, n_layers=1, steps=50, batch_size=8)
        model = build_model(config, "square_root", built_in())
        logits = model(torch.arange(16)[None])
        bias = -0.5 * (torch.arange(16)[:, None] - torch.arange(16)).abs().sqrt()
        q = torch.zeros(1, 4, 16, 4)
        assert torch.allclose(model.encoding.bias(q, q, torch.arange(16)), bias)
        assert not torch.equal(logits, model(torch.arange(16)[None], encoding=PositionalEncoding()))
    assert "square_root" not in ENCODINGS


def test_the_command_line_knows_it_as_long_as_it_runs(file, tmp_path, monkeypatch, capsys):
    asked = []

    def run(config, learned, device, say):
        asked.append((config.encodings, ENCODINGS["square_root"].title))
        raise ValueError("enough")

    monkeypatch.setattr(lab, "run", run)
    arguments = ["--encoding-file", str(file), "--encodings", "square_root", "alibi", "--out", str(tmp_path / "run")]
    assert lab.main(arguments) == 2
    assert asked == [(("square_root", "alibi"), "Square root")]
    assert capsys.readouterr().err == "error: enough\n"
    assert "square_root" not in ENCODINGS


def test_the_hash_of_its_runs_depends_on_the_file(file):
    hashes = []
    for source in (EXAMPLE, EXAMPLE.replace("sqrt()", "sqrt() / 2"), EXAMPLE):
        file.write_text(source, encoding="utf-8")
        with beside_the_registry(file):
            hashes.append(run_hash(RunConfig(("square_root",)), text_facts(built_in())))
    assert hashes[0] == hashes[2] != hashes[1]


@each(
    ("code", "message"),
    [
        ("", "encoding_file must have an EncodingSpec called SPEC, got {path}"),
        ("SPEC = 1", "encoding_file must have an EncodingSpec called SPEC, got {path}"),
        ("hello", "encoding_file must run without an error, got NameError: name 'hello' is not defined"),
        ("1/0", "encoding_file must run without an error, got ZeroDivisionError: division by zero"),
        ("from pe_core.encodings.alibi import SPEC", "encoding_file must have a key that is not taken, got alibi"),
        (
            "import dataclasses\nfrom pe_core.encodings import alibi\nSPEC = dataclasses.replace(alibi.SPEC, key='x')",
            "encoding_file must make its encoding with its own function, got a function of pe_core.encodings.alibi",
        ),
    ],
)
def test_another_file_is_refused(code, message, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(code, encoding="utf-8")
    refuses(lambda: read_encoding(path), message.format(path=path))


def test_no_file(tmp_path, capsys):
    assert lab.main(["--encoding-file", str(tmp_path / "none.py")]) == 2
    assert "No such file" in capsys.readouterr().err
