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
from pe_core.lab.results.record_file import from_json
from pe_core.lab.results.repeat import script
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from tests.lab.running import ended

CONFIG = RunConfig(("rope", "alibi"), 16, 16, 1, 1, 50, seed=4, repairs=("ntk",))
OWN = ("Größe, größer; " * 700 + "x").encode()


def run_script(text, folder):
    """Run a script in this process, which has torch already, and in a folder."""
    with chdir(folder):
        exec(compile(text, "script.py", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize(
    ("learned", "changes"),
    [
        (datasets.built_in, {"encodings": ("rope",)}),
        (
            lambda: from_bytes(OWN, name='it\'s "größer"\n.txt'),
            {"encodings": ("sinusoidal",), "remap": "randomised", "n_seeds": 2},
        ),
        (lambda: TASKS["addition"], {"encodings": ("alibi",)}),
    ],
    ids=["built-in", "own", "task"],
)
def test_the_script_of_a_run_brings_it_bit_for_bit_whatever_the_threads(
    learned, changes, open_lab, url, tmp_path, capsys
):
    store = RunStore(url)
    manager = open_lab(store=store)
    run = ended(manager, manager.submit(replace(CONFIG, repairs=(), **changes), learned())).kept
    document = store.document(run)
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


def test_what_comes_with_the_package(text):
    assert built_in(text_facts(datasets.built_in())) is datasets.built_in()
    assert [built_in(text_facts(task)) for task in TASKS.values()] == list(TASKS.values())
    for name in datasets.BUILT_IN:
        assert built_in(text_facts(datasets.named(name))) is datasets.named(name)
    assert built_in(text_facts(text)) is None
    assert built_in(replace(text_facts(text), name="PyTorch documentation")) is None
    facts = text_facts(datasets.built_in("program", 3))
    assert '\ntext = built_in("program", 3)\n' in script(CONFIG, facts, "0" * 64)
