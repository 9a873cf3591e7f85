"""What the scorecard measures of every encoding at the size of its page, kept in a file, since it takes some seconds.

    python -m pe_core.measures.cards   # measures everything and writes scorecard.json

A test measures all of it again: after a change of an encoding or a criterion it says to run this command.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from pe_core.encodings import ENCODINGS, Shape
from pe_core.files import KEPT_RUNS, until_changed, write_whole
from pe_core.measures import lengths, profile
from pe_core.measures.criteria import CRITERIA

Card = Mapping[str, float | None]  # by criterion; None where one does not apply

KEPT = KEPT_RUNS / "scorecard.json"
ROUNDING = 1e-9
SIZE = {"d_model": 64, "n_heads": 4, "train_length": 64}


def shape_of(d_model: int, n_heads: int, train_length: int) -> Shape:
    """Return the shape of a model that may meet texts 8 times as long as those of training."""
    return Shape(d_model, n_heads, train_length, lengths.MULTIPLES[-1] * train_length)


def measure(criterion: str, encoding: str, shape: Shape) -> float | None:
    """Return what a criterion measures of an encoding with initial weights; None where it does not apply.

    What is less than a billionth is nothing but rounding: 0 is returned.
    """
    value = CRITERIA[criterion].measure(profile.initial(ENCODINGS[encoding].build(shape)), shape)
    return 0.0 if value is not None and abs(value) < ROUNDING else value


def measure_all() -> dict[str, Card]:
    """Return the card of every encoding at the size of the page."""
    shape = shape_of(**SIZE)
    return {
        encoding: {criterion: measure(criterion, encoding, shape) for criterion in CRITERIA} for encoding in ENCODINGS
    }


@until_changed(1)
def read(path: Path) -> Mapping[str, Card]:
    """Return the cards that `main` has written; `OSError` where there is no file."""
    cards: dict[str, Card] = json.loads(path.read_text(encoding="utf-8"))
    return cards


def main(path: Path = KEPT) -> None:
    """Measure everything and write the file."""
    write_whole(path, (json.dumps(measure_all(), indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
