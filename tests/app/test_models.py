"""The page that inspects a model: known ones, what is pasted or uploaded, and what is broken."""

import json

import pytest

from pe_core.models import KNOWN
from tests.app.in_chinese import left_english
from tests.app.opened import checked, frames, opened, said

PAGE = "models"
LLAMA = {"model_type": "llama", "max_position_embeddings": 2048, "rope_theta": 10_000.0}
UNCHANGED = ("gpt_j_6b",)  # takes no YaRN


def pasted(text, at=None):
    at = at or opened(PAGE, model_from="paste")
    at.text_area(key="model_pasted").set_value(text).run()
    return at


def errors(at):
    return [error.value for error in at.error]


def test_the_page_as_it_opens():
    at = checked(opened(PAGE), 2)
    assert at.query_params == {}
    assert "it claims 131,072 tokens" in said(at)
    assert "25 of 64" in said(at)
    assert not any("factor 8" in one.value for one in at.info)
    assert "| all layers | 32 |" in said(at)
    assert r"| rope\_theta | 500000.0 | the file |" in said(at)


@pytest.mark.parametrize("key", ["gemma_3_4b", "gpt_j_6b"])
def test_a_known_model_by_link(key):
    at = checked(opened(PAGE, model=key), 1 if key in UNCHANGED else 2)
    assert at.query_params == {"model": key}
    assert KNOWN[key].source in said(at)


@pytest.mark.parametrize(
    ("key", "words"),
    [("gpt_2", "learned vector"), ("bloom", "ALiBi")],
)
def test_what_turns_nothing_has_a_sentence_and_no_picture(key, words):
    at = checked(opened(PAGE, model=key), 0)
    assert words in at.info[0].value
    assert "There are no wavelengths to draw" in at.info[0].value


def test_what_is_pasted_is_shown_and_stands_in_no_link():
    at = checked(pasted(json.dumps(LLAMA)), 2)
    assert "it claims 2,048 tokens" in said(at)
    assert at.query_params == {"model_from": ["paste"]} or at.query_params == {"model_from": "paste"}
    assert "not part of the link" in at.info[0].value


def test_a_broken_file_is_a_sentence_and_what_was_there_stays():
    at = pasted(json.dumps(LLAMA))
    before = frames(at)[0]["lines"].y.to_list()
    for text, sentence in (
        ("{", "the configuration must be JSON, got a mistake in line 1, column 2"),
        ('{"model_type": "<b>[x](y)"}', r"\<b\>\[x\]\(y\)"[:6]),
        (json.dumps({**LLAMA, "rope_theta": "10k"}), r"rope\_theta must be a number of at least 1, got "),
        ('{"a":' * 500 + "1" + "}" * 500, "must be nested at most 16 deep"),
    ):
        pasted(text, at)
        assert not at.exception
        assert len(errors(at)) == 1
        assert errors(at)[0].startswith("This configuration cannot be read: ")
        assert sentence in errors(at)[0]
        assert frames(at)[0]["lines"].y.to_list() == before
    pasted(json.dumps({**LLAMA, "rope_theta": 5000.0}), at)
    assert not at.error
    assert frames(at)[0]["lines"].y.to_list() != before


def test_an_upload_is_shown_and_a_broken_one_is_a_sentence():
    at = opened(PAGE, model_from="upload")
    at.file_uploader(key="model_file").upload("config.json", json.dumps(LLAMA).encode()).run()
    assert "it claims 2,048 tokens" in said(checked(at, 2))
    at.file_uploader(key="model_file").upload("config.json", b"\xff\xfe").run()
    assert errors(at) == [
        "This configuration cannot be read: the configuration must be UTF-8, got other bytes from byte 1 on."
    ]
    assert "it claims 2,048 tokens" in said(at)


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
    link = {"model": "llama_2_7b", "model_factor": "8", "model_rule": "linear", "model_base": "500000"}
    assert json.loads(opened(PAGE, **link).code[0].value) == lines
    at.number_input(key="model_base").set_value(None).run()
    assert json.loads(checked(at, 2).code[0].value)["rope_theta"] == 10_000
    again = pasted(json.dumps({**LLAMA, **lines}))
    assert "it claims 32,768 tokens" in said(again)


