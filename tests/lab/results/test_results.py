import csv
import hashlib
import io
import json
import math
import platform
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import RunRecord, TextFacts, text_facts
from pe_core.lab.results.record_file import from_json, to_csv, to_json
from pe_core.lab.results.table import rows
from tests.cases import each, refuses
from tests.lab.seeded import one_seed

CONFIG = RunConfig(("rope", "alibi", "none"), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50, seed=3)
FACTS = TextFacts("größte Frage", 5_000, 40, 3.68888, 2.5, "abc123")


def outcome(first, last):
    losses = (first, 2.5, 2.5, 2.5, 2.5, last)
    lengths = tuple(LengthLoss(length, loss, 1.25) for length, loss in zip(CONFIG.lengths, losses, strict=True))
    return Outcome(1_000, lengths, (3.0, 1.00001) + (0.5,) * 126)


RECORD = one_seed(
    CONFIG,
    FACTS,
    {"rope": (3.5, 2.25, 1.12346), "alibi": (3.25, 2.0), "none": (3.75,)},
    {"rope": outcome(2.0, 3.5), "alibi": outcome(2.0, 2.1)},
)
EMPTY = RunRecord(CONFIG, FACTS)


def test_the_facts_of_a_text(text):
    facts, characters = text_facts(text), "".join(text.vocabulary)
    tokens = torch.cat([text.train, text.held_out]).tolist()
    assert facts == TextFacts("cats", len(tokens), len(characters), text.chance_loss, text.unigram_loss, facts.sha256)
    content = f"{len(text.train)} {characters}".encode() + b"".join(token.to_bytes(8, "little") for token in tokens)
    assert facts.sha256 == hashlib.sha256(content).hexdigest()


losses = st.floats(0.01, 20)


@given(
    st.lists(losses, max_size=5),
    st.lists(losses, min_size=6, max_size=6),
    st.lists(losses, min_size=128, max_size=128),
    losses,
)
def test_json_keeps_five_digits_and_repeats_itself(curve, by_length, positions, unigram):
    lengths = tuple(LengthLoss(length, loss, loss / 2) for length, loss in zip(CONFIG.lengths, by_length, strict=True))
    record = one_seed(
        CONFIG,
        replace(FACTS, unigram_loss=unigram),
        {"rope": tuple(curve)},
        {"rope": Outcome(7, lengths, tuple(positions))},
    )
    text = to_json(record)
    back = from_json(text)
    assert to_json(back) == text
    assert back.config == CONFIG
    assert back.curves["rope"][3] == pytest.approx(record.curves["rope"][3], rel=5.1e-6, abs=5.1e-6)
    assert back.mean("rope").positions == pytest.approx(positions, rel=5.1e-6, abs=5.1e-6)
    for after, before in zip(back.mean("rope").lengths, lengths, strict=True):
        assert after.length == before.length
        assert (after.loss, after.last_quarter) == pytest.approx(
            (before.loss, before.last_quarter), rel=5.1e-6, abs=5.1e-6
        )


def test_the_file_says_how_it_was_made():
    content = json.loads(to_json(RECORD))
    assert content["format"] == 1
    assert content["settings"] == CONFIG.settings()
    assert content["versions"] == {"python": platform.python_version(), "torch": torch.__version__}
    assert "größte Frage" in to_json(RECORD)


def test_the_verdict_in_the_file_is_computed_and_not_believed():
    content = json.loads(to_json(RECORD))
    assert {key: out["verdict"] for key, out in content["outcomes"].items()} == {"rope": "breaks", "alibi": "holds"}
    content["outcomes"]["rope"]["verdict"] = "holds"
    assert from_json(json.dumps(content)).verdict("rope") == "breaks"


# What `require` says, and what is said of a file that is something else.
SENTENCE = r"^\w+( of \w+)? must .+, got .+$"


def altered(*path, value):
    """The file with one value replaced, or taken away where the value is `...`."""
    content = json.loads(to_json(RECORD))
    *parents, last = path
    place = content
    for key in parents:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return json.dumps(content)


