"""Pictures of the chapter on relative biases: their shapes, what they do to attention."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from pe_core.encodings import EncodingSpec, PositionalEncoding, Shape, alibi, fire, kerple, sandwich, t5
from pe_core.encodings.distance import hide_future
from pe_core.figures.bands import Band
from pe_core.figures.bands import shapes as shapes_figure
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import matrix
from pe_core.figures.lines import Axes, lines
from pe_core.figures.palette import CATEGORICAL, GREY
from pe_core.measures import bias_rows
from pe_core.measures.profile import effects_on, unit_content

SYSTEMS: dict[str, EncodingSpec] = {
    spec.key: spec for spec in (alibi.SPEC, t5.SPEC, kerple.LOGARITHMIC, sandwich.SPEC, fire.SPEC, kerple.POWER_LAW)
}
COLOURS = dict(zip(SYSTEMS, CATEGORICAL, strict=False))
NO_BIAS = "no bias"
N_HEADS, D_MODEL = 8, 64
MATRIX_LENGTH = 24  # tokens of a matrix that is drawn
MOST_DISTANCES = 128  # of a curve; where there are more, evenly chosen ones
MOST_KEYS = 128  # of a row
MIN_WEIGHT = 1e-5  # that is drawn: below it, a key might as well not be there
KEY_TICKS = tuple(2**power for power in range(MOST_KEYS.bit_length()))
WEIGHTS = Axes(
    "Distance from the last query",
    "Weight",
    (MIN_WEIGHT, 1),
    (0, MOST_KEYS - 1),
    log_y=True,
    y_format="~g",
    wide_first=True,
    line="Of",
)
EFFECTIVE = Axes(
    "Keys in the row",
    "Effective number of keys",
    (1, MOST_KEYS),
    (1, MOST_KEYS),
    log_x=True,
    log_y=True,
    x_ticks=KEY_TICKS,
    y_ticks=KEY_TICKS,
    y_format="d",
    wide_first=True,
    line="Of",
)


def built(system: str, train_length: int, seed: int) -> PositionalEncoding:
    """Return the encoding in float64 for a model of eight heads; what it learns is drawn with `seed`."""
    encoding = SYSTEMS[system].build(_shape(train_length))
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding.double().requires_grad_(False)


def learns(encoding: PositionalEncoding) -> bool:
    """Whether the bias of an encoding is learned."""
    return any(True for _ in encoding.parameters())


def bias_of(encoding: PositionalEncoding, positions: Tensor) -> Tensor:
    """Return what each head adds to the scores at `positions` (T,), float64, shape (8, T, T), row = query."""
    shape = _shape(len(positions))
    content = unit_content(shape, len(positions))
    nothing = content.new_zeros(len(positions), shape.d_model)
    return effects_on(encoding, shape, positions, nothing, content, content).bias


def at(encoding: PositionalEncoding, head: int, query: int, distances: Tensor) -> Tensor:
    """Return the bias (K,) at `distances` (K,), 0 first and rising, of the query at position `query`.

    `head` is counted from 1.
    """
    return bias_of(encoding, query - distances.flip(0))[head - 1, -1].flip(0)


def drawn_distances(train_length: int) -> Tensor:
    """Return the distances (K,) of a text of twice the training length, in tokens; evenly chosen where too many."""
    count = min(2 * train_length, MOST_DISTANCES)
    return torch.linspace(0, 2 * train_length - 1, count, dtype=torch.float64).round().long()


def drift(encoding: PositionalEncoding, head: int, train_length: int) -> float:
    """Return by how much the bias of the two queries of `shapes` differs at most, at nine distances of training."""
    distances = torch.linspace(0, train_length - 1, 9).round().long()
    trained, end = (at(encoding, head, query, distances) for query in (train_length - 1, 2 * train_length - 1))
    return float((trained - end).abs().max())


def last_rows(systems: Sequence[str], head: int, train_length: int, seed: int, n_keys: int) -> dict[str, Tensor]:
    """Return the weights (n_keys,) of the last query, keys of equal content, under no bias and under each system's."""
    distances = torch.arange(n_keys)
    found = {NO_BIAS: torch.full((n_keys,), 1 / n_keys, dtype=torch.float64)}
    for system in systems:
        own = at(built(system, train_length, seed), head, n_keys - 1, distances)
        found[SYSTEMS[system].title] = own.flip(0).softmax(-1)
    return found


