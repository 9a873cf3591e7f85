"""`pe-lab inspect`, and the command line in the language of its reader: help, errors, tables and reports."""

import io
import json
import re

import pytest
import torch
from safetensors.torch import save_file

from pe_core.encodings import ENCODINGS
from pe_core.lab import __main__ as lab
from pe_core.lab import gallery, inspect_cli, sweep_cli, transfer
from pe_core.lab.command_line import of_environment
from pe_core.lab.experiment.settings import PARAMETERS
from pe_core.models import KNOWN
from pe_core.translation import CONTENT
from pe_core.wrapping import columns, wrapped
from tests.cases import each
from tests.lab.seeded import SMALL

CHINESE = re.compile(r"[\u4e00-\u9fff]")
NAMES = set((CONTENT / "zh/latin.txt").read_text(encoding="utf-8").split())
# What stays as it is: options, keys, files and code.
CODE = re.compile(r"`[^`]*`|\S*[_./:=*-]\S*|\b[A-Z]+\b|\[[^\]]*\]|[a-z_0-9]+(?=[、,])|(?<=[、,]) ?[a-z_0-9]+")


def said(capsys):
    """What was printed and what was said of it, English lines of names and code left out."""
    printed = capsys.readouterr()
    return printed.out + printed.err


def english(text):
    """The Latin words of more than three letters that are no name, option or key."""
    prose = CODE.sub(" ", text)
    return sorted({word for word in re.findall(r"[A-Za-z]{4,}", prose) if word not in NAMES})


@each("module", [lab, sweep_cli, inspect_cli, gallery, transfer])
def test_help_is_in_chinese(module, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as left:
        module.parser().parse_args(["--language=zh", "--help"])
    assert left.value.code == 0
    text = said(capsys).partition("\n\n")[2]  # behind the options in short
    assert CHINESE.search(text)
    kept = "small paper language local global chunked alibi causal consecutive program Dask SQLite PostgreSQL"
    assert not set(english(" ".join(text.split()))) - set(kept.split())
    assert all(columns(line) <= 80 for line in text.splitlines())


def helped(capsys, *command):
    """What a command prints as its help, in one line."""
    with pytest.raises(SystemExit) as ended:
        lab.main([*command, "--help"])
    shown = capsys.readouterr()
    assert (ended.value.code, shown.err) == (0, "")
    return " ".join(shown.out.split())


def test_help_names_every_parameter_with_its_rule(capsys):
    run, sweep = helped(capsys), helped(capsys, "sweep")
    for name, parameter in PARAMETERS.items():
        kind = "TEXT" if name == "layers" else "KEY" if isinstance(parameter.default, str) else "N"
        option = f"--{name.replace('_', '-')}"
        rule = f"ust {parameter.rule} (default {parameter.default if name != 'layers' else 'nothing'})."
        assert f"{option} {kind}" in run
        assert f"M{rule}" in run
        if name in sweep_cli.SWEPT:
            assert f"{option}s N [N ...]" in sweep
            assert f"Each m{rule}" in sweep
        elif name in sweep_cli.SHARED:
            assert f"M{rule}" in sweep
    assert ", ".join(ENCODINGS) in run
    assert "python -m pe_core.lab sweep --help" in run
    assert sweep.startswith("usage: python -m pe_core.lab sweep ")


@each(
    ("arguments", "words"),
    [
        (["--language", "zh", "--nothing"], "错误：无法识别的参数：--nothing"),
        (["--language=zh", "--out"], "错误：--out 后面应有一个值"),
        (["--language=zh", "--text=a", "--task=copy"], "错误：--task 不能与 --text 同时使用"),
        (["--task=copy", "--text=a"], "error: argument --text: not allowed with argument --task"),
    ],
)
def test_what_is_wrong_with_the_options_is_said_in_their_language(arguments, words, capsys):
    with pytest.raises(SystemExit) as left:
        lab.main(arguments)
    assert left.value.code == 2
    assert said(capsys).rstrip().endswith(words)


def test_a_value_that_is_not_allowed_is_named_in_chinese(capsys, tmp_path):
    assert lab.main(["--language=zh", "--steps=3", f"--out={tmp_path}/run"]) == 2
    assert "必须是 50 到 5,000 之间的整数，步长为 50，实际为 '3'" in said(capsys)
    assert lab.main(["inspect", "--language=zh", str(tmp_path / "none.json")]) == 2
    assert said(capsys) == f"错误：没有这个文件或文件夹：'{tmp_path}/none.json'（错误码 2）\n"
    assert not list(tmp_path.iterdir())


def test_models_are_reported_in_chinese_one_by_one_side_by_side_and_by_their_weights(tmp_path, capsys):
    paths = written(tmp_path, *KNOWN)
    table, weights = torch.ones(100, 64), tmp_path / "model.safetensors"
    table[60:] = 0
    save_file({"wpe.weight": table, "a.relative_attention_bias.weight": torch.zeros(32, 2)}, weights)
    kinds = {word for model in KNOWN.values() for word in re.findall("[a-z]{4,}", model.config["model_type"])}
    kept = {*kinds, "linear", "rope", "learned", "buckets", "disentangled"}  # as files and keys have them
    for files in (*([path] for path in paths), paths, [weights]):
        assert lab.main(["inspect", "--language=zh", "--length=200000", *map(str, files)]) == 0
        text = said(capsys)
        assert CHINESE.search(text)
        assert not set(english(text)) - kept, files
        assert text.lstrip().startswith("文件 ") == (files == paths), files


def test_a_run_is_told_in_chinese_and_its_files_are_those_of_english(capsys, monkeypatch, tmp_path):
    under_bar, done = lab.under_bar, []
    monkeypatch.setattr(lab, "under_bar", lambda *given: done or done.extend(under_bar(*given)) or done)
    tiny = ["--encodings=alibi", "--train-length=16", *SMALL]
    for language in ("en", "zh"):
        assert lab.main([*tiny, f"--language={language}", f"--out={tmp_path}/{language}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "已写出" in lines[-1]
    assert CHINESE.search(lines[-5])
    assert len({columns(line) for line in lines[-5:-3]}) == 1  # the columns stand below each other
    for suffix in (".json", ".csv"):
        assert (tmp_path / f"zh{suffix}").read_bytes() == (tmp_path / f"en{suffix}").read_bytes()


@each(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "C", "LC_MESSAGES": "zh"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "", "LC_ALL": "zh_TW"}, "zh"),
    ],
)
def test_the_language_is_that_of_the_environment(monkeypatch, environment, language):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert of_environment() == language


