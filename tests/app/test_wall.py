"""The wall of the catalogue on its page: it marks the entry of the link, and a click opens another one."""

from types import SimpleNamespace

from pe_core.chapters import wall as pictures
from tests.app.catalogued import PAGE, sound
from tests.app.opened import frames, opened, sentences
from tests.cases import each
from ui import catalogue, wall
from ui.widgets.prose import Text


def marked(at):
    """The kind and the key of the small picture with the outline, if any."""
    data = frames(at)[0]
    where = data["chosen"].merge(data["tiles"], on=["group", "place"])
    return list(zip(where.kind, where.key, strict=True))


def test_the_page_opens_with_the_wall_of_all_entries_and_a_way_without_a_pointer():
    at = sound(opened(PAGE))
    tiles = frames(at)[0]["tiles"]
    assert len(tiles) == sum(map(len, pictures.REGISTRIES.values()))
    assert sentences(at)[0].startswith(f"Wall of {len(tiles)} small pictures, one for each entry: ")
    assert marked(at) == [("encoding", "alibi")]
    at.segmented_control(key="cat_registry").select("Masks").run()
    at.selectbox(key="cat_mask").select("causal").run()
    assert marked(sound(at)) == [("mask", "causal")]


def click(monkeypatch, tile):
    """What a session holds after a click on a tile."""
    chart = SimpleNamespace(selection={"tile": [tile] if tile else []})
    state = {"cat_wall_0": chart}
    monkeypatch.setattr("streamlit.session_state", state)
    wall._open(catalogue.open_entry)
    return {name: value for name, value in state.items() if value is not chart}


@each(
    ("tile", "expected"),
    [
        ({"kind": "mask", "key": "causal"}, {"cat_registry": "Masks", "cat_mask": "causal"}),
        ({"kind": "encoding", "key": "rope"}, {"cat_registry": "Encodings", "cat_encoding": "rope"}),
        ({"kind": "encoding", "key": "causal"}, {}),
        ({"kind": "nothing"}, {}),
        (None, {}),
    ],
)
def test_a_click_puts_the_controls_to_the_entry(tile, expected, monkeypatch):
    assert click(monkeypatch, tile) == expected


def test_where_a_click_puts_the_controls_the_page_shows_the_entry():
    at = opened(PAGE)
    for name, value in {"cat_registry": "Scaling rules", "cat_scaling": "pi"}.items():
        at.session_state[name] = value
    at.run()
    assert at.subheader[0].value == "Position interpolation"
    assert at.query_params["cat_scaling"] == "pi"
    assert marked(sound(at)) == [("scaling", "pi")]


def test_what_is_chosen_below_the_wall_makes_it_forget_the_click(monkeypatch):
    state = {"cat_wall_0": SimpleNamespace(selection={"tile": [{"kind": "mask", "key": "causal"}]})}
    monkeypatch.setattr("streamlit.session_state", state)
    names = []
    monkeypatch.setattr(wall.Picture, "chart", lambda _picture, key, *_, **__: names.append(key))
    text = Text("catalogue")
    wall.draw_wall("mask", "causal", text, catalogue.open_entry)
    wall.draw_wall("mask", "window", text, catalogue.open_entry)
    wall.draw_wall("mask", "window", text, catalogue.open_entry)
    assert names == ["cat_wall_0", "cat_wall_1", "cat_wall_1"]
