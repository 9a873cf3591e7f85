"""Large runs: their memory, going on after a stop, the time left, and what the gallery shows of them."""

import math
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import sleep
from types import SimpleNamespace

import pytest
import torch
from tqdm import tqdm

from pe_core.chapters import gallery_beside
from pe_core.lab import __main__ as cli
from pe_core.lab import long_run, transfer
from pe_core.lab.command_line import GOES_ON
from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.run import plan
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.long_run import check_memory, train_long
from pe_core.lab.queue.estimate import calibrate, need
from pe_core.lab.queue.process import Here
from pe_core.lab.queue.time_left import weight
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.results import record_file
from pe_core.lab.results.gallery import LARGER, TUNED, from_json, read, to_json
from pe_core.lab.results.repeat import repeat
from pe_core.lab.results.table import measures, pair_of
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps import pool
from pe_core.lab.sweeps.pool import under_bar
from pe_core.translation import speaking

CONFIG = RunConfig(("rope",), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, n_seeds=2, repairs=("ntk",))
OPTIONS = ["--size", "paper", "--train-length", "16", "--d-model", "16", "--n-heads", "1", "--n-layers", "1"]


def test_too_little_memory_is_refused_before_the_start(text, url, monkeypatch):
    monkeypatch.setattr(long_run, "free_bytes", lambda device: 10**6)
    rule = r"^free memory of cpu must be at least \d+\.\d GB for rope in this run, got 0\.0 GB$"
    with pytest.raises(ValueError, match=rule):
        train_long(replace(CONFIG, d_model=256, n_heads=4, n_layers=6), text, "cpu", RunStore(url))
    assert RunStore(url).listing() == []
    monkeypatch.setattr(long_run, "free_bytes", lambda device: None)
    check_memory([(RunConfig(d_model=1_024, n_layers=16, n_heads=16, train_length=4_096), text)], "cpu")


@pytest.fixture(scope="module")
def calibration():
    return calibrate()


def test_the_memory_of_a_large_model_is_that_of_its_parts_and_of_its_texts(calibration):
    large = RunConfig(("rope",), d_model=1_024, n_layers=16, n_heads=16, train_length=2_048, batch_size=8)

    def needed(config, key="rope", vocab_size=100):
        return need(replace(config, encodings=(key,)), vocab_size, calibration, n_workers=1).bytes

    n_parameters = 16 * 12 * 1_024**2
    assert 16 * n_parameters < needed(large) < 16 * n_parameters + 120e9
    assert needed(large, "alibi") > needed(large)
    assert needed(replace(large, batch_size=512)) == needed(large)  # learned in parts
    assert needed(replace(large, n_layers=1, train_length=4_096)) < 10e9  # 32,768 tokens are read in parts
    for more in ({"n_layers": 1, "tune_steps": 50}, {"n_layers": 1, "train_length": 512}):
        config = replace(large, **more)
        usual, farther = (needed(replace(config, max_multiple=one), "none", 9_000) for one in (8, 16))
        # of twice as many tokens at least three copies of the logits are held
        assert farther > usual + 8 * config.train_length * 4 * 3 * 9_000


def test_of_the_longest_texts_at_least_one_is_learned_from(text):
    config = replace(CONFIG, encodings=("none",), repairs=(), batch_size=8, tune_steps=50, max_multiple=16)
    assert math.isfinite(repeat(config, text).outcomes["none"][0].tuned["as_trained"].lengths[-1].loss)
    assert [unit.tokens for unit, _ in plan(config, "none") if unit.doing == "tuning"] == [256]


