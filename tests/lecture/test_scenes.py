"""Files of lectures: what they hold comes back, and what is wrong with one is named."""

import pytest

from tests.cases import each
from ui.lecture.scenes import MAX_BYTES, MAX_SCENES, Lecture, Scene, load, names, parse, written

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
