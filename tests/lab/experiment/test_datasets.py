import math
import re
from collections import Counter
from pydoc_data.topics import topics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.lab.experiment.datasets import OTHER, Corpus, built_in, from_bytes, from_text
from tests.strategies import checked

BOM = b"\xef\xbb\xbf"
PLAIN = "To be, or not to be: that is the question.\n" * 200


def decoded(corpus):
    return "".join(corpus.vocabulary[token] for token in torch.cat([corpus.train, corpus.held_out]).tolist())


def exactly(message):
    return f"^{re.escape(message)}$"


def test_two_letters_become_two_tokens():
    corpus = from_text("ba" * 2_500, name="letters")
    assert corpus.name == "letters"
    assert corpus.vocabulary == ("a", "b")
    assert corpus.train.tolist() == [1, 0] * 2_000
    assert corpus.held_out.tolist() == [1, 0] * 500
    assert (corpus.train.dtype, corpus.held_out.dtype) == (torch.int64, torch.int64)


def test_the_built_in_text_is_real_english():
    text = decoded(built_in())
    assert len(text) > 400_000
    assert all(topic in text for topic in topics.values())
    words = Counter(re.findall(r"[a-z]+", text.lower()))
    assert set(dict(words.most_common(8))) >= {"the", "a", "is", "of", "to"}
    assert words["the"] > 0.05 * words.total()
    assert built_in() is built_in()


@checked
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=2, max_size=60), st.integers(5_000, 5_009))
def test_tokens_decode_back_to_the_text(pattern, size):
    text = (pattern * size)[: size - 1] + chr(ord(pattern[0]) ^ 1)  # two different characters at least
    corpus = from_text(text)
    assert decoded(corpus) == text
    assert list(corpus.vocabulary) == sorted(set(text))


def test_the_last_fifth_is_held_out_and_never_overlaps():
    text = "".join(f"{number:06}" for number in range(1_000))
    corpus = from_text(text)
    assert "".join(corpus.vocabulary[token] for token in corpus.train.tolist()) == text[:4_800]
    assert "".join(corpus.vocabulary[token] for token in corpus.held_out.tolist()) == text[4_800:]


@pytest.mark.parametrize("text", ["ab" * 2_500, "é" + "a" * 999_998, "中文" * 2_500])
def test_texts_at_the_limits_are_accepted(text):
    assert decoded(from_text(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text must have at least 5,000 characters, got 0"),
        ("ab" * 2_499 + "a", "text must have at least 5,000 characters, got 4,999"),
        ("é" + "a" * 999_999, "text must have at most 1,000,000 bytes in UTF-8, got 1,000,001"),
        ("中文" * 200_000, "text must have at most 1,000,000 bytes in UTF-8, got 1,200,000"),
        ("a" * 6_000, "text must have at least two different characters, got 'a'"),
        ("\n" * 6_000, "text must have at least two different characters, got '\\n'"),
    ],
)
def test_unusable_texts_are_rejected(text, message):
    with pytest.raises(ValueError, match=exactly(message)):
        from_text(text)
    with pytest.raises(ValueError, match=exactly(message)):
        from_bytes(text.encode(), name="upload")


def test_an_upload_is_read_as_utf_8():
    corpus = from_bytes("Sein oder Nichtsein: größte Frage. ".encode() * 200, name="hamlet.txt")
    assert corpus.name == "hamlet.txt"
    assert decoded(corpus) == "Sein oder Nichtsein: größte Frage. " * 200


def test_a_byte_order_mark_is_dropped():
    assert decoded(from_bytes(BOM + PLAIN.encode(), name="upload")) == PLAIN


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"caf\xe9 " * 2_000, "text must be UTF-8, got byte 0xe9 at place 3"),
        (PLAIN.encode("utf-16"), "text must be UTF-8, got byte 0xff at place 0"),
        (b"a" * 12_345 + b"\x80", "text must be UTF-8, got byte 0x80 at place 12,345"),
    ],
)
def test_other_encodings_are_rejected(content, message):
    with pytest.raises(ValueError, match=exactly(message)):
        from_bytes(content, name="upload")