def test_lines_of_a_wide_script_take_two_columns_a_sign():
    assert columns("RoPE") == 4
    assert columns("旋转RoPE。") == 10
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("位置编码告诉模型，词在哪里。", 10) == ["位置编码告", "诉模型，词", "在哪里。"]
    assert wrapped("位置编码告，诉", 10) == ["位置编码", "告，诉"]  # no line begins with a comma


def written(tmp_path, *keys):
    """The paths of the configurations of these models."""
    paths = [tmp_path / f"{key}.json" for key in keys]
    for key, path in zip(keys, paths, strict=True):
        path.write_text(json.dumps(KNOWN[key].config))
    return [str(path) for path in paths]


def printed(capsys, *arguments):
    """What the command prints when all goes well."""
    assert lab.main(["inspect", *arguments]) == 0
    return capsys.readouterr().out


def test_the_answer_stands_first_and_a_table_has_the_turns_within_both_lengths(tmp_path, capsys):
    [path] = written(tmp_path, "llama_3_1_8b")
    text = printed(capsys, path, "--length", "200000")
    assert text.startswith("A text of 200,000 tokens is 24.4 times the original 8,192, and the rule of Llama 3 ")
    assert "\n\nllama" in text
    assert "The class turns pairs of halves." in text
    assert "wavelength" in text
    assert "turns in original 8,192" in text
    assert "turns in claimed 131,072" in text
    assert "all layers: 64 pairs, of which 25 turn less than once in 131,072 tokens" in text
    assert "- vLLM 0052a5b: refuses more than 131,072 tokens" in text
    assert "The file does not tell:" in text
    assert "The factor 8" not in text  # genuine: the rule reads the factor alone
    assert printed(capsys, path).startswith("A text of 131,072 tokens is ")
    assert lab.main(["inspect", path, "--length", "200k"]) == 2
    assert "length must be a whole number from 1 to 1,099,511,627,776, got '200k'" in capsys.readouterr().err


def test_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"model_type": "gpt2"}')))
    text = printed(capsys, "-")
    assert text.startswith("A text of 1,024 tokens fits: the table has a row")
    assert "wavelength" not in text  # nothing is turned


@each("text", [b"", b"{", b"\xff", b"[1]", b'{"model_type": "x"}', b"[" * 5_000_000])
def test_a_broken_file_is_one_sentence_and_status_2(text, tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_bytes(text)
    assert lab.main(["inspect", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: ")
    assert shown.err.count("\n") == 1


def test_json_for_one_and_for_several(tmp_path, capsys):
    names = written(tmp_path, "llama_3_1_8b", "gpt_2")
    told = json.loads(printed(capsys, names[0], "--length", "100000", "--json", "--language", "zh"))
    assert told["at_length"]["new_angles"] == [{"kind": "all layers", "new": 29, "pairs": 64}]
    assert told["pair_layout"] == "halves"
    assert list(json.loads(printed(capsys, *names, "--json"))) == names


def test_several_files_side_by_side(tmp_path, capsys):
    names = written(tmp_path, "llama_3_1_8b", "gemma_2_2b", "bloom")
    lines = printed(capsys, *names, "--length", "9000").splitlines()
    assert lines[0].split()[:3] == ["File", "Model", "Positions"]
    assert "0 of 128 / 28 of 128" in lines[2]
    assert lines[5].startswith(f"{names[0]}: A text of 9,000 tokens is 1.1 times the original 8,192")
    (tmp_path / "bad.json").write_text("{")
    assert lab.main(["inspect", names[0], str(tmp_path / "bad.json"), str(tmp_path / "none.json")]) == 2
    shown = capsys.readouterr()
    assert "llama" in shown.out
    assert "bad.json: the configuration must be JSON" in shown.err
    assert "none.json: " in shown.err
    assert shown.err.count("\n") == 1


def test_a_folder_of_weights(tmp_path, capsys):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "n_positions": 100}')
    save_file({"transformer.wpe.weight": torch.ones(100, 64)}, tmp_path / "model.safetensors")
    text = printed(capsys, str(tmp_path), "--length", "101")
    assert text.startswith("A text of 101 tokens does not fit: ")
    assert "transformer.wpe.weight: 100 rows of 64 channels, of norm 8 to 8, in the median 8" in text
    assert "No row looks as if it was never trained." in text
    told = json.loads(printed(capsys, str(tmp_path / "model.safetensors"), "--json"))
    assert told["weights"]["tables"][0]["cosines"]["1"] == pytest.approx(1)
    assert "summary" not in told
