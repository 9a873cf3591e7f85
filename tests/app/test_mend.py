"""Mend it: the guess of a line, its link, and pasted numbers that are read and never run."""

from pe_core.chapters import mend
from pe_core.quiz import own_code
from pe_core.quiz.mending import LISTINGS
from tests.app.opened import checked, frames, opened, said
from ui.widgets.prose import sections

PAGE = "mend"
TEXT = sections(PAGE)


def sound(at):
    return checked(at, len(frames(at)))


def guess(at, listing, line):
    return sound(at.segmented_control(key=f"mend_{listing}_guess").set_value(line).run())


def test_before_a_guess_the_answer_is_not_there():
    at = checked(opened(PAGE), 3)
    first = next(iter(LISTINGS.values()))
    assert [line[4:] for line in at.code[0].value.splitlines()] == first.lines
    assert at.code[0].value.splitlines()[2].startswith(" 3  ")
    assert first.mended not in "".join(code.value for code in at.code) + said(at)
    assert not at.success
    assert not at.warning


def test_a_right_and_a_wrong_guess_are_told_the_line_and_why():
    listing = "rope_cache"
    asked = LISTINGS[listing]
    at = guess(opened(PAGE, mend_listing=listing), listing, asked.line)
    assert at.success[0].value.startswith(f"Right: line {asked.line}.")
    assert asked.mended in [code.value for code in at.code]
    wrong = asked.offered[0] if asked.offered[0] != asked.line else asked.offered[1]
    at = guess(at, listing, wrong)
    assert at.warning[0].value.startswith(f"Not line {wrong} but line {asked.line}.")
    assert at.query_params[f"mend_{listing}_guess"] in ([str(wrong)], str(wrong))


def test_a_link_brings_the_answer_back_and_one_that_is_no_line_is_named():
    at = sound(opened(PAGE, mend_listing="alibi_sign", mend_alibi_sign_guess="5"))
    assert at.success
    at = sound(opened(PAGE, mend_listing="alibi_sign", mend_alibi_sign_guess="99"))
    assert "mend_alibi_sign_guess must be one of 3, 4, 5, 6, 7" in at.warning[0].value
    assert not at.success


def paste(at, task, text):
    return sound(at.text_area(key=f"mend_{task}_pasted").set_value(text).run())


def test_own_rope_is_compared_and_a_mistake_called_by_its_name():
    at = paste(opened(PAGE), "rope", str(own_code.rope(100, 1)))
    assert "All 24 numbers are right" in said(at)
    assert len(frames(at)) == 4
    at = paste(at, "rope", str(own_code.rope_mistakes(100, 1)["rope_halves"].tolist()))
    assert TEXT["mistake-rope_halves"] in said(at)
    assert mend.vectors(1) in [code.value for code in at.code]


def test_own_alibi_is_compared_for_any_number_of_heads():
    at = opened(PAGE, mend_task="alibi", mend_heads="12")
    assert at.text_area(key="mend_alibi_pasted").label == "Your numbers: 12 rows of 6, row by row"
    at = paste(at, "alibi", str(own_code.biases(12).tolist()))
    assert "All 72 numbers are right" in said(at)
    at = paste(at, "alibi", str(own_code.alibi_mistakes(12)["alibi_plain"].tolist()))
    assert TEXT["mistake-alibi_plain"] in said(at)


def test_a_broken_paste_gets_a_sentence():
    at = opened(PAGE)
    for text, problem in (
        ("1 2 3", "numbers must be 6 times 4, 24 in all, got 3"),
        ("__import__('os')", "table must hold numbers only, got '__import__'"),
    ):
        at = paste(at, "rope", text)
        assert [warning.value for warning in at.warning] == [f"This cannot be compared: `{problem}`."]
        assert len(frames(at)) == 3
