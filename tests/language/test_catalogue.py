"""A sentence is found by its form, and by no other; what the code says of itself; what a new language begins with."""

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_core import chapters
from pe_core.claims import CLAIMS
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.layers import TEMPERATURES
from pe_core.lab.experiment.repair import REPAIRS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.measures.criteria import CRITERIA
from pe_core.measures.requirements import REQUIREMENTS
from pe_core.positions import REMAPS
from pe_core.quiz.mending import LISTINGS
from pe_core.rope_scaling import SCALINGS
from pe_core.translation import CONTENT, MAX_SENTENCE, Catalogue, Form, Index, catalogue, messages, speaking
from pe_core.wrapping import joined, kept_together
from tests.app.test_catalogue import DOCSTRINGS
from tests.cases import each, refuses
from ui.language.layout import lay_out, main

WORDS = Catalogue(
    {
        "RoPE": "旋转",
        "RoPE, scaled": "缩放的旋转",
        "holds": "稳住",
        "wave (A)": "波（A）",
        "{} ({})": "{}（{}）",
        "Position": "位置",
        "left": "左",
        ", ": "、",
        "; ": "；",
        "{} layers": "{} 层",
        "from {} to {}": "从 {} 到 {}",
        "{} of {} pairs are slower": "{1} 个维度对中有 {0} 个更慢",
        "{} must {}, got {}": "{} 必须{}，得到的是 {}",
        "be {} or more": "不小于 {}",
        "{} is one of {}": "{:s} 是 {:s} 之一",
        "{} (n={}, {})": "{}（n={}，{}）",
        "{} ({} of {})": "{0}（{2} 个中有 {1} 个）",
        "Position interpolation": "位置内插",
    }
)


@each(
    ("english", "said"),
    [
        ("holds", "稳住"),
        ("12 layers", "12 层"),
        ("from RoPE to 3", "从旋转到 3"),
        ("3 of 16 pairs are slower", "16 个维度对中有 3 个更慢"),
        ("width must be 2 or more, got 1", "width 必须不小于 2，得到的是 1"),
        ("left is one of holds, RoPE", "left 是 holds, RoPE 之一"),
        ("RoPE, ALiBi, holds", "旋转、ALiBi、稳住"),
        ("RoPE 1.75, ALiBi 1.91", "旋转 1.75、ALiBi 1.91"),
        ("RoPE 1.75, wave (A) 1.91", "旋转 1.75、波（A）1.91"),
        ("0, 2, 4, 8", "0、2、4、8"),
        ("小猫 0.25, here 0.75", "小猫 0.25、here 0.75"),
        ("1,024, −0.5, 1/2", "1,024、−0.5、1/2"),
        ("<https://a.b/c>, <https://d.e>", "<https://a.b/c>、<https://d.e>"),
        ("RoPE (n=5, holds); ALiBi (n=5, holds)", "旋转（n=5，稳住）；ALiBi（n=5，稳住）"),
        ("| RoPE | 1.2 | holds |\n| ALiBi | 2 | x |", "| 旋转 | 1.2 | 稳住 |\n| ALiBi | 2 | x |"),
        ("RoPE, scaled, holds", "缩放的旋转、稳住"),
        ("RoPE 1.75, RoPE, scaled 1.91", "旋转 1.75、缩放的旋转 1.91"),
        ("▶ RoPE, scaled", "▶ 缩放的旋转"),
        ("|RoPE| is a distance", "|RoPE| is a distance"),
        ("| |RoPE| | holds |", "| |RoPE| | 稳住 |"),
        ("RoPE (NeRF) (n=5, holds)", "旋转（NeRF）（n=5，稳住）"),
        ("RoPE (NeRF) (3 of 5)", "旋转（NeRF）（5 个中有 3 个）"),
        ("RoPE 0 to −63.5, RoPE 1", "旋转 0 to −63.5、旋转 1"),
        ("width must be 2 or more, got 'a)'", "width 必须不小于 2，得到的是 'a)'"),
        ("Position\ninterpolation", "位置内插"),
    ],
)
def test_what_is_known_is_said(english, said):
    assert WORDS.say(english) == said


@each(
    "english",
    [
        "",
        "(0, 1)",
        "`0, 1`",
        "x 3, y",
        "A sentence, of which holds is a part.",
        "words of a longer sentence layers",
        "Positions",
    ],
)
def test_what_is_not_known_stays(english):
    assert WORDS.say(english) == english


