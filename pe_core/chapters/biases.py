"""Relative biases: the shapes of all systems, and what they make of attention."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypedDict

import torch
from torch import Tensor

from pe_core.chapters.wording import listed, number, rows
from pe_core.encodings import EncodingSpec, PositionalEncoding, Shape, alibi, fire, kerple, sandwich, t5
from pe_core.encodings.batch import hide_future
from pe_core.figures import bands as band_figures
from pe_core.figures.curves import Looks, across, curves, dotted, layered, series, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import matrix
from pe_core.figures.looks.palette import GREY, colour_of, dashes_of
from pe_core.lab.inspection import trained_biases
from pe_core.measures import biases as measures
from pe_core.measures.pairs import by_distance
from pe_core.measures.profile import effects_on, unit_content
from pe_core.parameters import Choice, Choices, Parameter
from pe_core.wrapping import spelt

SYSTEMS: dict[str, EncodingSpec] = {
    spec.key: spec for spec in (alibi.SPEC, t5.SPEC, kerple.LOGARITHMIC, sandwich.SPEC, fire.SPEC, kerple.POWER_LAW)
}
NO_BIAS = "no bias"
N_HEADS, D_MODEL = 8, 64
DRAWS = range(20)  # seeds of initial weights that are compared with the trained ones
MATRIX_LENGTH = 24  # tokens of a matrix that is drawn
MAX_DISTANCES = 128  # of a curve; where there are more, evenly chosen ones
MAX_KEYS = 128  # of a row
MAX_GUESS = 64  # tokens
MIN_WEIGHT = 1e-5  # that is drawn: below it, a key might as well not be there
KEY_TICKS = tuple(2**power for power in range(MAX_KEYS.bit_length()))
TITLES = {key: spec.title for key, spec in SYSTEMS.items()}
COMPARED = Choices("bias_systems", "Systems", TITLES, tuple(SYSTEMS)[:5], needed=False)
HEAD = Parameter("bias_head", "Head", 1, "One of eight heads; each has numbers of its own.", 1, N_HEADS)
TRAIN_LENGTH = Parameter(
    "bias_length", "Training length", 64, "Tokens that a model saw at once in training.", choices=trained_biases.LENGTHS
)
ONE = Choice("bias_system", "System", TITLES, next(iter(SYSTEMS)))
N_KEYS = Parameter("bias_keys", "Keys in the row", 64, "How many tokens the last query can look at.", 1, MAX_KEYS)
WINDOW = Parameter("bias_window", "Nearest keys", 16, "Their share of the attention is added up.", 1, 64)


class Model(TypedDict):
    """What the controls say of the model: which of its heads is looked at, and how long its training texts are."""

    head: int
    train_length: int


def built(system: str, train_length: int, seed: int | None = None) -> PositionalEncoding:
    """Return the encoding in float64 for a model of eight heads, as the kept run has trained it.

    With a `seed`, and where no model was trained on texts of this length, what it learns is drawn.
    """
    encoding = SYSTEMS[system].build(_shape(train_length))
    encoding.reset_parameters(torch.Generator().manual_seed(seed or 0))
    state = trained_biases.kept().state(system, train_length) if seed is None else None
    if state is not None:
        encoding.load_state_dict(state)
    return encoding.double().requires_grad_(False)


@lru_cache(maxsize=len(SYSTEMS) * len(trained_biases.LENGTHS))
def before_training(system: str, train_length: int) -> tuple[Tensor, Tensor]:
    """Return the least and largest bias of 20 draws of initial weights at `drawn_distances`, (8, K) each."""
    distances, last = drawn_distances(train_length), 2 * train_length - 1
    drawn = [bias_of(built(system, train_length, seed), last - distances.flip(0))[:, -1].flip(-1) for seed in DRAWS]
    every = torch.stack(drawn)
    return every.amin(dim=0), every.amax(dim=0)


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
    """Return the bias (K,) of `head`, from 1, at rising `distances` (K,), 0 first, of the query at position `query`."""
    return bias_of(encoding, query - distances.flip(0))[head - 1, -1].flip(0)


def drawn_distances(train_length: int) -> Tensor:
    """Return the distances (K,) of a text of twice the training length, in tokens; evenly chosen where too many."""
    count = min(2 * train_length, MAX_DISTANCES)
    return torch.linspace(0, 2 * train_length - 1, count, dtype=torch.float64).round().long()


def drift(encoding: PositionalEncoding, head: int, train_length: int) -> float:
    """Return by how much the bias of the two queries of `shapes` differs at most, at nine distances of training."""
    distances = torch.linspace(0, train_length - 1, 9).round().long()
    trained, end = (at(encoding, head, query, distances) for query in (train_length - 1, 2 * train_length - 1))
    return float((trained - end).abs().max())


@lru_cache(maxsize=1)  # the curves and the table below them are made of the same rows
def last_rows(systems: tuple[str, ...], head: int, train_length: int, n_keys: int) -> Mapping[str, Tensor]:
    """Return the weights (n_keys,) of the last query, keys of equal content, under no bias and under each system's."""
    distances = torch.arange(n_keys)
    found = {NO_BIAS: torch.full((n_keys,), 1 / n_keys, dtype=torch.float64)}
    for system in systems:
        own = at(built(system, train_length), head, n_keys - 1, distances)
        found[TITLES[system]] = own.flip(0).softmax(-1)
    return found


