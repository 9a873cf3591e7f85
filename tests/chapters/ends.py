"""What the controls of a chapter say at their ends, and whether a picture can be drawn and told of there."""

from itertools import product


def at_ends(**row):
    """Every combination of the first and the last value of these parameters, as arguments."""
    ends = [(one.choices[0], one.choices[-1]) if one.choices else (one.minimum, one.maximum) for one in row.values()]
    return [
        {name: type(one.default)(value) for (name, one), value in zip(row.items(), values, strict=True)}
        for values in product(*ends)
    ]


def sound(figure):
    """Whether all frames of a figure hold something and nothing in it, nor among its facts, is NaN."""
    frames = all(not frame.empty and not frame.isna().any(axis=None) for frame in figure.frames.values())
    return frames and all(fact == fact and "nan" not in str(fact).split() for fact in figure.facts.values())
