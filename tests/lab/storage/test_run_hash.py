"""The hash of a run changes with all that decides its numbers, and with nothing else."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS
from pe_core.lab.experiment.run import measure
from pe_core.lab.experiment.settings import PARAMETERS, RunConfig
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.results.record import TextFacts
from pe_core.lab.storage import run_hash as module
from pe_core.lab.storage.run_hash import CODE, PACKAGE, Code, is_hash, is_this_version, run_hash
from pe_core.parameters import Words
from tests.cases import each
from tests.lab.running import ready

TEXT = TextFacts("cats", 5_000, 20, 3.0, 2.5, "ab" * 32)
CONFIG = RunConfig(("rope", "alibi"))


def another(parameter):
    """A value of a parameter that is not its default."""
    if isinstance(parameter, Words):
        return "local : global"
    if parameter.choices:
        return next(choice for choice in parameter.choices if choice != parameter.default)
    return parameter.default + parameter.step


OTHER = {
    "encodings": ("alibi", "rope"),
    **{name: another(parameter) for name, parameter in PARAMETERS.items()},
    "repairs": ("ntk",),
    "max_multiple": 16,
}


def test_every_setting_changes_the_hash():
    assert OTHER.keys() == vars(CONFIG).keys()
    changed = {name: run_hash(replace(CONFIG, **{name: other}), TEXT) for name, other in OTHER.items()}
    assert all(map(is_hash, changed.values()))
    assert [name for name, run in changed.items() if run == run_hash(CONFIG, TEXT)] == []


def test_runs_whose_layers_are_alike_have_the_names_that_they_had_before_layers_could_differ():
    further = RunConfig(("rope", "alibi"), mask="window", n_layers=4, n_seeds=3, repairs=("ntk",))
    names = [run_hash(config, TEXT, code="0" * 64, torch_version="2") for config in (RunConfig(), further)]
    assert names == [
        "fbaad5ceacc6485a84d60cbb3025085064ae74c586ed2bc8acef98ee8469dc67",
        "ee62c66ae2c07ce7e81a34b498caf6a3e74e595bb56958684d17deecb06fd295",
    ]


def test_text_code_and_torch_change_the_hash_and_the_name_of_the_text_does_not():
    hashes = {
        run_hash(CONFIG, TEXT),
        run_hash(CONFIG, replace(TEXT, sha256="cd" * 32)),
        run_hash(CONFIG, TEXT, code="0" * 64),
        run_hash(CONFIG, TEXT, torch_version="1.0"),
    }
    assert len(hashes) == 4
    assert run_hash(CONFIG, replace(TEXT, name="dogs")) == run_hash(CONFIG, TEXT)


UNUSED = (
    "encodings.alibi encodings.learned encodings.rope_scaled rope_scaling rope_scaling.ntk figures.curves lab "
    "lab.queue.jobs lab.results.record lab.storage.store measures.jumps"
)


@pytest.fixture
def package(tmp_path):
    """A copy of the package."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "pe_core", ignore=shutil.ignore_patterns("__pycache__")))


def test_the_digest_is_that_of_the_files_whose_modules_decide_and_of_no_others(package):
    def digest():
        return Code(package).digest(["rope", "none"])

    before = CODE.digest(["rope", "none"])
    assert digest() == before
    for name in UNUSED.split():
        path = package / name.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        path.write_text("changed = True\n")
    masks = package / "masks.py"
    source = masks.read_bytes()
    masks.write_bytes(source.replace(b"\n", b"\r\n"))  # as some systems check out
    assert digest() == before
    masks.write_bytes(source + b"\n")
    assert digest() != before


EVERY = {
    *("encodings.base", "masks", "positions", "parameters", "registry"),
    *("lab.experiment.model", "lab.experiment.run", "lab.experiment.tasks"),
}


