"""The page that inspects a model: its pictures, its facts and its tables, and what a change would do to it."""

import json
import math

import pytest

from pe_core.chapters import models
from pe_core.models import KNOWN
from tests.cases import each, refuses

GEMMA = "gemma_3_4b"
PICTURES = {
    models.wavelengths: ({"source": "llama_3_1_8b"}, {"source": "gpt_oss_20b"}),
    models.changed_wavelengths: (
        {"source": "llama_2_7b", "rule": "longrope", "factor": 4, "base": None, "part": None, "long_factors": "3"},
        {"source": "phi_2", "rule": "linear", "factor": 8, "base": 500_000, "part": 0.5, "long_factors": "2"},
    ),
}
NEW_SPEC = {(models.wavelengths, "source")}  # the names of the layers
TINY = {
    "model_type": "llama",
    "hidden_size": 8,
    "num_attention_heads": 1,
    "num_hidden_layers": 2,
    "max_position_embeddings": 1000,
    "rope_theta": 10_000.0,
}


def line(figure, name):
    frame = figure.frames["lines"]
    return frame[frame.name == name].y.to_list()


def test_the_wavelengths_of_a_head_by_hand():
    """Base 10,000 and 8 channels: frequencies 1, 0.1, 0.01 and 0.001."""
    figure = models.wavelengths(json.dumps(TINY))
    assert line(figure, "all layers") == pytest.approx([2 * math.pi * 10**power for power in range(4)], rel=1e-12)
    assert figure.frames["levels"].to_numpy().tolist() == [["claimed 1,000", 1000]]
    assert figure.facts["never"] == "1 of 4 in all layers"
    assert (figure.facts["scaled"], figure.facts["sharper"]) == ("not-scaled", "")


def test_scaling_by_hand_has_a_line_before_it_and_one_of_a_longer_text_where_that_differs():
    scaled = {**TINY, "rope_scaling": {"rope_type": "linear", "factor": 4.0}}
    figure = models.wavelengths(json.dumps(scaled))
    before, after = line(figure, "all layers, before scaling"), line(figure, "all layers")
    assert after == pytest.approx([4 * wave for wave in before])
    told = {"never": "2 of 4 in all layers", "never-before": "1 of 4 in all layers"}
    told["slowed"] = "all layers up to 4 times"
    assert told.items() <= figure.facts.items()
    assert figure.frames["levels"].label.to_list() == ["claimed 1,000"]
    dynamic = models.wavelengths(json.dumps({**TINY, "rope_scaling": {"rope_type": "dynamic", "factor": 4.0}}))
    assert line(dynamic, "all layers, in a longer text")[-1] > line(dynamic, "all layers")[-1]


def test_layers_that_differ_have_a_line_each_and_those_that_turn_alike_one():
    names = models.wavelengths(GEMMA).frames["lines"].name.unique().tolist()
    assert names == ["full attention, before scaling", "sliding attention", "full attention"]
    assert [row["Kind of layer"] for row in models.layers(GEMMA)] == ["sliding attention", "full attention"]
    [row] = models.layers("gemma_2_2b")
    assert (row["Kind of layer"], row["How many"]) == ("sliding attention and full attention", "26")
    assert row["See"] == "4,096 tokens; all tokens up to itself"


def test_wide_heads_are_thinned_and_a_model_that_turns_nothing_has_no_wavelengths():
    wide = {**TINY, "hidden_size": 4096}
    assert len(line(models.wavelengths(json.dumps(wide)), "all layers")) == models.MAX_PAIRS
    message = "the model must turn pairs to have wavelengths, got one that turns nothing"
    refuses(lambda: models.wavelengths("bloom"), message)


@each("key", KNOWN)
def test_every_known_model_has_a_picture_or_a_sentence_that_says_why_not(key):
    facts = models.told(key)
    assert all(part.endswith(".") for part in models.positions(key).parts)
    assert facts["reference"] == KNOWN[key].source
    if section := models.missing(key):
        assert section == f"mechanism-{models.positions(key).mechanism}"
        assert models.layers(key) == []
    else:
        assert models.layers(key)


def test_equal_content_is_preferred_up_to_the_distance_before_the_first_negative_sum():
    """Base 10,000 and 128 channels; looked for by a naive loop."""
    frequencies = models.positions("llama_2_7b").groups[0].rotation.frequencies
    first = next(m for m in range(10_000) if sum(math.cos(m * one) for one in frequencies.tolist()) < 0)
    assert models.preferred(frequencies) == f"up to {first - 1:,} tokens"
    assert models.preferred(frequencies * 1e-9) == f"for at least {models.FARTHEST:,} tokens"
    assert models.preferred(frequencies.repeat(9)) == "not measured"


