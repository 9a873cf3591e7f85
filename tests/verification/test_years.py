"""One rule for years: a paper's year is that of its first version on arXiv, in the registries and in every text."""

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
REGISTRIES = (ENCODINGS, SCALINGS, MASKS, REMAPS, CLAIMS, CRITERIA, TASKS)
PAPERS = {entry.paper for registry in REGISTRIES for entry in registry.values() if entry.paper}
NUMBER = re.compile(r"ar[xX]iv(?:\.org/abs/|:)\s?(\d\d)\d\d\.\d{4,5}")
YEAR = re.compile(r"(?<![\d.])((?:19|20)\d\d)(?![\d.])")


def texts():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.py", "*.md", "*.cff"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name and name != "tests/verification/test_years.py"]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if (ROOT / name).exists()}


def years_beside_numbers(text):
    """The year that stands nearest before each arXiv number, and that of the number."""
    end = 0
    for number in NUMBER.finditer(text):
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
