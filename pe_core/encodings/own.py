r"""Own encodings: a formula that somebody has typed, as a vector, an angle or a bias.

The key of such an encoding is all of it, so that links, files and the hash of a run carry it as they carry any key:
`own:bias:-2**(-8*(h+1)/heads)*distance` is ALiBi, and `own:angle:m*10000**(-2*i/head_width)` RoPE. What the formula
learns follows with its starting values: `own:bias:-abs(a)*log(1+abs(b)*distance);a=1;b=0.5`.

- `embedding`: added to each channel of the token embedding, as it is.
- `angle`: by which pair i, channels (2i, 2i + 1) of a head, of queries and keys at position m is turned.
- `bias`: added to the scaled scores of head h. Keys after the query are hidden, and for them the formula is not asked.

Positions, heads, pairs and channels are counted from 0. A bias has a learned parameter for each head, an angle for each
pair, an embedding for each channel; all of them start alike. The formula is computed in float64 and cast last.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import pi

import torch
from torch import Tensor, nn

from pe_core.encodings import rotary
from pe_core.encodings.base import EncodingSpec, Family, PositionalEncoding, Shape
from pe_core.encodings.batch import add, beside, count_queries, each_text, hide_future, of_queries, rows_of_queries
from pe_core.expression import Tree, evaluate, names, parse
from pe_core.parameters import MAX_SHOWN, Parameter, Value, require

PREFIX = "own:"
FORM = "own:KIND:FORMULA"
MAX_KEY = 300  # characters
MAX_TITLE = 48  # characters of a formula that a legend has room for
AT_ONCE = 2**20  # numbers of a bias that are computed at once where nothing is learned: 8 MB per level of the formula

LEARNED: dict[str, Parameter[Value]] = {
    name: Parameter(name, name, default, f"Where the learned {name} starts.", -10.0, 10.0, 0.05)
    for name, default in (("a", 1.0), ("b", 0.5), ("c", 0.0))
}
SIZES = ("heads", "width", "head_width", "length", "pi")


@dataclass(frozen=True)
class Kind:
    """A place where a formula may enter, that of a family: the names it may use, and what these are in words."""

    whose: str
    family: Family
    summary: str
    variables: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names that a formula of this kind may use."""
        return (*self.variables, *SIZES, *LEARNED)


KINDS: dict[str, Kind] = {
    "embedding": Kind("an embedding", "absolute", "Added to the embedding", ("m", "channel", "i", "pair")),
    "angle": Kind("an angle", "rotary", "Queries and keys are turned by", ("m", "i", "pair")),
    "bias": Kind("a bias", "bias", "Added to each score", ("m", "n", "distance", "h", "head")),
}


@dataclass(frozen=True)
class Formula:
    """What somebody has typed: the kind, the text, and where each learned parameter that it names starts.

    Raises `ValueError` for a kind that does not exist, for a text that is no formula of this kind, and for a start that
    is not allowed or that the text does not name.
    """

    kind: str
    text: str
    starts: Mapping[str, float]

    def __post_init__(self) -> None:
        require(self.kind in KINDS, "kind", f"be one of {', '.join(KINDS)}", self.kind[:MAX_SHOWN])
        used = names(self.tree)
        for name, value in self.starts.items():
            require(name in LEARNED and name in used, "starts", "belong to learned parameters of the formula", name)
            LEARNED[name].check(value)

    @property
    def tree(self) -> Tree:
        """The formula as a tree."""
        kind = KINDS[self.kind]
        return parse(self.text, kind.names, kind.whose)

    @property
    def learned(self) -> dict[str, float]:
        """The start of each learned parameter that the formula names."""
        used = names(self.tree)
        return {
            name: float(self.starts.get(name, parameter.default)) for name, parameter in LEARNED.items() if name in used
        }

    @property
    def key(self) -> str:
        """The key of the encoding, from which `read` makes the same formula again."""
        starts = "".join(f";{name}={value!r}".removesuffix(".0") for name, value in self.learned.items())
        return f"{PREFIX}{self.kind}:{self.text.strip()}{starts}"

    @property
    def title(self) -> str:
        """The formula as a legend shows it: without signs that Markdown would take for its own."""
        starts = "".join(f", {name}={value:g}" for name, value in self.learned.items())
        shown = self.text.strip() + starts
        if len(shown) > MAX_TITLE:
            told_apart = hashlib.sha256(self.key.encode()).hexdigest()[:5]
            shown = f"{shown[: MAX_TITLE - 8]}… ({told_apart})"
        return f"Own {self.kind}: {shown}".replace("**", "^").replace("*", "·").replace("<", "‹").replace(">", "›")