def test_the_exercise():
    assert models.never_turning(1) == (True, {"never": 1, "waves": "6, 63, 628, 6,283"})
    assert not models.never_turning(2)[0]


def test_fields_say_who_says_so():
    rows = models.fields(json.dumps(TINY))
    assert {"Field": "rope_theta", "Value": "10000.0", "From": "the file"} in rows
    known = models.fields("llama_3_8b")
    assert not any("{" in row["Value"] for row in models.fields("llama_3_1_8b"))
    assert {"Field": "hidden_size", "Value": "4096", "From": "the class"} in known
    facts = models.told("llama_3_8b")
    assert (facts["said"], facts["filled"]) == (2, len(known) - 2)


def test_sections_and_queries_that_grow_are_told():
    sections = {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
    facts = models.wavelengths(json.dumps(sections)).facts
    assert facts["by-axis"] == "by-axis"
    assert facts["axes"] == "time 0 to 15; height 16 to 39; width 40 to 63"
    assert models.wavelengths("llama_4_scout").facts["by-axis"] == ""
    assert models.told("llama_4_scout")["factors"].startswith(
        "full attention without RoPE 1 + 0.1 ln(1 + floor((m + 1)"
    )
    assert models.told("llama_2_7b")["growing"] == ""


def test_what_happens_at_a_length():
    assert models.at("llama_3_1_8b", 4096)["answer"].startswith("A text of 4,096 tokens is within the original 8,192")
    assert models.at("llama_3_1_8b", None)["answer"].startswith("A text of 131,072 tokens is 16 times")
    assert models.at("t5", None)["at"] == "no-length"
    assert models.at("gemma_2_2b", 9000)["more"] == "In sliding attention a token sees 4,096 tokens at most."
    assert len(models.differing("llama_3_1_8b", 200_000)) == 3
    assert models.differing("llama_3_1_8b", None) == models.differing("t5", None) == []


def test_a_change_of_the_base_by_hand():
    """Base 1,000,000 and 8 channels: frequencies 1, 10^-1.5, 10^-3 and 10^-4.5."""
    figure = models.changed_wavelengths(json.dumps(TINY), "default", 2, 1_000_000)
    assert line(figure, "what if") == pytest.approx([2 * math.pi * 10 ** (1.5 * pair) for pair in range(4)])
    assert line(figure, "as it is") == pytest.approx([2 * math.pi * 10**pair for pair in range(4)])
    assert (figure.facts["never-now"], figure.facts["never-then"]) == (1, 2)
    assert figure.frames["levels"].y.to_list() == [1000, 2000]


def test_a_trained_length_that_is_not_told_is_said_to_be_guessed():
    for source, said, label in ((GEMMA, "stands-in", "claimed 131,072"), ("llama_3_1_8b", "", "original 8,192")):
        figure = models.changed_wavelengths(source, "yarn", 4)
        assert (figure.facts["stands-in"], figure.frames["levels"].label[0]) == (said, label)


def test_pairs_that_do_not_turn_are_counted():
    facts = models.changed_wavelengths("llama_2_7b", "proportional", 1, part=0.25).facts
    assert (facts["stands-still"], facts["still"], facts["pairs-then"]) == ("stands-still", 48, 64)
    assert models.changed_wavelengths("llama_2_7b", "yarn", 4).facts["stands-still"] == ""


def test_the_lines_are_json_that_says_the_change():
    facts = models.changed_wavelengths("llama_3_1_8b", "llama3", 16).facts
    lines = json.loads(facts["lines"])
    assert lines["rope_scaling"]["factor"] == 16
    assert lines["max_position_embeddings"] == 16 * 8192
    assert facts["where"] == "the outermost object"
    nested = json.dumps({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}})
    assert models.changed_wavelengths(nested, "linear", 16).facts["where"] == "`text_config`"


def test_a_change_that_is_refused_is_a_sentence():
    problem = 'rope_parameters.rope_type must be one of default, longrope, got "llama3"'
    refuses(lambda: models.changed_wavelengths("phi_3_mini_4k", "llama3", 4), problem)


@each(("text", "factors"), [("", None), (" ", None), ("4", [4]), ("1, 2.5,3e2", [1, 2.5, 300])])
def test_factors_that_are_typed(text, factors):
    assert models.listed_factors(text) == factors


@each("text", ["four", "1,,2", "0", "-1", "nan", "1e9", "1," * 512 + "1"])
def test_factors_that_are_none_are_refused(text):
    rule = "^long_factors must be 1 to 512 numbers from 0.000001 to 1,000,000, separated by commas, got "
    with pytest.raises(ValueError, match=rule):
        models.listed_factors(text)
