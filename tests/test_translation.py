"""What is translated says the same as the English text: the same sections, computed values, formulas and tables."""

import re
import tomllib

import pytest

from ui.widgets.prose import CONTENT, sections

PAGES = sorted(path.stem for path in (CONTENT / "zh").glob("*.md"))
LECTURES = sorted(path.name for path in (CONTENT / "zh/lectures").glob("*.toml"))
SPOKEN = ("title", "sentence", "notes", "reveals")
PLACEHOLDER = re.compile(r"\[\[[^\[\]]+\]\]")


@pytest.mark.parametrize("page", PAGES)
def test_every_section_is_there_with_its_values(page):
    english, chinese = sections(page), sections(page, "zh")
    assert list(chinese) == list(english)
    for name, text in english.items():
        translated = chinese[name]
        assert set(PLACEHOLDER.findall(translated)) == set(PLACEHOLDER.findall(text)), name
        for sign in ("|", "$$", "```"):
            assert translated.count(sign) == text.count(sign), (name, sign)
        assert bool(translated) == bool(text), name


@pytest.mark.parametrize("page", PAGES)
def test_no_stars_of_bold_type_are_left_standing(page):
    for name, text in sections(page, "zh").items():
        if sections(page)[name].count("**") % 2:  # a sign of powers
            continue
        # Markdown closes no bold type after a full-width sign when a Chinese character follows.
        stars = re.split(r"\*\*", re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.S))
        assert len(stars) % 2 == 1, name
        for bold, after in zip(stars[1::2], stars[2::2], strict=True):
            assert not (bold[-1:] in "。，：；？！）”" and re.match(r"[\u4e00-\u9fff]", after)), (name, bold)


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_has_the_same_scenes_in_other_words(name):
    english, chinese = (
        tomllib.loads((CONTENT / language / "lectures" / name).read_text()) for language in ("en", "zh")
    )
    for one, other in zip([english, *english["scenes"]], [chinese, *chinese["scenes"]], strict=True):
        assert list(one) == list(other)
        for key in set(one) - {"scenes"}:
            if key not in SPOKEN:
                assert other[key] == one[key], key
            elif key == "reveals":
                assert len(other[key]) == len(one[key])
                assert not set(other[key]) & set(one[key])
            else:
                assert other[key].strip()
                assert other[key] != one[key]
