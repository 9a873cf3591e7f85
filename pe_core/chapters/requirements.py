"""What an ideal encoding has to do, each requirement with what a criterion of the scorecard measures of some."""

from pe_core.chapters.scorecard import SIZE, measured
from pe_core.chapters.wording import number, rows
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Facts
from pe_core.figures.graded import ARROWS
from pe_core.measures.criteria import CRITERIA

SHOWN = ("integer", "normalised", "binary", "sinusoidal", "rope")
REQUIREMENTS = {  # the sentence by the key of the criterion that measures it
    "uniqueness": "Every position has a code of its own.",
    "growth": "Its numbers stay bounded, however long the text is.",
    "translation": "The same offset means the same at every place.",
    "prefix": "The same offset means the same in a text of any length.",
    "local_order": "Neighbours can be told apart, and near from far.",
    "composition": "What lies k further on can be computed, so relative positions can be.",
    "direction": "A model can find out which of two comes first.",
    "reach": "It goes on past the length of training.",
    "parameters": "It is cheap: no parameters, or few.",
}


def ideal() -> Facts:
    """Return a row of a table for each requirement: its criterion, which way is better, and what is measured."""
    lines = []
    for key, sentence in REQUIREMENTS.items():
        values = (measured(key, encoding, **SIZE) for encoding in SHOWN)
        criterion = CRITERIA[key]
        lines.append(
            (
                sentence,
                f"{ARROWS[criterion.better]} {criterion.title}",
                *("n/a" if value is None else number(value) for value in values),
            )
        )
    titles = [ENCODINGS[key].title for key in SHOWN]
    return {"ideal": rows(lines), "ideal-heads": " | ".join(titles), "requirements": len(lines)}
