"""What can be learned: the texts that come with PyTorch, own texts, the fifth that is held out, and windows."""

import hashlib
import math
import random
from collections import Counter
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.lab.experiment.datasets import (
    BUILT_IN,
    EVALUATED_CHARACTERS,
    OTHER,
    STRETCH,
    Corpus,
    built_in,
    cut,
    dealt,
    from_bytes,
    from_path,
    from_text,
    from_topics,
    named,
    windows,
)
from pe_core.lab.experiment.texts import TEXTS, documentation, paragraphs_of, topics, unrepeated
from tests.cases import each, refuses

SOURCE = '''def cat():
    """Say what a cat says, which is meow in English and miau in German.

    In Japanese it is nyan, which is written with two characters of a syllabary.

    Example:

    >>> cat()  # an example is no English, however long the comment that stands beside it
    """

    return "meow"
'''
BOM = b"\xef\xbb\xbf"
PLAIN = "To be, or not to be: that is the question.\n" * 200


def numbers(first, n):
    """A text without repetition: numbers of five digits."""
    return "".join(f"{number:05}" for number in range(first, first + n))


def told(corpus, tokens):
    return "".join(corpus.vocabulary[token] for token in tokens.tolist())


def decoded(corpus):
    """All characters of a corpus: those held out first, as they stand in a text of one topic for each split."""
    return told(corpus, corpus.held_out) + told(corpus, corpus.train)


@each(
    ("key", "sha256"),
    [
        ("built-in", "a67fe203abf6d1a1430645c1df36fde1a472efdaf9e80009f348cc467c4f69f9"),
        ("program", "985b35955b526c61091bf3841546d87705bc98d47b9f93eccd3bb6cfbeac05bb"),
    ],
)
def test_the_texts_are_those_of_the_version_of_pytorch_that_is_pinned(key, sha256):
    """The same on Python 3.11 to 3.14, Linux, macOS and Windows; if it changes, all kept runs are made anew."""
    assert hashlib.sha256("".join(topics(key)).encode()).hexdigest() == sha256


@each("key", TEXTS)
def test_no_64_characters_of_a_text_stand_in_two_paragraphs(key):
    seen = set()
    for paragraph in "".join(topics(key)).split("\n\n"):
        stretches = {paragraph[place : place + 64] for place in range(len(paragraph) - 63)}
        assert seen.isdisjoint(stretches)
        seen |= stretches


def test_documentation_is_english_without_headings_and_examples_and_paragraphs_keep_their_indentation():
    assert list(documentation(SOURCE)) == [
        "Say what a cat says, which is meow in English and miau in German.",
        "In Japanese it is nyan, which is written with two characters of a syllabary.",
    ]
    assert list(paragraphs_of("\n\na\n  b  \n \n\n    c\n\n")) == ["a\n  b", "    c"]


def test_a_paragraph_that_repeats_64_characters_is_left_out():
    first, second = numbers(0, 40), numbers(100, 40)
    cut_out = [[first, second], [f"here {first[10:74]}"], [f"here {first[10:73]}", second, "short"]]
    assert unrepeated(cut_out) == [f"{first}\n\n{second}\n\n", f"here {first[10:73]}\n\nshort\n\n"]
    first, second = numbers(0, 8), numbers(100, 8)  # 40 characters each, which repeat together
    assert unrepeated([[first, second], [first, second]]) == [f"{first}\n\n{second}\n\n", f"{first}\n\n"]


@each("key", TEXTS)
def test_the_parts_of_a_built_in_text_share_no_64_characters_in_a_row(key):
    corpus = built_in(key)
    assert corpus.seen_in_training == 0
    assert 0.19 < len(corpus.held_out) / corpus.n_characters < 0.21
    assert len(corpus.held_out) > 2 * EVALUATED_CHARACTERS


def test_a_built_in_text_is_found_by_its_name_and_is_always_the_same_object():
    assert built_in() is built_in("built-in") is built_in("built-in", 0) is named("PyTorch documentation")
    assert built_in("program", 2) is named("PyTorch program, split 2")
    assert named("Python language reference") is None
    assert {named(name).name for name in BUILT_IN} == set(BUILT_IN)
    assert len({named(name).sha256 for name in BUILT_IN}) == len(BUILT_IN) == 10


def test_the_digest_knows_where_the_held_out_part_begins():
    tokens = torch.arange(9) % 2
    assert len({Corpus("text", ("a", "b"), tokens[:n], tokens[n:]).sha256 for n in range(1, 9)}) == 8


def test_a_text_or_split_that_is_not_there_is_named():
    refuses(lambda: built_in("program", -1), "split must be a whole number from 0 to 4, got -1")
    refuses(lambda: from_text(PLAIN, split=5), "split must be a whole number from 0 to 4, got 5")
    refuses(lambda: built_in("bible"), "text must be one of built-in, program, got bible")