def test_a_change_that_a_model_does_not_take_is_a_sentence():
    at = checked(opened(PAGE, model="phi_3_mini_4k"), 1)
    assert "must be a list of numbers, got null" in at.info[0].value
    assert not at.code


def test_an_empty_field_leaves_things_as_they_are_and_says_so():
    at = checked(opened(PAGE, model="llama_2_7b", model_rule="proportional", model_part="0.25"), 2)
    assert at.number_input(key="model_base").value is None
    assert at.number_input(key="model_base").placeholder == "as it is"
    assert "48 pairs do not turn at all" in said(at)
    bad = checked(opened(PAGE, model="llama_2_7b", model_base="0"), 2)
    assert "model_base must be a whole number from 1 to 1,000,000,000, got '0'" in bad.warning[0].value
    assert "Shown instead: as it is" in bad.warning[0].value
    assert bad.number_input(key="model_base").value is None


def test_longrope_takes_typed_factors():
    at = checked(opened(PAGE, model="llama_2_7b", model_rule="longrope"), 1)
    assert "long_factors must be given for the rule longrope" in at.info[-1].value
    at.text_input(key="model_long").set_value("1, 2").run()
    assert "must have one number per pair (64), got 2" in checked(at, 1).info[-1].value
    at.text_input(key="model_long").set_value("4").run()
    assert json.loads(checked(at, 2).code[0].value)["rope_scaling"]["long_factor"] == [4.0] * 64
    at.text_input(key="model_long").set_value("four").run()
    assert "long_factors must be 1 to 512 numbers from" in at.warning[0].value


def test_what_counts_three_ids_and_what_grows_is_told():
    sections = {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
    assert "time 0 to 15; height 16 to 39; width 40 to 63" in said(checked(pasted(json.dumps(sections)), 2))
    assert "= 1.3497 at the end of the trained and claimed" not in said(opened(PAGE))
    grown = said(checked(opened(PAGE, model="llama_4_scout"), 2))
    assert "1 + 0.1 ln(1 + floor((m + 1) / 8,192)) = 1.0693 at the end of the trained 8,192 tokens" in grown


def test_an_unknown_key_in_the_link_is_named():
    at = opened(PAGE, model="gpt_9")
    assert not at.exception
    assert "gpt_9" in at.warning[0].value
    assert len(frames(at)) == 2


def test_the_exercise():
    at = opened(PAGE)
    at.number_input(key="model_guess").set_value(1).run()
    assert at.success[0].value.startswith("Right")


def test_what_happens_at_a_length_stands_first():
    at = checked(opened(PAGE), 2)
    assert "A text of 131,072 tokens is 16 times the trained 8,192, and the rule of Llama 3 scales by 8" in said(at)
    assert "Engines differ" not in said(at)
    at.number_input(key="model_length").set_value(4096).run()
    assert "A text of 4,096 tokens is within the trained 8,192: no pair meets a new angle." in said(checked(at, 2))
    long = checked(opened(PAGE, model="llama_3_1_8b", model_length="200000"), 2)
    assert "It is longer than the claimed 131,072 tokens, too." in said(long)
    assert "refuses more than 131,072 tokens" in said(long)
    table = checked(opened(PAGE, model="gpt_2", model_length="1025"), 0)
    assert "transformers fails at token 1,025" in said(table)
    assert "The configuration tells no length. Choose how long the text is." in said(
        checked(opened(PAGE, model="t5"), 0)
    )


def test_weights_are_not_read_on_the_page():
    at = opened(PAGE, model_from="upload")
    at.file_uploader(key="model_file").upload("model.safetensors", b'\x10\0\0\0\0\0\0\0{"a":"\xff"}    ').run()
    assert len(errors(at)) == 1
    assert errors(at)[0].startswith("This configuration cannot be read: the configuration must be ")


def test_what_engines_do_is_in_chinese():
    for model in ("llama_3_1_8b", "gemma_2_2b"):
        at = opened(PAGE, model=model, model_length="200000", lang="zh")
        assert "超过" in said(at)
        assert left_english(at) == {}
