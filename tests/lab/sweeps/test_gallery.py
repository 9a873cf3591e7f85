"""The gallery: the sweep and its file, and the cli."""

import re

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab import gallery as cli
from pe_core.lab.command_line import GOES_ON
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.gallery import KEPT, from_json, read, to_json
from pe_core.lab.results.record import text_facts
from pe_core.lab.sweeps import sweep
from tests.cases import each, refuses
from tests.lab.galleries import LENGTHS, made, paying, rising
from tests.lab.seeded import in_place, one_seed

# Runs of `arguments`: encoding, seed, and steps after training.
ALL = [("alibi", 0), ("alibi", 3), ("rope", 0), ("rope", 0, 100), ("rope", 3), ("rope", 3, 100)]


class Log(list):
    """What was trained, and the function that does it."""


@pytest.fixture
def quick(monkeypatch):
    """Training without steps, in this process, whose losses say which seed they are of; returns what was trained.

    After fine-tuning they are those of the next seed.
    """
    log = Log()

    def train(config, learned):
        (encoding,) = config.encodings
        log.append((encoding, config.seed, *([config.tune_steps] if config.tune_steps else [])))
        losses = constant(config.seed)
        read_so = {name: Measurement(losses, (1.0,)) for name in config.repairs}
        tuned = {name: Measurement(constant(config.seed + 1), (1.0,)) for name in read_so if config.tune_steps}
        outcome = Outcome(77, losses, (1.0,), read_so, tuned)
        return one_seed(config, text_facts(learned), {}, {encoding: outcome})

    monkeypatch.setattr(cli, "on_all_cores", in_place(train))
    monkeypatch.setattr(cli, "SEEDS", (0, 3))
    log.train = train
    return log


def constant(seed):
    """Losses that are the same at every length, and at the end of the windows."""
    return paying(tuple(LengthLoss(length, 1.5 + seed, 1.25) for length in LENGTHS), 1.5, (0.0, 0.0))


def arguments(path, *more):
    store = f"--store=sqlite:///{path.parent}/kept.sqlite"
    return ["--out", str(path), store, "--encodings", "alibi", "rope", *more]


def test_the_command_trains_seed_by_seed_and_the_file_does_not_say_which_got_ready_first(
    quick, tmp_path, capsys, monkeypatch
):
    path, other = tmp_path / "deep" / "gallery.json", tmp_path / "other.json"
    assert cli.main(arguments(path)) == 0
    assert sorted(quick) == ALL
    found = read(path)
    assert list(found.runs) == ["rope", "alibi"]  # the registry's order
    assert found.runs["alibi"][3].lengths == constant(3)
    assert found.runs["alibi"][3].repaired == {}
    rope = found.runs["rope"][0]
    suited = [name for name in cli.REPAIRS if "rope" in named(name).suits]
    assert list(rope.repaired) == [*suited, "drope"]
    assert len(suited) == 14
    assert rope.repaired["pi"].lengths == rope.lengths == constant(0)
    assert rope.repaired["drope"].lengths == constant(1)  # as fine-tuned: `quick` has no other losses of this kind
    assert found.seeds == (0, 3)
    assert found.settings["steps"] == RunConfig().steps
    assert found.text == text_facts(built_in())
    assert capsys.readouterr().out == ""
    quick.clear()
    monkeypatch.setattr(cli, "on_all_cores", lambda runs, **_: ((one, quick.train(*run)) for one, run in runs.items()))
    assert cli.main(arguments(other)) == 0
    assert quick == [("alibi", 0), ("rope", 0), ("rope", 0, 100), ("alibi", 3), ("rope", 3), ("rope", 3, 100)]
    assert path.read_bytes() == other.read_bytes()


def test_what_is_complete_is_not_trained_again_and_a_file_is_continued(quick, tmp_path, capsys, monkeypatch):
    def interrupted(runs, **_):
        item, run = next(iter(runs.items()))
        yield item, quick.train(*run)
        raise KeyboardInterrupt

    path = tmp_path / "gallery.json"
    monkeypatch.setattr(cli, "on_all_cores", interrupted)
    assert cli.main(arguments(path)) == 130
    assert capsys.readouterr().err.endswith(f"{GOES_ON}\n")
    assert not path.exists()
    monkeypatch.setattr(cli, "on_all_cores", in_place(quick.train))
    assert cli.main(arguments(path)) == 0
    assert sorted(quick) == ALL  # each once
    assert cli.main(["--out", str(path), f"--store=sqlite:///{tmp_path}/new.sqlite", "--encodings", "t5"]) == 0
    assert {key: list(by_seed) for key, by_seed in read(path).runs.items()} == {
        "rope": [0, 3], "t5": [0, 3], "alibi": [0, 3],
    }  # fmt: skip


@each(
    ("more", "problem"),
    [
        (["--out", "/proc/x"], "out must lie in a folder that can be written, got /proc: No such file or directory"),
        (["--encodings", "nope"], f"encodings must be among {', '.join(ENCODINGS)}, got nope"),
        (["--text", "copy"], f"text must be one of {', '.join(sweep.TEXTS)}, got copy"),
    ],
)
def test_bad_input_is_one_line_and_trains_nothing(quick, tmp_path, capsys, more, problem):
    assert cli.main(["--out", str(tmp_path / "gallery.json"), *more]) == 2
    assert capsys.readouterr().err.strip() == f"error: {problem}"
    assert quick == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_made_another_way_is_left_alone(quick, tmp_path, capsys):
    path = tmp_path / "gallery.json"
    assert cli.main(arguments(path, "--text", "program")) == 0
    assert read(path).text == text_facts(built_in("program"))
    whole = path.read_text(encoding="utf-8")
    for there, text, other in (
        (whole, "text", "text"),
        (whole.replace('"steps": 400', '"steps": 450'), "program", "settings"),
        (whole.replace('"torch": "', '"torch": "1'), "program", "versions"),
    ):
        path.write_text(there, encoding="utf-8")
        assert cli.main(arguments(path, "--text", text)) == 2
        rule = rf"error: {other} of .*gallery\.json must be .* to be continued, got "
        assert re.search(rule, capsys.readouterr().err), other
        assert path.read_text(encoding="utf-8") == there
    assert len(quick) == len(ALL)


def test_the_file_says_the_same_again():
    text = KEPT.read_text(encoding="utf-8")
    assert to_json(from_json(text)) == text
    assert len(text.encode()) < 1_950 * text.count('"encoding"')  # a line for each run and each repair
    losses = {0: rising(1.5, 1.2), 2: paying(rising(1.5, 1.2), 1.4, (0.1234, -0.05))}
    gallery = made({"rope": losses}, {"rope": {0: {"pi": paying(rising(1.5, 2.0), 1.4, (0.5, 0.25))}}})
    assert from_json(to_json(gallery)) == gallery


def test_a_file_of_another_format_is_refused():
    refuses(lambda: from_json('{"format": 2}'), "format must be 1, got 2")


def test_the_kept_gallery_has_every_encoding_as_the_lab_trains_it():
    kept = read(KEPT)
    assert list(kept.runs) == list(ENCODINGS)
    assert kept.seeds[0] == 0
    assert kept.text == text_facts(built_in())
    shared = RunConfig().settings()
    assert kept.settings == {name: shared[name] for name in kept.settings}
    assert {"train_length", "steps", "batch_size", "peak_learning_rate", "mask"} < set(kept.settings)