def shapes(systems: tuple[str, ...], head: int, train_length: int) -> Figure:
    """Return the bias of each system against the distance, in a text of twice the training length."""
    distances, bands = drawn_distances(train_length), []
    last, trained_distances = 2 * train_length - 1, distances[distances < train_length]
    each, moving, still = [], [], []
    for system in systems:
        encoding, title = built(system, train_length), TITLES[system]
        bias = at(encoding, head, last, distances)
        trained_bias = at(encoding, head, train_length - 1, trained_distances)
        trained = trained_biases.kept().state(system, train_length) is not None
        kind = "fixed" if not learns(encoding) else "trained" if trained else "initial weights"
        low, high = (edge[head - 1] for edge in before_training(system, train_length)) if trained else (bias, bias)
        note = f"{kind}: {_signed(bias.min())} to {_signed(bias.max())}"
        bands.append(
            band_figures.Band(
                title, note, colour_of(title), distances, bias, trained_distances, trained_bias, low, high
            )
        )
        each.append(f"{title} {number(settled(bias[0]))} to {number(settled(bias[-1]))}")
        moved = drift(encoding, head, train_length)
        if moved > 1e-9:
            moving.append(f"{title} (by up to {number(moved)})")
        else:
            still.append(title)
    facts = {
        **trained_with(),
        "last": last,
        "drawn": len(distances),
        "each": "; ".join(each),
        "moving": "; ".join(moving),
        "still": "; ".join(still),
        "verdict": "moving" if moving and still else "moving-all" if moving else "moving-none",
        "thinned": "thinned" if len(distances) <= last else "",
    }
    return band_figures.shapes(bands, train_length).with_facts(facts)


def trained_with() -> Facts:
    """Return the settings of the run whose learned biases are drawn."""
    config = trained_biases.kept().config
    return {"steps": config.steps, "run-layers": config.n_layers, "run-heads": config.n_heads, "draws": len(DRAWS)}


@lru_cache(maxsize=1)  # two pictures beside each other are made of it
def of_all_heads(system: str, train_length: int) -> Tensor:
    """Return the bias of 24 tokens in every head, shape (8, 24, 24), row = query."""
    return bias_of(built(system, train_length), torch.arange(MATRIX_LENGTH))


def bias_matrix(system: str, head: int, train_length: int) -> Figure:
    """Return the bias of 24 tokens in one head, counted from 1; the colours are those of all heads."""
    found = of_all_heads(system, train_length)
    own = found[head - 1]
    facts = {
        "title": TITLES[system],
        "tokens": MATRIX_LENGTH,
        "spread": round(by_distance(own).spread, 9),  # smaller ones are rounding
        "lowest": settled(own[-1].min()),
    }
    shown = hide_future(own, torch.arange(MATRIX_LENGTH))
    return matrix(shown, rows="Query", columns="Key", title="Bias", among=found).with_facts(facts)


def attention_matrix(system: str, head: int, train_length: int) -> Figure:
    """Return the weights of 24 tokens of equal content in one head, counted from 1."""
    weights = [measures.attention(bias) for bias in of_all_heads(system, train_length)]
    keys = [float(measures.effective_keys(one[-1])) for one in weights]
    facts = {"keys": keys[head - 1], "heads": ", ".join(f"{count:.1f}" for count in keys)}
    shown = hide_future(weights[head - 1], torch.arange(MATRIX_LENGTH))
    return matrix(shown, rows="Query", columns="Key", title="Weight", among=torch.tensor([0.0, 1.0])).with_facts(facts)


