"""The catalogue: its entries with their code and controls, bad links, its exercise and its wall."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from pe_core.chapters import catalogue
from pe_core.chapters import wall as pictures
from pe_core.chapters.catalogue import parameter_of
from pe_core.encodings import alibi, index
from pe_core.figures.image import DIGITS
from pe_core.parameters import Parameter
from pe_core.standalone import parts
from tests.app import opened as page
from tests.app import walking
from tests.app.in_chinese import also_in_chinese
from tests.app.opened import opened, spaced
from tests.cases import each
from ui import catalogue as ui_catalogue
from ui.catalogue import KINDS, documents, source_of
from ui.widgets.prose import Text

PAGE = "catalogue"
ENTRIES = [(name, key) for name, kind in KINDS.items() for key in kind.entries]
# What the code says of all entries, as it is shown.
DOCSTRINGS = {
    text
    for kind in KINDS.values()
    for entry in kind.entries.values()
    for text in documents(kind.maker(entry), entry.key, map(kind.maker, kind.entries.values()))
}
# The controls that entries share.
SHARED = [
    *{**catalogue.LENGTH, **catalogue.TRAINED, **catalogue.WIDTH, **catalogue.HEADS}.values(),
    *{**catalogue.SCALED, **catalogue.FARTHEST}.values(),
]


def entry_of(registry, key, **link):
    """The page of one entry, opened by a link; a parameter of the entry is named as in its registry."""
    kind = KINDS[registry]
    own = {parameter.name for parameter in kind.entries[key].parameters}
    names = {name: f"cat_{kind.name}_{key}_{name}" if name in own else name for name in link}
    return opened(
        PAGE, **{"cat_registry": registry, f"cat_{kind.name}": key}, **{names[name]: link[name] for name in link}
    )


def frames(at):
    """The data of the charts of the entry: the wall stands before them."""
    return page.frames(at)[1:]


def sentences(at):
    """What is said of the charts of the entry."""
    return page.sentences(at)[1:]


def numbers(at):
    """The numbers of the first image of the entry, as far as they are finite, as it tells them."""
    [image] = frames(at)[0]["table"].to_dict("records")
    signs = np.array([DIGITS.index(sign) for sign in image["numbers"]]).reshape(-1, image["digits"])
    found = signs @ 64 ** np.arange(image["digits"])[::-1]
    return (found[found > 0] - 64 ** image["digits"] // 2) / 10.0 ** image["decimals"]


def all_text(at):
    return "\n".join(element.value for element in at.markdown)


def sound(at):
    """The page, after checking that it draws and says something and has no error."""
    assert not walking.sound(at).error
    assert frames(at)
    assert "nan" not in "".join(sentences(at)).split()
    return at


def test_the_chosen_head_is_drawn_there_may_be_fewer_heads_later_and_heads_that_are_alike_share_a_line():
    at = sound(opened(PAGE, cat_head_of_4="4"))
    assert numbers(at).min() == pytest.approx(1 / math.sqrt(32) - 63 * 2.0**-8, abs=1e-5)
    assert sentences(at)[0].startswith("Scores of head 4 for positions 0 to 63")
    at.slider(key="cat_heads").set_value(2).run()
    assert sentences(sound(at))[0].startswith("Scores of head 1 for")
    at.slider(key="cat_heads").set_value(1).run()
    assert not [slider.key for slider in sound(at).slider if slider.key.startswith("cat_head_of")]
    at = sound(entry_of("Encodings", "rope"))
    assert frames(at)[1]["lines"]["name"].unique().tolist() == ["all heads"]
    assert not [slider.key for slider in at.slider if slider.key.startswith("cat_head_of")]


def test_an_error_of_the_core_is_shown_in_its_own_words(monkeypatch):
    def refuse(encoding, parameters, train_length, d_model, n_heads):
        raise ValueError("d_model must be divisible by 6, got 64")

    monkeypatch.setattr(catalogue, "of_encoding", refuse)
    at = opened(PAGE)
    assert [error.value for error in at.error] == ["This cannot be shown: `d_model must be divisible by 6, got 64`."]


def test_a_base_is_a_ladder_and_another_entry_takes_the_parameters_of_the_last_one_out_of_the_link():
    at = sound(entry_of("Encodings", "sinusoidal", base="200"))
    before = numbers(at).tolist()
    assert at.query_params["cat_encoding_sinusoidal_base"] == "200"
    base = at.select_slider(key="cat_encoding_sinusoidal_base")
    assert base.value == 200
    assert base.options[:5] == ["1", "2", "5", "10", "20"]
    assert base.options[-1] == "1000000000"
    base.set_value(100).run()
    assert numbers(sound(at)).tolist() != before
    at.selectbox(key="cat_encoding").select("rope").run()
    assert set(sound(at).query_params) == {"cat_encoding"}
    at.segmented_control(key="cat_registry").select("Masks").run()
    assert "cat_encoding" not in sound(at).query_params
    at.selectbox(key="cat_mask").select("causal").run()
    assert sound(at).query_params["cat_mask"] == "causal"


def test_a_step_of_a_slider_keeps_the_specs():
    at = opened(PAGE)
    before = [json.loads(chart.proto.spec) for chart in at.get("vega_lite_chart")]
    at.slider(key="cat_length").set_value(48).run()
    at.slider(key="cat_head_dim").set_value(40).run()
    assert [json.loads(chart.proto.spec) for chart in sound(at).get("vega_lite_chart")] == before


def asked(at):
    """The field of the exercise."""
    return at.get("number_input")[-1]


@each(
    ("registry", "key", "link", "question", "answer", "why"),
    [
        ("Encodings", "alibi", {}, "How many learned parameters does this encoding have", 0, "nothing is learned"),
        ("Encodings", "learned", {"cat_width": "16"}, "texts of at most 256 tokens", 256 * 16, "table 256 × 16"),
        ("Scaling rules", "pi", {"cat_factor": "8"}, "is the new wavelength of pair 32", 800, "is 8 times the old one"),
        ("Masks", "window", {"window": "0.5"}, "may query 32 attend to", 16, "row 32 of the mask"),
        ("Index remaps", "clipped", {"cat_length": "64"}, "are given to the 64 tokens", 32, "given the same position"),
    ],
)
def test_the_exercise_asks_about_the_entry_as_it_is_shown(registry, key, link, question, answer, why):
    at = sound(entry_of(registry, key, **link))
    assert question in all_text(at)
    asked(at).set_value(answer + 1).run()
    assert f"Not {answer + 1:,} but {answer:,}. " in sound(at).warning[0].value
    assert why in spaced(at.warning[0].value)
    if key != "learned":  # names of parameters stay as they are
        also_in_chinese(at)
    asked(at).set_value(answer).run()
    assert f"Right: {answer:,}. " in sound(at).success[0].value


def test_another_entry_has_an_exercise_of_its_own_and_can_be_copied_as_a_file_of_its_name():
    at = sound(opened(PAGE))
    asked(at).set_value(0).run()
    assert at.success
    at.selectbox(key="cat_encoding").select("learned").run()
    assert asked(sound(at)).value is None
    assert not at.success
    [button] = at.get("download_button")
    assert (button.proto.id.endswith("cat_copy"), button.proto.label) == (True, "Copy as a file")
    assert "`learned.py`" in button.proto.help


# Every entry.


def largest(kind, entry):
    """The link to an entry with the largest of all its controls."""
    own = [parameter_of(kind.name, entry.key, parameter) for parameter in entry.parameters]
    return {one.name: str(one.choices[-1] if one.choices else one.maximum) for one in (*SHARED, *own)}


@pytest.mark.parametrize("registry", KINDS)
def test_every_entry_is_shown_with_the_largest_of_all_its_controls(registry):
    """An entry may refuse a shape, in words of its own; with its defaults each is opened by `test_every_page.py`."""
    kind, text = KINDS[registry], Text(PAGE)
    for key, entry in kind.entries.items():
        at = opened(PAGE, **{**largest(kind, entry), "cat_registry": registry, f"cat_{kind.name}": key})
        assert [warning.value for warning in at.warning] == [], key
        if not at.error:
            sound(at)
        assert all(" must " in error.value and ", got " in error.value for error in at.error), key
        assert at.subheader[0].value == entry.title
        assert entry.summary in all_text(at)
        assert source_of(entry, text) in all_text(at), key
        for hook in getattr(entry, "hooks", ()):
            assert text(f"hook-{hook}") in all_text(at), key


def test_the_parts_of_a_maker_are_found_through_each_other_in_the_order_of_the_source():
    assert parts(alibi.SPEC.make, "alibi")[:2] == (alibi.slopes, alibi.bias)
    assert parts(index.INTEGER.make, "integer") == (index.table, index._last, index.Index)


def test_the_names_of_widgets_are_all_different():
    names = [one.name for one in SHARED]
    for registry, key in ENTRIES:
        kind = KINDS[registry]
        names += [parameter_of(kind.name, key, parameter).name for parameter in kind.entries[key].parameters]
    assert len(set(names)) == len(names)


@each(
    ("minimum", "maximum", "step", "expected"),
    [(0.001, 1.0, 1, 0.001), (0.1, 2.0, 1, 0.01), (0.0, 10.0, 0.05, 0.05), (0.0, 1.0, 1e-5, 0.01)],
)
def test_a_range_gets_steps_that_a_slider_can_show(minimum, maximum, step, expected):
    parameter = Parameter("x", "X", minimum, "Help.", minimum, maximum, step)
    own = parameter_of("encoding", "alibi", parameter)
    assert own.name == "cat_encoding_alibi_x"
    assert own.step == pytest.approx(expected)
    assert (own.minimum, own.maximum, own.default, own.choices) == (minimum, maximum, minimum, ())


def test_a_range_over_powers_of_ten_has_its_ends_and_its_default_among_the_choices():
    own = parameter_of("encoding", "alibi", Parameter("x", "X", 0.03, "Help.", 0.0004, 7.0))
    assert own.choices == (0.0004, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 7)
    assert [own.parse(str(rung)) for rung in own.choices] == list(own.choices)


@each(("registry", "key"), ENTRIES)
def test_the_widgets_offer_only_what_the_registry_allows(registry, key):
    kind = KINDS[registry]
    for parameter in kind.entries[key].parameters:
        own = parameter_of(kind.name, key, parameter)
        own.check(own.default)
        assert own.default == parameter.default
        for value in own.choices or (own.minimum, own.maximum):
            parameter.check(type(parameter.default)(value))


# The wall.


def marked(at):
    """The keys of the small pictures of the wall, and that of the one with the outline."""
    data = page.frames(at)[0]
    [key] = data["chosen"].merge(data["tiles"], on=["group", "place"]).key
    return list(data["tiles"].key), key


def test_the_page_opens_with_alibi_and_the_wall_of_its_registry_and_another_one_brings_its_own():
    at = sound(opened(PAGE))
    assert (at.query_params, at.subheader[0].value) == ({}, "ALiBi")
    assert frames(at)[1]["lines"]["name"].unique().tolist() == ["head 1", "head 2", "head 3", "head 4"]
    keys, chosen = marked(at)
    assert (set(keys), chosen) == (set(pictures.REGISTRIES["encoding"]), "alibi")
    assert page.sentences(at)[0].startswith(f"Wall of {len(keys)} small pictures, one for each entry: ")
    at.segmented_control(key="cat_registry").select("Masks").run()
    at.selectbox(key="cat_mask").select("causal").run()
    keys, chosen = marked(sound(at))
    assert (set(keys), chosen) == (set(pictures.REGISTRIES["mask"]), "causal")
    at = opened(PAGE, session={"cat_registry": "Scaling rules", "cat_scaling": "pi"})  # as a click puts the controls
    assert at.subheader[0].value == "Position interpolation"
    assert at.query_params["cat_scaling"] == "pi"
    assert marked(sound(at))[1] == "pi"


def click(monkeypatch, kind, tile):
    """What a session holds after a click on a tile of a wall."""
    chart = SimpleNamespace(selection={"tile": [tile] if tile else []})
    state = {f"cat_wall_{kind}_0": chart}
    monkeypatch.setattr("streamlit.session_state", state)
    ui_catalogue._open_clicked(kind, f"cat_{kind}")
    return {name: value for name, value in state.items() if value is not chart}


@each(
    ("kind", "tile", "expected"),
    [
        ("mask", {"key": "causal"}, {"cat_mask": "causal"}),
        ("encoding", {"key": "rope"}, {"cat_encoding": "rope"}),
        ("encoding", {"key": "causal"}, {}),
        ("encoding", {"title": "RoPE"}, {}),
        ("encoding", None, {}),
    ],
)
def test_a_click_puts_the_control_to_the_entry(kind, tile, expected, monkeypatch):
    assert click(monkeypatch, kind, tile) == expected


def test_what_is_chosen_below_the_wall_makes_it_forget_the_click(monkeypatch):
    state = {"cat_wall_mask_0": SimpleNamespace(selection={"tile": [{"key": "causal"}]})}
    monkeypatch.setattr("streamlit.session_state", state)
    names = []
    monkeypatch.setattr(ui_catalogue.Picture, "chart", lambda _picture, key, *_, **__: names.append(key))
    text = Text("catalogue")
    for key in ("causal", "window", "window"):
        ui_catalogue.draw_wall("mask", key, text, "cat_mask")
    assert names == ["cat_wall_mask_0", "cat_wall_mask_1", "cat_wall_mask_1"]
