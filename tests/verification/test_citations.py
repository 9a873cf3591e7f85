"""Quoted places of papers stand in docs/citations.md, and a year is that of the first version on arXiv."""

import re
import subprocess
from pathlib import Path

from pe_core.claims import CLAIMS
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.measures.criteria import CRITERIA
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from tests.cases import each

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


REGISTRIES = (ENCODINGS, SCALINGS, MASKS, REMAPS, CLAIMS, CRITERIA, TASKS)
PAPERS = {entry.paper for registry in REGISTRIES for entry in registry.values() if entry.paper}
ARXIV = re.compile(r"ar[xX]iv(?:\.org/abs/|:)\s?(\d\d)\d\d\.\d{4,5}")
YEAR = re.compile(r"(?<![\d.])((?:19|20)\d\d)(?![\d.])")


def texts():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.py", "*.md", "*.cff"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name and name != "tests/verification/test_citations.py"]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if (ROOT / name).exists()}


def years_beside_numbers(text):
    """The year that stands nearest before each arXiv number, and that of the number."""
    end = 0
    for number in ARXIV.finditer(text):
        before = YEAR.findall(text[max(end, number.start() - 200) : number.start()])
        end = number.end()
        if before:
            yield int(before[-1]), 2000 + int(number[1]), number[0]


def years_beside_names(text, surname):
    """The years that are given to papers of this first author."""
    pattern = rf"\b{surname}(?: et al\.|, \w+ & \w+| & \w+)\s*\(?\[?((?:19|20)\d\d)\b"
    return [int(found) for found in re.findall(pattern, text)]


@each("paper", sorted((p for p in PAPERS if p.arxiv), key=lambda p: p.arxiv))
def test_a_paper_has_the_year_of_its_first_version(paper):
    assert paper.year == 2000 + int(paper.arxiv[:2])


def test_texts_give_the_same_year_beside_each_number():
    wrong = [
        (name, number, said)
        for name, text in texts().items()
        for said, year, number in years_beside_numbers(text)
        if said != year
    ]
    assert wrong == []


def test_texts_give_the_same_year_beside_each_name():
    """Press et al. were 2021 in one place and 2022 in another."""
    known = {}
    for paper in PAPERS:
        known.setdefault(re.split(r"[ ,]", paper.authors)[0], set()).add(paper.year)
    for surname, more in {"Wang": {2021, 2024}, "Zhang": {2019}, "Chen": {2021}}.items():
        known.setdefault(surname, set()).update(more)
    wrong = [
        (name, surname, year)
        for name, text in texts().items()
        for surname, years in known.items()
        for year in years_beside_names(text, surname)
        if year not in years
    ]
    assert wrong == []


def test_a_wrong_year_would_be_found():
    assert list(years_beside_numbers("Press et al. 2022, arXiv:2108.12409")) == [(2022, 2021, "arXiv:2108.12409")]
    assert years_beside_names("Press, Smith & Lewis 2022, Press et al. (2021)", "Press") == [2022, 2021]
