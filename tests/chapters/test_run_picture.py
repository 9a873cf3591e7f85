"""The picture of a run in a file shows its repairs too: every line of the page's pictures, with its numbers."""

from dataclasses import replace

import pytest
import vl_convert

from pe_core.chapters.lab import by_length, length_losses, right_answers
from pe_core.chapters.run_picture import run_picture
from pe_core.encodings import ENCODINGS
from pe_core.files import KEPT_RUNS
from pe_core.lab import __main__ as cli
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.results.record_file import from_json


def kept(name):
    return from_json((KEPT_RUNS / f"{name}.json").read_text(encoding="utf-8"))


def lines(spec, place):
    return spec["datasets"][f"lines-{place}"]


def rows(figure):
    return figure.frames["lines"].to_dict(orient="records")


@pytest.mark.parametrize(("name", "drawn"), [("default", length_losses), ("copy", right_answers)])
def test_a_run_without_repairs_has_one_part(name, drawn):
    record = kept(name)
    figure = drawn(record, "accuracy") if drawn is right_answers else drawn(record)
    assert run_picture(record) == {**figure.standalone(), "width": 640, "height": 380}


def test_each_encoding_that_was_repaired_has_a_part_with_all_its_lines():
    record = kept("claims")
    spec = run_picture(record)
    repaired = [f"{ENCODINGS[key].title}, as trained and repaired" for key in record.config.encodings]
    assert [part["title"] for part in spec["vconcat"]] == ["All encodings, as trained", *repaired]
    assert lines(spec, 0) == rows(length_losses(record))
    for place, key in enumerate(record.done, start=1):
        assert lines(spec, place) == rows(by_length(record, key))
    rope = 1 + record.done.index("rope")
    assert {row["name"] for row in lines(spec, rope)} == {*record.mean("rope").evaluations()}


def test_a_fine_tuned_model_has_a_part_of_its_own():
    record = kept("repair")
    outcomes = {
        seed: replace(one, tuned={AS_TRAINED.key: one.repaired["pi"], **one.repaired})
        for seed, one in record.outcomes["rope"].items()
    }
    record = replace(record, outcomes={"rope": outcomes}, config=replace(record.config, tune_steps=50))
    spec = run_picture(record)
    titles = [part["title"] for part in spec["vconcat"]]
    assert titles[1:] == ["RoPE, as trained and repaired", "RoPE, after 50 more steps at 512 characters under each"]
    assert lines(spec, 2) == rows(by_length(record, "rope", tuned=True))


def test_the_command_line_writes_it(tmp_path):
    record = kept("repair")
    cli.write(record, tmp_path / "run")
    assert (tmp_path / "run.png").read_bytes() == vl_convert.vegalite_to_png(run_picture(record), scale=2)
