"""All runs of larger models by one command, at a small size: stopped and gone on with, what fails, and the gallery."""

import re
from pathlib import Path

import pytest
import torch

from pe_core.chapters import gallery_beside
from pe_core.lab import __main__ as lab
from pe_core.lab import transfer
from pe_core.lab.experiment import datasets
from pe_core.lab.results.gallery import LARGER, TUNED, read
from pe_core.translation import speaking

ROOT = Path(__file__).parents[2]
OPTIONS = {
    "train-length": 16,
    "d-model": 16,
    "n-heads": 1,
    "n-layers": 1,
    "batch-size": 8,
    "steps": 50,
    "n-seeds": 1,
    "tune-steps": 50,
}
EIGHT, FOUR = transfer.ENCODINGS, transfer.REPAIRS
KEYS, REPAIRS = ("none", "rope", "alibi"), ("pi", "ntk")  # instead of eight encodings and four repairs
# Steps at which something fails: in a run, in the next one, in a first fine-tuning, and in a second.
FAILURES = {
    30: RuntimeError("expected something else\nwith more lines"),
    61: KeyboardInterrupt(),
    123: torch.OutOfMemoryError(),
    176: torch.AcceleratorError("CUDA error: gone\nat"),
}
WHERE = "with seed 0"


@pytest.fixture(scope="module", autouse=True)
def few():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer, "ENCODINGS", KEYS)
        patch.setattr(transfer, "REPAIRS", REPAIRS)
        patch.setattr(datasets, "EVALUATED_CHARACTERS", 4_096)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of texts."""
    made = tmp_path_factory.mktemp("texts")
    for number in range(3):
        (made / f"{number}.py").write_text(
            "".join(f"def f{n}(x):\n    return x * {n * number}\n" for n in range(2_000)), encoding="utf-8"
        )
    return made


@pytest.fixture(scope="module")
def command(folder):
    """Runs the command on the CPU, and writes into a folder; its exit status."""
    told = [f"--{name}={value}" for name, value in OPTIONS.items()]
    return lambda out: lab.main(["transfer", "--device", "cpu", *told, "--text", str(folder), "--out", str(out)])


@pytest.fixture(scope="module")
def whole(command, tmp_path_factory):
    """The folder of the files of a run that was not stopped."""
    out = tmp_path_factory.mktemp("whole") / "out"
    assert command(out) == 0
    return out


def test_stopped_and_failed_it_goes_on_to_the_same_files(whole, command, failing, tmp_path, capsys):
    steps = failing(FAILURES)
    out, told = tmp_path / "out", []
    for status in (2, 130, 2, 2, 0):
        assert command(out) == status
        told.append(capsys.readouterr().err.splitlines()[-1])
    assert told[:4] == [
        f"error: training failed after step 29 of none {WHERE} (expected something else); "
        "the same command goes on from step 29 of it",
        "stopped; the same command goes on from the last checkpoint",
        f"error: cpu ran out of memory after step 20 of fine-tuning rope under as_trained {WHERE}; "
        "the same command goes on from step 20 of it",
        f"error: cpu was lost after step 22 of fine-tuning rope under pi {WHERE} (CUDA error: gone); "
        "the same command goes on from step 22 of it",
    ]
    chinese = [speaking("zh")(one.removeprefix("error: ")) for one in told[:4]]
    assert chinese[2].startswith("rope（种子 0，补救方法 as_trained）微调到第 20 步后，cpu 的内存用尽；")
    assert chinese[3].startswith("rope（种子 0，补救方法 pi）微调到第 22 步后，设备 cpu 失去响应")
    assert len(steps) == len(KEYS) * 50 + (1 + len(REPAIRS)) * 50 + len(FAILURES)  # no step was made twice
    assert {one.name: one.read_bytes() for one in out.iterdir()} == {
        one.name: one.read_bytes() for one in whole.iterdir()
    }
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


def test_both_files_have_what_the_gallery_shows(whole):
    large, tuned = read(whole / LARGER.name), read(whole / TUNED.name)
    assert set(large.runs) == set(transfer.ENCODINGS)
    assert set(large.runs["rope"][0].repaired) == set(tuned.runs["rope"][0].repaired) == set(REPAIRS)
    assert list(tuned.runs) == ["rope"]
    before, after = large.runs["rope"][0], tuned.runs["rope"][0]
    assert [one.within for one in before.losses] == [one.within for one in after.losses]
    assert after.losses[-1].end != before.losses[-1].end


def test_the_gallery_shows_them(whole, monkeypatch):
    monkeypatch.setattr(gallery_beside, "LARGER_FILE", str(whole / LARGER.name))
    monkeypatch.setattr(gallery_beside, "TUNED_FILE", str(whole / TUNED.name))
    facts = gallery_beside.large_repairs(8)
    assert facts["section"] == "larger-repairs"
    assert {len(row.strip("|").split("|")) for row in facts["rows"].splitlines()} == {4}
    sizes = gallery_beside.sizes(8, second=str(whole / LARGER.name)).facts
    assert sizes["n"] == len(KEYS)
    for language in ("en", "zh"):
        content = (ROOT / "content" / language / "gallery.md").read_text(encoding="utf-8")
        [section] = re.findall(r"^## larger-repairs\n(.*?)^## ", content, re.DOTALL | re.MULTILINE)
        assert set(re.findall(r"\[\[([a-z-]+)", section)) <= facts.keys()


def test_by_default_it_is_the_question_itself(capsys, monkeypatch):
    monkeypatch.setattr(transfer, "ENCODINGS", EIGHT)
    monkeypatch.setattr(transfer, "REPAIRS", FOUR)
    plain, repaired = transfer.configs(transfer.parser().parse_args([]))
    assert (*plain.encodings, *repaired.encodings) == (*(key for key in transfer.ENCODINGS if key != "rope"), "rope")
    assert (plain.tune_steps, repaired.tune_steps, repaired.repairs) == (0, 100, ("pi", "ntk", "dynamic_ntk", "yarn"))
    for one in (plain, repaired):
        assert (one.n_seeds, one.train_length, one.lengths[-1], one.steps) == (3, 512, 4_096, 2_000)
    assert lab.main(["transfer", "--device", "cuda:99"]) == 2
    said = capsys.readouterr().err
    assert re.fullmatch(r"error: device must be one of cpu.*, the devices that torch has here, got cuda:99\n", said)
