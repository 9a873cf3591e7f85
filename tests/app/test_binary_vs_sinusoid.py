"""The page binary against sinusoid: what it says and draws by default, at both ends of its controls, for bad links."""

import json
import math

import pytest

from tests.app.opened import frames, opened, sentences

PAGE = "binary_vs_sinusoid"
LOOKS = ("Wave by wave", "Rates", "Jumps", "Overflow")
ENDS = {"positions": ("8", "512"), "bits": ("1", "10"), "bs_channels": ("2", "32"), "bs_base": ("1", "1000000")}
RULES = {  # rule and default
    "positions": ("be a whole number from 8 to 512 in steps of 8", 32),
    "bits": ("be a whole number from 1 to 10", 5),
    "bs_channels": ("be a whole number from 2 to 32 in steps of 2", 16),
    "bs_base": ("be one of 1, 2, 5, 10, 32, 100, 256, 1000, 10000, 100000, 1000000", 256),
    "overflow_position": ("be a whole number from 1 to 1,000", 300),
    "overflow_bits": ("be a whole number from 1 to 10", 8),
    "bs_look": ("be one of Wave by wave, Rates, Jumps, Overflow, Bytes, Exercise", "Wave by wave"),
}
OVERFLOW_ENDS = {"overflow_position": ("1", "1000"), "overflow_bits": ("1", "10")}


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


def test_the_default_shows_both_codes_and_where_they_double():
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


@pytest.mark.parametrize("look", LOOKS)
def test_a_link_opens_the_look_it_names(look):
    at = sound(opened(PAGE, bs_look=look))
    assert at.session_state["bs_look"] == look
    data = {"Wave by wave": "lanes", "Rates": "speeds", "Jumps": "steps", "Overflow": "distances"}
    assert data[look] in frames(at)[1]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("end", [0, 1])
def test_all_controls_at_the_same_end(look, end):
    every = {key: values[end] for key, values in {**ENDS, **OVERFLOW_ENDS}.items()}
    at = sound(opened(PAGE, bs_look=look, **every))
    assert not at.warning
    assert ("two neighbours share a line" in all_text(at)) == (end == 1)


def test_a_slider_step_changes_the_data_and_not_the_spec():
    at = opened(PAGE)
    before = [chart.proto.spec for chart in at.get("vega_lite_chart")]
    at.slider(key="bits").set_value(6).run()
    at.select_slider(key="bs_base").set_value(100).run()
    at.slider(key="bs_channels").set_value(8).run()
    assert [chart.proto.spec for chart in at.get("vega_lite_chart")] == before
    table, lanes = frames(sound(at))
    assert table["rows"].bits[7] == "000111"
    assert len(lanes["lanes"]) == 6
    assert f"each pair has {100 ** (2 / 8):.4g} times" in all_text(at)
    assert "wavelengths double exactly, as the periods of the bits do, at base 16" in all_text(at)


def test_only_the_open_look_is_computed(monkeypatch):
    from pe_core.measures import jumps

    def untouched(*arguments):
        raise AssertionError("computed without being open")

    monkeypatch.setattr(jumps, "steps", untouched)
    monkeypatch.setattr(jumps, "overflow", untouched)
    sound(opened(PAGE))
    sound(opened(PAGE, bs_look="Rates"))


def test_the_jump_from_7_to_8_has_its_numbers():
    at = sound(opened(PAGE, bs_look="Jumps"))
    step = math.sqrt(sum(2 - 2 * math.cos(256 ** (-2 * pair / 16)) for pair in range(8)))
    assert "From **7 to 8**, neighbours, **4 of the 5 bits flip**" in all_text(at)
    assert f"**The sinusoid's step is {step:.4f} long everywhere**" in all_text(at)
    assert sentences(at)[1] == (
        f"From 7 to 8, 4 bits flip; over all steps, from 1 to 5 do. Each step of the sinusoid is {step:.4f} long."
    )


def test_rates_are_tabled_beside_wavelengths():
    at = sound(opened(PAGE, bs_look="Rates"))
    table = at.dataframe[0].value
    assert table["flips per step, counted"].tolist() == ["1", "0.5", "0.25", "0.125", "0.0625"]
    assert table["its wavelength"].tolist()[-1] == f"{8 * math.pi:.2f}"