@each(
    ("names", "encodings", "repairs"),
    [
        *((EVERY, [key], []) for key in ENCODINGS),
        ({"encodings.rotary"}, ["alibi", "rope_scaled"], []),  # imports it
        ({"encodings.rotary"}, ["rope_p"], []),  # is in a module of another name
        ({"rope_scaling.ntk", "rope_scaling.base"}, ["rope_scaled"], []),
        ({"rope_scaling.ntk"}, ["rope"], ["window+ntk"]),
        ({"encodings.rerope"}, ["rope"], ["rerope"]),
        ({"encodings.log_n"}, ["alibi"], ["window+log_n"]),
    ],
)
def test_what_a_run_uses_decides_it(names, encodings, repairs):
    assert {f"pe_core.{name}" for name in names} <= set(CODE.deciding(encodings, repairs))


def test_a_new_encoding_leaves_the_digests_of_all_others(package):
    (package / "encodings" / "new.py").write_text("from pe_core.encodings.base import PositionalEncoding\n")
    registry = package / "encodings" / "__init__.py"
    registry.write_text(registry.read_text().replace("    none,\n", "    new,\n    none,\n", 1))
    code = Code(package)
    assert all(code.digest([key], repairs_for(key)) == CODE.digest([key], repairs_for(key)) for key in ENCODINGS)


def test_a_name_that_does_not_exist_has_no_digest():
    with pytest.raises(KeyError):
        CODE.digest(["nope"])
    with pytest.raises(ValueError, match=r"^repair must be among "):
        CODE.digest(["rope"], ["nope"])


def repairs_for(key):
    return [name for name, repair in REPAIRS.items() if repair.is_for(key)]


def modules_that_run(act):
    """The modules of the package of which any function is called while something is done."""
    met = set()

    def note(frame, event, _):
        met.add(frame.f_code.co_filename)

    sys.settrace(note)
    try:
        act()
    finally:
        sys.settrace(None)
    paths = [Path(name) for name in met if Path(name).is_relative_to(PACKAGE)]
    return {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in paths}


@each("key", ENCODINGS)
def test_every_function_that_runs_lies_in_a_module_that_decides(key, text):
    """Trains and measures, as it was trained and under each repair; none of it may run code outside of the digest."""
    config = RunConfig((key,), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50, batch_size=8)

    models = []

    def train_once():
        models.append(build_model(config, key, text))
        next(train(models[0], key, text, config))

    def read(repair):
        measure(models[0], config, text, 32, ready(repair, models[0], config, text))

    bare = modules_that_run(train_once) | modules_that_run(lambda: read(AS_TRAINED))
    assert ENCODINGS[key].make.__module__ in bare
    assert bare <= set(CODE.deciding([key]))
    for name in repairs_for(key):
        assert modules_that_run(lambda name=name: read(REPAIRS[name])) <= set(CODE.deciding([key], [name])), name


@each("text", ["", "ab", "AB" * 32, "ab" * 33, "xy" * 32, "ab" * 32 + "\n", "\0" * 64])
def test_what_is_no_hash(text):
    assert not is_hash(text)


def test_which_versions_are_those_that_are_here():
    settings = {"encodings": ["rope"], "repairs": ["ntk"]}
    here = {"python": "3", "torch": module.torch.__version__, "code": CODE.digest(["rope"], ["ntk"])}
    assert is_this_version(settings, here)
    assert not is_this_version(settings, {**here, "torch": "1.0"})
    assert not is_this_version(settings, {**here, "code": "0"})
    assert not is_this_version(settings, {})
    assert not is_this_version({**settings, "encodings": ["alibi"]}, here)
    assert not is_this_version({"encodings": ["rope"]}, here)  # of a time without repairs
    layered = {**settings, "layers": "local : alibi"}
    assert not is_this_version(layered, here)
    assert is_this_version(layered, {**here, "code": CODE.digest(["rope", "alibi"], ["ntk"])})
    gone = ({"layers": "gone"}, {"encodings": ["gone"]}, {"repairs": ["gone"]})
    for unknown in ({}, *({**settings, **one} for one in gone)):
        assert not is_this_version(unknown, here)