@each("value", [2, "1", None])
def test_another_format_is_rejected(value):
    refuses(lambda: from_json(altered("format", value=value)), f"format must be 1, got {value}")


@each(
    "path",
    [
        ("format",),
        ("settings", "encodings"),
        ("settings", "mask"),
        ("text",),
        ("text", "unigram_loss"),
        ("outcomes", "rope", "n_weights"),
        ("outcomes", "rope", "lengths", 0, "loss"),
    ],
)
def test_a_file_that_lacks_something_is_rejected(path):
    with pytest.raises(ValueError, match=r"^file must hold a run of the lab, got \w+: .+$"):
        from_json(altered(*path, value=...))


@each("text", ["[]", "null", '"run"', "{}"])
def test_json_of_something_else_is_rejected(text):
    with pytest.raises(ValueError, match=r"^file must hold a run of the lab, got \w+: .+$"):
        from_json(text)


@each(
    "text",
    ["", "nope", "{", to_json(RECORD)[:-20], "[" * 100_000, "1" * 5_000, "\0", "\ud800"],
)
def test_a_text_that_is_no_json_is_rejected(text):
    with pytest.raises(ValueError, match=SENTENCE):
        from_json(text)


@each(
    ("path", "value"),
    [
        (("settings", "steps"), 51),
        (("settings", "mask"), None),
        (("settings", "encodings"), "rope"),
        (("settings", "encodings"), [["rope"]]),
        (("text", "bogus"), 1),
        (("text", "name"), 7),
        (("text", "unigram_loss"), "2.5"),
        (("curves", "rope"), "abc"),
        (("curves", "rope"), [3.5, None]),
        (("curves", "sinusoidal"), [3.5]),
        (("outcomes", "sinusoidal"), json.loads(to_json(RECORD))["outcomes"]["rope"]),
        (("outcomes", "rope", "n_weights"), "many"),
        (("outcomes", "rope", "positions"), ["1"]),
        (("outcomes", "rope", "lengths"), [16, 32]),
        (("outcomes", "rope", "lengths", 0, "length"), "16"),
        (("outcomes", "rope", "lengths", 0, "loss"), "2.0"),
        (("outcomes", "rope", "lengths", 1, "last_quarter"), {}),
    ],
)
def test_values_of_a_wrong_type_or_name_are_rejected(path, value):
    with pytest.raises(ValueError, match=SENTENCE):
        from_json(altered(*path, value=value))


def test_csv_is_the_rows_with_a_header():
    assert to_csv(RECORD).splitlines(keepends=True) == [
        "Encoding,n,Loss at 16,Loss at 32,Loss at 48,Loss at 64,Loss at 96,Loss at 128,Ratio,Verdict,"
        "Told apart from the next\n",
        "RoPE,1,2.0,2.5,2.5,2.5,2.5,3.5,1.75,breaks,one run says nothing\n",
        "ALiBi,1,2.0,2.5,2.5,2.5,2.5,2.1,1.05,holds,one run says nothing\n",
    ]
    assert to_csv(EMPTY) == ""
    with pytest.raises(KeyError):
        RECORD.verdict("none")


def test_csv_rounds_to_a_handful_of_digits():
    record = replace(RECORD, outcomes={"rope": {3: outcome(2 / 3, math.pi)}})
    (row,) = csv.DictReader(io.StringIO(to_csv(record)))
    for name, value in (("Loss at 16", 2 / 3), ("Loss at 128", math.pi), ("Ratio", math.pi * 1.5)):
        assert float(row[name]) == pytest.approx(value, rel=1e-5)
        assert len(row[name]) <= 8


def test_a_loss_of_nearly_nothing_can_be_kept_and_shown():
    record = replace(RECORD, outcomes={"rope": {3: outcome(1e-6, 2e-6)}})
    (kept,) = rows(from_json(to_json(record)))
    assert kept["Verdict"] == "breaks"
    assert kept["Ratio"] == pytest.approx(2)
