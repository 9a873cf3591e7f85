"""Pictures of the catalogue: any encoding, scaling rule, mask or index remap, by the key of its registry.

`parameters` are those of the entry, by name; what is not named keeps its default.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from pe_core.chapters.wording import number
from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape, rotary
from pe_core.encodings.sinusoidal import wavelengths
from pe_core.figures import image, points
from pe_core.figures.curves import across, curves, layered, ranges, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import limit_of, picture
from pe_core.masks import MASKS
from pe_core.measures.criteria import n_parameters
from pe_core.measures.pairs import ByDistance, read_by_heads
from pe_core.measures.profile import SEED, Effects, effects, initial
from pe_core.parameters import Parameter, Value
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS, Scaled

Values = Mapping[str, Value]

MAX_LENGTH = 256  # tokens; what an encoding is built for, so that a longer text leaves the parameters as they are
N_LAYERS = 8
EXACT = 1e-9  # of the largest number: smaller differences are rounding
MIN_STOPS = 100  # of the slider of a number that is no whole number
MAX_STOPS = 1_000  # of any slider: where there are more, a number is typed
WIDE = 1e4  # a range whose end is this many times its start goes by powers of ten

LENGTH = {"length": Parameter("cat_length", "Length", 64, "Tokens of the text that is shown.", 16, MAX_LENGTH, 16)}
TRAINED = {
    "train_length": Parameter(
        "cat_trained",
        "Training length",
        32,
        "Tokens of each text of training; some entries take their sizes from it.",
        choices=(16, 32, 48, 64, 96, 128, 192, MAX_LENGTH),
    )
}
WIDTH = {"d_model": Parameter("cat_width", "Width", 64, "Channels of an embedding.", 8, 256, 8)}
HEADS = {
    "head_dim": Parameter("cat_head_dim", "Head width", 32, "Channels of a query and a key.", 2, 128, 2),
    "n_heads": Parameter("cat_heads", "Heads", 4, "How many heads attend side by side.", 1, 8),
}
LAYER = Parameter("cat_layer", "Layer", 0, "Layers of this encoding differ.", 0, N_LAYERS - 1)
SCALED = {
    "train_length": Parameter(
        "cat_scaled_trained",
        "Training length",
        2_048,
        "Longest text of training, in tokens.",
        choices=tuple(2**power for power in range(6, 15)),
    ),
    "factor": Parameter(
        "cat_factor", "Factor", 4, "Target length in training lengths.", choices=(1, 2, 4, 8, 16, 32, 64)
    ),
    "base": Parameter(
        "cat_scaled_base",
        "Base",
        10_000,
        "Of the frequencies before the rule: no wavelength there is above 2π times the base.",
        10,
        100_000_000,
    ),
    "head_dim": Parameter("cat_scaled_dim", "Head width", 128, "Two channels make a pair.", 2, 256, 2),
}
FARTHEST = {
    "max_length": Parameter(
        "cat_farthest",
        "Longest length",
        256,
        "Positions that a remap may draw from.",
        choices=(64, 128, 256, 512, 1_024),
    )
}


def head_of(n_heads: int) -> Parameter[int]:
    """Return the choice of a head, from 1; each number of heads has a name: a slider keeps what is past its end."""
    return Parameter(f"cat_head_of_{n_heads}", "Head", 1, "Whose scores are shown.", 1, n_heads)


def parameter_of(registry: str, entry: str, parameter: Parameter[Value]) -> Parameter[Value]:
    """Return a parameter of an entry under a name of its own in the link, with the values that a slider can show."""
    own = replace(parameter, name=f"cat_{registry}_{entry}_{parameter.name}")
    if parameter.choices or isinstance(parameter.default, str):
        return own
    assert parameter.minimum is not None
    assert parameter.maximum is not None
    if parameter.minimum > 0 and parameter.maximum / parameter.minimum >= WIDE:
        return replace(own, default=_plain(parameter.default), choices=tuple(map(_plain, _ladder(parameter))))
    if isinstance(parameter.default, int) or MIN_STOPS <= parameter.n_values <= MAX_STOPS:
        return own
    finest = (parameter.maximum - parameter.minimum) / MIN_STOPS
    return replace(own, step=10.0 ** math.floor(math.log10(finest)))


def _ladder(parameter: Parameter[Value]) -> list[float]:
    assert parameter.minimum is not None
    assert parameter.maximum is not None
    first, last = (math.floor(math.log10(end)) for end in (parameter.minimum, parameter.maximum))
    rungs = {float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)}
    inside = {rung for rung in rungs if parameter.minimum <= rung <= parameter.maximum}
    return sorted({*inside, float(parameter.minimum), float(parameter.maximum), float(parameter.default)})


def _plain(value: Value) -> int | float:
    """Return a whole number without its fraction of zero."""
    return int(value) if float(value).is_integer() else float(value)


def shape_of(train_length: int, head_dim: int, n_heads: int) -> Shape:
    """Return the shape of a model for texts of at most 256 tokens."""
    return Shape(head_dim * n_heads, n_heads, train_length, MAX_LENGTH)


def built(encoding: str, parameters: Values, shape: Shape) -> PositionalEncoding:
    """Return an encoding with its initial weights."""
    return initial(ENCODINGS[encoding].build(shape, parameters))


def of_encoding(encoding: str, parameters: Values, train_length: int, d_model: int, n_heads: int) -> Facts:
    """Return what an encoding learns, and whether its layers differ."""
    own = built(encoding, parameters, shape_of(train_length, d_model // n_heads, n_heads))
    return {
        "answer": n_parameters(own),
        "sizes": ", ".join(f"{name} {' × '.join(map(str, part.shape))}" for name, part in own.named_parameters()),
        "seed": SEED,
        "layers-differ": any(own.at_layer(layer) is not own for layer in range(N_LAYERS)),
    }


def effects_of(
    encoding: str, parameters: Values, length: int, train_length: int, head_dim: int, n_heads: int, layer: int
) -> Effects:
    """Return what an encoding makes of a text without content, in one of its layers."""
    shape = shape_of(train_length, head_dim, n_heads)
    return effects(built(encoding, parameters, shape).at_layer(layer), shape, torch.arange(length))


def vectors(encoding: str, parameters: Values, length: int, train_length: int, d_model: int) -> Tensor:
    """Return what an encoding adds to the embeddings, float64, shape (length, d_model)."""
    return effects_of(encoding, parameters, length, train_length, d_model, 1, 0).vectors


def table(encoding: str, parameters: Values, length: int, train_length: int, d_model: int) -> Figure:
    """Return the heatmap of what an encoding adds to the embeddings."""
    values = vectors(encoding, parameters, length, train_length, d_model)
    facts = {"channels": d_model, "last": length - 1, "finite": bool(values.isfinite().all()), **_ends(values)}
    return picture(values, rows="Position", columns="Channel", title="Value", limit=limit_of(values)).with_facts(facts)


def similarity_by_distance(encoding: str, parameters: Values, length: int, train_length: int, d_model: int) -> Figure:
    """Return the dot product of two of the vectors that an encoding adds, against their distance."""
    values = vectors(encoding, parameters, length, train_length, d_model)
    found = read_by_heads((values @ values.T)[None])
    return against_distance(found, title="Dot product of two vectors").with_facts(_by_distance(found))


def scores(
    encoding: str,
    parameters: Values,
    length: int,
    train_length: int,
    head_dim: int,
    n_heads: int,
    head: int,
    layer: int,
) -> Figure:
    """Return the heatmap of the scores that one head, counted from 1, gives to tokens which are all alike."""
    own = effects_of(encoding, parameters, length, train_length, head_dim, n_heads, layer).scores[head - 1]
    facts = {"last": length - 1, "hidden": int(own.isneginf().sum()), **_ends(own)}
    return picture(own, rows="Query", columns="Key", title="Score", limit=limit_of(own)).with_facts(facts)


def scores_by_distance(
    encoding: str, parameters: Values, length: int, train_length: int, head_dim: int, n_heads: int, layer: int
) -> Figure:
    """Return the scores of all heads for tokens which are all alike, against the distance."""
    own = effects_of(encoding, parameters, length, train_length, head_dim, n_heads, layer)
    found = read_by_heads(own.scores)
    facts = {"finite": own.finite, "groups": len(found), **_by_distance(found)}
    return against_distance(found, title="Score").with_facts(facts)


def against_distance(found: Mapping[tuple[int, ...], ByDistance], *, title: str) -> Figure:
    """Return the mean of scores by distance query minus key, a line for heads that share it, with its whole range."""
    n_heads = sum(map(len, found))
    rows = ranges(
        {
            _heads_in_words(heads, n_heads): (own.distances, own.means, own.lowest, own.highest)
            for heads, own in found.items()
        }
    )
    x, y = across("Offset m − n, query minus key"), upwards(title, zero=False)
    return layered(curves(rows, x, y, band=True, spread=True, columns=4, line="Head"))


def _heads_in_words(heads: Sequence[int], n_heads: int) -> str:
    if len(heads) == n_heads:
        return "all heads" if n_heads > 1 else "mean and range"
    return f"head{'s' if len(heads) > 1 else ''} {', '.join(str(head + 1) for head in heads)}"


def _by_distance(found: Mapping[tuple[int, ...], ByDistance]) -> Facts:
    """Return whether the scores of all heads depend on the distance only, and the ends of those of the first head."""
    all_heads = list(found.values())
    first, spread = all_heads[0], max(own.spread for own in all_heads)
    lowest = min(float(own.lowest.min()) for own in all_heads)
    highest = max(float(own.highest.max()) for own in all_heads)
    rounding = EXACT * max(1.0, -lowest, highest)
    constant, relative = highest - lowest <= rounding, spread <= rounding
    how = "constant" if constant else "relative" if relative else "absolute"
    return {
        "how": how,
        "spread": f"up to {number(spread)}" if how == "absolute" else "no more than rounding",
        "near": float(first.means[first.distances == 0]),
        "far": float(first.means[-1]),
        "distance": int(first.distances[-1]),
    }


def _ends(values: Tensor) -> dict[str, float]:
    finite = values[values.isfinite()]
    return {"lowest": float(finite.min()), "highest": float(finite.max())}


def scaled(scaling: str, parameters: Values, factor: int, train_length: int, head_dim: int, base: float) -> Scaled:
    """Return what a rule makes of the frequencies of a base, for a text `factor` times as long as those of training."""
    before, target = rotary.frequencies(head_dim, base), factor * train_length
    return SCALINGS[scaling](before, base=base, train_length=train_length, target_length=target, params=parameters)


def scaled_wavelengths(
    scaling: str, parameters: Values, factor: int, train_length: int, head_dim: int, base: float
) -> Figure:
    """Return the wavelength of every pair before and after a rule, with lines at the two lengths."""
    found = scaled(scaling, parameters, factor, train_length, head_dim, base)
    before, after, target = rotary.frequencies(head_dim, base), found.frequencies, factor * train_length
    old, new, middle = wavelengths(before), wavelengths(after), len(before) // 2
    stopped = int((~new.isfinite()).sum())
    slower = float(before[middle] / after[middle])
    facts = {
        "trained": train_length,
        "target": target,
        "temperature": found.temperature,
        "of-temperature": "temperature-none" if found.temperature == 1 else "temperature",
        "pairs": len(before),
        "changed": int(((after - before).abs() > EXACT * before).sum()),
        "unfinished-before": int((old > train_length).sum()),
        "unfinished-after": int((new > target).sum()),
        "slowest-before": float(old.max()),
        "slowest-after": float(new.max()),
        "stopped": stopped,
        "pair": middle,
        "slower": slower,
        "answer": round(100 * slower),
    }
    return points.scaled_wavelengths(before, after, train_length, target).with_facts(facts)


def may_attend(mask: str, parameters: Values, length: int, train_length: int) -> Figure:
    """Return the picture of a mask: who may attend to whom."""
    allowed = MASKS[mask].build(length, train_length, parameters)
    seen, middle = allowed.sum(dim=1), length // 2
    facts = {
        "percent": 100 * float(allowed.double().mean()),
        "min": int(seen.min()),
        "max": int(seen.max()),
        "last": int(seen[-1]),
        "query": middle,
        "answer": int(seen[middle]),
    }
    return image.allowed(allowed).with_facts(facts)


def told(remap: str, parameters: Values, length: int, train_length: int, max_length: int) -> tuple[Tensor, Tensor]:
    """Return the positions told in training, (train_length,), and in evaluation, (length,); of random ones, a draw."""

    def drawn(n: int, training: bool) -> Tensor:
        return REMAPS[remap].build(
            n,
            train_length=train_length,
            max_length=max_length,
            generator=torch.Generator().manual_seed(SEED),
            training=training,
            params=parameters,
        )

    return drawn(train_length, True), drawn(length, False)


def positions_told(remap: str, parameters: Values, length: int, train_length: int, max_length: int) -> Figure:
    """Return which position each token is told, in training and in evaluation."""
    training, evaluation = told(remap, parameters, length, train_length, max_length)
    facts: dict[str, object] = {"trained": train_length, "seed": SEED}
    for name, positions in (("training", training), ("evaluation", evaluation)):
        facts |= {f"{name}-lowest": float(positions.min()), f"{name}-highest": float(positions.max())}
    facts["answer"] = len(set(evaluation.tolist()))
    return points.told_positions(training, evaluation).with_facts(facts)
