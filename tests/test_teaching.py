"""What docs/teaching.md names is there: each page, and each section of its text."""

import re
from pathlib import Path

from tests.cases import each
from ui.widgets.prose import sections

ROOT = Path(__file__).parents[1]
LINE = re.compile(r"^\| .+ \| `(\w+)` \| `(.+)` \|$", re.MULTILINE)
TABLES = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
PLACES = LINE.findall(TABLES)


def test_every_line_of_the_tables_names_a_place():
    lines = [line for line in TABLES.splitlines() if line.startswith("| ") and not line.startswith("| Point")]
    assert len(lines) == len(PLACES) == len(set(PLACES)) > 70


@each("page", sorted({page for page, _ in PLACES}))
def test_every_page_and_section_that_is_named_exists(page):
    assert (ROOT / "pages" / f"{page}.py").exists()
    known = sections(page)
    assert [section for other, section in PLACES if other == page and not known.get(section)] == []
