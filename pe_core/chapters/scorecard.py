"""Picture of the scorecard: one criterion over all encodings."""

from pe_core.encodings import ENCODINGS, Shape
from pe_core.figures import ranking as figures
from pe_core.figures.figure import Figure
from pe_core.measures.criteria import CRITERIA
from pe_core.measures.lengths import MULTIPLES
from pe_core.measures.profile import initial

ROUNDING = 1e-9


def exact(value: float | None) -> float | None:
    """Return what was measured, and 0 for less than a billionth: nothing but rounding."""
    return 0.0 if value is not None and abs(value) < ROUNDING else value


def shape_of(d_model: int, n_heads: int, train_length: int) -> Shape:
    """Return the shape of a model that may meet texts 8 times as long as those of training."""
    return Shape(d_model, n_heads, train_length, MULTIPLES[-1] * train_length)


def ranking(criterion: str, encoding: str, d_model: int, n_heads: int, train_length: int) -> Figure:
    """Return a bar for each encoding to which a criterion applies, the best one first, with a mark at `encoding`.

    `criterion` and `encoding` are keys of their registries.
    """
    judged, shape = CRITERIA[criterion], shape_of(d_model, n_heads, train_length)
    found = {key: exact(judged.measure(initial(spec.build(shape)), shape)) for key, spec in ENCODINGS.items()}
    values = {ENCODINGS[key].title: value for key, value in found.items() if value is not None}
    families = {spec.title: spec.family for spec in ENCODINGS.values()}
    chosen = ENCODINGS[encoding].title
    return figures.ranking(values, families, chosen=chosen, descending=judged.better != "lower")
