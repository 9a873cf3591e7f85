"""How patterns of layers and formulas travel: through links, files, scripts and commands, into hash and estimate."""

import json
from dataclasses import replace

from pe_core.encodings import ENCODINGS
from pe_core.lab.__main__ import parser
from pe_core.lab.experiment.layers import reads_with
from pe_core.lab.experiment.settings import PARAMETERS, RunConfig, parse_config, read_config
from pe_core.lab.queue import estimate
from pe_core.lab.results import record_file, repeat
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.storage.run_hash import CODE, run_hash
from pe_core.lab.sweep_cli import parser as sweep_parser
from pe_core.lab.sweep_cli import plan
from tests.cases import each
from tests.encodings.test_own import ALIBI, ROPE

CONFIG = RunConfig(("rope",), train_length=16, d_model=16, n_heads=2, n_layers=3, steps=50, batch_size=8)
LEARNED = "own:bias:-abs(a)*log(1+abs(b)*distance);a=1;b=0.5"
LAYERED = replace(CONFIG, layers="2 local(window=0.25) : none+temperature")
FORMULAS = replace(CONFIG, encodings=(ALIBI, "alibi", ROPE, "rope", LEARNED))


@each("config", [LAYERED, FORMULAS])
def test_links_files_scripts_and_command_lines_carry_them(config, text):
    assert read_config(json.loads(json.dumps(config.settings()))) == config
    record = RunRecord(config, text_facts(text), {config.encodings[0]: {0: (2.0, 1.0)}})
    assert record_file.from_json(record_file.exact_json(record)) == record
    script = repeat.script(config, text_facts(text), "0" * 64)
    assert all(repr(one) in script for one in (*config.encodings, config.layers) if one)
    arguments = ["--encodings", *config.encodings]
    for name in PARAMETERS:
        arguments += [f"--{name.replace('_', '-')}", str(getattr(config, name))]
    options = parser().parse_args(arguments)
    assert parse_config(options.encodings, {name: getattr(options, name) for name in PARAMETERS}) == config


def test_a_sweep_takes_a_pattern():
    arguments = ["--encodings", "rope", "--n-layers", "3", "--layers", LAYERED.layers]
    assert [trial.config.layers for trial in plan(sweep_parser().parse_args(arguments))] == [LAYERED.layers]


def test_the_formula_is_part_of_the_name_of_a_run(text):
    keys = (LEARNED, LEARNED.replace("a=1", "a=2"), ALIBI, "alibi")
    assert len({run_hash(replace(CONFIG, encodings=(key,)), text_facts(text)) for key in keys}) == 4


def test_the_hash_of_a_run_knows_the_code_of_its_layers(text):
    facts = text_facts(text)
    texts = ("", "local", "local : global", "alibi : global", "temperature")
    assert len({run_hash(replace(CONFIG, layers=one), facts, code="0" * 64) for one in texts}) == len(texts)
    assert reads_with("alibi : none+temperature : alibi+log_n") == ("alibi", "none", "llama4", "rope_log_n")
    used = CODE.deciding(replace(CONFIG, layers="alibi : temperature").read_with)
    assert {"pe_core.encodings.alibi", "pe_core.encodings.temperature"} <= set(used)
    assert not {"pe_core.encodings.alibi", "pe_core.encodings.temperature"} & set(CODE.deciding(CONFIG.read_with))


def test_an_encoding_of_single_layers_counts_in_what_a_run_needs():
    small = {key: estimate.Step(1.0, 100.0) for key in ENCODINGS}
    small["t5"] = estimate.Step(1.5, 400.0)
    calibration = estimate.Calibration(small, estimate.Step(0.5, 10.0), estimate.Step(2.0, 200.0))
    needs = [
        estimate.need(replace(CONFIG, layers=layers), 20, calibration, n_workers=1)
        for layers in ("", "local : global", "t5 : global")
    ]
    assert needs[0] == needs[1]
    assert needs[2].seconds > needs[0].seconds
    assert needs[2].bytes > needs[0].bytes
