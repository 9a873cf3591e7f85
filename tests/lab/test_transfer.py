"""Runs of large models, at a small size: stopped, failed and gone on with, and as files that the gallery shows."""

import re
from pathlib import Path

import pytest
import torch

from pe_core.chapters import gallery_beside
from pe_core.lab import __main__ as lab
from pe_core.lab import transfer
from pe_core.lab.command_line import GOES_ON
from pe_core.lab.experiment import datasets
from pe_core.lab.results.gallery import LARGER, TUNED, read
from pe_core.translation import speaking

ROOT = Path(__file__).parents[2]
SIZES = {"train-length": 16, "d-model": 16, "n-heads": 1, "n-layers": 1, "batch-size": 8, "steps": 50}
OPTIONS = ["--size=paper", *(f"--{name}={value}" for name, value in SIZES.items())]
ROPE = ["--encodings", "rope", "--repairs", "pi", "ntk", "--tune-steps", "50"]


@pytest.fixture(scope="module", autouse=True)
def few():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets.Corpus, "n_held_out", 4_096)
        yield


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """Trains on a folder of texts and writes a run into a folder, with a store beside it; its exit status."""
    texts = tmp_path_factory.mktemp("texts")
    for number in range(3):
        lines = [f"def f{n}(x):\n    return x * {n * number}\n" for n in range(2_000)]
        (texts / f"{number}.py").write_text("".join(lines), encoding="utf-8")

    def call(out, *options):
        where = [f"--text={texts}", f"--store=sqlite:///{out.parent}/kept.sqlite", f"--out={out}"]
        return lab.main([*OPTIONS, *where, *options])

    return call


@pytest.fixture(scope="module")
def whole(command, tmp_path_factory):
    """The folder of both runs, that were not stopped, and of the files that are made of them."""
    out = tmp_path_factory.mktemp("whole")
    assert command(out / "large", "--encodings", "none", "alibi") == command(out / "rope", *ROPE) == 0
    assert transfer.main([str(out / "large.json"), str(out / "rope.json"), "--out", str(out)]) == 0
    return out


def test_stopped_and_failed_it_goes_on_to_the_same_run(whole, command, failing, tmp_path, capsys):
    failures = {30: RuntimeError("expected something else\nwith more"), 91: KeyboardInterrupt()}
    steps, told = failing(failures), []
    for status in (2, 130, 0):
        assert command(tmp_path / "large", "--encodings", "none", "alibi") == status
        told.append(capsys.readouterr().err.splitlines()[-1])
    failed = "cpu failed while none was trained with seed 0 (expected something else); "
    assert told[:2] == [f"error: {failed}the same command goes on with this model", GOES_ON]
    assert speaking("zh")(told[0].removeprefix("error: ")).startswith("用种子 0 训练 none 时，cpu 出错（expected")
    assert len(steps) == 30 + 50 + 11 + 50  # a model that was complete is not trained again
    assert (tmp_path / "large.json").read_bytes() == (whole / "large.json").read_bytes()


def test_a_fine_tuning_that_fails_is_told(command, failing, tmp_path, capsys):
    failing({60: torch.AcceleratorError("CUDA error: gone\nat")})
    assert command(tmp_path / "rope", *ROPE) == 2
    assert "cpu failed while rope was trained with seed 0 (CUDA error: gone)" in capsys.readouterr().err


def test_both_files_have_what_the_gallery_shows(whole, monkeypatch):
    large, tuned = read(whole / LARGER.name), read(whole / TUNED.name)
    assert (set(large.runs), set(tuned.runs)) == ({"none", "rope", "alibi"}, {"rope"})
    assert set(large.runs["rope"][0].repaired) == set(tuned.runs["rope"][0].repaired) == {"pi", "ntk"}
    before, after = large.runs["rope"][0], tuned.runs["rope"][0]
    assert [one.within for one in before.losses] == [one.within for one in after.losses]
    assert after.losses[-1].end != before.losses[-1].end
    monkeypatch.setattr(gallery_beside, "LARGER_FILE", str(whole / LARGER.name))
    monkeypatch.setattr(gallery_beside, "TUNED_FILE", str(whole / TUNED.name))
    facts = gallery_beside.large_repairs(8)
    assert facts["section"] == "larger-repairs"
    assert {len(row.strip("|").split("|")) for row in facts["rows"].splitlines()} == {4}
    assert gallery_beside.sizes(8, second=str(whole / LARGER.name)).facts["n"] == 3
    for language in ("en", "zh"):
        content = (ROOT / "content" / language / "gallery.md").read_text(encoding="utf-8")
        [section] = re.findall(r"^## larger-repairs\n(.*?)^## ", content, re.DOTALL | re.MULTILINE)
        assert set(re.findall(r"\[\[([a-z-]+)", section)) <= facts.keys()
