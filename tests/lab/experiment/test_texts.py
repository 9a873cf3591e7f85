import hashlib

from pe_core.lab.experiment.texts import SHARED, TEXTS, documentation, paragraphs_of, topics, unrepeated
from tests.cases import each

SOURCE = '''def cat():
    """Say what a cat says, which is meow in English and miau in German.

    In Japanese it is nyan, which is written with two characters of a syllabary.

    Example:

    >>> cat()  # an example is no English, however long the comment that stands beside it
    """

    return "meow"
'''


def numbers(first, n):
    return "".join(f"{number:05}" for number in range(first, first + n))


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


def test_paragraphs_keep_their_indentation():
    assert list(paragraphs_of("\n\na\n  b  \n \n\n    c\n\n")) == ["a\n  b", "    c"]


def test_documentation_is_english_without_headings_and_examples():
    assert list(documentation(SOURCE)) == [
        "Say what a cat says, which is meow in English and miau in German.",
        "In Japanese it is nyan, which is written with two characters of a syllabary.",
    ]


def test_a_paragraph_that_repeats_64_characters_is_left_out():
    first, second = numbers(0, 40), numbers(100, 40)
    topics = [[first, second], [f"here {first[10:74]}"], [f"here {first[10:73]}", second, "short"]]
    assert unrepeated(topics) == [f"{first}\n\n{second}\n\n", f"here {first[10:73]}\n\nshort\n\n"]


def test_a_repetition_across_two_paragraphs_is_one_too():
    first, second = numbers(0, 8), numbers(100, 8)  # 40 characters each
    assert unrepeated([[first, second], [first, second]]) == [f"{first}\n\n{second}\n\n", f"{first}\n\n"]
    assert SHARED == 64
