"""A run once more by its script: the same file, byte by byte."""

from contextlib import chdir
from dataclasses import replace

import pytest
import torch

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.datasets import from_bytes
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import built_in, text_facts
from pe_core.lab.results.record_file import exact_json, from_json, to_json
from pe_core.lab.results.repeat import repeat, script
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from tests.lab.running import alone, ended

CONFIG = RunConfig(("rope", "alibi"), 16, 16, 1, 1, 50, seed=4, repairs=("ntk",))
OWN = ("Größe, größer; " * 700 + "x").encode()


def run_script(text, folder):
    """Run a script in this process, which has torch already, and in a folder."""
    with chdir(folder):
        exec(compile(text, "script.py", "exec"), {"__name__": "__main__"})


@pytest.fixture
def kept(open_lab, tmp_path):
    """Trains a run in the lab and returns its hash and the JSON that the store has of it."""
    store = RunStore(f"sqlite:///{tmp_path / 'lab.sqlite'}")

    def train(config, text):
        manager = open_lab(store=store)
        run = ended(manager, manager.submit(config, text)).kept
        return run, store.document(run)

    return train


@pytest.mark.parametrize(
    ("learned", "changes"),
    [
        (datasets.built_in, {"encodings": ("rope",)}),
        (lambda: from_bytes(OWN, name='it\'s "größer"\n.txt'), {"encodings": ("sinusoidal",), "remap": "randomised"}),
        (lambda: TASKS["addition"], {"encodings": ("alibi",)}),
    ],
    ids=["built-in", "own", "task"],
)
def test_the_script_of_a_run_brings_it_bit_for_bit_whatever_the_threads(learned, changes, kept, tmp_path, capsys):
    run, document = kept(replace(CONFIG, repairs=(), **changes), learned())
    record = from_json(document)
    (tmp_path / "text.txt").write_bytes(OWN)
    torch.set_num_threads(2)
    run_script(script(record.config, record.text, run), tmp_path)
    assert torch.get_num_threads() == 2
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / "run.json").read_bytes() == document.encode()


def test_the_script_stops_at_another_text(tmp_path):
    facts = text_facts(from_bytes(OWN, name="own"))
    (tmp_path / "text.txt").write_bytes(OWN + b"y")
    with pytest.raises(SystemExit) as stopped:
        run_script(script(CONFIG, facts, run_hash(CONFIG, facts)), tmp_path)
    assert stopped.value.code == "This is another text than that of the run."
    assert not (tmp_path / "run.json").exists()


def test_the_script_says_that_the_code_is_another_one(tmp_path, capsys):
    facts = text_facts(datasets.built_in())
    run_script(script(CONFIG, facts, run_hash(CONFIG, facts, code="old")), tmp_path)
    assert capsys.readouterr().out == "The code or torch is of another version: the numbers may differ.\n"
    assert (tmp_path / "run.json").exists()


def test_a_repeated_run_is_its_encodings_alone_and_all_its_digits_are_in_the_exact_json(text):
    record = repeat(CONFIG, text)
    assert (record.curves, record.outcomes) == alone(CONFIG, text)
    assert from_json(exact_json(record)) == record
    assert from_json(to_json(record)) != record
    assert to_json(from_json(exact_json(record))) == to_json(record)


def test_what_comes_with_the_package(text):
    assert built_in(text_facts(datasets.built_in())) is datasets.built_in()
    assert [built_in(text_facts(task)) for task in TASKS.values()] == list(TASKS.values())
    for name in datasets.BUILT_IN:
        assert built_in(text_facts(datasets.named(name))) is datasets.named(name)
    assert built_in(text_facts(text)) is None
    assert built_in(replace(text_facts(text), name="PyTorch documentation")) is None


def test_the_script_names_the_text_and_the_split():
    facts = text_facts(datasets.built_in("program", 3))
    assert '\ntext = built_in("program", 3)\n' in script(CONFIG, facts, "0" * 64)
