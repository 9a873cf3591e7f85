"""The sinusoidal page: every topic by default and at both ends of its controls, and links that ask for nonsense."""

import json
import re

import pytest

from tests.app.opened import frames, opened, sentences

PAGE = "sinusoidal"
TOPICS = (
    "Waves",
    "Detail",
    "Wavelengths",
    "Clock hands",
    "First positions",
    "Similarity",
    "Shift matrix",
    "Worked example",
    "Layouts",
    "Exercise",
)
ENDS = ({"base": "1"}, {"base": "1000000"}, {"width": "1"}, {"width": "2"}, {"width": "768", "length": "512"})
LAYOUTS = ("paper", "concatenated", "tensor2tensor")


def said(at):
    return "\n".join(element.value for element in (*at.markdown, *at.caption, *at.text, *at.info, *at.success))


def sound(at):
    """The page, after checking that it has no error, and no picture without a spec, data and words of its own."""
    assert not at.exception
    assert not at.error
    specs = [json.loads(chart.proto.spec) for chart in at.get("vega_lite_chart")]
    assert len(specs) == len(sentences(at)) == len(frames(at)) >= 1
    assert all(any(not frame.empty for frame in data.values()) for data in frames(at))
    assert "[[" not in said(at) + "".join(sentences(at))
    assert "nan" not in re.findall(r"\w+", said(at).lower())
    return at


@pytest.mark.parametrize("topic", TOPICS)
def test_a_link_opens_the_topic_it_names(topic):
    at = sound(opened(PAGE, topic=topic))
    assert at.session_state["topic"] == topic
    assert not at.warning


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("link", ENDS, ids=str)
def test_every_topic_stands_every_end_of_the_controls(topic, link):
    assert not sound(opened(PAGE, topic=topic, **link)).warning


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_topic_stands_one_channel_and_one_position_in_every_layout(topic, layout):
    assert not sound(opened(PAGE, topic=topic, layout=layout, width="1", length="1")).warning


@pytest.mark.parametrize(
    ("name", "value", "rule", "default"),
    [
        ("width", "769", "be a whole number from 1 to 768", 64),
        ("width", "64.0", "be a whole number from 1 to 768", 64),
        ("length", "0", "be a whole number from 1 to 512", 64),
        ("length", "nan", "be a whole number from 1 to 512", 64),
        ("base", "3", "be one of 1, 2, 5, 10, 20, 50,", 10_000),
        ("base", "", "be one of 1, 2, 5, 10, 20, 50,", 10_000),
        ("layout", "GPT", "be one of paper, concatenated, tensor2tensor", "paper"),
        ("topic", "Sun", "be one of Waves, Detail, Wavelengths", "Waves"),
    ],
)
def test_a_link_that_asks_for_nonsense_gets_a_sentence_and_the_default(name, value, rule, default):
    at = sound(opened(PAGE, **{name: value}))
    [warning] = at.warning
    assert f"{name} must {rule}" in warning.value
    assert f"got '{value}'" in warning.value
    assert f"Shown instead: {default}." in warning.value
    assert at.session_state[name] == default


def test_what_is_said_is_computed():
    text = said(opened(PAGE, topic="Similarity"))
    assert "first time at **distance 6**" in text
    assert "length of 64: 23 of 32." in text  # wavelengths 2 pi 10000^(i/32) above 64 from i = 9 on
    assert "**distance 44**" in said(opened(PAGE, topic="Similarity", width="512"))


def test_the_slip_is_wrong_and_the_matrix_right():
    text = said(opened(PAGE, topic="Shift matrix", width="8"))
    assert re.search(r"largest error of \$M_k\$ is \*\*\d(\.\d)?e-1\d\*\*", text)
    assert re.search(r"its error is \*\*1\.\d+\*\*", text)


def test_the_worked_example_shows_its_numbers():
    text = said(opened(PAGE, topic="Worked example"))
    assert all(number in text for number in ("0.84147", "0.54030", "0.01000", "0.99995"))


def test_one_pair_knows_no_base():
    assert "largest difference between any two of them is 0" in said(opened(PAGE, topic="First positions"))


def test_a_table_of_any_size_is_one_picture():
    for link in ({}, {"width": "768", "length": "512"}):
        table = frames(opened(PAGE, **link))[0]["table"]
        assert len(table) == 1
        assert table.url[0].startswith("data:image/png;base64,")
