"""The page on why position: what it says and draws, sentences and orders of one's own, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every control is opened by `test_every_page.py`.
"""

from tests.app.opened import checked, frames, opened, said

PAGE = "why_position"


def sound(at):
    return checked(at, 1)


def largest(at):
    table = frames(at)[0]["changes"]
    return table.groupby("row").change.max().to_list()


def test_attention_alone_is_blind_and_all_others_notice_until_the_second_row_is_without_an_encoding_too():
    at = sound(opened(PAGE))
    assert not at.warning
    first, *others = largest(at)
    assert first < 1e-12
    assert min(others) > 0.1
    assert "**Attention, no encoding** gave every word the same output" in said(at)
    assert "`man old the bites dog the`" in said(at)
    blind, second, *_ = largest(sound(at.selectbox(key="why_encoding").set_value("none").run()))
    assert blind < 1e-12
    assert second < 1e-12
    assert at.query_params["why_encoding"] == "none"


def test_an_order_of_the_link_names_the_word_at_each_place_and_words_are_no_markup():
    at = sound(opened(PAGE, sentence="<b>bold</b> `code` [link](x):red[hot]", order="2.0.1"))
    assert "`[link](x):red[hot] <b>bold</b> 'code'`" in said(at)
    assert at.query_params["order"] == "2.0.1"
    at.text_input(key="sentence").set_value("a b c d").run()  # the order is not one of this sentence
    assert "`d c b a`" in said(sound(at))
    assert not at.warning
    assert "order" not in at.query_params


def test_the_order_that_changes_nothing_is_noticed_by_nobody():
    at = sound(opened(PAGE, order="0"))
    assert max(largest(at)) == 0
    assert "the order has not changed anything" in said(at)


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, sentence="alone", order="0.1.2.3.4.4", why_encoding="nothing"))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == 3
    assert "sentence must have 2 to 12 words, got 1" in warned
    assert "order must be a whole number from 0 to 99, or name each of 0 to 5 once" in warned
    assert "why_encoding must be one of " in warned
    assert frames(at)[0]["changes"].word.to_list()[:3] == ["the", "dog", "bites"]
    assert "`man old the bites dog the`" in said(at)


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE)
    [wrong] = sound(at.number_input(key="why_guess").set_value(6).run()).warning
    assert not at.success
    [right] = sound(at.number_input(key="why_guess").set_value(2).run()).success
    for answer in (wrong.value, right.value):
        assert "A 0.00" in answer


def test_a_word_that_is_picked_is_moved_and_the_orders_of_the_buttons_are_in_the_link():
    at = sound(opened(PAGE, sentence="a b c d", order="0"))
    assert at.button(key="order_Move left").disabled
    at.pills(key="order_word").set_value(3).run()
    assert at.button(key="order_Move right").disabled
    at.button(key="order_Move left").click().run()
    assert "`a b d c`" in said(sound(at))
    assert at.query_params["order"] == "0.1.3.2"
    at.button(key="order_Move left").click().run()  # it is still picked
    assert at.query_params["order"] == "0.3.1.2"
    at.button(key="order_Turn around").click().run()
    assert at.query_params["order"] == "2.1.3.0"
    at.button(key="order_As written").click().run()
    assert at.query_params["order"] == "0.1.2.3"
    at.button(key="order_Shuffle").click().run()
    shuffled = at.query_params.get("order", "3.2.1.0")  # the default is not in the link
    assert sorted(shuffled.split(".")) == ["0", "1", "2", "3"]
