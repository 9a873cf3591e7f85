"""The page that inspects a model: what is pasted or uploaded, what is broken, and what a change would do."""

import json

from tests.app.in_chinese import also_in_chinese, read
from tests.app.opened import checked, frames, opened, said

PAGE = "models"
LLAMA = {"model_type": "llama", "max_position_embeddings": 2048, "rope_theta": 10_000.0}
SECTIONS = {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}


def pasted(text, at=None):
    at = at or opened(PAGE, model_from="paste")
    at.text_area(key="model_pasted").set_value(text).run()
    return at


def errors(at):
    return [error.value for error in at.error]


def test_what_is_pasted_is_shown_and_stands_in_no_link():
    at = checked(pasted(json.dumps(LLAMA)), 2)
    assert "it claims 2,048 tokens" in said(at)
    assert list(at.query_params) == ["model_from"]
    assert "not part of the link" in at.info[0].value
    assert "time 0 to 15; height 16 to 39; width 40 to 63" in said(checked(pasted(json.dumps(SECTIONS), at), 2))


def test_each_part_has_a_line():
    at = checked(pasted(json.dumps({"model_type": "clip", "text_config": {}, "vision_config": {}})), 0)
    text, *others = next(one.value for one in at.markdown if "\n- " in one.value).split("\n- ")
    assert text.startswith("**clip\\_text\\_model adds a learned vector for each of 77 positions")
    assert [one.split(" adds")[0] for one in others] == [r"vision\_config (clip\_vision\_model)"]


def test_a_broken_file_is_a_sentence_and_what_was_there_stays():
    at = pasted(json.dumps(LLAMA))
    before = frames(at)[0]["lines"].y.to_list()
    for text, sentence in (
        ("{", "the configuration must be JSON, got a mistake in line 1, column 2"),
        ('{"model_type": "<b>[x](y)"}', r"\<b\>\[x\]\(y\)"[:6]),
        (json.dumps({**LLAMA, "rope_theta": "10k"}), r"rope\_theta must be a number of at least 1, got "),
        ('{"a":' * 500 + "1" + "}" * 500, "must be nested at most 16 deep"),
        ("7", ""),
        ("{}", ""),
    ):
        pasted(text, at)
        assert len(errors(at)) == 1
        assert errors(at)[0].startswith("This configuration cannot be read: ")
        assert sentence in errors(at)[0]
        assert frames(at)[0]["lines"].y.to_list() == before
        also_in_chinese(at)
    pasted(json.dumps({**LLAMA, "rope_theta": 5000.0}), at)
    assert not at.error
    assert frames(at)[0]["lines"].y.to_list() != before


def test_an_upload_is_shown_and_a_broken_one_or_weights_are_a_sentence():
    at = opened(PAGE, model_from="upload")
    at.file_uploader(key="model_file").upload("config.json", json.dumps(LLAMA).encode()).run()
    assert "it claims 2,048 tokens" in said(checked(at, 2))
    at.file_uploader(key="model_file").upload("config.json", b"\xff\xfe").run()
    assert errors(at) == [
        "This configuration cannot be read: the configuration must be UTF-8, got other bytes from byte 1 on."
    ]
    assert "it claims 2,048 tokens" in said(at)
    at.file_uploader(key="model_file").upload("model.safetensors", b'\x10\0\0\0\0\0\0\0{"a":"\xff"}    ').run()
    [error] = errors(at)
    assert error.startswith("This configuration cannot be read: the configuration must be ")


def test_what_if_moves_its_picture_and_its_lines():
    at = opened(PAGE, model="llama_2_7b")
    before, lines = frames(at)[1]["lines"].y.to_list(), json.loads(at.code[0].value)
    assert lines["rope_scaling"]["rope_type"] == "yarn"
    at.select_slider(key="model_factor").set_value(8).run()
    at.selectbox(key="model_rule").set_value("linear").run()
    at.number_input(key="model_base").set_value(500_000).run()
    assert frames(checked(at, 2))[1]["lines"].y.to_list() != before
    lines = json.loads(at.code[0].value)
    assert lines["rope_scaling"] == {"rope_type": "linear", "factor": 8.0}
    assert (lines["rope_theta"], lines["max_position_embeddings"]) == (500_000, 8 * 4096)
    at.number_input(key="model_base").set_value(None).run()
    assert json.loads(checked(at, 2).code[0].value)["rope_theta"] == 10_000
    assert "it claims 32,768 tokens" in said(pasted(json.dumps({**LLAMA, **lines})))


def test_longrope_takes_typed_factors():
    at = checked(opened(PAGE, model="llama_2_7b", model_rule="longrope"), 1)
    assert r"long\_factors must be given for the rule longrope" in at.info[-1].value
    at.text_input(key="model_long").set_value("1, 2").run()
    assert "must have one number per pair (64), got 2" in checked(at, 1).info[-1].value
    at.text_input(key="model_long").set_value("4").run()
    assert json.loads(checked(at, 2).code[0].value)["rope_scaling"]["long_factor"] == [4.0] * 64
    at.text_input(key="model_long").set_value("four").run()
    assert "long_factors must be 1 to 512 numbers from" in at.warning[0].value


def test_what_engines_do_is_in_chinese():
    for model in ("llama_3_1_8b", "gemma_2_2b"):
        assert "超过" in said(read(PAGE, model=model, model_length="200000"))