@given(st.lists(st.text("ab ", max_size=2), min_size=2, max_size=5), st.text("ab ", max_size=12))
def test_gaps_are_as_short_as_they_can_be(pieces, sentence):
    """The oracle is the pattern of `re` that says the same, and takes far longer on a long text."""
    found = re.fullmatch("(.*?)".join(map(re.escape, pieces)), sentence)
    assert Form("{}".join(pieces), "").gaps(sentence) == (found and found.groups())


def test_a_gap_that_opens_a_parenthesis_closes_it():
    assert Form("{} ({})", "").gaps("RoPE (NeRF) (5 of 5)") == ("RoPE (NeRF)", "5 of 5")


@each("piece", ["holds, ", "from 1 to ", "a1", "x: ", "(RoPE) and ", "| "])
def test_a_long_text_of_a_visitor_stays(piece):
    """A pattern that tries every way to share such a text out among gaps does not end."""
    text = piece * (100_000 // len(piece))
    assert WORDS.say(text) == text
    WORDS.say(text[:MAX_SENTENCE])


@each(
    ("parts", "text"),
    [
        (("用", "RoPE", "时"), "用 RoPE 时"),
        (("用 ", "无位置编码（NoPE）", " 时"), "用无位置编码（NoPE）时"),
        (("得到", "7.5", "，不是 ", "8"), "得到 7.5，不是 8"),
        (("转 ", "90", "°"), "转 90°"),
        (("**", "3", "** 个"), "**3** 个"),
        (("用", "", " 时"), "用时"),
        (("两行：  ", "\n", "完"), "两行：  \n完"),
        (("the ", "dog", " bites"), "the dog bites"),
    ],
)
def test_spaces_are_those_of_chinese_where_parts_meet(parts, text):
    assert joined(parts) == text


@each(
    ("text", "together"),
    [
        ("有 23 个。", "有 23~个。"),
        ("到 1.01，n = 5 次", "到~1.01，n~=~5~次"),
        ("即 $32 \\cdot 4096 =$ 131", "即 $32 \\cdot 4096 =$~131"),
        ("，式 (16)）", "，式~(16)）"),
        ("见第 3.4 节", "见第~3.4~节"),
        ("RoPE × 2.12", "RoPE ×~2.12"),
        ("two words, 5 apples", "two words, 5 apples"),
        ("`x = 3 个` 和 $x = 3$", "`x = 3 个` 和 $x = 3$"),
        ("```py\nx = 3\n```\nx = 3", "```py\nx = 3\n```\nx~=~3"),
    ],
)
def test_no_line_ends_before_a_measure_word_or_within_a_short_equation(text, together):
    assert kept_together(text) == together.replace("~", "\u00a0")


def test_a_language_without_words_has_no_catalogue():
    assert catalogue("en") is None
    assert catalogue("zh") is catalogue("zh")


def test_files_that_differ_are_refused(tmp_path):
    for name, said in (("a", "甲"), ("b", "乙")):
        (tmp_path / f"{name}.po").write_text(f'msgid "Length"\nmsgstr "{said}"\n', encoding="utf-8")
    refuses(
        lambda: messages(sorted(tmp_path.glob("*.po"))),
        "words of b.po must agree with those of other files, got 'Length'",
    )


@each("path", sorted((CONTENT / "zh/words").glob("*.po")))
def test_a_translation_fills_the_gaps_of_its_form(path):
    for english, said in messages([path], all_of_them=True).items():
        assert said.strip() or not english.strip(), english
        gaps = english.count("{}")
        if gaps:
            filled = said.format(*(f"<{place}>" for place in range(gaps)))
            assert all(f"<{place}>" in filled for place in range(gaps)) or english == "**{}.** {}", english


def test_the_index_leaves_out_no_form_that_a_sentence_has():
    forms = [Form(english, "") for english in messages((CONTENT / "zh/words").glob("*.po")) if "{}" in english]
    index = Index(forms)
    for place, form in enumerate(forms[::2]):
        sentence = ("", "x", "Ä1", "(b c)", " must be ")[place % 5].join(form.pieces)
        found = index.of(sentence)
        assert form in found
        assert found == [one for one in forms if one in found]
        assert not [one for one in forms if one not in found and one.gaps(sentence) is not None]


# What the code says of itself, in other words.

TRANSLATED = messages([CONTENT / "zh/words/docstrings.po"])
KEPT = re.compile(r"\$\$.+?\$\$|\$[^$]+\$|`[^`]+`|\]\([^)]*\)", re.DOTALL)


def test_what_is_shown_is_translated_and_nothing_else():
    assert set(TRANSLATED) == DOCSTRINGS


@each("english", TRANSLATED)
def test_formulas_code_and_links_are_kept(english):
    kept = (sorted(" ".join(found.split()) for found in KEPT.findall(text)) for text in (english, TRANSLATED[english]))
    assert next(kept) == next(kept)


# What is to be translated into a new language, in a folder of its own.


@pytest.fixture
def content(tmp_path):
    """A folder with one page, in English, and two words, in Chinese."""
    (tmp_path / "en/lectures").mkdir(parents=True)
    (tmp_path / "zh/words").mkdir(parents=True)
    (tmp_path / "en/name").write_text("English\n")
    (tmp_path / "en/rope.md").write_text("## intro\nRoPE turns.\n")
    (tmp_path / "en/lectures/10.toml").write_text('title = "Ten"\n')
    (tmp_path / "zh/words/frame.po").write_text(
        'msgid "Length"\nmsgstr "长度"\n\nmsgid "say \\"{}\\""\nmsgstr "说“{}”"\n'
    )
    return tmp_path


def test_all_is_laid_out_and_nothing_is_written_over(content):
    made = lay_out("fr", content)
    words = content / "fr/words/frame.po"
    assert {path.name for path in made} == {"name", "rope.md", "10.toml", "frame.po"}
    assert messages([words], all_of_them=True) == {"Length": "", 'say "{}"': ""}
    assert messages([words]) == {}
    (content / "fr/rope.md").write_text("## intro\nRoPE tourne.\n")
    words.write_text('msgid "Length"\nmsgstr "Longueur"\n')
    assert lay_out("fr", content) == [words]
    assert messages([words], all_of_them=True) == {"Length": "Longueur", 'say "{}"': ""}
    assert (content / "fr/rope.md").read_text() == "## intro\nRoPE tourne.\n"
    assert lay_out("fr", content) == []


@each(
    ("arguments", "error"),
    [
        ([], "the command line must name one language, got none"),
        (["../x"], "LANGUAGE must be a key such as fr or pt-br, got '../x'"),
        (["en"], "LANGUAGE must be another one than the texts have, got en"),
    ],
)
def test_what_is_no_language_is_refused(arguments, error, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"error: {error}\n"


ENTRIES = (ENCODINGS, SCALINGS, MASKS, REMAPS, REPAIRS, TASKS, TEMPERATURES, CRITERIA, REQUIREMENTS, CLAIMS, LISTINGS)
TITLES = sorted({entry.title for registry in ENTRIES for entry in registry.values()})


@each("title", TITLES)
def test_a_title_is_said_whole_wherever_it_stands(title):
    """Some have a comma or "and" in themselves: "KERPLE, power", "Window and sinks"."""
    say = speaking("zh")
    said = say(title)
    for number in ("1", "−0.514", "1.00 n=5", "2.10×", "× 2.12"):
        assert say(f"{title} {number}") == joined([said, " ", number])
    assert say(f"{title}, n=5: 1.2 and 1.3") == f"{said}，n=5：1.2 和 1.3"
    numbered = joined([said, " −0.5"])
    assert say(f"RoPE 1.75, {title} −0.5, ALiBi 1.91") == f"RoPE 1.75、{numbered}、ALiBi 1.91"
    assert say(f"ALiBi, {title}") == f"ALiBi、{said}"
    assert say(f"RoPE < {title} < ALiBi") == joined(["RoPE < ", said, " < ALiBi"])
    assert say(f"RoPE; {title}") == f"RoPE；{said}"
    assert say(f"{title} and ALiBi") == joined([said, " 和 ", "ALiBi"])


@each("title", [entry.title for entry in ENCODINGS.values()])
def test_a_title_with_a_comma_is_one_gap_of_a_sentence(title):
    say = speaking("zh")
    assert say(f"Attention, {title}") == f"注意力（{say(title)}）"


def test_the_label_of_a_control_has_words_of_its_own():
    """A form would make "Base of RoPE" a fraction, as it does "5 of 8"."""
    modules = [import_module(f"{chapters.__name__}.{found.name}") for found in iter_modules(chapters.__path__)]
    labels = {value.label for module in modules for value in vars(module).values() if hasattr(value, "label")}
    known = messages((CONTENT / "zh" / "words").glob("*.po"))
    assert {label for label in labels if label not in known} <= {"KERPLE r₂"}
    assert len(labels) > 50
