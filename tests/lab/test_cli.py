"""The lab on the command line: files that agree with each other, one line for bad input, encodings in files."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import vl_convert

from pe_core.chapters.lab import length_losses
from pe_core.encodings import ENCODINGS, PositionalEncoding
from pe_core.lab import __main__ as cli
from pe_core.lab.command_line import beside_the_registry
from pe_core.lab.experiment.datasets import built_in, from_bytes
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model
from pe_core.lab.queue import job
from pe_core.lab.results import record_file, table
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps import pool
from tests.cases import each, refuses
from tests.lab.running import alone
from tests.lab.task_answers import suited

ROOT = Path(__file__).parents[2]
SMALL = ["--train-length", "16", "--d-model", "16", "--n-heads", "1", "--n-layers", "1", "--steps", "50"]
CONFIG = RunConfig(("none", "alibi"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, seed=5)
RUN = [*SMALL, "--encodings", "none", "alibi", "--seed", "5"]
TEXT = "it was the best of times, it was the worst of times, "


@pytest.fixture(scope="module")
def own_text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "größe.txt"
    path.write_text(TEXT * 120 + "é", encoding="utf-8")
    return path


def read_text(path, split=0):
    return from_bytes(path.read_bytes(), name=path.name, split=split)


@pytest.fixture(scope="module")
def done(own_text, tmp_path_factory):
    """A tiny run: its exit status, what it printed, and its files."""
    out = tmp_path_factory.mktemp("run") / "deep" / "down" / "tiny.run"
    printed = io.StringIO()
    with redirect_stdout(printed):
        url = f"sqlite:///{tmp_path_factory.mktemp('store')}/lab.sqlite"
        status = cli.main([*RUN, "--text", str(own_text), "--store", url, "--out", str(out)])
    files = {path.suffix: path for path in out.parent.iterdir()}
    return SimpleNamespace(status=status, out=out, url=url, printed=printed.getvalue().splitlines(), files=files)


@pytest.fixture(scope="module")
def record(done):
    return record_file.from_json(done.files[".json"].read_text(encoding="utf-8"))


def test_it_writes_the_run_that_was_asked_for_in_three_files_and_nothing_else(done, record, own_text):
    assert done.status == 0
    assert sorted(path.name for path in done.files.values()) == ["tiny.run.csv", "tiny.run.json", "tiny.run.png"]
    assert done.printed[-3:] == [f"wrote {done.out}{suffix}" for suffix in (".json", ".csv", ".png")]
    assert (record.config, record.text.name) == (CONFIG, "größe.txt")
    assert record.text.characters == len(TEXT) * 120 + 1
    curves, outcomes = alone(CONFIG, read_text(own_text))
    expected = replace(record, curves=curves, outcomes=outcomes)
    assert record_file.to_json(record) == record_file.to_json(expected)
    assert done.files[".csv"].read_text(encoding="utf-8") == record_file.to_csv(expected)
    spec = {**length_losses(expected).standalone(), "width": 640, "height": 380}
    assert done.files[".png"].read_bytes() == vl_convert.vegalite_to_png(spec, scale=2)


def test_the_printed_table_has_a_row_for_each_encoding_in_columns(done, record):
    lines = done.printed[: 1 + len(record.outcomes)]
    assert re.split(r"  +", lines[0].strip()) == list(table.rows(record)[0])
    assert len({len(line) for line in lines}) == 1


@pytest.fixture
def asked(monkeypatch):
    """Runs are noted with what is learned, and not trained: they fail."""
    asked = []
    monkeypatch.setattr(cli, "under_bar", lambda _, runs, say: asked.extend(runs.values()) or 1 / 0)
    monkeypatch.setattr(cli, "train_long", lambda config, learned, *_: asked.append((config, learned)) or 1 / 0)
    return asked


@each(
    ("options", "config"),
    [
        ("", RunConfig()),
        ("--encodings none --mask sinks --remap randomised", RunConfig(("none",), mask="sinks", remap="randomised")),
        ("--size paper --d-model 1024 --n-layers 16", RunConfig(d_model=1_024, n_layers=16)),
        ("--task addition", RunConfig(**suited("addition"))),
        ("--task addition --steps 50 --n-heads 1", RunConfig(**{**suited("addition"), "steps": 50, "n_heads": 1})),
    ],
)
def test_a_run_is_the_default_one_or_that_of_its_task_but_for_what_is_told(
    options, config, asked, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ZeroDivisionError):
        cli.main(options.split())
    assert asked[-1] == (config, TASKS["addition"] if "addition" in options else built_in())
    assert cli.parser().parse_args([]).out == Path("runs/run")


def test_a_store_keeps_it_for_the_page(done, record):
    kept = RunStore(done.url).get(run_hash(record.config, record.text))
    assert record_file.to_json(kept) == record_file.to_json(record)


def test_another_text_and_another_split_can_be_learned(own_text):
    def learned(*options):
        return cli.dataset(cli.parser().parse_args(options))

    assert learned("--text", "program", "--split", "2") is built_in("program", 2)
    assert learned("--split", "4") is built_in("built-in", 4)
    own = learned("--text", str(own_text), "--split", "4")
    assert own.sha256 == read_text(own_text, 4).sha256 != read_text(own_text).sha256
    refuses(lambda: learned("--split", "5"), "split must be a whole number from 0 to 4, got '5'")
    with pytest.raises(ValueError, match=r"^split must be left out with a task, which has none, got 2$"):
        learned("--task", "copy", "--split", "2")


BAD = {
    "unknown encoding": (["--encodings", "rope", "nope"], rf"encodings must be among {', '.join(ENCODINGS)}, got nope"),
    "off step": (["--d-model", "17"], r"d_model must be a whole number from 16 to 256 in steps of 16, got '17'"),
    "larger than a small model": (["--d-model", "1024"], r"d_model must be a whole number from 16 to 256 in .*"),
    "no such text": (["--text", "{here}/nowhere.txt"], r".*No such file or directory.*{here}/nowhere\.txt.*"),
    "no such encoding file": (["--encoding-file", "{here}/none.py"], r".*No such file or directory.*"),
    "unknown task": (["--task", "nope"], rf"task must be one of {', '.join(TASKS)}, got nope"),
    "folder as text": (["--text", "{here}"], r".*[Ii]s a directory.*{here}.*"),
    "text not UTF-8": (["--text", "{here}/latin1.txt"], r"text must be UTF-8, got byte 0xe9 at position 6,000"),
    "text short for the length": (
        ["--text", "{here}/middling.txt", "--train-length", "256"],
        r"text must have at least 10,245 characters, to be evaluated at length 2,048, got 6,360",
    ),
    "out below a file": (["--out", "{here}/short.txt/run"], r".*{here}/short\.txt.*"),
    "out is a folder": (["--out", "{here}/taken"], r".*{here}/taken\.csv.*"),
    "out without a name": (["--out", ""], r".+"),
}


@each("name", BAD)
def test_bad_input_is_one_line_and_leaves_nothing(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli.Trainer, "submit", lambda *_: pytest.fail("trained before looking"))
    (tmp_path / "short.txt").write_text("cats")
    (tmp_path / "latin1.txt").write_bytes(b"catnip" * 1_000 + b"\xe9")
    (tmp_path / "middling.txt").write_text(TEXT * 120)
    (tmp_path / "taken.csv").mkdir(exist_ok=True)
    before = files(tmp_path)
    arguments, message = BAD[name]
    arguments = [argument.replace("{here}", str(tmp_path)) for argument in arguments]
    assert cli.main([*SMALL, "--encodings", "none", *arguments]) == 2
    error = capsys.readouterr().err.rstrip("\n").split("\n")[-1].split("\r")[-1]
    assert re.fullmatch("error: " + message.replace("{here}", re.escape(str(tmp_path))), error)
    assert files(tmp_path) == before


def files(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def test_a_failed_run_is_an_error_and_an_interrupted_one_not_and_both_leave_nothing(tmp_path, monkeypatch, capsys):
    def fail(config, encoding, text, device, glanced):
        raise RuntimeError("out of memory")
        yield

    def interrupt(seconds):
        raise KeyboardInterrupt

    long = [*RUN, "--steps", "5000", "--out", str(tmp_path / "run")]
    with monkeypatch.context() as failing:
        failing.setattr(job, "run_encoding", fail)
        assert cli.main(long) == 2
    assert re.search(r"error: (none|alibi): out of memory\n$", capsys.readouterr().err)
    monkeypatch.setattr(pool, "time", SimpleNamespace(sleep=interrupt))
    assert cli.main(long) == 130
    assert capsys.readouterr().err.endswith("stopped; nothing was written\n")
    assert files(tmp_path) == []


def test_as_a_program_it_ends_with_the_status_and_one_sentence_in_its_language_and_has_loaded_no_dask():
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pe_core.lab", "sweep", "--steps", "7"],
        env={"LC_ALL": "zh_CN.UTF-8", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
    )
    assert shown.returncode == 2
    said = [line for line in shown.stderr.splitlines() if not line.startswith("import time:")]
    assert said == ["错误：步数必须是 50 到 5,000 之间的整数，步长为 50，实际为 '7'"]
    assert shown.stdout == ""
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in shown.stderr.splitlines()}
    assert "torch" in loaded
    assert not loaded & {"dask", "distributed"}


# An encoding from a Python file: trained beside the registry, and refused with a sentence.


EXAMPLE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("```python\n")[2].split("```")[0]


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

    def train(_, runs, say):
        [(config, _)] = runs.values()
        asked.append((config.encodings, ENCODINGS["square_root"].title))
        raise ValueError("enough")

    monkeypatch.setattr(cli, "under_bar", train)
    arguments = ["--encoding-file", str(file), "--encodings", "square_root", "alibi", "--out", str(tmp_path / "run")]
    assert cli.main(arguments) == 2
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
    refuses(beside_the_registry(path).__enter__, message.format(path=path))
