"""Lectures on the server: what is drawn of a page, collecting scenes, handouts, and what their files hold."""

from collections import defaultdict
from dataclasses import replace
from itertools import product
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import PdfParser

from tests.app.in_chinese import CHINESE, in_chinese, pressed, read
from tests.app.opened import frames, opened
from tests.cases import each
from ui.lecture import handout
from ui.lecture.presenting import OPENED
from ui.lecture.scenes import MAX_BYTES, MAX_SCENES, Lecture, Scene, load, names, parse, written


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
    lecture = Lecture("课", 45, (Scene("home", (), "句", "", 1),) * MAX_SCENES)
    at.session_state["_lecture_collected"] = lecture
    pressed(at, "lecture_add")
    at.session_state["_lecture_collected"] = replace(lecture, scenes=lecture.scenes[:2])
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


# Files: what they hold comes back, and what is wrong with one is named.

HEAD = 'title = "T"\nminutes = 5\n'
FIELDS = {"link": '"/rope?query=3"', "sentence": '"S"', "notes": '"N"', "minutes": "5"}
LECTURES = {name: load(name) for name in names()}


def file(**fields):
    """A lecture of one scene with these fields in place of the right ones; one that is None is left out."""
    scene = {**FIELDS, **fields}
    lines = [f"{name} = {value}" for name, value in scene.items() if value is not None]
    return (HEAD + "[[scenes]]\n" + "\n".join(lines)).encode()


@each(
    ("content", "said"),
    [
        (file(link='"https://example.org/"'), "link of scene 1 must be a link of a page of this app"),
        (file(link='"//example.org/rope"'), "link of scene 1 must be a link of a page of this app"),
        (file(link='"/nowhere"'), "such as /rope?query=20, got '/nowhere'"),
        (file(link='"/../app"'), "link of scene 1 must be a link of a page"),
        (file(link='"/rope?present=45"'), "have none of the names present, scene, reveal, notes, got present"),
        (file(link=f'"/rope?{"a=1&" * 300}"'), "link of scene 1 must be a link of a page"),
        (file(sentence='"  "'), "sentence of scene 1 must be a text of 1 to 200 characters, got 0"),
        (file(sentence="7"), "sentence of scene 1 must be a text of 1 to 200 characters, got int"),
        (file(notes=f'"{"n" * 4_001}"'), "notes of scene 1 must be a text of 0 to 4,000 characters, got 4,001"),
        (file(minutes="0"), "minutes of scene 1 must be a number above 0, at most 600, got 0"),
        (file(minutes="nan"), "minutes of scene 1 must be a number above 0, at most 600, got nan"),
        (file(minutes="true"), "minutes of scene 1 must be a number above 0"),
        (file(reveals='"one"'), "reveals of scene 1 must be a list of at most 6 texts, got str"),
        (file(controls='["a", "b", "c"]'), "controls of scene 1 must be a list of at most 2 texts, got 3"),
        (file(picture='"x"'), "scene 1 must have no other fields than link"),
        (file(notes=None), "scene 1 must have the fields link, sentence, notes, minutes, got no notes"),
        (HEAD.encode(), "the file must have the fields title, minutes, scenes, got no scenes"),
        ((HEAD + "scenes = []").encode(), f"the file must have 1 to {MAX_SCENES} scenes, got 0"),
        ((HEAD + "scenes = [1]").encode(), "scenes must be TOML tables"),
        ((HEAD + "[[scenes]]\n" * 101).encode(), f"the file must have 1 to {MAX_SCENES} scenes, got 101"),
        (b"title = ", "the file must be TOML, got an error: "),
        (b"a = " + b"[" * 20_000, "the file must be TOML, got an error: "),
        (b"\xff\xfe", "the file must be a text in UTF-8"),
        (b"#" * (MAX_BYTES + 1), "the file must have at most 200,000 bytes, got 200,001"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(content, said):
    with pytest.raises(ValueError, match=r".") as error:
        parse(content)
    assert said in str(error.value)


def test_a_lecture_comes_back_from_its_file():
    scene = Scene(
        "rope", (("query", "3"), ("x", "a b&c")), 'say "a" \\ b', "one\n\ntwo\x7f\U0001f600", 2.5, ("r",), ("query",)
    )
    lecture = Lecture("T [x](y)", 5, (scene, Scene("home", (), "S", "", 1)))
    assert parse(written(lecture).encode()) == lecture


def test_a_lecture_of_another_name_is_named():
    with pytest.raises(ValueError, match=r"the lecture must be one of 10, 45, 90, got '\.\./45'"):
        load("../45")


@each("name", LECTURES)
def test_the_scenes_of_a_lecture_take_as_long_as_it_says(name):
    assert sum(scene.minutes for scene in LECTURES[name].scenes) == LECTURES[name].minutes == int(name)
