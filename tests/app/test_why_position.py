"""The page on why position: what it says by default, for any sentence, order and encoding, and for bad links."""

import pytest

from tests.app.opened import checked, frames, opened, said

PAGE = "why_position"


def sound(at):
    return checked(at, 1)


def largest(at):
    table = frames(at)[0]["changes"]
    return table.groupby("row").change.max().to_list()


def test_attention_alone_is_blind_and_all_others_notice():
    at = sound(opened(PAGE))
    assert not at.warning
    first, *others = largest(at)
    assert first < 1e-12
    assert min(others) > 0.1
    assert "**Attention, no encoding** gave every word the same output" in said(at)
    assert "`man old the bites dog the`" in said(at)


def test_an_encoding_of_the_link_stands_in_the_second_row():
    blind, second, *_ = largest(sound(opened(PAGE, why_encoding="none")))
    assert blind < 1e-12
    assert second < 1e-12


def test_the_order_that_changes_nothing_is_noticed_by_nobody():
    at = sound(opened(PAGE, order="0"))
    assert max(largest(at)) == 0
    assert "the order has not changed anything" in said(at)


@pytest.mark.parametrize("number", ["0", "99"])
@pytest.mark.parametrize("sentence", ["a b", "x x x", "one two three four five six seven eight nine ten eleven twelve"])
def test_any_sentence_in_any_order(sentence, number):
    assert not sound(opened(PAGE, sentence=sentence, order=number)).warning


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("", "sentence must have 2 to 12 words, got 0"),
        ("alone", "sentence must have 2 to 12 words, got 1"),
        (" ".join("abcdefghijklm"), "sentence must have 2 to 12 words, got 13"),
        (f"a {'b' * 30}", f"each word must have at most 24 letters, got '{'b' * 24}' and more"),
    ],
)
def test_a_sentence_that_cannot_be_read_gives_way_to_the_first(sentence, problem):
    at = sound(opened(PAGE, sentence=sentence))
    assert problem in at.warning[0].value
    assert frames(at)[0]["changes"].word.to_list()[:3] == ["the", "dog", "bites"]


def test_words_are_shown_as_words_and_not_as_markup():
    at = sound(opened(PAGE, sentence="<b>bold</b> [link](x) `code` :red[hot]"))
    assert "`<b>bold</b> [link](x) 'code' :red[hot]`" in said(at)


def test_an_order_of_the_link_names_the_word_at_each_place():
    at = sound(opened(PAGE, sentence="a b c", order="2.0.1"))
    assert "`c a b`" in said(at)
    assert at.query_params["order"] == "2.0.1"
    at.text_input(key="sentence").set_value("a b c d").run()  # one that is not of this sentence
    assert "`d c b a`" in said(at)
    assert not at.warning
    assert "order" not in at.query_params


@pytest.mark.parametrize(
    ("key", "value"),
    [("order", bad) for bad in ("-1", "100", "0.1", "0.1.2.3.4.4", "0.1.2.3.4.6", "x" * 90, "\u0661")]
    + [("why_encoding", "nothing")],
)
def test_bad_links_are_named(key, value):
    at = sound(opened(PAGE, **{key: value}))
    assert len(at.warning) == 1
    assert f"{key} must be" in at.warning[0].value


@pytest.mark.parametrize(("guess", "right"), [(2, True), (6, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE)
    at.number_input(key="why_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    assert "A 0.00" in (at.success or at.warning)[0].value
