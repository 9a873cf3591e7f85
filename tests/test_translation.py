"""What is translated says the same as the English text: the same sections, computed values, formulas and tables."""

import re
import tomllib
from decimal import Decimal

from pe_core.translation import messages
from tests.app.in_chinese import STARRED, explained
from tests.cases import each
from ui.widgets.prose import CONTENT, sections

PAGES = sorted(path.stem for path in (CONTENT / "zh").glob("*.md"))
LECTURES = sorted(path.name for path in (CONTENT / "zh/lectures").glob("*.toml"))
SPOKEN = ("title", "sentence", "notes", "reveals")
PLACEHOLDER = re.compile(r"\[\[[^\[\]]+\]\]")


@each("page", PAGES)
def test_every_section_is_there_with_its_values(page):
    english, chinese = sections(page), sections(page, "zh")
    assert list(chinese) == list(english)
    for name, text in english.items():
        translated = chinese[name]
        assert set(PLACEHOLDER.findall(translated)) == set(PLACEHOLDER.findall(text)), name
        for sign in ("|", "$$", "```"):
            assert translated.count(sign) == text.count(sign), (name, sign)
        assert bool(translated) == bool(text), name


def without_example(link):
    """A link without the sentence of an example and the order of its words, which a language has of its own."""
    page, _, said = link.partition("?")
    return page, [one for one in said.split("&") if not one.startswith(("sentence=", "order="))]


@each("name", LECTURES)
def test_a_lecture_has_the_same_scenes_in_other_words(name):
    english, chinese = (
        tomllib.loads((CONTENT / language / "lectures" / name).read_text()) for language in ("en", "zh")
    )
    for one, other in zip([english, *english["scenes"]], [chinese, *chinese["scenes"]], strict=True):
        assert list(one) == list(other)
        for key in set(one) - {"scenes"}:
            if key == "link":
                assert without_example(other[key]) == without_example(one[key])
            elif key not in SPOKEN:
                assert other[key] == one[key], key
            elif key == "reveals":
                assert len(other[key]) == len(one[key])
                assert not set(other[key]) & set(one[key])
            else:
                assert other[key].strip()
                assert other[key] != one[key]


LINK = re.compile(r"\]\(([^)]*)\)")
# No numbers of a text: those of placeholders, addresses, code, fields, names; "to 1/4" is "4 times slower" elsewhere.
NO_NUMBER = re.compile(r"\[\[[^\[\]]+\]\]|\]\([^)]*\)|`[^`\n]*`|\{\d?(?::s)?\}|Llama \d|\b1/")
UNITS = {"thousand": 3, "million": 6, "billion": 9, "万": 4, "亿": 8}
NUMBER = re.compile(rf"(?<![A-Za-z\d.])(\d+(?:,\d{{3}})*(?:\.\d+)?)(?: ?({'|'.join(UNITS)}))?(?![A-Za-z\d])")
# Numbers as words: what one text writes in digits may be such a word in the other.
DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
ENGLISH = {word: number for number, word in enumerate(DIGITS)} | {"twelve": 12, "fifteen": 15, "twenty": 20}
ENGLISH |= {"once": 1, "first": 1, "twice": 2, "second": 2, "half": 2, "squared": 2, "million": 10**6, "billion": 10**9}
CHINESE = {word: number for number, word in enumerate("零一二三四五六七八九十")} | {"两": 2, "半": 2, "百万": 10**6}


def numbers(text):
    """The numbers that a text has in digits: "1.1 亿" and "110 million" are the same."""
    return {
        Decimal(digits.replace(",", "")).scaleb(UNITS.get(unit, 0))
        for digits, unit in NUMBER.findall(NO_NUMBER.sub(" ", text))
    }


def numbers_of_one(english, chinese):
    """The numbers that one text has, and the other has neither in digits nor as a word."""
    only_english, only_chinese = numbers(english) - numbers(chinese), numbers(chinese) - numbers(english)
    said = {number for word, number in ENGLISH.items() if re.search(rf"\b{word}s?\b", english.lower())}
    said |= {Decimal(digits) for digits in re.findall(r"\b(\d+)(?:st|nd|rd|th)\b", english)}
    return (only_english - {number for word, number in CHINESE.items() if word in chinese}) | (only_chinese - said)


def test_a_number_of_one_text_would_be_found():
    assert numbers_of_one("3 of 32 pairs, 110 million", "32 个中有三个，1.1 亿") == set()
    assert numbers_of_one("twice in 1,000 steps", "1000 步中有 2 次") == set()
    assert numbers_of_one("3 of 32 pairs", "32 个中有 13 个") == {3, 13}
    assert numbers_of_one("a loss of 2.21", "损失为 2.12") == {Decimal("2.21"), Decimal("2.12")}


def in_both():
    """Every text in English and in Chinese, with where it stands."""
    for page in PAGES:
        english, translated = sections(page), sections(page, "zh")
        yield from ((f"{page}.md, {name}", text, translated[name]) for name, text in english.items())
    for path in sorted((CONTENT / "zh/words").glob("*.po")):
        yield from ((path.name, english, said) for english, said in messages([path]).items())
    for name in LECTURES:
        one, other = (
            tomllib.loads((CONTENT / language / "lectures" / name).read_text(encoding="utf-8"))["scenes"]
            for language in ("en", "zh")
        )
        for english, translated in zip(one, other, strict=True):
            for key in ("sentence", "notes"):
                yield f"{name}, {english['sentence']}", english[key], translated[key]