def test_the_byte_that_is_named_is_the_one_that_is_wrong_after_a_byte_order_mark_too():
    with pytest.raises(ValueError, match=r"^text must be UTF-8, got byte 0xe9 at place \d+$"):
        from_bytes(BOM + b"caf\xe9 " * 2_000, name="upload")


def many(vocab_size, n_rare):
    """A text of so many symbols, three times each but the last ones, which stand there once; and 6,000 spaces."""
    symbols = [chr(0x4E00 + number) for number in range(vocab_size - 1)]
    often = symbols[: len(symbols) - n_rare]
    return "".join(often) * 3 + "".join(symbols[len(often) :]) + " " * 6_000


def test_up_to_512_characters_keep_a_symbol_each():
    text = many(512, 5)
    corpus = from_text(text)
    assert len(corpus.vocabulary) == 512
    assert OTHER not in corpus.vocabulary
    assert decoded(corpus) == text


@pytest.mark.parametrize("n_rare", [2, 50])
def test_rarer_characters_share_one_symbol_where_there_are_more(n_rare):
    text = many(511 + n_rare, n_rare)
    corpus = from_text(text)
    assert len(corpus.vocabulary) == 512
    rare = {character for character, count in Counter(text).items() if count == 1}
    assert len(rare) == n_rare
    assert decoded(corpus) == "".join(OTHER if character in rare else character for character in text)


def test_the_shared_symbol_is_one_even_if_the_text_itself_has_it():
    corpus = from_text(many(600, 50) + OTHER * 10)
    assert len(set(corpus.vocabulary)) == len(corpus.vocabulary)


@pytest.mark.parametrize("text", [PLAIN, "ab" * 2_500, "a" * 4_500 + "b" * 500, many(600, 100)])
def test_losses_of_guessing_equal_the_definition(text):
    corpus = from_text(text)
    symbols, train, held_out = corpus.vocabulary, corpus.train.tolist(), corpus.held_out.tolist()
    counts = Counter(train)
    surprise = [-math.log((counts[token] + 1) / (len(train) + len(symbols))) for token in held_out]
    assert corpus.unigram_loss == pytest.approx(math.fsum(surprise) / len(surprise), rel=1e-12)
    assert math.exp(-corpus.chance_loss) == pytest.approx(1 / len(symbols), rel=1e-12)


def test_frequency_is_a_better_guess_than_chance_in_english():
    assert 2 < built_in().unigram_loss < built_in().chance_loss < math.log(128)


def test_check_length_wants_one_window_and_its_next_character():
    corpus = from_text("ab" * 2_500)
    corpus.check_length(999)  # 1,000 are held out
    message = "text must have at least 5,005 characters, to be evaluated at length 1,000, got 5,000"
    with pytest.raises(ValueError, match=exactly(message)):
        corpus.check_length(1_000)


@pytest.mark.parametrize("longest", [128 * multiple for multiple in range(8, 17)])
def test_a_text_as_long_as_the_message_asks_for_will_do(longest):
    short = Corpus("short", ("a", "b"), torch.zeros(8, dtype=torch.int64), torch.zeros(2, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"^text must have at least [\d,]+ characters") as error:
        short.check_length(longest)
    least = int(re.search(r"least ([\d,]+)", str(error.value))[1].replace(",", ""))
    from_text("ab" * (least // 2) + "a" * (least % 2)).check_length(longest)


def test_half_a_character_is_rejected():
    with pytest.raises(ValueError, match=r"^text must be UTF-8, got half a character at place 6,000$"):
        from_text("catnip" * 1_000 + "\ud800")


def test_the_cost_of_guessing_is_the_same_number_for_any_threads():
    """A gallery is continued where its text is the same, and a run is found by it."""
    before = torch.get_num_threads()
    found = set()
    for n_threads in (1, 2, 3):
        torch.set_num_threads(n_threads)
        found.add(built_in().unigram_loss)
    torch.set_num_threads(before)
    assert len(found) == 1
