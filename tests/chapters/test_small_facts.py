"""Numbers that pages quote without a picture: bytes, memory, rows of a table, the order of words, the gallery."""

import pytest

from pe_core.chapters import binary_vs_sinusoid, extension, gallery, learned, rope, why_position


def test_bytes_of_a_binary_code():
    facts = binary_vs_sinusoid.memory(n_positions=512, dim=16)
    assert (facts["needed"], facts["packed"], facts["as-floats"], facts["as-waves"]) == (9, 2, 36, 64)


def test_memory_grows_with_the_square_of_the_length():
    facts = extension.memory(factor=4, train_length=256)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in str(facts["memory"]).splitlines()]
    lengths = (256, 1_024, 4_096, 32_768)
    scores = [32 * n**2 * 2 / 2**30 for n in lengths]
    keys = [2 * 32 * 32 * 128 * n * 2 / 2**30 for n in lengths]
    expected = [[f"{n:,}", f"{s:.3g} GiB", f"{k:.3g} GiB"] for n, s, k in zip(lengths, scores, keys, strict=True)]
    assert lines == expected
    assert (facts["more"], facts["squared"]) == (4, 16)


def test_a_row_is_read_once_a_text():
    facts = learned.data()
    assert (facts["all-characters"], facts["per-row"]) == (64 * 16_000, 16_000)
    assert facts["bert-numbers"] == 393_216


def test_attention_is_equivariant_and_its_mean_invariant():
    facts = why_position.pooled("the dog bites the old man", [5, 4, 3, 2, 1, 0])
    assert facts["mean-change"] < 1e-12 < 0.5 < facts["in-place"]
    same = why_position.pooled("the dog bites the old man", [0, 1, 2, 3, 4, 5])
    assert same["in-place"] == 0


def test_losses_of_whole_texts_are_means_over_seeds():
    facts = gallery.whole_texts(("rope", "none"))
    kept = gallery.gallery_of()
    for key in ("rope", "none"):
        runs = kept.runs[key].values()
        first, last = (sum(run.losses[place].loss for run in runs) / len(runs) for place in (0, -1))
        assert (facts[f"{key}-trained"], facts[f"{key}-read"]) == pytest.approx((first, last))
    assert (facts["multiple"], facts["train-length"], facts["seeds"]) == (8, 64, 5)


def test_the_lines_of_the_code_give_the_turned_query():
    facts = rope.line_by_line(head_dim=2, base=10, query=0, seed=1)
    own, swapped = (list(map(float, str(facts[name]).split())) for name in ("own", "swapped"))
    assert facts["result"] == facts["own"]
    assert swapped == [-own[1], own[0]]
    assert facts["repeated"] == "+0.0000  +0.0000"
