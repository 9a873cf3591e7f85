"""Every place of a paper that is quoted by its number stands in docs/citations.md, with where it was seen."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBER = r"(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*(?![A-Za-z(']))"
QUOTED = re.compile(
    r"\b(?:(?i:equation|section|table|figure|algorithm|appendix|theorem|method|issue)s?)\s+"
    rf"{NUMBER}(?:(?:-|,\s+|\s+and\s+|\s+to\s+){NUMBER})*(?!\w)"
)


def quoted(text):
    """The places of papers that a text quotes, each in small letters and on one line."""
    return {" ".join(one.split()).lower() for one in QUOTED.findall(text)}


def in_texts():
    files = [*(ROOT / "pe_core").rglob("*.py"), *(ROOT / "pe_core").rglob("*.toml"), *(ROOT / "content").rglob("*.md")]
    return {
        (file.relative_to(ROOT).as_posix(), place)
        for file in files
        for place in quoted(file.read_text(encoding="utf-8"))
    }


def in_table():
    found = set()
    for line in (ROOT / "docs" / "citations.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and "`" in cells[1]:
            found |= {(file, cells[0].lower()) for file in re.findall("`([^`]+)`", cells[1])}
    return found


def test_each_quoted_number_was_looked_up_and_the_table_has_nothing_that_is_no_longer_quoted():
    assert sorted(in_texts()) == sorted(in_table())


def test_a_new_quote_would_be_found():
    text = "equations 14-16 and 34, section\n3.2, Table 2, appendix A.4, the table (T, D), section on windows"
    assert quoted(text) == {"equations 14-16 and 34", "section 3.2", "table 2", "appendix a.4"}
