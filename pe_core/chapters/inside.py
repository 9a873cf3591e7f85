"""Pictures of what happens inside trained models: a run with its weights, as `trained_run.read` returns it."""

from torch import Tensor

from pe_core.encodings import ENCODINGS
from pe_core.figures import inside as figures
from pe_core.figures.figure import Figure
from pe_core.figures.windows import Axes, lines
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS, Repair
from pe_core.lab.inspection import inside
from pe_core.lab.inspection.inside import InspectedModel, Spread
from pe_core.lab.inspection.sample_input import questions, sample_input, task_of
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.parameters import require

LONGEST = 256  # characters of a picture, where the training length is not above half of it
N_TEXTS = 6
SHORTEST = 16  # symbols between two lengths of a task, at least
EVEN = "even attention"


def longest(run: TrainedRun) -> int:
    """Return the most characters that are looked at: past the training length, as far as its encodings go."""
    config = run.record.config
    return min(max(LONGEST, 2 * config.train_length), max(config.lengths))


def repair_of(encoding: str, repair: str) -> Repair:
    """Return the repair of this key, or the reading as trained; `ValueError` for one that is not for the encoding."""
    known = {key: one for key, one in {AS_TRAINED.key: AS_TRAINED, **REPAIRS}.items() if one.is_for(encoding)}
    require(repair in known, "repair", f"be one of {', '.join(known)}", repair)
    return known[repair]


def reading(run: TrainedRun, encoding: str, repair: str) -> InspectedModel:
    """Return a model of a run, read as trained or with a repair; `ValueError` for an encoding that the run lacks."""
    require(encoding in run.models, "encoding", f"be one of {', '.join(run.models)}", encoding)
    return InspectedModel(run.models[encoding], run.record.config, repair_of(encoding, repair))


def probabilities(run: TrainedRun, encoding: str, repair: str, text: str) -> Tensor:
    """Return how much each query attends to each key of a text, (layers, H, T, T)."""
    require(len(text) <= longest(run), "text", f"have at most {longest(run)} {run.unit}s", len(text))
    return inside.attention(reading(run, encoding, repair), run.tokens(text)[None])[:, 0]


def attention(run: TrainedRun, encoding: str, repair: str, layer: int, head: int, text: str) -> Figure:
    """Return the attention of a head on a text; layers and heads count from 1."""
    config = run.record.config
    _check(layer, "layer", 1, config.n_layers)
    _check(head, "head", 1, config.n_heads)
    found = probabilities(run, encoding, repair, text)
    return attention_figure(run, found[layer - 1, head - 1], text)


def attention_figure(run: TrainedRun, found: Tensor, text: str) -> Figure:
    """Return the same figure from the attention of one head on a text, (T, T)."""
    return figures.attention_map(found, run.record.config.train_length, run.unit, text)


def entropies(run: TrainedRun) -> Spread:
    """Return how thinly the models of a run attend: over held-out texts, or where they answer questions of any size."""
    readings = {key: reading(run, key, AS_TRAINED.key) for key in run.models}
    length, train_length = longest(run), run.record.config.train_length
    if task := task_of(run):
        step = max(SHORTEST, train_length // 2)
        lengths = range(step, length + 1, step)
        return inside.where_asked(readings, {one: questions(task, one, N_TEXTS) for one in lengths})
    texts = run.tokens(sample_input(run, N_TEXTS * length).text).view(N_TEXTS, length)
    return inside.over_positions(readings, texts)


def entropy(run: TrainedRun, layer: int, head: int, of_even: bool) -> Figure:
    """Return the entropy of a head against what was read, a line per encoding; head 0 is the mean of all.

    In nats, or as a share of what even attention to the same keys would have.
    """
    return entropy_lines(run, entropies(run), layer, head, of_even)


def entropy_lines(run: TrainedRun, found: Spread, layer: int, head: int, of_even: bool) -> Figure:
    """Return the same figure from what `entropies` has returned."""
    config = run.record.config
    _check(layer, "layer", 1, config.n_layers)
    _check(head, "head", 0, config.n_heads)
    values = found.fraction if of_even else found.entropy
    own = {ENCODINGS[key].title: of_head(one, layer, head) for key, one in values.items()}
    rules = {} if of_even else {EVEN: found.even}
    marks = [(figures.TRAINED, float(config.train_length))]
    return lines(found.read, own, rules, _axes(run, of_even), marks)


def _axes(run: TrainedRun, of_even: bool) -> Axes:
    read = "Symbols read, with the question" if run.record.text.is_task else "Characters read"
    if of_even:
        return Axes(read, "Entropy over that of even attention", y_ends=(0.0, 1.0), dots=run.record.text.is_task)
    return Axes(read, "Entropy of attention (nats)", dots=run.record.text.is_task)


def of_head(values: Tensor, layer: int, head: int) -> Tensor:
    """Return the numbers of a layer and head, (P,), of (layers, H, P); head 0 is the mean of all."""
    return values[layer - 1].mean(0) if head == 0 else values[layer - 1, head - 1]


def _check(number: int, name: str, least: int, most: int) -> None:
    require(least <= number <= most, name, f"be from {least} to {most}", number)