def test_topics_are_dealt_to_the_split_with_the_fewest_characters():
    assert dealt(["aaaa", "b", "cc", "d", "e", "ff", "g", "h", "i"]) == [0, 1, 2, 3, 4, 1, 3, 4, 2]
    corpus = from_topics(["aaaa", "b", "cc", "d", "e", "ff"], name="letters", split=1)
    assert told(corpus, corpus.train) == "aaaaccde"
    assert told(corpus, corpus.held_out) == "bff"


def test_stretches_from_all_over_what_is_held_out_are_evaluated_first():
    topic = numbers(0, 12_000)
    corpus = from_topics([topic, *"abcd"], name="numbers")
    parts = [topic[start : start + 3_750] for start in range(0, 60_000, 3_750)]
    held_out = "".join([part[:2_048] for part in parts] + [part[2_048:] for part in parts])
    assert told(corpus, corpus.held_out) == held_out
    assert sum(len(part[:2_048]) for part in parts) == EVALUATED_CHARACTERS == corpus.n_held_out


def test_of_what_was_seen_in_training_each_character_counts_once():
    own, seen = numbers(0, 400), numbers(1_000, 20)  # 100 characters that both have
    both = [f"{own[:1_000]}u{seen}v{own[1_000:]}", f"{numbers(2_000, 400)}w{seen}x", *"abcd"]
    assert from_topics(both, name="numbers").seen_in_training == pytest.approx(100 / 2_102)
    both[1] = f"{numbers(2_000, 400)}w{seen[:63]}x"
    assert from_topics(both, name="numbers").seen_in_training == 0


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=2, max_size=60), st.integers(5_000, 5_009))
def test_tokens_decode_back_to_the_text(pattern, size):
    text = (pattern * size)[: size - 1] + chr(ord(pattern[0]) ^ 1)  # two different characters at least
    corpus = from_text(text)
    assert decoded(corpus) == text
    assert list(corpus.vocabulary) == sorted(set(text))


@each("split", range(5))
def test_of_an_own_text_one_fifth_is_held_out_and_never_overlaps(split):
    text = numbers(0, 1_200)
    corpus = from_text(text, split=split)
    start, end = 1_200 * split, 1_200 * (split + 1)
    assert told(corpus, corpus.train) == text[:start] + text[end:]
    assert told(corpus, corpus.held_out) == text[start:end]


