"""Pictures of what happens inside trained models: a run with its weights, as `trained_run.read` returns it."""

from collections.abc import Mapping

import torch
from torch import Tensor

from pe_core.encodings import ENCODINGS
from pe_core.figures import inside as figures
from pe_core.figures.figure import Figure
from pe_core.figures.windows import Axes, lines
from pe_core.lab import inside
from pe_core.lab.inside import Reading
from pe_core.lab.repair import AS_TRAINED, REPAIRS, Repair
from pe_core.lab.trained_run import TrainedRun, excerpt
from pe_core.parameters import require

LONGEST = 256  # characters of a picture, where the training length is not above half of it
N_TEXTS = 6
BLOCK = 8  # positions that share a point
EVEN = "even attention"
NATS = Axes("Characters read", "Entropy of attention (nats)")
SHARE = Axes("Characters read", "Entropy over that of even attention", y_ends=(0.0, 1.0))


def longest(run: TrainedRun) -> int:
    """Return the most characters that are looked at: past the training length, as far as its encodings go."""
    config = run.record.config
    return min(max(LONGEST, 2 * config.train_length), max(config.lengths))


def repair_of(encoding: str, repair: str) -> Repair:
    """Return the repair of this key, or the reading as trained; `ValueError` for one that is not for the encoding."""
    known = {key: one for key, one in {AS_TRAINED.key: AS_TRAINED, **REPAIRS}.items() if one.is_for(encoding)}
    require(repair in known, "repair", f"be one of {', '.join(known)}", repair)
    return known[repair]


def reading(run: TrainedRun, encoding: str, repair: str) -> Reading:
    """Return a model of a run, read as trained or with a repair; `ValueError` for an encoding that the run lacks."""
    require(encoding in run.models, "encoding", f"be one of {', '.join(run.models)}", encoding)
    return Reading(run.models[encoding], run.record.config, repair_of(encoding, repair))


def probabilities(run: TrainedRun, encoding: str, repair: str, text: str) -> Tensor:
    """Return how much each query attends to each key of a text, (layers, H, T, T)."""
    require(len(text) <= longest(run), "text", f"have at most {longest(run)} characters", len(text))
    return inside.attention(reading(run, encoding, repair), run.tokens(text)[None])[:, 0]


def attention(run: TrainedRun, encoding: str, repair: str, layer: int, head: int, text: str) -> Figure:
    """Return the attention of a head on a text; layers and heads count from 1."""
    config = run.record.config
    _check(layer, "layer", 1, config.n_layers)
    _check(head, "head", 1, config.n_heads)
    found = probabilities(run, encoding, repair, text)
    return attention_figure(run, found[layer - 1, head - 1])


def attention_figure(run: TrainedRun, found: Tensor) -> Figure:
    """Return the same figure from the attention of one head, (T, T)."""
    return figures.attention_map(found, run.record.config.train_length)


def entropies(run: TrainedRun) -> dict[str, Tensor]:
    """Return the mean entropy in nats at each position of held-out texts by encoding, float64 (layers, H, T) each."""
    length = longest(run)
    texts = run.tokens(excerpt(run, N_TEXTS * length)).view(N_TEXTS, length)
    return {key: inside.entropy_by_position(reading(run, key, AS_TRAINED.key), texts) for key in run.models}


def entropy(run: TrainedRun, layer: int, head: int, of_even: bool) -> Figure:
    """Return the entropy of a head against the characters read, a line per encoding; head 0 is the mean of all.

    In nats, or as a share of what even attention to the same keys would have.
    """
    return entropy_lines(run, entropies(run), layer, head, of_even)


def entropy_lines(run: TrainedRun, found: Mapping[str, Tensor], layer: int, head: int, of_even: bool) -> Figure:
    """Return the same figure from what `entropies` has returned."""
    config = run.record.config
    _check(layer, "layer", 1, config.n_layers)
    _check(head, "head", 0, config.n_heads)
    n_keys = inside.keys_seen(config, longest(run))
    own = {ENCODINGS[key].title: of_head(values, layer, head) for key, values in found.items()}
    if of_even:
        own = {title: inside.share_of_even(values, n_keys) for title, values in own.items()}
    read = in_blocks(torch.arange(1, longest(run) + 1, dtype=torch.float64))
    rules = {} if of_even else {EVEN: in_blocks(n_keys.double().log())}
    marks = [(figures.TRAINED, float(config.train_length))]
    return lines(read, {title: in_blocks(one) for title, one in own.items()}, rules, SHARE if of_even else NATS, marks)


def of_head(values: Tensor, layer: int, head: int) -> Tensor:
    """Return the numbers of a layer and head, (T,), of (layers, H, T); head 0 is the mean of all."""
    return values[layer - 1].mean(0) if head == 0 else values[layer - 1, head - 1]


def in_blocks(values: Tensor) -> Tensor:
    """Return the means of every 8 positions, (T / 8,), NaN left out."""
    return values.view(-1, BLOCK).nanmean(-1)


def _check(number: int, name: str, least: int, most: int) -> None:
    require(least <= number <= most, name, f"be from {least} to {most}", number)
