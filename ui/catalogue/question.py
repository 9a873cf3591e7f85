"""What all pictures of the catalogue share: two controls, and the question that the exercise asks of what is shown."""

from collections.abc import Mapping
from dataclasses import dataclass

from pe_core.chapters.catalogue import LONGEST
from pe_core.parameters import Parameter, Value

Texts = Mapping[str, str]
Values = Mapping[str, Value]

EXACT = 1e-9  # of the largest number: smaller differences are rounding
TALL = 460  # pixels of a picture

LENGTH = Parameter("cat_length", "Length", 64, "Tokens of the text that is shown.", 16, LONGEST, 16)
TRAINED = Parameter(
    "cat_trained",
    "Training length",
    32,
    "Tokens of the texts of training; some entries take their sizes from it.",
    16,
    LONGEST,
    16,
)


@dataclass(frozen=True)
class Question:
    """What the exercise asks of the entry shown: the name of its section, what that names, and the whole answer."""

    section: str
    facts: Mapping[str, object]
    answer: int
