"""The wall of the catalogue on its page: it marks the entry of the link, and a click opens another one."""

from types import SimpleNamespace

from pe_core.chapters import wall as pictures
from tests.app.catalogued import PAGE, sound
from tests.app.opened import frames, opened, sentences
from tests.cases import each
from ui import catalogue
from ui.widgets.prose import Text


def marked(at):
    """The keys of the small pictures, and that of the one with the outline."""
    data = frames(at)[0]
    [key] = data["chosen"].merge(data["tiles"], on=["group", "place"]).key
    return list(data["tiles"].key), key


def test_the_page_opens_with_the_wall_of_a_registry_and_another_one_brings_its_own():
    at = sound(opened(PAGE))
    keys, chosen = marked(at)
    assert (set(keys), chosen) == (set(pictures.REGISTRIES["encoding"]), "alibi")
    assert sentences(at)[0].startswith(f"Wall of {len(keys)} small pictures, one for each entry: ")
    at.segmented_control(key="cat_registry").select("Masks").run()
    at.selectbox(key="cat_mask").select("causal").run()
    keys, chosen = marked(sound(at))
    assert (set(keys), chosen) == (set(pictures.REGISTRIES["mask"]), "causal")


def click(monkeypatch, kind, tile):
    """What a session holds after a click on a tile of a wall."""
    chart = SimpleNamespace(selection={"tile": [tile] if tile else []})
    state = {f"cat_wall_{kind}_0": chart}
    monkeypatch.setattr("streamlit.session_state", state)
    catalogue._open_clicked(kind, f"cat_{kind}")
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


def test_where_a_click_puts_the_controls_the_page_shows_the_entry():
    at = opened(PAGE, session={"cat_registry": "Scaling rules", "cat_scaling": "pi"})
    assert at.subheader[0].value == "Position interpolation"
    assert at.query_params["cat_scaling"] == "pi"
    assert marked(sound(at))[1] == "pi"


def test_what_is_chosen_below_the_wall_makes_it_forget_the_click(monkeypatch):
    state = {"cat_wall_mask_0": SimpleNamespace(selection={"tile": [{"key": "causal"}]})}
    monkeypatch.setattr("streamlit.session_state", state)
    names = []
    monkeypatch.setattr(catalogue.Picture, "chart", lambda _picture, key, *_, **__: names.append(key))
    text = Text("catalogue")
    for key in ("causal", "window", "window"):
        catalogue.draw_wall("mask", key, text, "cat_mask")
    assert names == ["cat_wall_mask_0", "cat_wall_mask_1", "cat_wall_mask_1"]