def test_in_8_bits_300_becomes_44():
    at = sound(opened(PAGE, bs_look="Overflow"))
    assert "trained on positions 0 to 255 needs only 8 bits, but 300 needs 9" in all_text(at)
    assert "in full it is `1` `00101100` in base 2" in all_text(at)
    assert "**300 becomes 44**" in all_text(at)
    assert "The nearest is that of **299," in all_text(at)
    assert sentences(at)[1].startswith("Distance of position 300 to all earlier ones: 1 of them have the same 8 bits.")


def test_in_9_bits_300_meets_nobody():
    at = sound(opened(PAGE, bs_look="Overflow"))
    at.slider(key="overflow_bits").set_value(9).run()
    assert "`100101100` in base 2. 9 bits can hold all of it, with 512 codes" in all_text(sound(at))
    assert "becomes" not in all_text(at)


def test_neighbouring_codes_are_subtracted_bit_by_bit():
    assert "`01000` − `00111` is `0 1 −1 −1 −1`" in all_text(opened(PAGE, bs_look="Jumps")).replace("\u00a0", " ")


@pytest.mark.parametrize("n_bits", [1, 5])
def test_the_exercise_counts_the_flips_of_a_whole_round(n_bits):
    at = sound(opened(PAGE, bits=str(n_bits), bs_look="Exercise"))
    assert f"Count in {n_bits} bits from 0 up to {2**n_bits - 1}, and once more" in all_text(at)
    assert not at.success
    codes = [f"{m:0{n_bits}b}" for m in range(2**n_bits)]
    flips = sum(a != b for m, code in enumerate(codes) for a, b in zip(code, codes[m - 1], strict=True))
    [right] = sound(at.number_input(key="bs_guess").set_value(flips).run()).success
    assert right.value.startswith(f"Right, {flips}. ")
    assert f"That is {flips / 2**n_bits:.6g} per step" in right.value
    assert not at.warning
    [wrong] = sound(at.number_input(key="bs_guess").set_value(flips + 1).run()).warning
    assert wrong.value.startswith(f"Not {flips + 1}: counted over the whole round, **{flips}** bits flip.")
    assert not at.success


def test_another_code_has_another_answer():
    at = opened(PAGE, bs_look="Exercise")
    at.number_input(key="bs_guess").set_value(62).run()
    assert at.success
    [wrong] = sound(at.slider(key="bits").set_value(6).run()).warning
    assert "**126** bits flip" in wrong.value


def apology(key, value):
    rule, default = RULES[key]
    problem = f"{key} must {rule}, got {value!r}"
    return f"This page cannot show what the link asks for: `{problem}`. Shown instead: {default}."


@pytest.mark.parametrize("value", ["", "abc", "nan", "7.5", "-3", "99999999999999999999", "<b>1</b>"])
def test_bad_links_are_named_and_the_defaults_shown(value):
    controls = [key for key in RULES if key != "bs_look"]
    at = sound(opened(PAGE, bs_look="Overflow", **dict.fromkeys(controls, value)))
    assert sorted(warning.value for warning in at.warning) == sorted(apology(key, value) for key in controls)
    assert {key: at.session_state[key] for key in controls} == {key: RULES[key][1] for key in controls}
    at.run()
    assert not sound(at).warning
    assert {key: at.session_state[key] for key in controls} == {key: RULES[key][1] for key in controls}


@pytest.mark.parametrize("value", ["", "overflow", "Rates,Jumps"])
def test_a_look_that_does_not_exist_is_named(value):
    at = sound(opened(PAGE, bs_look=value))
    assert [warning.value for warning in at.warning] == [apology("bs_look", value)]
    assert "lanes" in frames(at)[1]


@pytest.mark.parametrize(("key", "value"), [("positions", "33"), ("bs_channels", "7"), ("bs_base", "3")])
def test_a_value_between_the_steps_is_named(key, value):
    at = sound(opened(PAGE, **{key: value}))
    assert [warning.value for warning in at.warning] == [apology(key, value)]
    assert at.session_state[key] == RULES[key][1]
