"""Documents say what is there: what entries say of themselves, tables and examples of them, places and terms."""

import math
import re
from contextlib import chdir
from pathlib import Path

import pytest
import torch

from pe_core.claims import CLAIMS
from pe_core.encodings import ENCODINGS, EncodingSpec, Shape
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.measures.criteria import CRITERIA
from pe_core.positions import REMAPS
from pe_core.reference import CATALOGUE, summary, tables
from pe_core.rope_scaling import SCALINGS
from tests.cases import each
from tests.strategies import extremes
from ui.widgets.prose import sections
from ui.widgets.sidebar import terms

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


DOCS = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in DOCS.splitlines() if line.startswith("| ")][
    1:
]
MAX_WORDS, MIN_TERMS = 30, 36


def test_every_term_is_short_and_stands_once():
    found = terms()
    assert len(found) >= MIN_TERMS
    assert list(found) == sorted(found, key=str.lower)
    for name, meaning in found.items():
        assert 3 < len(meaning.split()) <= MAX_WORDS, name
        assert meaning.endswith("."), name
        assert len(re.findall(r"[.?!](?: |$)", meaning)) <= 2, name


def test_words_of_both_glossaries_mean_the_same():
    meanings = {name: meaning.lower() for name, meaning in terms().items()}
    shared = 0
    for words, meaning, *_ in ROWS:
        for word in re.sub("`[^`]*`", "", words).split(", "):
            if word.strip() in meanings:
                shared += 1
                first = re.split(r"[.;] ", meaning)[0].lower().rstrip(".")
                assert first in meanings[word.strip()], word
    assert shared >= 9


def test_no_meaning_has_a_word_that_was_replaced():
    replaced = {word.strip() for *_, last in ROWS if len(_) == 2 for word in last.split(",") if "`" not in word}
    assert len(replaced) > 10
    for name, meaning in terms().items():
        for word in replaced - {""}:
            if word.startswith("a "):
                continue  # fine before many words, which tests/test_words.py knows
            assert not re.search(rf"\b{re.escape(word)}\b", f"{name}: {meaning}"), (name, word)


REGISTRIES = (ENCODINGS, SCALINGS, MASKS, REMAPS, TASKS, CRITERIA, CLAIMS)
ENTRIES = [item for registry in REGISTRIES for item in registry.items()]


@each(("key", "entry"), ENTRIES)
def test_an_entry_is_described(key, entry):
    assert entry.key == key
    assert re.fullmatch(r"[a-z][a-z0-9_]*", key)
    assert entry.title
    assert re.fullmatch(r"[A-Z].*\.", entry.summary)
    assert entry.paper is None or entry.paper.arxiv is None or re.fullmatch(r"\d{4}\.\d{4,5}", entry.paper.arxiv)


@each(("key", "entry"), ENTRIES)
def test_parameters_are_described_and_their_defaults_allowed(key, entry):
    names = [parameter.name for parameter in entry.parameters]
    assert len(set(names)) == len(names)
    for parameter in entry.parameters:
        assert parameter.name.isidentifier()
        assert parameter.label
        assert parameter.help.endswith(".")
        parameter.check(parameter.default)
        for value in (parameter.default, *extremes(parameter)):
            assert parameter.parse(str(value)) == value


README, ARCHITECTURE = ROOT / "README.md", ROOT / "ARCHITECTURE.md"


def rows():
    return [line.split(" | ") for line in tables().splitlines() if "](" in line]


def test_every_entry_has_a_row():
    keys = [key for registry in (ENCODINGS, SCALINGS, MASKS, REMAPS, TASKS) for key in registry]
    assert [row[1] for row in rows()] == [f"`{key}`" for key in keys]


@each("row", rows())
def test_the_table_names_a_module_that_exists(row):
    module = row[-2].split("](")
    path = CATALOGUE.parent / module[1].rstrip(")")
    assert path.is_file()
    assert module[0].strip("[`").replace(".", "/") in path.as_posix()


def test_the_tables_are_shown_as_they_are():
    """If this fails after an entry has changed: python -m pe_core.reference."""
    assert tables() in CATALOGUE.read_text(encoding="utf-8")
    assert summary() in README.read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs(tmp_path):
    code, picture = (part.split("```")[0] for part in README.read_text(encoding="utf-8").split("```python\n")[1:])
    names = {}
    with chdir(tmp_path):
        exec(picture, names)
    assert (tmp_path / "wavelengths.svg").read_text(encoding="utf-8").startswith("<svg")
    exec(code, names)
    torch.testing.assert_close(
        names["shift"] @ names["table"][7].double(), names["table"][12].double(), atol=1e-6, rtol=0
    )


def test_the_encoding_that_the_architecture_adds_keeps_the_contract():
    code = ARCHITECTURE.read_text(encoding="utf-8").split("### Adding an encoding")[1]
    names = {"__name__": "square_root"}
    exec(code.split("```python\n")[1].split("```")[0], names)
    spec, shape = names["SPEC"], Shape(d_model=8, n_heads=2, train_length=4, max_length=12)
    assert isinstance(spec, EncodingSpec)
    positions, q = torch.tensor([0, 1, 10]), torch.ones(1, 2, 3, 4)
    added = spec.build(shape, {"slope": 1.0}).bias(q, q, positions)
    expected = [[0, -1, -math.sqrt(10)], [-1, 0, -3], [-math.sqrt(10), -3, 0]]
    torch.testing.assert_close(added, torch.tensor(expected))
    last = spec.build(shape, {"slope": 1.0}).bias(q[:, :, 2:], q, positions[None])
    torch.testing.assert_close(last, torch.tensor(expected[2:])[None, None])
    with pytest.raises(ValueError, match=r"^slope must be a number from 0.1 to 2, got 3.0$"):
        spec.build(shape, {"slope": 3.0})
