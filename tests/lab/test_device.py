"""The device of a run: what may be named, what is refused before anything is spent, and where the record keeps it."""

import csv
import json
from dataclasses import replace
from functools import partial

import pytest
import torch

from pe_core.lab import __main__ as cli
from pe_core.lab import sweep_cli
from pe_core.lab.device import checked
from pe_core.lab.queue import job
from pe_core.lab.results import repeat as repeating
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.results.record_file import exact_json, from_json, to_json
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps.pool import finished
from pe_core.lab.sweeps.sweep import planned, runs_of, to_csv
from tests.cases import each, refuses
from tests.lab.seeded import in_place, made


@each("name", ["cuda", "cuda:0", "meta", "", "CPU"])
def test_what_torch_does_not_have_here_is_refused(name):
    assert checked("cpu") == "cpu"
    rule = f"^device must be one that torch has here, with float64, got {name!r}: .+"
    with pytest.raises(ValueError, match=rule):
        checked(name)


def test_a_device_without_float64_is_refused(monkeypatch):
    def ones(*size, dtype, device):
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.")

    monkeypatch.setattr(torch, "ones", ones)
    with pytest.raises(ValueError, match=r"got 'mps': Cannot convert a MPS Tensor to float64"):
        checked("mps")


@pytest.mark.parametrize("command", [[], ["sweep"]])
def test_a_command_refuses_before_anything_is_spent(command, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cli, "under_bar", lambda *given: pytest.fail("trained before looking"))
    monkeypatch.setattr(sweep_cli, "finished", lambda *given: pytest.fail("trained before looking"))
    assert cli.main([*command, "--device", "cuda", "--out", str(tmp_path / "deep" / "run")]) == 2
    assert capsys.readouterr().err.startswith("error: device must be one that torch has here, ")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def asked(monkeypatch):
    """Training without steps on a machine with every device; returns the devices that were asked for."""
    log = []

    def train(config, encoding, dataset, on, glanced=()):
        log.append(on)
        yield made(config, dataset).outcomes[encoding][config.seed]

    monkeypatch.setattr(cli, "checked", str)
    monkeypatch.setattr(job, "run_encoding", train)
    monkeypatch.setattr(repeating, "run_encoding", train)
    return log


def test_a_run_of_the_command_line_is_made_there_and_says_so(asked, tmp_path):
    out = tmp_path / "run"
    assert cli.main(["--encodings", "rope", "--device", "cuda", "--out", str(out)]) == 0
    assert asked == ["cuda"]
    assert json.loads(out.with_suffix(".json").read_text())["device"] == "cuda"


def test_a_sweep_is_made_there_and_takes_what_the_store_has_as_it_is(asked, tiny, tmp_path):
    store, plan = RunStore(f"sqlite:///{tmp_path / 'runs.sqlite'}"), planned("copy", [tiny, replace(tiny, seed=1)])
    first = dict(finished(runs_of(plan[:1]), store, in_place(repeating.repeat)))
    both = dict(finished(runs_of(plan), store, in_place(partial(repeating.repeat, device="cuda:0"))))
    assert asked == ["cpu", "cuda:0"]
    assert [one.device for one in both.values()] == ["cpu", "cuda:0"]
    assert both[plan[0]] == first[plan[0]]
    rows = csv.DictReader(to_csv(both).splitlines())
    assert list(dict.fromkeys(row["device"] for row in rows)) == ["cpu", "cuda:0"]


def test_a_record_keeps_its_device_and_older_files_are_of_the_cpu(tiny, text):
    facts = text_facts(text)
    record = RunRecord(tiny, facts, device="cuda:1")
    assert from_json(exact_json(record)) == record
    assert from_json(to_json(record)).device == "cuda:1"
    assert record.of_seed(0).device == "cuda:1"
    content = json.loads(exact_json(record))
    del content["device"]
    assert from_json(json.dumps(content)) == RunRecord(tiny, facts, device="cpu") != record
    rule = "file must hold a run of the lab, got TypeError: a value must be str, got 7"
    refuses(lambda: from_json(json.dumps({**content, "device": 7})), rule)
