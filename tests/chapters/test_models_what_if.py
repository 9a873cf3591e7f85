"""What a change would do to a model: its picture, its facts and its lines."""

import json
import math

import pytest

from pe_core.chapters import models
from tests.cases import each
from tests.chapters.test_models import GEMMA, TINY, line

PICTURES = {
    models.changed_wavelengths: (
        {
            "source": "llama_2_7b",
            "rule": "longrope",
            "factor": 4,
            "base": None,
            "part": None,
            "long_factors": "3",
        },
        {
            "source": "phi_2",
            "rule": "linear",
            "factor": 8,
            "base": 500_000,
            "part": 0.5,
            "long_factors": "2",
        },
    ),
}


def test_a_change_of_the_base_by_hand():
    """Base 1,000,000 and 8 channels: frequencies 1, 10^-1.5, 10^-3 and 10^-4.5."""
    figure = models.changed_wavelengths(json.dumps(TINY), "default", 2, 1_000_000)
    assert line(figure, "what if") == pytest.approx([2 * math.pi * 10 ** (1.5 * pair) for pair in range(4)])
    assert line(figure, "as it is") == pytest.approx([2 * math.pi * 10**pair for pair in range(4)])
    assert (figure.facts["never-now"], figure.facts["never-then"]) == (1, 2)
    assert figure.frames["levels"].y.to_list() == [1000, 2000]


def test_a_trained_length_that_is_not_told_is_said_to_be_guessed():
    figure = models.changed_wavelengths(GEMMA, "yarn", 4)
    assert figure.facts["stands-in"] == "stands-in"
    assert figure.frames["levels"].label[0] == "claimed 131,072"
    figure = models.changed_wavelengths("llama_3_1_8b", "yarn", 4)
    assert figure.facts["stands-in"] == ""
    assert figure.frames["levels"].label[0] == "trained 8,192"


def test_the_lines_are_json_that_says_the_change():
    lines = json.loads(models.pasted_back("llama_3_1_8b", "llama3", 16))
    assert lines["rope_scaling"]["factor"] == 16
    assert lines["max_position_embeddings"] == 16 * 8192
    assert models.changed_wavelengths("llama_3_1_8b", "llama3", 16).facts["where"] == "the outermost object"
    nested = json.dumps({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}})
    assert models.changed_wavelengths(nested, "linear", 16).facts["where"] == "`text_config`"


def test_a_change_that_is_refused_is_a_sentence():
    assert models.refused("llama_2_7b", "yarn", 4) == ""
    assert models.refused("phi_3_mini_4k", "llama3", 4) == "refused"
    assert models.problem("phi_3_mini_4k", "llama3", 4) == {
        "problem": 'rope_parameters.rope_type must be one of default, longrope, got "llama3"'
    }
    assert (models.no_change("bloom"), models.no_change("phi_2")) == ("no-change", "")


def test_pairs_that_do_not_turn_are_counted():
    facts = models.changed_wavelengths("llama_2_7b", "proportional", 1, part=0.25).facts
    assert (facts["stands-still"], facts["still"], facts["pairs-then"]) == ("stands-still", 48, 64)
    assert models.changed_wavelengths("llama_2_7b", "yarn", 4).facts["stands-still"] == ""


@each(("text", "factors"), [("", None), (" ", None), ("4", [4]), ("1, 2.5,3e2", [1, 2.5, 300])])
def test_factors_that_are_typed(text, factors):
    assert models.listed_factors(text) == factors


@each("text", ["four", "1,,2", "0", "-1", "nan", "1e9", "1," * 512 + "1"])
def test_factors_that_are_none_are_refused(text):
    rule = "^long_factors must be 1 to 512 numbers from 0.000001 to 1,000,000, separated by commas, got "
    with pytest.raises(ValueError, match=rule):
        models.listed_factors(text)
