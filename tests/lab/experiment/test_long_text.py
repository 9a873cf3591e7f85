"""A text of any size from a file or a folder: what is learned, what is held out, and what is refused."""

import math
import random
from itertools import islice

import pytest
import torch

from pe_core.lab.experiment import long_text
from pe_core.lab.experiment.long_text import LONG_EVALUATED, STRETCH, from_path
from pe_core.lab.experiment.training import build_model, train
from tests.cases import refuses

LETTERS = "abcdefghijklmnopqrstuvwxyzé " + 20 * "e"


@pytest.fixture(scope="module")
def content():
    return "".join(random.Random(0).choices(LETTERS, k=30 * STRETCH + 100))


@pytest.fixture
def folder(content, tmp_path):
    """The text in three files, beside one that is none."""
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_text(content[:100_001], encoding="utf-8")
    (tmp_path / "b" / "c.md").write_text(content[100_001:500_000], encoding="utf-8")
    (tmp_path / "d.txt").write_text(content[500_000:], encoding="utf-8")
    (tmp_path / "c.bin").write_bytes(b"\xff\xfe nothing")
    (tmp_path / "c.zero").write_bytes(b"a\0b")
    return tmp_path


def spelled(text, tokens):
    return "".join(text.vocabulary[token] for token in tokens.tolist())


def test_a_fifth_is_held_out_and_the_rest_is_learned(content, folder):
    text = from_path(folder, split=2)
    stretches = [content[start : start + STRETCH] for start in range(0, len(content), STRETCH)]
    assert spelled(text, text.train.long()) == "".join(one for place, one in enumerate(stretches) if place % 5 != 2)
    out = stretches[2::5]
    assert len(out) == 6
    assert spelled(text, text.held_out) == "".join(out[place] for place in (0, 1, 2, 3, 4))
    assert text.n_held_out >= LONG_EVALUATED
    assert (text.n_characters, text.vocabulary) == (len(content), tuple(sorted(set(LETTERS))))
    shares = [LETTERS.count(one) / len(LETTERS) for one in set(LETTERS)]
    assert text.unigram_loss == pytest.approx(-sum(share * math.log(share) for share in shares), abs=0.01)


def test_windows_and_batches_are_parts_of_the_text_and_a_model_learns_from_them(content, folder, tiny):
    text = from_path(folder)
    for length in (100, 32_768):
        examples = text.held_out_examples(length)
        assert examples.inputs.shape == (LONG_EVALUATED // length, length)
        assert spelled(text, examples.inputs.flatten()) == spelled(text, text.held_out)[: examples.inputs.numel()]
    batch = text.draw(3, 50, torch.Generator().manual_seed(1))
    assert torch.equal(batch.inputs[:, 1:], batch.targets[:, :-1])
    assert all(spelled(text, one) in content for one in batch.inputs[:, :20])
    losses = [step.loss for step in islice(train(build_model(tiny, "none", text), "none", text, tiny), 8)]
    assert losses[-1] < losses[0]


def test_the_digest_is_that_of_text_and_split_however_it_is_cut(content, folder, tmp_path_factory, monkeypatch):
    digest, other = from_path(folder).sha256, tmp_path_factory.mktemp("other") / "one.txt"
    other.write_text("b" + content[1:], encoding="utf-8")
    assert len({digest, from_path(folder, split=1).sha256, from_path(other).sha256}) == 3
    other.write_text(content, encoding="utf-8")
    monkeypatch.setattr(long_text, "PIECE", 12_345)  # some characters of two bytes lie in two pieces
    assert from_path(other).sha256 == digest


def test_what_is_no_long_text_is_refused(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"a" * 200_000 + b"\xff" + b"a" * 200_000)
    refuses(lambda: from_path(path), "text must be UTF-8, got another byte near place 200,000 of bad.txt")
    path.write_bytes(b"a" * 1_000)
    refuses(lambda: from_path(tmp_path), f"text must have at least {5 * STRETCH:,} characters, got 1,000")
    refuses(lambda: from_path(path, split=5), "split must be a whole number from 0 to 4, got 5")
    with pytest.raises(FileNotFoundError):
        from_path(tmp_path / "nowhere.txt")
