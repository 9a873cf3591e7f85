"""What is to be translated into a new language, in a folder of its own."""

import pytest

from pe_core.translation import messages
from tests.cases import each
from ui.language.layout import lay_out, main


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