def is_own(key: str) -> bool:
    """Return whether a key spells out an own encoding, right or wrong."""
    return key.startswith(PREFIX)


def read(key: str) -> Formula:
    """Return the formula that a key spells out; `ValueError`, which names the rule, if it spells none."""
    require(len(key) <= MAX_KEY, "own encoding", f"have at most {MAX_KEY} characters", f"{len(key):,}")
    kind, colon, rest = key.removeprefix(PREFIX).partition(":")
    require(is_own(key) and bool(colon), "own encoding", f"have the form {FORM}", key[:MAX_SHOWN])
    text, *given = rest.split(";")
    starts: dict[str, float] = {}
    for one in given:
        name, equals, value = one.partition("=")
        require(name in LEARNED and bool(equals), "starts", "have the form a=1;b=0.5;c=0", one[:MAX_SHOWN])
        starts[name] = float(LEARNED[name].parse(value))
    return Formula(kind, text, starts)


class Computed(nn.Module):
    """A formula at work in a model: its learned parameters, so many of each, and its values."""

    def __init__(self, formula: Formula, shape: Shape, n_learned: int) -> None:
        super().__init__()
        self.formula = formula
        self.tree = formula.tree
        self.shape = shape
        self.learned = nn.ParameterDict({name: nn.Parameter(torch.empty(n_learned)) for name in formula.learned})
        self.start()

    @torch.no_grad()
    def start(self) -> None:
        """Put what is learned to where it starts."""
        for name, start in self.formula.learned.items():
            self.learned[name].fill_(start)

    def values(self, variables: Mapping[str, Tensor], per: Tensor) -> Tensor:
        """Return the formula for these variables, float64; `per` has the shape in which learned parameters are wanted.

        Raises `ValueError` where a learned parameter has been lost, as by a slope that is infinite.
        """
        sizes = (self.shape.n_heads, self.shape.d_model, self.shape.head_dim, self.shape.train_length, pi)
        known = {name: per.new_tensor(size) for name, size in zip(SIZES, sizes, strict=True)}
        for name, learned in self.learned.items():
            require(bool(learned.isfinite().all()), name, "stay finite in training", f"{learned.tolist()}"[:MAX_SHOWN])
            known[name] = learned.double().view_as(per)
        return evaluate(self.tree, {**known, **variables})

    def finite(self, values: Tensor, places: Mapping[str, Tensor]) -> Tensor:
        """Return the values, whose axes count the `places`; `ValueError` for the first that is not finite."""
        if bool(values.isfinite().all()):
            return values
        first = (~values.isfinite()).nonzero()[0].tolist()
        where = ", ".join(f"{name} = {axis[at]:g}" for (name, axis), at in zip(places.items(), first, strict=True))
        got = f"{values[tuple(first)]:g} at {where}"
        raise ValueError(f"own {self.formula.kind} must be finite, got {got} in {self.formula.text!r}")