def weights_by_distance(systems: tuple[str, ...], head: int, train_length: int, n_keys: int) -> Figure:
    """Return the weights of the last of `n_keys` queries, all keys of equal content, with and without a bias."""
    found = last_rows(systems, head, train_length, n_keys)
    facts = {"highest": listed({name: float(row.max()) for name, row in found.items()}, "number", "; ")}
    drawn = {name: row.flip(0).where(row.flip(0) >= MIN_WEIGHT, torch.nan) for name, row in found.items()}
    x = across("Distance from the last query")
    y = upwards("Weight", ends=(MIN_WEIGHT, 1), log=True, form="~g")
    points = series(torch.arange(n_keys), drawn).dropna()
    own = dotted(points, 0)  # of a single key there is no line to be seen
    return layered(curves(points, x, y, **_looks(systems)), own).with_facts(facts)


def effective_keys(systems: tuple[str, ...], head: int, train_length: int, n_keys: int) -> Figure:
    """Return the effective number of keys against the number of keys, marked at `n_keys`."""
    halves = [round(2 ** (power / 2)) for power in range(2 * MAX_KEYS.bit_length() - 1)]
    counts = sorted({*halves, n_keys})
    places, positions = torch.tensor(counts) - 1, torch.arange(MAX_KEYS)
    named = {NO_BIAS: torch.tensor(counts, dtype=torch.float64)}
    for system in systems:
        weights = measures.attention(bias_of(built(system, train_length), positions)[head - 1])
        named[TITLES[system]] = measures.effective_keys(weights[places])
    marked = {name: float(line[counts.index(n_keys)]) for name, line in named.items()}
    facts = {"each": listed(marked, ".1f", "; ")}
    x = across("Keys in the row", ends=(1, MAX_KEYS), log=True, ticks=KEY_TICKS)
    y = upwards("Effective number of keys", ends=(1, MAX_KEYS), log=True, ticks=KEY_TICKS, form="d")
    rows = series(torch.tensor(counts), named)
    return layered(curves(rows, x, y, **_looks(systems)), dotted(rows, n_keys)).with_facts(facts)


def nearest(systems: tuple[str, ...], head: int, train_length: int, n_keys: int, window: int) -> Facts:
    """Return rows of a table: over how many keys the last query spreads, and the fraction of the nearest `window`."""
    cells = (
        (name, f"{float(measures.effective_keys(row)):.1f}", f"{measures.fraction_within(row, window):.1%}")
        for name, row in last_rows(systems, head, train_length, n_keys).items()
    )
    return {"rows": rows(cells)}


def first_below_a_thousandth(guess: int) -> tuple[bool, Facts]:
    """Return whether the guess is the first distance at which ALiBi's slope 1/2 leaves below 1/1000 of the own key."""
    short, long = (measures.right_row(n_keys, 0.5).flip(0) for n_keys in (MAX_GUESS + 1, 4 * MAX_GUESS))
    ratio = short / short[0]
    first = int((ratio < 1e-3).int().argmax())
    return guess == first, {
        "nearest": first,
        "before": first - 1,
        "ratio": float(ratio[first]),
        "ratio-before": float(ratio[first - 1]),
        "longer": len(long),
        "ratio-longer": float(long[first] / long[0]),
        "guessed": float(ratio[guess]),
    }


def settled(value: Tensor) -> float:
    """Return a measured number without what rounding leaves around zero."""
    return round(float(value), 9) + 0.0


def _shape(train_length: int) -> Shape:
    return Shape(D_MODEL, N_HEADS, train_length, 2 * train_length)


def _looks(systems: Sequence[str]) -> Looks:
    """Return how the lines of no bias and of the systems look: no bias is wide, below the others."""
    colours = GREY, *(colour_of(TITLES[system]) for system in systems)
    return {"colours": colours, "dashes": dashes_of(colours), "wide_first": True, "line": "Of"}


def _signed(value: Tensor) -> str:
    plain = settled(value)  # no negative zero
    return spelt(plain, ",.0f" if abs(plain) >= 1_000 else ".3g")