def test_numbers_and_links_are_those_of_the_english_text():
    for where, english, translated in in_both():
        assert not numbers_of_one(english, translated), where
        assert sorted(LINK.findall(english)) == sorted(LINK.findall(translated)), where


def test_the_ways_on_from_an_answer_lead_to_the_same_views():
    ways = [name for name in sections("selftest") if name.endswith("-ways")]
    assert ways
    for name in ways:
        english, translated = (sections("selftest", language)[name].splitlines() for language in ("en", "zh"))
        for one, other in zip(english, translated, strict=True):
            assert one.split(" | ")[::2] == other.split(" | ")[::2], name


HAN, WIDE = "\u3400-\u9fff", "，。、；：？！（）《》"
CODE = re.compile(r"```.*?```|\$\$.*?\$\$|<[^>]+>|\]\([^)]*\)|\[\[[^\[\]]*\]\]", re.S)
SPAN = re.compile(r"\$[^$\n]*\$|`[^`\n]*`")
# What no Chinese text has, by what is wrong with it: patterns of a text whose code and formulas are "§".
WRONG = {
    "a half-width sign": rf"[{HAN}”）][,;:!?](?!//)|[{HAN}”）]\.(?!\w)|[{HAN}]\(|\([{HAN}]|[{HAN}]\)|\)[{HAN}]",
    "half-width quotes or dots": rf"[{HAN}][\"']|[\"'][{HAN}]|[{HAN}]\.\.\.|\.\.\.[{HAN}]",
    "other quotes, or you as of a customer": "[「」『』您]",
    "no space beside Latin letters, digits, code or a formula": rf"[{HAN}][A-Za-z0-9§]|[A-Za-z0-9%§][{HAN}]",
    "a space within Chinese": rf"[{HAN}] +[{HAN}]",
    "a space beside a full-width sign": rf"[^\s|] +[{WIDE}]|[，。、；：？！（《] +[{HAN}A-Za-z0-9§]",
    "a space before a unit": r"[\d\]] +[%°]",
    "a range that strikes out": r"\d ?~ ?\d",
    "a line that is broken within a paragraph": rf"[{HAN}，、；]\n[{HAN}“（]",
}
SPARED = ("帧x行x列", "行x列", "where(条件, a, b)")  # as a visitor has to type it


def chinese():
    """Every Chinese text, with where it stands."""
    for page in PAGES:
        yield from ((f"{page}.md, {name}", text) for name, text in sections(page, "zh").items())
    for path in sorted((CONTENT / "zh/words").glob("*.po")):
        for english, said in messages([path]).items():
            in_lines = said.count("\n") == english.count("\n")  # a title that is broken on purpose
            yield f"{path.name}, {english[:60]}", said.replace("\n", "¤") if in_lines else said
    for name in LECTURES:
        lecture = tomllib.loads((CONTENT / "zh/lectures" / name).read_text(encoding="utf-8"))
        for one in (lecture, *lecture["scenes"]):
            lines = (line for key in SPOKEN[:3] if key in one for line in one[key].splitlines())
            yield from ((f"{name}, {line[:20]}", line) for line in (*lines, *one.get("reveals", ())))


@each("problem", WRONG)
def test_punctuation_and_spaces_are_the_usual_ones(problem):
    found = {}
    for where, text in chinese():
        plain = SPAN.sub("§", CODE.sub("¤", text))
        for spared in SPARED:
            plain = plain.replace(spared, "¤")
        if wrong := re.search(WRONG[problem], plain):
            found[where] = plain[max(wrong.start() - 15, 0) : wrong.end() + 15]
    assert not found


def test_no_space_stands_before_per_cent_in_english():
    said = [*messages((CONTENT / "zh/words").glob("*.po"))]
    said += [path.read_text(encoding="utf-8") for path in (CONTENT / "en").rglob("*.*")]
    assert not [found for text in said for found in re.findall(r".{,20}[\d\]]\**\s+%", text)]


def test_no_stars_of_bold_type_are_left_standing():
    """Bold type neither opens before a sign right after a letter nor closes behind one right before a letter."""
    signs, letters = re.compile(r"[^\w\s]"), re.compile(r"\w")
    for where, text in chinese():
        plain = re.sub(r"`[^`\n]*`", "§", text).replace("* / **", "§")  # signs of arithmetic
        stars = CODE.sub("¤", plain).split("**")
        assert len(stars) % 2 == 1, where
        for before, bold, after in zip(stars[::2], stars[1::2], stars[2::2], strict=False):
            assert not (letters.match(before[-1:]) and signs.match(bold[:1])), (where, bold)
            assert not (signs.match(bold[-1:]) and letters.match(after[:1])), (where, bold)


@each("page", [page for page in PAGES if page != "glossary"])
def test_terms_have_their_english_beside_them(page):
    prose = re.sub("“[^”]*”", "", "\n".join(sections(page, "zh").values()))
    for term, english in STARRED.items():
        if re.search(term, prose):
            assert re.search(explained(term, english), prose), term
