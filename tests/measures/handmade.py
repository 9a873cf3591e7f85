"""Encodings made by hand for the tests of the measures: each does one thing whose measure is known."""

from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape
from pe_core.measures.criteria import CRITERIA
from pe_core.measures.profile import initial

SHAPE = Shape(d_model=8, n_heads=2, train_length=16, max_length=128)


class Vectors(PositionalEncoding):
    """Add what a function of the positions (T,) gives, (T, D)."""

    def __init__(self, vectors):
        super().__init__()
        self.vectors = vectors

    def embed(self, x, positions):
        return x + self.vectors(positions).to(x.dtype)


class Scores(PositionalEncoding):
    """Add what a function of query (T, 1) and key (1, T) positions gives, the same for every head."""

    def __init__(self, scores):
        super().__init__()
        self.scores = scores

    def bias(self, q, k, positions):
        places = positions.to(q.dtype)
        return self.scores(places[:, None], places[None, :])


class Stretch(PositionalEncoding):
    """Multiply queries and keys by what a function of the positions (T,) gives, (T,)."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def rotate(self, q, k, positions):
        factor = self.factor(positions.to(q.dtype))[:, None]
        return q * factor, k * factor


class Reading(PositionalEncoding):
    """Keep in `read` what each layer gives as its input."""

    def __init__(self):
        super().__init__()
        self.read = []

    def reading(self, x):
        self.read.append(x)
        return self


class Short(PositionalEncoding):
    """Have no position from `n` on."""

    def __init__(self, n):
        super().__init__()
        self.n = n

    def embed(self, x, positions):
        if (positions >= self.n).any():
            raise ValueError(f"positions must lie below {self.n}, got {positions.tolist()}")
        return x


def registered(key, params=None, shape=SHAPE):
    """An encoding of the registry with initial weights."""
    return initial(ENCODINGS[key].build(shape, params))


def scorecard(encoding, shape):
    """Every criterion for an encoding with initial weights; its own are left alone."""
    fresh = initial(encoding)
    return {key: criterion.measure(fresh, shape) for key, criterion in CRITERIA.items()}