def shapes(systems: Sequence[str], head: int, train_length: int, seed: int) -> Figure:
    """Return the bias of each system against the distance, in a text of twice the training length."""
    distances, bands = drawn_distances(train_length), []
    trained_distances = distances[distances < train_length]
    for system in systems:
        encoding = built(system, train_length, seed)
        bias = at(encoding, head, 2 * train_length - 1, distances)
        trained_bias = at(encoding, head, train_length - 1, trained_distances)
        kind = "initial weights" if learns(encoding) else "fixed"
        note = f"{kind}: {_signed(bias[0])} to {_signed(bias[-1])}"
        title, colour = SYSTEMS[system].title, COLOURS[system]
        bands.append(Band(title, note, colour, distances, bias, trained_distances, trained_bias))
    return shapes_figure(bands, train_length)


def bias_matrix(system: str, head: int, train_length: int, seed: int) -> Figure:
    """Return the bias of 24 tokens in one head, counted from 1; the colours are those of all heads."""
    found = bias_of(built(system, train_length, seed), torch.arange(MATRIX_LENGTH))
    largest = float(found[found.isfinite()].abs().max())
    values = hide_future(found[head - 1], torch.arange(MATRIX_LENGTH))
    return matrix(values, rows="Query", columns="Key", title="Bias", largest=largest)


def attention_matrix(system: str, head: int, train_length: int, seed: int) -> Figure:
    """Return the weights of 24 tokens of equal content in one head, counted from 1."""
    positions = torch.arange(MATRIX_LENGTH)
    weights = bias_rows.attention(bias_of(built(system, train_length, seed), positions)[head - 1])
    return matrix(hide_future(weights, positions), rows="Query", columns="Key", title="Weight", largest=1.0)


def weights_by_distance(systems: Sequence[str], head: int, train_length: int, seed: int, n_keys: int) -> Figure:
    """Return the weights of the last of `n_keys` queries, all keys of equal content, with and without a bias."""
    found = last_rows(systems, head, train_length, seed, n_keys)
    drawn = {name: row.flip(0).where(row.flip(0) >= MIN_WEIGHT, torch.nan) for name, row in found.items()}
    return lines(torch.arange(n_keys), drawn, replace(WEIGHTS, colours=_colours(systems)))


def effective_keys(systems: Sequence[str], head: int, train_length: int, seed: int, n_keys: int) -> Figure:
    """Return the effective number of keys against the number of keys, marked at `n_keys`."""
    halves = [round(2 ** (power / 2)) for power in range(2 * MOST_KEYS.bit_length() - 1)]
    counts = sorted({*halves, n_keys})
    places, positions = torch.tensor(counts) - 1, torch.arange(MOST_KEYS)
    found = {NO_BIAS: torch.tensor(counts, dtype=torch.float64)}
    for system in systems:
        weights = bias_rows.attention(bias_of(built(system, train_length, seed), positions)[head - 1])
        found[SYSTEMS[system].title] = bias_rows.effective_keys(weights[places])
    return lines(torch.tensor(counts), found, replace(EFFECTIVE, colours=_colours(systems)), dotted=n_keys)


def _shape(train_length: int) -> Shape:
    return Shape(D_MODEL, N_HEADS, train_length, 2 * train_length)


def _colours(systems: Sequence[str]) -> tuple[str, ...]:
    return GREY, *(COLOURS[system] for system in systems)


def _signed(value: Tensor) -> str:
    plain = round(float(value), 9) + 0.0  # no negative zero
    return (f"{plain:,.0f}" if abs(plain) >= 1_000 else f"{plain:.3g}").replace("-", "−")
