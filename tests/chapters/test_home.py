"""Home's picture shows the losses of the kept file, which is that of the run beside it, and loads no torch."""

import json
import math
import subprocess
import sys

import pytest

from pe_core.chapters import home
from pe_core.encodings import ENCODINGS
from pe_core.figures.looks.palette import PINNED, colour_of
from pe_core.lab.experiment.datasets import built_in

PICTURES = {home.past_training: [{"encodings": ("sinusoidal", "rope", "alibi")}, {"encodings": ("none", "rope")}]}
NEW_SPEC = {(home.past_training, "encodings")}
KEPT = json.loads(home.KEPT.read_text(encoding="utf-8"))
RUN = json.loads(home.RUN.read_text(encoding="utf-8"))


def test_the_lines_are_means_of_the_last_losses_of_the_file():
    frame = home.past_training().frames["lines"]
    for key in home.SHOWN:
        losses, drawn = KEPT["readers"][key]["losses"], frame[frame["name"] == ENCODINGS[key].title].set_index("x")["y"]
        assert len(drawn) == len(losses) == len(KEPT["text"]) == 512
        for place in (1, 2, 31, 32, 33, 64, 300, 512):
            last = losses[max(0, place - 32) : place]
            assert drawn[place] == pytest.approx(sum(last) / len(last))


def test_the_file_has_the_models_of_the_run_and_its_text():
    """Another machine may round otherwise, so that losses differ by some thousandths."""
    assert list(KEPT["readers"]) == list(RUN["outcomes"])
    for key, reader in KEPT["readers"].items():
        last = RUN["outcomes"][key]["lengths"][-1]
        assert [reader["within"], reader["end"]] == pytest.approx([last["within"], last["end"]], 0.01)
        assert reader["verdict"] == RUN["outcomes"][key]["verdict"]
        assert reader["title"] == ENCODINGS[key].title
        assert PINNED[key] == colour_of(reader["title"])
    corpus = built_in()
    assert corpus.name == KEPT["name"]
    assert "".join(corpus.vocabulary[token] for token in corpus.held_out[:512].tolist()) == KEPT["text"]


def test_losses_rise_behind_the_line_where_the_run_says_that_the_encoding_breaks():
    """What the picture promises: otherwise it teaches nothing."""
    for reader in KEPT["readers"].values():
        within, beyond = reader["losses"][32:64], reader["losses"][128:]
        rises = sum(beyond) / len(beyond) > 1.5 * sum(within) / len(within)
        assert rises == (reader["verdict"] == "breaks")


def test_a_loss_is_told_as_a_number_of_characters():
    facts = home.facts()
    reader = KEPT["readers"]["rope"]
    assert facts["rope-many"] == pytest.approx(math.e ** reader["end"])
    row = next(line for line in str(facts["table"]).splitlines() if line.startswith("| RoPE "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1] == f"{reader['within']:.2f} → {reader['end']:.2f}"
    assert cells[3] == f"× {reader['end'] / reader['within']:.2f}, breaks"


def test_an_encoding_that_was_not_trained_is_refused():
    with pytest.raises(ValueError, match="encodings must be among none, sinusoidal, rope, alibi, got fire"):
        home.past_training(("fire",))


def test_the_picture_that_is_kept_is_the_one_that_is_computed():
    assert json.loads(home.past_training().kept().to_json()) == json.loads(home.PICTURE.read_text(encoding="utf-8"))
    assert home.kept_picture().table_names() == home.past_training().table_names()
    assert home.from_json(home.to_json(home.kept())) == home.kept()


def test_kept_pictures_load_no_library_that_computes():
    program = (
        "import sys; from pe_core.chapters.home import facts, kept_picture, memory; "
        "from pe_core.chapters.story import kept; kept(), kept_picture(), facts(), memory(); "
        "sys.exit(bool({'torch', 'pandas', 'altair'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
