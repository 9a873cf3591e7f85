"""Who notices another order of the words: the numbers and facts of the table, by hand."""

from pe_core.chapters import why_position as pictures
from pe_core.encodings import ENCODINGS
from pe_core.wrapping import spelt
from tests.cases import each, refuses
from tests.chapters.offered import sound

SENTENCE = "the dog bites the old man"
AROUND = (5, 4, 3, 2, 1, 0)
PICTURES = {  # arguments by default, and other ones
    pictures.changes: (
        {"sentence": SENTENCE, "encoding": "sinusoidal", "places": AROUND},
        {"sentence": "one two three four five six", "encoding": "rope", "places": (2, 0, 1, 5, 4, 3)},
        {"sentence": "a a", "encoding": "none", "places": (0, 1)},
    )
}
READERS = (
    "Attention, no encoding",
    "Attention, Sinusoidal",
    "Causal decoder, no encoding",
    "Recurrent layer",
    "Convolution of 3",
)


def blind(figure):
    """The readers that the picture says to be blind to the change of order."""
    table = figure.frames["changes"]
    return table[table.blind].reader.unique().tolist()


def largest(figure):
    table = figure.frames["changes"]
    return {name: max(rows.change) for name, rows in table.groupby("reader", sort=False)}


def test_attention_alone_is_blind_and_all_others_notice():
    figure = pictures.changes(sentence=SENTENCE, encoding="sinusoidal", places=AROUND)
    found = largest(figure)
    assert tuple(found) == READERS
    assert blind(figure) == [READERS[0]]
    assert figure.facts == {
        "to": 6,
        "before": SENTENCE,
        "after": "man old the bites dog the",
        "largest": "; ".join(f"{name} {spelt(value, '.2g')}" for name, value in found.items()),
        "blind": READERS[0],
        "rounding": found[READERS[0]],
        "seeing": "; ".join(f"{name} {found[name]:.2f}" for name in READERS[1:]),
        "verdict": "blind",
    }
    assert 0 < figure.facts["rounding"] < 1e-12
    assert min(found[name] for name in READERS[1:]) > 0.1


@each("key", ENCODINGS)
def test_every_encoding_can_stand_in_the_second_row(key):
    figure = pictures.changes(sentence=SENTENCE, encoding=key, places=AROUND)
    first, second, *_ = largest(figure).values()
    assert first < 1e-12
    assert (second < 1e-12) == (key == "none")
    assert figure.facts["blind"].count("Attention") == 1 + (key == "none")
    if key == "none":
        assert figure.facts["rounding"] == max(first, second)


@each(("sentence", "places"), [(SENTENCE, range(6)), ("a a", (1, 0))])
def test_the_order_that_changes_nothing_is_noticed_by_nobody(sentence, places):
    figure = pictures.changes(sentence=sentence, encoding="none", places=places)
    unmoved = [name for name, value in largest(figure).items() if value < 1e-9]
    assert figure.facts["blind"] == "; ".join(unmoved)
    assert blind(figure) == (unmoved if len(unmoved) < 5 else [])  # an order that changes nothing is seen by nobody
    assert figure.facts["before"] == figure.facts["after"] == sentence
    assert figure.facts["verdict"] == ("blind-none" if len(unmoved) == 5 else "blind")


@each("number", [0, 99])
@each("sentence", ["a b", "x x x", "one two three four five six seven eight nine ten eleven twelve"])
def test_any_sentence_in_any_order(sentence, number):
    asked, _ = pictures.order_and_encoding(sentence)
    assert sound(pictures.changes(sentence=sentence, encoding="sinusoidal", places=asked.parse(str(number))))


def test_where_every_reader_sees_nobody_is_blind(monkeypatch):
    every = pictures.readers("sinusoidal")
    monkeypatch.setattr(pictures, "readers", lambda encoding: {name: every[name] for name in READERS[1:]})
    facts = pictures.changes(sentence=SENTENCE, encoding="sinusoidal", places=AROUND).facts
    assert (facts["verdict"], facts["blind"], facts["rounding"]) == ("blind-nobody", "", 0)


@each(
    ("sentence", "problem"),
    [
        ("", "sentence must have 2 to 12 words, got 0"),
        ("alone", "sentence must have 2 to 12 words, got 1"),
        (" ".join("abcdefghijklm"), "sentence must have 2 to 12 words, got 13"),
        ("人" * 13, "sentence must have 2 to 12 words, got 13"),
        (f"a {'b' * 25}", f"each word must have at most 24 letters, got '{'b' * 24}' and more"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_refused(sentence, problem):
    refuses(lambda: pictures.words_of(sentence), problem)


def test_a_word_is_parted_by_spaces_and_each_chinese_character_is_one():
    assert pictures.words_of(f" a  {'b' * 24} ") == ["a", "b" * 24]
    assert len(pictures.words_of(" ".join("abcdefghijkl"))) == 12
    assert pictures.words_of("狗咬人") == ["狗", "咬", "人"]
    assert pictures.words_of("GPT-2 读 狗咬人。") == ["GPT-2", "读", "狗", "咬", "人", "。"]


@each(
    ("sentence", "before", "after"),
    [("`a` b", "'a' b", "b 'a'"), ("狗咬 the 人人", "狗咬 the 人人", "人人 the 咬狗")],
)
def test_code_cannot_end_a_quotation_and_chinese_is_quoted_without_spaces(sentence, before, after):
    backwards = tuple(reversed(range(len(pictures.words_of(sentence)))))
    facts = pictures.changes(sentence=sentence, encoding="none", places=backwards).facts
    assert (facts["before"], facts["after"]) == (before, after)


@each("guess", [2, 6])
def test_only_the_words_behind_the_change_notice_it(guess):
    right, facts = pictures.words_that_notice(guess)
    assert right == (guess == 2)
    assert facts["count"] == 2
    told = [word.split() for word in facts["moved"].split(", ")]
    assert [word for word, _ in told] == list("ABCDEF")
    assert [float(value) > 0 for _, value in told] == [False] * 4 + [True] * 2


def test_attention_is_equivariant_and_its_mean_invariant():
    facts = pictures.pooled("the dog bites the old man", [5, 4, 3, 2, 1, 0])
    assert facts["mean-change"] < 1e-12 < 0.5 < facts["in-place"]
    same = pictures.pooled("the dog bites the old man", [0, 1, 2, 3, 4, 5])
    assert same["in-place"] == 0
