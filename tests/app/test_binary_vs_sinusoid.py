"""The page binary against sinusoid: what it says and draws, what its controls leave alone, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import json
import math

from pe_core.measures import jumps
from tests.app.opened import frames, opened, sentences

PAGE = "binary_vs_sinusoid"
RULES = {  # rule and default
    "positions": ("be a whole number from 8 to 192 in steps of 8", 32),
    "bits": ("be a whole number from 1 to 10", 5),
    "bs_channels": ("be a whole number from 2 to 32 in steps of 2", 16),
    "bs_base": ("be one of 1, 2, 5, 10, 32, 100, 256, 1000, 10000, 100000, 1000000", 256),
    "bs_look": ("be one of Wave by wave, Rates, Jumps, Overflow, Bytes, Exercise", "Wave by wave"),
}


def all_text(at):
    return "\n".join(element.value for element in at.markdown)


def sound(at):
    """The page, after checking that it has no error, and no picture without a spec, data and words of its own."""
    assert not at.exception
    assert not at.error
    specs = [json.loads(chart.proto.spec) for chart in at.get("vega_lite_chart")]
    assert len(specs) == len(sentences(at)) == (1 if at.session_state["bs_look"] == "Exercise" else 2)
    assert all(spec["layer"] for spec in specs)
    assert all(not frame.empty for data in frames(at) for name, frame in data.items() if name != "waves")
    said = all_text(at) + "".join(sentences(at))
    assert "[[" not in said
    return at


def test_both_codes_are_shown_and_a_slider_changes_the_data_and_not_the_spec():
    at = sound(opened(PAGE))
    assert not at.warning
    table, lanes = frames(at)
    assert len(table["rows"]) == 32
    assert table["rows"].bits[7] == "00111"
    assert len(lanes["lanes"]) == 5
    assert "At base 256 each pair has 2 times the wavelength" in all_text(at)
    assert "With 16 channels the wavelengths double exactly, as the periods of the bits do, at base 256" in all_text(at)
    assert "5 bits on the left, 16 channels of the sinusoid on the right" in sentences(at)[0]
    assert "grows 2 times" in sentences(at)[0]
    before = [chart.proto.spec for chart in at.get("vega_lite_chart")]
    at.slider(key="bits").set_value(6)
    at.select_slider(key="bs_base").set_value(100)
    at.slider(key="bs_channels").set_value(8)
    at.run()
    assert [chart.proto.spec for chart in at.get("vega_lite_chart")] == before
    table, lanes = frames(sound(at))
    assert table["rows"].bits[7] == "000111"
    assert len(lanes["lanes"]) == 6
    assert f"each pair has {100 ** (2 / 8):.4g} times" in all_text(at)
    assert "wavelengths double exactly, as the periods of the bits do, at base 16" in all_text(at)


def test_rates_are_tabled_beside_wavelengths_and_no_other_look_is_computed(monkeypatch):
    def untouched(*arguments):
        raise AssertionError("computed without being open")

    monkeypatch.setattr(jumps, "steps", untouched)
    monkeypatch.setattr(jumps, "overflow", untouched)
    table = sound(opened(PAGE, bs_look="Rates")).dataframe[0].value
    assert table["flips per step, counted"].tolist() == ["1", "0.5", "0.25", "0.125", "0.0625"]
    assert table["its wavelength"].tolist()[-1] == f"{8 * math.pi:.2f}"


def test_a_link_asks_for_a_position_that_needs_one_more_bit_than_there_are():
    link = {"bs_look": "Overflow", "overflow_position": "556", "overflow_bits": "9", "bits": "6", "bs_base": "100"}
    at = sound(opened(PAGE, **link))
    assert not at.warning
    assert {name: at.query_params[name] for name in link} == link
    assert (at.slider(key="bits").value, at.select_slider(key="bs_base").value) == (6, 100)
    assert "needs only 9 bits, but 556 needs 10" in all_text(at)
    assert "in full it is `1` `000101100` in base 2" in all_text(at)
    assert "**556 becomes 44**" in all_text(at)
    assert sentences(at)[1].startswith("Distance of position 556 to all earlier ones: 1 of them have the same 9 bits.")
    at.slider(key="overflow_bits").set_value(10).run()
    assert "`1000101100` in base 2. 10 bits can hold all of it, with 1024 codes" in all_text(sound(at))
    assert "becomes" not in all_text(at)


def test_the_exercise_counts_the_flips_of_a_whole_round_and_another_code_has_another_answer():
    at = opened(PAGE, bs_look="Exercise")
    assert "Count in 5 bits from 0 up to 31, and once more" in all_text(at)
    codes = [f"{m:05b}" for m in range(32)]
    flips = sum(a != b for m, code in enumerate(codes) for a, b in zip(code, codes[m - 1], strict=True))
    [wrong] = sound(at.number_input(key="bs_guess").set_value(flips + 1).run()).warning
    assert wrong.value.startswith(f"Not {flips + 1}: counted over the whole round, **{flips}** bits flip.")
    assert not at.success
    [right] = sound(at.number_input(key="bs_guess").set_value(flips).run()).success
    assert right.value.startswith(f"Right, {flips}. ")
    assert f"That is {flips / 32:.6g} per step" in right.value
    assert not at.warning
    [other] = sound(at.slider(key="bits").set_value(6).run()).warning
    assert "**126** bits flip" in other.value


def test_bad_links_are_named_once_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "nan")))
    assert sorted(warning.value for warning in at.warning) == sorted(
        f"This page cannot show what the link asks for: `{key} must {rule}, got 'nan'`. Shown instead: {default}."
        for key, (rule, default) in RULES.items()
    )
    defaults = {key: default for key, (_, default) in RULES.items()}
    assert {key: at.session_state[key] for key in RULES} == defaults
    at.run()
    assert not sound(at).warning
    assert {key: at.session_state[key] for key in RULES} == defaults
