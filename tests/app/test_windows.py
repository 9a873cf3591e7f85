"""The page on windows and sinks: what it says and draws, the settings of a mask, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

from pe_core.masks import MASKS
from tests.app.opened import checked, frames, opened, said

PAGE = "windows"
RULES = {
    "win_length": "be a whole number from 16 to 128 in steps of 8",
    "win_trained": "be one of 16, 32, 64, 128",
    "win_layers": "be a whole number from 1 to 12",
    "win_window_window": "be a number from 0.05 to 8",
    "win_window_convention": "be one of with self, without self",
    "win_span": "be a whole number from 1 to 32",
    "win_mask": "be one of causal, window, sinks, lambda, dilated, chunked, prefix",
    "win_look": "be one of Layers, Matrix M, Entropy, Sinks, Cache",
}


def sound(at):
    return checked(at, 3)


def last(at, chart, name):
    """The last number of a line of a chart."""
    frame = frames(at)[chart]["lines"]
    return frame[frame.name == name].y.iloc[-1]


def test_a_window_through_three_layers_loses_the_start_and_through_five_knows_all():
    at = sound(opened(PAGE))
    assert not at.warning
    window, layers, length = 16, 3, 64  # half of the training length of 32
    known = layers * (window - 1) + 1
    assert f"sees **{window}** keys itself" in said(at)
    assert f"know of **{known}** tokens" in said(at)
    assert f"the other **{length - known}** nothing can reach it" in said(at)
    assert [last(at, 1, name) for name in ("seen directly", "through layers", "all so far")] == [16, 46, 64]
    sound(at.slider(key="win_layers").set_value(5).run())
    assert "know of all **64** tokens" in said(at)
    assert last(at, 1, "through layers") == 64


def test_the_mask_of_a_link_has_its_own_settings_and_they_reach_the_picture():
    link = {"win_mask": "sinks", "win_sinks_n_sinks": "8", "win_sinks_window": "0.25"}
    at = sound(opened(PAGE, **link))
    assert not at.warning
    assert {name: at.query_params[name] for name in link} == link
    assert {name: str(at.session_state[name]) for name in link} == link
    assert f"**{MASKS['sinks'].title}.** {MASKS['sinks'].summary}" in said(at)
    assert last(at, 1, "seen directly") == 8 + 8
    assert last(at, 1, "through layers") == 8 + 3 * 7 + 1
    at.selectbox(key="win_mask").set_value("window").run()
    assert "win_sinks_n_sinks" not in {slider.key for slider in at.slider}
    sound(at.segmented_control(key="win_window_convention").set_value("without self").run())
    assert f"**{MASKS['window'].title}.**" in said(at)
    assert [last(at, 1, name) for name in ("seen directly", "through layers")] == [17, 49]


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE)
    [wrong] = sound(at.number_input(key="win_guess").set_value(30).run()).warning
    assert "30" in wrong.value
    assert not at.success
    [right] = sound(at.number_input(key="win_guess").set_value(25).run()).success
    for answer in (wrong.value, right.value):
        assert "1, 5, 9, 13, 17, 21, 25" in answer


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "nan")))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(RULES)
    assert all(f"{name} must {rule}, got 'nan'" in warned for name, rule in RULES.items())
    assert "sees **16** keys itself" in said(at)
