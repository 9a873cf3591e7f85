"""Broken configurations: one sentence, or a whole answer, and never a traceback, in bounded work."""

import itertools
import json
import re
import sys

import pytest

from pe_core.models import ConfigError, inspected, reading
from pe_core.models.reading import parsed
from tests.cases import each
from tests.models.mutations import GOOD, OF_OTHERS, TEXTS, mutated

MAX_CALLS = 100_000  # of functions for one text, which no load of the machine changes; 11,000 is the most needed
SENTENCE = re.compile(r"^[^\n]{5,400}$")


def outcome(text):
    """Return the sentence of a refusal, or None for a configuration that is understood."""
    calls, sentence, found = itertools.count(), None, None
    sys.setprofile(lambda frame, event, argument: next(calls))
    try:
        found = inspected(text)
    except ConfigError as error:
        sentence = str(error)
    finally:
        sys.setprofile(None)
    assert next(calls) < MAX_CALLS
    if found is None:
        assert SENTENCE.match(sentence)
        assert " must " in sentence
        return sentence
    assert found.summary.endswith(".")
    assert all(SENTENCE.match(warning) for warning in found.warnings)
    for group in found.groups:
        if group.rotation is not None:
            assert group.rotation.frequencies.isfinite().all()
    return None


@each("config", GOOD)
def test_the_good_ones_are_understood(config):
    assert outcome(json.dumps(config)) is None


def test_1500_mutilated_configurations_get_a_sentence_each():
    sentences = [outcome(mutated(seed)) for seed in range(1500)]
    assert sum(sentence is not None for sentence in sentences) >= 750
    assert len(set(sentences)) >= 250


def test_1000_mutilated_configurations_of_other_models_get_a_sentence_each():
    sentences = [outcome(mutated(seed, OF_OTHERS)) for seed in range(1000)]
    assert 250 <= sum(sentence is not None for sentence in sentences) <= 950


@each("text", TEXTS)
def test_texts_that_are_no_configuration_are_refused(text):
    assert outcome(text) is not None


@each(("text", "message"), [
    ("", "the configuration must be JSON, got a mistake in line 1, column 1: Expecting value"),
    ('{\n"model_type": llama}', "the configuration must be JSON, got a mistake in line 2, column 15: Expecting value"),
    ("[]", "the configuration must be a JSON object, got []"),
    ("{}", "the configuration must have fields, got {}"),
    ('{"model_type": "clip", "text_config": 0.5}', "text_config must be an object, got 0.5"),
    (b"\xff", "the configuration must be UTF-8, got other bytes from byte 1 on"),
    ("\ufeff{}", "the configuration must have fields, got {}"),
    ('{"a": 1, "a": 2}', '"a" must stand once in its object, got it twice with two values'),
    ('{"model_type": "llama", "rope_theta": NaN}', "rope_theta must be a number of at least 1, got NaN"),
    ('{"model_type": "llama", "rope_theta": 1e999}', "rope_theta must be from 1e-15 to 1e+15, got Infinity"),
    ('{"model_type": "llama", "num_hidden_layers": 1234567890123456789}',
     "num_hidden_layers must be a whole number from 1 to 10,000, got 1.2345678901234568e+18"),
    ('{"a": ' + "[" * 16 + "]" * 16 + "}", "the configuration must be nested at most 16 deep, got more"),
    ("[" * 200_000, "the configuration must be nested at most 16 deep, got more"),
    ({"a": {1, 2}}, "the configuration must be what JSON can write, got Object of type set is not JSON serializable"),
    ({"hidden_size": 8}, "model_type must be given, because it decides what the fields mean, got nothing"),
    ({"rope_theta": 8},
     "model_type must be given, because it decides what the fields mean, got nothing; its fields look like "
     "those of RoPE, which is a guess"),
    ({"model_type": 3}, "model_type must be a text, got 3"),
])  # fmt: skip
def test_sentences(text, message):
    with pytest.raises(ConfigError) as error:
        inspected(text)
    assert str(error.value) == message


def test_an_unknown_type_names_its_neighbours():
    with pytest.raises(ConfigError, match=r"\(did you mean qwen3 or .*\?\), got \"qwen33\"$"):
        inspected({"model_type": "qwen33"})


def test_a_mapping_and_its_text_are_alike():
    assert parsed(GOOD[0]) == parsed(json.dumps(GOOD[0])) == parsed(json.dumps(GOOD[0]).encode())


@each(
    ("text", "rule"),
    [("x" * 11, "have at most 10 characters, got 11"), ("[[],[],{}]", "have at most 3 objects and lists, got 4")],
)
def test_what_is_too_long_or_too_much_is_refused(monkeypatch, text, rule):
    monkeypatch.setattr(reading, "MAX_CHARACTERS", 10)
    monkeypatch.setattr(reading, "MAX_OBJECTS", 3)
    with pytest.raises(ConfigError, match=f"^the configuration must {rule}$"):
        parsed(text)