class OwnEmbedding(PositionalEncoding):
    """Add the formula to every channel of the token embeddings."""

    def __init__(self, formula: Formula, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.formula = Computed(formula, shape, shape.d_model)

    def reset_parameters(self, generator: torch.Generator) -> None:
        self.formula.start()

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        vectors = torch.stack([self._table(text, x.dtype) for text in each_text(positions)])
        return add(x, vectors if positions.ndim == 2 else vectors[0])

    def _table(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the vectors of one text, (T, D)."""
        m = positions.double()
        channel = torch.arange(self.shape.d_model, device=m.device).double()
        i = channel.div(2).floor()
        values = self.formula.values({"m": m[:, None], "channel": channel, "i": i, "pair": i}, channel)
        return self.formula.finite(values.expand(len(m), len(channel)).to(dtype), {"m": m, "channel": channel})


class OwnAngle(PositionalEncoding):
    """Turn each pair of channels of queries and keys by the formula."""

    def __init__(self, formula: Formula, shape: Shape) -> None:
        require(shape.head_dim % 2 == 0, "head_dim", "be even, to be turned in pairs", shape.head_dim)
        super().__init__()
        self.shape = shape
        self.formula = Computed(formula, shape, shape.head_dim // 2)

    def reset_parameters(self, generator: torch.Generator) -> None:
        self.formula.start()

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        n_queries = count_queries(q, k, positions)
        of_texts = torch.stack([self.angles(text) for text in each_text(positions)])
        angles = beside(of_texts if positions.ndim == 2 else of_texts[0], k)
        return rotary.turn(q, rows_of_queries(angles, n_queries)), rotary.turn(k, angles)

    def angles(self, positions: Tensor) -> Tensor:
        """Return the angle of every pair at the `positions` (T,) of a text, in radians, float64, shape (T, d / 2)."""
        m = positions.double()
        i = torch.arange(self.shape.head_dim // 2, device=m.device).double()
        values = self.formula.values({"m": m[:, None], "i": i, "pair": i}, i)
        return self.formula.finite(values.expand(len(m), len(i)), {"m": m, "i": i})


class OwnBias(PositionalEncoding):
    """Add the formula to the scores of every head; keys after the query are hidden."""

    def __init__(self, formula: Formula, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.formula = Computed(formula, shape, shape.n_heads)

    def reset_parameters(self, generator: torch.Generator) -> None:
        self.formula.start()

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        n_queries = count_queries(q, k, positions)
        of_texts = [self._of_text(text, n_queries, q) for text in each_text(positions)]
        return hide_future(torch.stack(of_texts) if positions.ndim == 2 else of_texts[0], positions)

    def _of_text(self, positions: Tensor, n_queries: int, q: Tensor) -> Tensor:
        """Return the bias of one text, (H, T_q, T), in the dtype of `q`: at once only where a gradient needs it all."""
        queries = of_queries(positions, n_queries)
        if self.formula.learned and torch.is_grad_enabled():
            return self._rows(queries, positions, q.dtype)
        added = q.new_empty(self.shape.n_heads, n_queries, len(positions))
        step = max(1, AT_ONCE // (self.shape.n_heads * len(positions)))
        for first in range(0, n_queries, step):
            rows = slice(first, first + step)
            added[:, rows] = self._rows(queries[rows], positions, q.dtype)
        return added

    def _rows(self, queries: Tensor, keys: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the bias of some queries, (H, rows, T); that of a key after its query is that of the query itself."""
        own, n = queries.double()[:, None], keys.double()
        n = torch.minimum(n, own)  # what is hidden anyway must not be the logarithm of a negative number
        m = own.expand_as(n)
        h = torch.arange(self.shape.n_heads, device=m.device).double()[:, None, None]
        values = self.formula.values({"m": m, "n": n, "distance": m - n, "h": h, "head": h}, h)
        added = values.expand(len(h), *n.shape).to(dtype)
        self.formula.finite(added.movedim(0, -1), {"m": queries, "n": keys, "h": h.flatten()})
        return added


_MADE = {"embedding": OwnEmbedding, "angle": OwnAngle, "bias": OwnBias}


def spec_of(key: str) -> EncodingSpec:
    """Return the registry entry of the own encoding that a key spells out; `ValueError` if it spells none."""
    formula = read(key)
    kind = KINDS[formula.kind]
    return EncodingSpec(
        key=key,
        title=formula.title,
        family=kind.family,
        summary=f"{kind.summary}: {formula.text.strip()}",
        make=lambda shape, params: _MADE[formula.kind](formula, shape),
    )
