"""The tasks that a model can learn beside a text, each with one answer to every question."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.settings import FOR_TASKS, PARAMETERS
from pe_core.lab.experiment.task import CAPITAL, DIGITS, PLUS, SMALL, VOCABULARY, Task, answered, asking, sign
from pe_core.parameters import Paper, Parameter, Value


def copy(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of random digits, a sign, and the digits again, of which each is asked, as in 407=407.

    To copy a digit by its distance a model has to look back exactly as far as there are digits, and that is another one
    at every size: a model that knows distances, or positions, only from training fails beyond the largest size it was
    trained on. Another way needs no distance, the digit after the one copied last; but longer examples have that one
    more often.
    """
    digits = torch.randint(len(DIGITS), (n, size), generator=generator)
    return answered(digits, digits)


def reverse(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of random digits, a sign, and the digits backwards, of which each is asked, as in 407=704.

    The first answer stands right before the sign, and every further one two places farther back than the one before:
    each answer has a distance of its own, from the nearest to the farthest.
    """
    digits = torch.randint(len(DIGITS), (n, size), generator=generator)
    return answered(digits, digits.flip(1))


MIN_PATTERN, MAX_PATTERN = 2, 8  # patterns


def recall(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` patterns of two to eight different digits, again and again, as in 407407407; what comes next?

    All have one length, which leaves `size` digits to be asked of the longest pattern. Asked is every digit from the
    second one of the first repetition on: here all after 4074. A model is right if it finds the digit just read where
    it stood before, and says what came after it there; an induction head does that. How far back it stood differs from
    example to example, but is never more than eight places, however long the text.
    """
    lengths = torch.randint(MIN_PATTERN, MAX_PATTERN + 1, (n, 1), generator=generator)
    patterns = torch.rand(n, len(DIGITS), generator=generator).argsort(1)  # no digit twice
    return repeated(patterns, lengths, MAX_PATTERN + 1 + size)


def repeated(patterns: Tensor, lengths: Tensor, n_tokens: int) -> Examples:
    """Return the beginnings of patterns (n, P), as many digits as `lengths` (n, 1) says, again and again."""
    places = torch.arange(n_tokens)
    return asking(patterns.gather(1, places % lengths), places > lengths)


def look_up(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of `size` pairs of letter and digit, and one pair more that asks, as in a3b5a7B5A7.

    Two small letters are given digits, capital ones ask for the last one given. A letter is given a digit when it comes
    first. Later it is given a digit anew, which may be the same one, or asks, each with probability 1/2; the last pair
    always asks. The letter tells which digits can be meant; that it is the one given last is a matter of order. How far
    back it stands depends on how soon letters come again, hardly on the length of the text.
    """
    letters = torch.randint(len(SMALL), (n, size + 1), generator=generator)
    letters[:, -1:] = letters.gather(1, torch.randint(size, (n, 1), generator=generator))
    digits = torch.randint(len(DIGITS), (n, size + 1), generator=generator)
    asks = torch.rand(n, size + 1, generator=generator) < 0.5
    asks[:, -1] = True
    return told(letters, digits, asks)


def told(letters: Tensor, digits: Tensor, asks: Tensor) -> Examples:
    """Return pairs of letter and digit as examples; all arguments (n, pairs), `asks` is bool.

    Where a letter asks that has been given a digit before, the last such digit takes the place of its own.
    """
    mentions = F.one_hot(letters, len(SMALL))  # (n, pairs, letters)
    asks = asks & (_of_letter(mentions.cumsum(1) - mentions, letters) > 0)
    places = torch.arange(letters.shape[1])
    last_given = _of_letter((mentions * (places * ~asks)[..., None]).cummax(1).values, letters)
    names = letters + torch.where(asks, VOCABULARY.index(CAPITAL[0]), VOCABULARY.index(SMALL[0]))
    tokens = torch.stack([names, digits.gather(1, last_given)], dim=-1).flatten(1)
    return asking(tokens, torch.stack([torch.zeros_like(asks), asks], dim=-1).flatten(1))


def _of_letter(numbers: Tensor, letters: Tensor) -> Tensor:
    """Return of numbers for each letter, (n, T, letters), those of the letter that is there, (n, T)."""
    return numbers.gather(-1, letters[..., None]).squeeze(-1)


def addition(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of two random numbers of `size` digits with a plus between, and their sum, all of it asked.

    Units come first, as in 72+54=27, which is 27 + 45 = 72: so every digit of the sum follows from two digits and a
    carry of what has been said already. A carry out of the last place is left out, as a counter does that starts again
    at 000: so all digits are equally likely answers, and the sum has as many digits as the numbers.
    """
    first, second = torch.randint(len(DIGITS), (2, n, size), generator=generator)
    return answered(torch.cat([first, sign(PLUS, n), second], dim=1), add(first, second))


def add(first: Tensor, second: Tensor) -> Tensor:
    """Return the sum of numbers in digits, units first, without the carry out of the last place; all (n, digits)."""
    total, carry = torch.empty_like(first), torch.zeros_like(first[:, 0])
    for place in range(first.shape[1]):
        column = first[:, place] + second[:, place] + carry
        total[:, place], carry = column % len(DIGITS), column // len(DIGITS)
    return total


def parity(n: int, size: int, generator: torch.Generator) -> Examples:
    """Return `n` rows of zeros and ones, a sign, and the parity of each beginning, all of them asked, as in 1011=1101.

    Step by step it is two small things: find the digit whose turn it is, and turn the last answer over if it is a one.
    In a single answer, without the steps, a small model learns it within its training length, and soon only guesses
    beyond it.
    """
    bits = torch.randint(2, (n, size), generator=generator)
    return answered(bits, bits.cumsum(1) % 2)


TASKS: dict[str, Task] = {
    task.key: task
    for task in (
        Task(
            key="copy",
            title="Copy",
            summary="Digits, and the same digits again.",
            paper=Paper(
                "The Impact of Positional Encoding on Length Generalization in Transformers",
                "Kazemnejad et al.",
                2023,
                "2305.19466",
            ),
            tokens=lambda size: 2 * size + 1,
            make=copy,
        ),
        Task(
            key="reverse",
            title="Reverse",
            summary="Digits, and the same digits backwards.",
            paper=Paper(
                "Randomized Positional Encodings Boost Length Generalization of Transformers",
                "Ruoss et al.",
                2023,
                "2305.16843",
            ),
            tokens=lambda size: 2 * size + 1,
            make=reverse,
            settings={"steps": 1_000},
        ),
        Task(
            key="recall",
            title="Recall a pattern",
            summary="A pattern of digits, repeated again and again.",
            paper=Paper("In-context Learning and Induction Heads", "Olsson et al.", 2022, "2209.11895"),
            tokens=lambda size: MAX_PATTERN + 1 + size,
            make=recall,
            settings={"train_length": 32, "steps": 1_000},
        ),
        Task(
            key="lookup",
            title="Look up the last",
            summary="Two letters are given digits again and again; asked is the last one of a letter.",
            paper=Paper(
                "Exposing Attention Glitches with Flip-Flop Language Modeling", "Liu et al.", 2023, "2306.00946"
            ),
            tokens=lambda size: 2 * size + 2,
            make=look_up,
            settings={"steps": 2_000},
        ),
        Task(
            key="addition",
            title="Add",
            summary="Two numbers and their sum, units first.",
            paper=Paper("Teaching Arithmetic to Small Transformers", "Lee et al.", 2023, "2307.03381"),
            tokens=lambda size: 3 * size + 2,
            make=addition,
            # With 4 heads all that RoPE finds in 5,000 steps are the digits of the smallest and the largest size.
            settings={"n_heads": 8, "steps": 5_000},
        ),
        Task(
            key="parity",
            title="Parity, step by step",
            summary="Zeros and ones, and for each whether the ones so far are odd.",
            paper=Paper("Exploring Length Generalization in Large Language Models", "Anil et al.", 2022, "2207.04901"),
            n_answers=2,
            tokens=lambda size: 2 * size + 1,
            make=parity,
        ),
    )
}


def own_defaults(key: str | None) -> dict[str, Value]:
    """Return the defaults by name of what a task may have its own for; those of a text for any other key."""
    return (
        {**FOR_TASKS, **TASKS[key].settings} if key in TASKS else {name: PARAMETERS[name].default for name in FOR_TASKS}
    )


def parameters_for(key: str | None) -> Mapping[str, Parameter[Value]]:
    """Return the parameters of a run with the defaults that suit the task of this key; of a text for any other key."""
    own = {name: replace(PARAMETERS[name], default=value) for name, value in own_defaults(key).items()}
    return {**PARAMETERS, **own}
