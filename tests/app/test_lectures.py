"""Presenting on the server: what is drawn of a page, lectures that are not there, collecting scenes, handouts."""

from collections import defaultdict
from itertools import product
from urllib.parse import parse_qs, urlsplit

from PIL import PdfParser

from tests.app.in_chinese import CHINESE, in_chinese, pressed, read
from tests.app.opened import frames, opened
from tests.cases import each
from ui.lecture import handout
from ui.lecture.presenting import OPENED
from ui.lecture.scenes import MAX_SCENES, Lecture, Scene, load, names, parse, written


def closer_looks(at):
    """What the style of a presented page shows alone, where it is there."""
    return [one for one in at.get("flex_container") if str(one.proto.id).endswith("-closer_look")]


def test_a_scene_without_a_look_draws_none_and_one_with_a_look_draws_it_and_shows_it_alone():
    at = opened("counting", present="45", scene="4", cnt_first="10")
    assert "cnt_look" not in {one.key for one in at.segmented_control}
    assert not closer_looks(at)
    at = opened("counting", present="45", scene="5", cnt_look="LayerNorm")
    assert len(closer_looks(at)) == 1
    assert any("LayerNorm" in frame.to_numpy() for data in frames(at) for frame in data.values())


@each(("name", "problem"), [("nothing", "one of 10, 45, 90, got 'nothing'"), ("own", "opened first")])
def test_a_lecture_that_is_not_there_is_named(name, problem):
    read("lectures", present=name)
    at = opened("counting", present=name)
    assert problem in at.warning[0].value
    assert at.title[0].value == "Counting"


def test_every_scene_opens_as_its_link_says_with_its_controls_and_in_its_language():
    views, shown = {}, defaultdict(set)
    for language, lecture in product(("en", "zh"), names()):  # what both have is opened in Chinese
        for number, scene in enumerate(load(lecture, language).scenes, start=1):
            assert bool(CHINESE.search(scene.sentence)) is (language == "zh"), (lecture, number)
            views[scene.link] = scene.page, {"present": lecture, "scene": str(number), "lang": language}
            shown[scene.link] |= {*scene.controls}
        read("home", present=lecture, notes="1")
    for link, (page, presented) in views.items():
        asked = parse_qs(urlsplit(link).query)
        at = opened(page, **presented, **asked)
        if presented["lang"] == "zh":
            in_chinese(at)
        assert not at.warning, link
        buttons = {"poll_again", *(one.key for one in at.button)}  # the first is there after the answer
        unknown = [name for name in {*asked, *shown[link]} - buttons if name not in at.session_state]
        assert unknown == [], link


def test_a_view_is_added_written_moved_and_downloaded():
    at = opened("counting", cnt_first="12")
    at.button(key="lecture_add").click().run()
    at.switch_page("pages/lectures.py").run()
    at.text_input(key="lecture_of_0_sentence").set_value("Words are **counted**").run()
    lecture = at.session_state["_lecture_collected"]
    assert lecture.scenes == (Scene("counting", (("cnt_first", "12"),), "Words are **counted**", "", 3.0),)
    assert parse(written(lecture).encode()) == lecture
    at.session_state["_lecture_collected"] = Lecture("My lecture", 45, (*lecture.scenes, Scene("home", (), "H", "", 1)))
    at.run()
    at.button(key="lecture_of_1_Up").click().run()
    assert [one.page for one in at.session_state["_lecture_collected"].scenes] == ["home", "counting"]
    assert at.text_input(key="lecture_of_1_sentence").value == "Words are **counted**"
    at.button(key="lecture_use").click().run()
    assert [one.page for one in at.session_state[OPENED].scenes] == ["home", "counting"]
    at.button(key="lecture_of_0_Remove").click().run()
    assert [one.page for one in at.session_state["_lecture_collected"].scenes] == ["counting"]


def test_a_lecture_is_put_together_in_chinese():
    at = pressed(read("counting"), "lecture_add")
    at.session_state["_lecture_collected"] = Lecture("课", 45, (Scene("home", (), "句", "", 1),) * MAX_SCENES)
    pressed(at, "lecture_add")
    at.switch_page("pages/lectures.py")
    pressed(in_chinese(at.run()), "lecture_use")
    for content in (b"", b"title = 3", b"\xff"):
        in_chinese(at.file_uploader(key="lecture_upload").upload("lecture.toml", content).run())


def test_a_handout_has_a_page_for_each_scene(tmp_path):
    path = tmp_path / "handout.pdf"
    assert handout.main(["10", "--out", str(path)]) == 0
    with PdfParser.PdfParser(str(path)) as written_file:
        assert len(written_file.pages) == len(load("10").scenes)


def test_a_handout_of_something_else_is_refused_in_a_sentence(tmp_path, capsys):
    assert handout.main(["11", "--out", str(tmp_path / "x.pdf")]) == 2
    assert "the lecture must be one of 10, 45, 90, got '11'" in capsys.readouterr().err