@each("n", [5_003, 40_959, 40_960, 999_999])
def test_a_longer_text_is_cut_into_more_stretches_of_equal_length(n):
    text = numbers(0, n // 5 + 1)[:n]
    stretches = cut(text)
    assert "".join(stretches) == text
    assert len(stretches) == 5 * max(1, n // 20_480)
    assert {len(stretch) // (n // len(stretches)) for stretch in stretches} == {1}
    if n >= 20_480:
        assert 4_096 <= min(map(len, stretches)) <= max(map(len, stretches)) <= 8_192
    splits = dealt(stretches)
    assert set(Counter(splits).values()) == {len(stretches) // 5}
    assert all({*splits[start : start + 5]} == {*range(5)} for start in range(0, len(splits), 5))


@each(
    ("content", "message"),
    [
        (b"", "text must have at least 2,000 characters, got 0"),
        (b"ab" * 999 + b"a", "text must have at least 2,000 characters, got 1,999"),
        ("é".encode() + b"a" * 999_999, "text must have at most 1,000,000 bytes in UTF-8, got 1,000,001"),
        ("中文".encode() * 200_000, "text must have at most 1,000,000 bytes in UTF-8, got 1,200,000"),
        (b"a" * 6_000, "text must have at least two different characters, got 'a'"),
        (b"\n" * 6_000, "text must have at least two different characters, got '\\n'"),
        (b"caf\xe9 " * 2_000, "text must be UTF-8, got byte 0xe9 at position 3"),
        (BOM + b"caf\xe9 " * 2_000, "text must be UTF-8, got byte 0xe9 at position 6"),
        (PLAIN.encode("utf-16"), "text must be UTF-8, got byte 0xff at position 0"),
        (b"a" * 12_345 + b"\x80", "text must be UTF-8, got byte 0x80 at position 12,345"),
    ],
)
def test_uploads_that_are_no_usable_text_in_utf_8_are_refused(content, message):
    refuses(lambda: from_bytes(content, name="upload"), message)


def test_half_a_character_is_refused():
    message = "text must be UTF-8, got an incomplete character at position 6,000"
    refuses(lambda: from_text("catnip" * 1_000 + "\ud800"), message)


def test_an_upload_is_read_as_utf_8_without_its_byte_order_mark():
    text = "Sein oder Nichtsein: größte Frage. " * 200
    corpus = from_bytes(BOM + text.encode(), name="hamlet.txt")
    assert (corpus.name, decoded(corpus)) == ("hamlet.txt", text)


def many(vocab_size, n_rare):
    """A text of so many symbols, three times each but the last ones, which stand there once; and 6,000 spaces."""
    symbols = [chr(0x4E00 + number) for number in range(vocab_size - 1)]
    often = symbols[: len(symbols) - n_rare]
    return "".join(often) * 3 + "".join(symbols[len(often) :]) + " " * 6_000


@each(("vocab_size", "n_shared"), [(512, 0), (513, 2), (561, 50)])
def test_rarer_characters_share_one_symbol_where_there_are_more_than_512(vocab_size, n_shared):
    text = many(vocab_size, n_shared or 5)
    corpus = from_text(text)
    assert len(corpus.vocabulary) == 512
    assert (OTHER in corpus.vocabulary) == bool(n_shared)
    rare = {character for character, count in Counter(text).items() if count == 1 and n_shared}
    assert len(rare) == n_shared
    assert decoded(corpus) == "".join(OTHER if character in rare else character for character in text)
    own = from_text(many(600, 50) + OTHER * 10).vocabulary  # the text itself has the symbol
    assert len(set(own)) == len(own)


@each("text", [PLAIN, "ab" * 2_500, "a" * 4_500 + "b" * 500, many(600, 100)])
def test_losses_of_guessing_equal_the_definition(text):
    corpus = from_text(text)
    symbols, train, held_out = corpus.vocabulary, corpus.train.tolist(), corpus.held_out.tolist()
    counts = Counter(train)
    surprise = [-math.log((counts[token] + 1) / (len(train) + len(symbols))) for token in held_out]
    assert corpus.unigram_loss == pytest.approx(math.fsum(surprise) / len(surprise), rel=1e-12)
    assert math.exp(-corpus.chance_loss) == pytest.approx(1 / len(symbols), rel=1e-12)


def test_check_length_wants_one_window_and_its_next_character():
    corpus = from_text("ab" * 2_500)
    corpus.check_length(999)  # 1,000 are held out
    message = "text must have at least 5,005 characters, to be evaluated at length 1,000, got 5,000"
    refuses(lambda: corpus.check_length(1_000), message)
    from_text("ab" * 2_502 + "a").check_length(1_000)  # as long as the message asks for


def test_the_cost_of_guessing_is_the_same_number_for_any_threads():
    """A gallery is continued where its text is the same, and a run is found by it."""
    before = torch.get_num_threads()
    found = set()
    for n_threads in (1, 2, 3):
        torch.set_num_threads(n_threads)
        found.add(replace(built_in()).unigram_loss)
    torch.set_num_threads(before)
    assert len(found) == 1


def test_a_text_is_cut_into_windows_that_fit_each_of_which_knows_what_comes_next():
    examples = windows(torch.arange(11), 4, max_tokens=100)
    assert examples.inputs.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert examples.targets.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert bool(examples.asked.all())
    assert len(windows(torch.arange(11), 5, max_tokens=100).inputs) == 2
    assert len(windows(torch.arange(10), 5, max_tokens=100).inputs) == 1
    assert len(windows(torch.arange(100), 5, max_tokens=21).inputs) == 4
    for n_tokens, length, most in ((10, 10, 99), (1, 1, 99), (100, 30, 20)):
        message = f"length must be less than the number of tokens ({n_tokens}), got {length}"
        refuses(lambda n=n_tokens, length=length, most=most: windows(torch.arange(n), length, most), message)


# A text of any size, from a file or a folder.


@pytest.fixture
def folder(tmp_path):
    """A text of 30 stretches and 100 characters in three files, beside two that are none; and the text."""
    content = "".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyzé " + 20 * "e", k=30 * STRETCH + 100))
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_text(content[:100_001], encoding="utf-8")
    (tmp_path / "b" / "c.md").write_text(content[100_001:500_000], encoding="utf-8")
    (tmp_path / "d.txt").write_text(content[500_000:], encoding="utf-8")
    (tmp_path / "c.bin").write_bytes(b"\xff\xfe nothing")
    (tmp_path / "c.zero").write_bytes(b"a\0b")
    return tmp_path, content


def test_of_files_every_fifth_stretch_is_held_out_and_four_long_windows_are_evaluated(folder):
    path, content = folder
    corpus = from_path(path, split=2)
    stretches = [content[start : start + STRETCH] for start in range(0, len(content), STRETCH)]
    assert told(corpus, corpus.train) == "".join(one for place, one in enumerate(stretches) if place % 5 != 2)
    held_out = "".join(stretches[2::5])
    parts = [held_out[start : start + STRETCH] for start in range(0, len(held_out), len(held_out) // 4)]
    assert told(corpus, corpus.held_out_examples(STRETCH).inputs.flatten()) == "".join(parts)
    assert (corpus.n_characters, corpus.n_held_out) == (len(content), 4 * STRETCH)


def test_files_that_are_no_long_text_are_refused(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"a" * 200_000 + b"\xff")
    refuses(lambda: from_path(path), "text must be UTF-8, got byte 0xff at position 200,000")
    path.write_bytes(b"a" * 1_000)
    refuses(lambda: from_path(tmp_path), f"text must have at least {5 * STRETCH:,} characters, got 1,000")
    with pytest.raises(FileNotFoundError):
        from_path(tmp_path / "nowhere.txt")
