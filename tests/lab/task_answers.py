"""Examples of the tasks read back as text, and the answers to each by a computation of its own."""

from pe_core.lab.experiment.datasets import NOT_ASKED
from pe_core.lab.experiment.task import VOCABULARY
from pe_core.lab.experiment.tasks import own_defaults


def suited(key):
    """What a task has defaults of its own for, by name."""
    return own_defaults(key)


def read(examples):
    """Each example as text, with what is asked of it by place; what is filled in stays behind the last answer."""
    found = []
    for inputs, targets in zip(examples.inputs.tolist(), examples.targets.tolist(), strict=True):
        end = max(place for place, target in enumerate(targets) if target != NOT_ASKED)
        text = "".join(VOCABULARY[token] for token in [*inputs[: end + 1], targets[end]])
        asked = {place + 1: VOCABULARY[target] for place, target in enumerate(targets) if target != NOT_ASKED}
        found.append((text, asked))
    return found


def behind(answer):
    """What is asked of a text behind the sign of equality: the symbols that a function finds for the question."""

    def asked(text):
        question, _ = text.split("=")
        return {len(question) + 1 + place: symbol for place, symbol in enumerate(answer(question))}

    return asked


def added(question):
    first, second = (int("".join(reversed(number))) for number in question.split("+"))
    n_digits = len(question) // 2
    return "".join(reversed(str(10**n_digits + (first + second) % 10**n_digits)[1:]))


def odd_so_far(question):
    return [str(question[: end + 1].count("1") % 2) for end in range(len(question))]


def continued(text):
    asked = {}
    for place in range(1, len(text)):
        before = text[: place - 1].rfind(text[place - 1])
        if before >= 0:
            asked[place] = text[before + 1]
    return asked


def looked_up(text):
    known, asked = {}, {}
    for place in range(0, len(text), 2):
        letter, digit = text[place : place + 2]
        if letter.isupper():
            asked[place + 1] = known[letter.lower()]
        else:
            known[letter] = digit
    return asked


ORACLES = {
    "copy": behind(str),
    "reverse": behind(reversed),
    "recall": continued,
    "lookup": looked_up,
    "addition": behind(added),
    "parity": behind(odd_so_far),
}
FORMS = {
    "copy": r"(\d+)=\d+",
    "reverse": r"(\d+)=\d+",
    "recall": r"\d+",
    "lookup": r"([abAB]\d)+",
    "addition": r"(\d+)\+\d+=\d+",
    "parity": r"([01]+)=[01]+",
}