def test_sixteen_training_lengths_are_in_every_file(tmp_path, capsys, monkeypatch):
    datasets.built_in()  # as it is, for all tests: it is read once
    monkeypatch.setattr(datasets.Corpus, "n_held_out", 4_096)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pool, "tqdm", partial(tqdm, disable=True))  # as TQDM_DISABLE=1 does
    assert cli.main([*OPTIONS, "--steps=50", "--encodings", "none", "rope", "--max-multiple=16", "--out=run"]) == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["run.csv", "run.json", "run.png", "runs"]
    assert "Loss at 256" in capsys.readouterr().out
    content = (tmp_path / "run.json").read_text(encoding="utf-8")
    record = record_file.from_json(content)
    assert len(record.curves["none"][0]) == 50
    assert [one.length // 16 for one in record.outcomes["rope"][0].lengths] == [1, 2, 3, 4, 6, 8, 16]
    assert list(measures(record))[3] == "16"
    assert pair_of(record, "none", "rope", "16").first[0] == record.outcomes["none"][0].lengths[-1].loss
    usual = RunConfig(("none", "rope"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)
    expected = repeat(replace(usual, encodings=("none",)), datasets.built_in()).outcomes["none"][0].lengths[-1]
    assert record.up_to(8).config == usual
    assert record.up_to(8).outcomes["none"][0].lengths[-1].loss == pytest.approx(expected.loss, rel=1e-5)
    gallery = transfer.of_runs([record])
    assert from_json(to_json(gallery)).runs["rope"][0].lengths[-1].length == 128
    assert cli.main(["--max-multiple", "16", "--out", "run"]) == 2
    assert "max_multiple must be one of 8, got '16'" in capsys.readouterr().err


def test_a_folder_is_learned_with_the_large_size_alone(tmp_path, capsys):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"it was the best of {number} times, " * 4_000, encoding="utf-8")
    options = cli.parser().parse_args([*OPTIONS, "--text", str(folder)])
    assert cli.dataset(options).n_characters > 300_000
    assert cli.main(["--text", str(folder), "--out", str(tmp_path / "run")]) == 2
    assert "directory" in capsys.readouterr().err


def test_the_time_left_is_that_of_what_is_left_at_the_pace_of_what_was_done(text, monkeypatch):
    alone = replace(CONFIG, encodings=("none",), repairs=(), n_seeds=1)
    units = plan(alone, "none", n_held_out=text.n_held_out)
    cost = sum(n * weight(alone, unit, len(text.vocabulary)) for unit, n in units)
    longer, bars, told = replace(alone, steps=100), [], []
    monkeypatch.setattr(pool, "tqdm", lambda **named: bars.append(tqdm(**named)) or bars[0])
    for _ in under_bar(Here(Trainer(n_workers=1)), {config: (config, text) for config in (alone, longer)}):
        told.append(bars[0].format_dict)
    assert bars[0].smoothing == 0  # of all that was done, not of the last moments
    assert told[0]["n"] == pytest.approx(cost)
    assert told[1]["n"] == pytest.approx(told[1]["total"])
    assert told[1]["total"] > 2 * cost
    remaining = tqdm.format_interval(3_600 * (told[0]["total"] - cost) / cost)
    assert f"| 1:00:00<{remaining}, 50 steps" in tqdm.format_meter(**{**told[0], "elapsed": 3_600})


# Stopped, failed and gone on with, and as files that the gallery shows.


ROOT = Path(__file__).parents[2]
SIZES = {"train-length": 16, "d-model": 16, "n-heads": 1, "n-layers": 1, "batch-size": 8, "steps": 50}
ARGUMENTS = ["--size=paper", *(f"--{name}={value}" for name, value in SIZES.items())]
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
        return cli.main([*ARGUMENTS, *where, *options])

    return call


@pytest.fixture(scope="module")
def whole(command, tmp_path_factory):
    """The folder of both runs, that were not stopped, and of the files that are made of them."""
    out = tmp_path_factory.mktemp("whole")
    assert command(out / "large", "--encodings", "none", "alibi") == command(out / "rope", *ROPE) == 0
    assert transfer.main([str(out / "large.json"), str(out / "rope.json"), "--out", str(out)]) == 0
    return out


def test_stopped_and_failed_it_goes_on_to_the_same_run(whole, command, failing, tmp_path, capsys, monkeypatch):
    steps, told = failing({30: RuntimeError("expected something else\nwith more")}), []

    def interrupt(seconds):
        sleep(0.01)
        if len(told) == 1 and len(steps) > 90:
            raise KeyboardInterrupt

    monkeypatch.setattr(pool, "time", SimpleNamespace(sleep=interrupt))
    for status in (2, 130, 0):
        assert command(tmp_path / "large", "--encodings", "none", "alibi") == status
        told.append(capsys.readouterr().err.splitlines()[-1])
    assert told[:2] == [
        "error: 1 of 2 runs failed, the first one none with seed 0: none: expected something else",
        GOES_ON,
    ]
    assert speaking("zh")(told[0].removeprefix("error: ")).startswith("2 次训练中有 1 次失败，第一次为")
    assert 30 + 50 + 50 < len(steps) <= 30 + 50 + 50 + 50  # a model that was complete is not trained again
    assert (tmp_path / "large.json").read_bytes() == (whole / "large.json").read_bytes()


def test_a_fine_tuning_that_fails_is_told(command, failing, tmp_path, capsys):
    failing({60: torch.AcceleratorError("CUDA error: gone\nat")})
    assert command(tmp_path / "rope", *ROPE) == 2
    assert "error: rope: CUDA error: gone\n" in capsys.readouterr().err


def test_both_files_have_what_the_gallery_shows(whole, monkeypatch):
    large, tuned = read(whole / LARGER.name), read(whole / TUNED.name)
    assert (set(large.runs), set(tuned.runs)) == ({"none", "rope", "alibi"}, {"rope"})
    assert set(large.runs["rope"][0].repaired) == set(tuned.runs["rope"][0].repaired) == {"pi", "ntk"}
    before, after = large.runs["rope"][0], tuned.runs["rope"][0]
    assert [one.within for one in before.lengths] == [one.within for one in after.lengths]
    assert after.lengths[-1].end != before.lengths[-1].end
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
