"""The self-test and the page Mend it: answers, guesses of a line, the score, the ways, and pasted numbers."""

import math

import pytest

from pe_core.chapters import mend
from pe_core.chapters.selftest import said_of, ways
from pe_core.quiz import own_table
from pe_core.quiz.mending import LISTINGS
from pe_core.quiz.questions import QUESTIONS
from tests.app import walking
from tests.app.in_chinese import also_in_chinese, in_chinese
from tests.app.opened import checked, frames, opened, said
from tests.cases import each
from ui.widgets.prose import sections

PAGE = "selftest"
TEXT, MEND = sections(PAGE), sections("mend")
ASKED = [name.removesuffix("-asked") for name in TEXT if name.endswith("-asked")]
WAYS = []  # the pages that are led to, each link once
for name in ASKED:
    WAYS += [(page, link) for page, _, link in ways(TEXT[f"{name}-ways"]) if (page, link) not in WAYS]


def sound(at):
    return checked(at, len(frames(at)))


def field(at, key, seed):
    return at.text_input(key=f"self_{key}_{seed}_answer")


def answer(at, key, seed, text):
    return sound(field(at, key, seed).set_value(text).run())


def test_by_default_a_question_is_asked_and_another_one_solved_with_its_picture():
    at = sound(opened(PAGE))
    assert not at.warning
    asked, solved = QUESTIONS["component"].ask(1), QUESTIONS["component"].ask(0)
    assert f"Which number is at position $m = {asked.given['position']}$" in said(at)
    assert "A solved question of the same kind" in said(at)
    given = solved.given
    angle = given["position"] / given["base"] ** (2 * (given["column"] // 2) / given["width"])
    value = math.cos(angle) if given["column"] % 2 else math.sin(angle)
    assert f"is **−{-value:.4g}**" in said(at)
    assert frames(at)[0]["answer"].y.item() == pytest.approx(value)
    assert not at.success


@each("key", QUESTIONS)
def test_every_kind_can_be_asked_and_answered(key):
    at = sound(opened(PAGE, self_topic=key, self_seed="7", lang="zh"))
    assert in_chinese(answer(at, key, 7, f"{QUESTIONS[key].ask(7).answer:.6g}")).success
    assert not at.warning
    assert in_chinese(answer(at, key, 7, "-77")).warning


def test_another_question_is_of_the_next_kind_and_in_the_link():
    at = opened(PAGE, self_seed="14")
    keys = list(QUESTIONS)
    assert field(at, keys[14], 14).value == ""
    for step in range(2):
        at = sound(at.button(key="self_another").click().run())
        seed = at.number_input(key="self_seed").value
        assert seed % 15 == step
        assert field(at, keys[step], seed).value == ""
        assert at.query_params["self_seed"] in ([str(seed)], str(seed))


def test_the_score_counts_first_tries_only_and_goes_on_over_questions():
    at = opened(PAGE, self_topic="neighbour_bits", self_seed="3")
    right = str(int(QUESTIONS["neighbour_bits"].ask(3).answer))
    wrong = answer(at, "neighbour_bits", 3, "-1")
    assert wrong.warning[0].value == f"Not −1 but **{right}**."
    assert "Right at the first try in this session: 0 of 1." in said(wrong)
    assert "Right at the first try in this session: 0 of 1." in said(answer(at, "neighbour_bits", 3, right))
    at.number_input(key="self_seed").set_value(4).run()
    question = QUESTIONS["neighbour_bits"].ask(4)
    answer(at, "neighbour_bits", 4, str(int(question.answer)))
    assert at.success[0].value == f"Right: {said_of(question)['answer']}."
    assert "Right at the first try in this session: 1 of 2." in said(at)
    assert "A solved question of the same kind" not in said(at)


def test_what_is_no_number_is_named_and_counts_for_nothing():
    at = opened(PAGE)
    for typed in ("1/0", "`x`"):
        at = answer(at, "component", 1, typed)
        assert len(at.warning) == 1
        assert at.warning[0].value.startswith(
            "This cannot be read: `answer must be a number such as 0.25, 2.5e-1 or 1/4, got "
        )
        assert at.warning[0].value.count("`") == 2
        assert "Right at the first try" not in said(at)
        assert "A solved question of the same kind" in said(at)
        also_in_chinese(at)


def test_every_question_of_the_interview_has_an_answer_and_ways():
    at = sound(opened(PAGE))
    interview = [block for block in at.expander if block.label != "Show code"]
    assert [block.label for block in interview] == [TEXT[f"{name}-asked"] for name in ASKED]
    assert len(interview) >= 15
    assert all(block.markdown[0].value for block in interview)
    links = at.get("page_link")
    assert len(links) == sum(len(ways(TEXT[f"{name}-ways"])) for name in ASKED) + 2  # and to the pages beside this one
    assert "0.8415, 0.5403, 0.0100, 1.0000" in said(at)


@each(("page", "link"), WAYS)
def test_every_way_leads_to_a_page_that_knows_its_link(page, link):
    at = opened(page, **link)
    assert not at.warning
    known = {element.key for kind in KINDS for element in at.get(kind)}
    assert all(name in known or name in at.session_state for name in link)  # what is dragged is no widget


KINDS = ("slider", "select_slider", "number_input", "selectbox", "multiselect", "button_group", "text_input")


def own(at, text):
    return sound(at.text_area(key="self_pasted").set_value(text).run())


def test_own_numbers_are_compared():
    at = sound(opened(PAGE, self_table="own", self_length="2", self_width="4"))
    assert at.text_area(key="self_pasted").label == "Your numbers: 2 rows of 4, row by row"
    assert len(frames(at)) == 1
    at = own(at, "[[0, 1, 0, 1],\n [0.8415, 0.5403, 0.0100, 1.0000]]")
    assert "All 8 numbers are right" in said(at)
    also_in_chinese(at)
    at = own(at, "0 1 0 1 0.8415 0.5403 0.0175 1")
    assert "**1 of 8 numbers differ from ours.** The first is at position 1, channel 2" in said(at)
    assert "These are the numbers" not in said(at)
    also_in_chinese(at)
    at = own(at, "0 1 0 1 0.0175 0.9998 0.0002 1")
    assert TEXT["mistake-degrees"] in said(at)


# Mend it.


def test_before_a_guess_the_answer_is_not_there():
    at = checked(opened("mend"), 3)
    first = next(iter(LISTINGS.values()))
    assert [line[4:] for line in at.code[0].value.splitlines()] == first.lines
    assert at.code[0].value.splitlines()[2].startswith(" 3  ")
    assert first.mended not in "".join(code.value for code in at.code) + said(at)
    assert not at.success
    assert not at.warning


@each(("listing", "asked"), LISTINGS.items())
def test_a_right_and_a_wrong_guess_are_told(listing, asked):
    at = opened("mend", mend_listing=listing, lang="zh")
    wrong = next(line for line in asked.offered if line != asked.line)
    for line in (asked.line, wrong):
        at.segmented_control(key=f"mend_{listing}_guess").set_value(line).run()
        in_chinese(walking.sound(at))
        assert (bool(at.success), bool(at.warning)) == (line == asked.line, line == wrong)
        assert asked.mended in [code.value for code in at.code]
        assert at.query_params[f"mend_{listing}_guess"] in ([str(line)], str(line))


def test_a_link_brings_the_answer_back_with_its_line_and_one_that_is_no_line_is_named():
    right, wrong, bad = (
        sound(opened("mend", mend_listing="alibi_sign", mend_alibi_sign_guess=line)) for line in ("5", "4", "99")
    )
    assert right.success[0].value.startswith("Right: line 5.")
    assert wrong.warning[0].value.startswith("Not line 4 but line 5.")
    assert "mend_alibi_sign_guess must be one of 3, 4, 5, 6, 7" in bad.warning[0].value
    assert not bad.success


def paste(at, task, text):
    return sound(at.text_area(key=f"mend_{task}_pasted").set_value(text).run())


def test_own_rope_is_compared_and_a_mistake_called_by_its_name():
    at = paste(opened("mend"), "rope", str(own_table.rope(100, 1)))
    assert "All 24 numbers are right" in said(at)
    assert len(frames(at)) == 4
    at = paste(at, "rope", str(own_table.rope_mistakes(100, 1)["rope_halves"].tolist()))
    assert MEND["mistake-rope_halves"] in said(at)
    assert mend.vectors(1) in [code.value for code in at.code]
    also_in_chinese(at)


def test_own_alibi_is_compared_for_any_number_of_heads():
    at = opened("mend", mend_task="alibi", mend_heads="12")
    assert at.text_area(key="mend_alibi_pasted").label == "Your numbers: 12 rows of 6, row by row"
    at = paste(at, "alibi", str(own_table.biases(12).tolist()))
    assert "All 72 numbers are right" in said(at)
    at = paste(at, "alibi", str(own_table.alibi_mistakes(12)["alibi_plain"].tolist()))
    assert MEND["mistake-alibi_plain"] in said(at)
    also_in_chinese(at)


@each(
    ("page", "key", "charts", "size"),
    [("selftest", "self_pasted", 1, "6 times 8, 48 in all"), ("mend", "mend_rope_pasted", 3, "6 times 4, 24 in all")],
)
def test_a_paste_that_is_no_table_gets_a_sentence(page, key, charts, size):
    at = opened(page, **({"self_table": "own"} if page == "selftest" else {}))
    for text, problem in (
        ("1 2 3", f"numbers must be {size}, got 3"),
        ("__import__('os')", "table must hold numbers only, got '__import__'"),
        ("`` 1", "table must hold numbers only, got ''''"),
    ):
        checked(at.text_area(key=key).set_value(text).run(), charts)
        assert [warning.value for warning in at.warning] == [f"This cannot be compared: `{problem}`."]
        also_in_chinese(at)
