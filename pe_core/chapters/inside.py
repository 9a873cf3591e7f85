"""What happens inside trained models: a run with its models, as `trained_run.read` returns it."""

from functools import partial
from typing import Any

import altair as alt
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import ENCODINGS, alibi
from pe_core.figures import image
from pe_core.figures.curves import Looks, across, lines, marks, upwards
from pe_core.figures.figure import Facts, Figure, built_once, chart_of
from pe_core.figures.heatmap import cell_table
from pe_core.figures.looks.palette import CATEGORICAL, GROWTH, SEQUENTIAL, gradient, grown, inked
from pe_core.figures.readout import Words, row_together
from pe_core.figures.runs import looks_of
from pe_core.lab.experiment.datasets import NOT_ASKED
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS, Repair
from pe_core.lab.inspection import inside, trained_run
from pe_core.lab.inspection.inside import InspectedModel, Spread
from pe_core.lab.inspection.sample_input import Question, question, sample_input, task_of
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.parameters import require

MAX_LENGTH = 256  # characters of a picture, where the training length is not above half of it
N_TEXTS = 6
MIN_STEP = 16  # symbols between two lengths of a task
EVEN, NATS = "even attention", "Entropy of attention (nats)"
TRAINED = "training length"
COLOURS = SEQUENTIAL  # light to dark
UNSEEN = {"fill": "#7F7F7F", "fillOpacity": 0.3, "stroke": None}  # neither no attention nor much, on light and dark
MAX_NAMED = 20  # symbols beside an axis: more of them would touch
SIGNS = {" ": "␣", "\n": "↵"}
ASKED_HEAD, ASKED_FRACTION, MAX_GUESS = 1, 1 / 1_000, 1_000  # of the exercise

WHOSE, WHICH = "ins_models", "ins_kept"  # what a link calls the choice of models, and that of a kept run
KEPT_RUN = "of a kept run"  # the choice of models that asks for a kept run


def max_length(run: TrainedRun) -> int:
    """Return the most characters that are looked at: past the training length, as far as its encodings go."""
    config = run.record.config
    return min(max(MAX_LENGTH, 2 * config.train_length), max(config.lengths))


def first_length(run: TrainedRun) -> int:
    """Return how many characters are looked at first: three times the training length, as far as the run allows."""
    return min(3 * run.record.config.train_length, max_length(run))


def repairs_for(encoding: str) -> dict[str, Repair]:
    """Return what a model of this encoding can be read with, by key: all but searches, whose result no run keeps."""
    return {key: one for key, one in REPAIRS.items() if one.is_for(encoding) and not one.searches}


def inspected(run: TrainedRun, encoding: str, repair: str) -> InspectedModel:
    """Return a model of a run, read as trained or with a repair; `ValueError` for what the run or the model has not."""
    require(encoding in run.models, "encoding", f"be one of {', '.join(run.models)}", encoding)
    known = {AS_TRAINED.key: AS_TRAINED, **repairs_for(encoding)}
    require(repair in known, "repair", f"be one of {', '.join(known)}", repair)
    return InspectedModel(run.models[encoding], run.record.config, known[repair])


def probabilities(run: TrainedRun, encoding: str, repair: str, text: str) -> Tensor:
    """Return how much each query attends to each key of a text, (layers, H, T, T)."""
    require(len(text) <= max_length(run), "text", f"have at most {max_length(run)} {run.unit}s", len(text))
    return inside.attention(inspected(run, encoding, repair), run.tokens(text)[None])[:, 0]


def attention(run: TrainedRun, encoding: str, repair: str, layer: int, head: int, text: str) -> Figure:
    """Return the attention of a head on a text; layers and heads count from 1."""
    config = run.record.config
    _check(layer, "layer", 1, config.n_layers)
    _check(head, "head", 1, config.n_heads)
    return attention_figure(run, probabilities(run, encoding, repair, text), layer, head, text)


def attention_figure(
    run: TrainedRun, every: Tensor, layer: int, head: int, text: str, asked: Question | None = None
) -> Figure:
    """Return the same figure from the attention of all heads on a text, (layers, H, T, T)."""
    found = every[layer - 1, head - 1].clone()  # the figure keeps it, and with a view of them all heads
    trained = run.record.config.train_length
    keys, best = inside.entropies(found).exp(), int(found[-1].argmax())
    facts: dict[str, object] = {
        "keys": float(keys[:trained].mean()),
        "character": _shown(text[-1]),
        "best": _shown(text[best]),
        "place": best,
        "fraction": float(found[-1, best]),
    }
    if len(text) > trained:
        far = inside.farther_than_trained(found, trained)
        facts |= {"keys-past": float(keys[trained:].mean()), "far": 100 * float(far)}
    if asked:
        on_answers = answer_fractions(run, every, asked)
        own = on_answers[layer - 1, head - 1]
        best_layer, best_head = _highest(on_answers)
        facts |= {"answers": 100 * float(own), "answers-max": 100 * float(on_answers.max())}
        facts |= {"answers-layer": best_layer, "answers-head": best_head}
    return attention_map(found, trained, run.unit, text).with_facts(facts)


def _shown(character: str) -> str:
    """Return a character as Markdown shows it, and as a word where nothing would be seen."""
    return {" ": "a space", "\n": "a line break", "`": "`'`"}.get(character, f"`{character}`")


def first_head(run: TrainedRun, encoding: str) -> tuple[int, int]:
    """Return the layer and the head, from 1, that are shown first.

    Of a task they look most at right answers within the training length. Of a text, read past that length, they look
    most at keys farther back than any in training.
    """
    trained = run.record.config.train_length
    if task := task_of(run):
        asked = question(task, trained)
        return _highest(answer_fractions(run, probabilities(run, encoding, AS_TRAINED.key, asked.read), asked))
    text = sample_input(run, first_length(run)).text
    if len(text) <= trained:
        return 1, 1
    return _highest(inside.farther_than_trained(probabilities(run, encoding, AS_TRAINED.key, text), trained))


def answer_fractions(run: TrainedRun, every: Tensor, asked: Question) -> Tensor:
    """Return how much attention goes to right answers where they are asked, (layers, H), of all (layers, H, T, T)."""
    tokens = run.tokens(asked.text)
    return inside.on_answers(every, tokens[:-1], torch.where(asked.asked, tokens, NOT_ASKED)[1:])


def _highest(fractions: Tensor) -> tuple[int, int]:
    layer, head = divmod(int(fractions.argmax()), fractions.shape[1])
    return layer + 1, head + 1


def entropies(run: TrainedRun) -> Spread:
    """Return how thinly the models of a run attend: over held-out texts, or where they answer questions of any size."""
    models = {key: inspected(run, key, AS_TRAINED.key) for key in run.models}
    length, train_length = max_length(run), run.record.config.train_length
    if task := task_of(run):
        step = max(MIN_STEP, train_length // 2)
        lengths = range(step, length + 1, step)
        return inside.where_asked(models, {one: task.held_out_examples(one).part(0, N_TEXTS) for one in lengths})
    return inside.over_positions(models, run.tokens(sample_input(run, N_TEXTS * length).text).view(N_TEXTS, length))


def entropy(run: TrainedRun, layer: int, head: int, of_even: bool) -> Figure:
    """Return the entropy of a head, 0 the mean of all, by what was read: in nats, or over that of even attention."""
    return entropy_lines(run, entropies(run), layer, head, of_even)


def entropy_lines(run: TrainedRun, found: Spread, layer: int, head: int, of_even: bool) -> Figure:
    """Return the same figure from what `entropies` has returned."""
    config = run.record.config
    _check(layer, "layer", 1, config.n_layers)
    _check(head, "head", 0, config.n_heads)
    values = found.fraction if of_even else found.entropy
    own = {ENCODINGS[key].title: of_head(one, layer, head) for key, one in values.items()}
    rules = {} if of_even else {EVEN: found.even}
    is_task = run.record.text.is_task
    x, y = across("Symbols read, with the question" if is_task else "Characters read"), upwards(NATS)
    if of_even:
        y = upwards("Entropy over that of even attention", ends=(0.0, 1.0))
    trained = marks([(TRAINED, float(config.train_length))])
    looks: Looks = {**looks_of(tuple(own), (*own, *rules)), "rules": tuple(rules), "dots": is_task}
    figure = lines(found.read, {**own, **rules}, x, y, trained, **looks)
    return figure.with_facts(_growth(run, found, layer, head))


def _growth(run: TrainedRun, found: Spread, layer: int, head: int) -> Facts:
    """Return to how many keys a head attends before the training length and at the end, by encoding."""
    trained, last = run.record.config.train_length, max_length(run)
    keys = {ENCODINGS[key].title: of_head(one, layer, head).exp() for key, one in found.entropy.items()}
    before = {title: float(one[found.within(trained)]) for title, one in keys.items()}
    after = {title: float(one[-1]) for title, one in keys.items()}
    growth = {title: after[title] / before[title] for title in after}
    most, least = max(growth, key=growth.__getitem__), min(growth, key=growth.__getitem__)
    return {
        "layer": layer,
        "head": head,
        "trained": trained,
        "length": last,
        "texts": N_TEXTS,
        "unit": run.unit,
        "ends": ", ".join(f"{title} {before[title]:.1f} → {after[title]:.1f}" for title in after),
        "most": most,
        "most-growth": growth[most],
        "least": least,
        "least-growth": growth[least],
        "even": last / trained,
        "growth": "entropy-growth" if len(growth) > 1 else "entropy-growth-one",
    }


def of_head(values: Tensor, layer: int, head: int) -> Tensor:
    """Return the numbers of a layer and head, (P,), of (layers, H, P); head 0 is the mean of all."""
    return values[layer - 1].mean(0) if head == 0 else values[layer - 1, head - 1]


def _check(number: int, name: str, minimum: int, maximum: int) -> None:
    require(minimum <= number <= maximum, name, f"be from {minimum} to {maximum}", number)


def first_faint(guess: int) -> tuple[bool, Facts]:
    """Return whether a head of ALiBi gives a key less than a thousandth from so far on, where all scores are equal."""
    run = trained_run.kept()
    slope = float(alibi.slopes(run.record.config.n_heads)[ASKED_HEAD - 1])
    fractions = torch.exp(-slope * torch.arange(MAX_GUESS, dtype=torch.float64))
    first = int((fractions < ASKED_FRACTION).nonzero()[0])
    found = probabilities(run, "alibi", AS_TRAINED.key, sample_input(run, max_length(run)).text)
    beyond = found[0, ASKED_HEAD - 1].tril(-first).sum(-1)[first:].mean()
    exact = float(-torch.tensor(ASKED_FRACTION).log() / slope)
    return guess == first, {"first": first, "slope": slope, "exact": exact, "beyond": 100 * float(beyond)}


def attention_map(probabilities: Tensor, train_length: int, unit: str, text: str) -> Figure:
    """Return the image of how much each query attends to each key, (T, T), each a `unit`; what is not seen is grey.

    Colours follow the root of the attention. Of a short text the axes name the symbols, else their places.
    """
    length = len(probabilities)
    seen = probabilities.where(probabilities > 0, float("nan"))
    frames = {"image": image.frame(seen, image.data_uri(2 * seen.sqrt() - 1, 1.0, colours=COLOURS))}
    longer = length > train_length
    if longer:
        frames["mark"] = pd.DataFrame([{"place": train_length - 0.5, "right": length - 0.5, "label": TRAINED}])
    named = length <= MAX_NAMED
    if named:
        shown = [SIGNS.get(symbol, symbol) for symbol in text]
        frames["symbols"] = pd.DataFrame({"place": range(length), "symbol": shown})
    table = partial(cell_table, probabilities, rows="Query", columns="Key", title="Attention")
    return Figure(_attention_spec(longer, unit, named), frames, behind={"image": table})


@built_once
def _attention_spec(marked: bool, unit: str, named: bool) -> dict[str, Any]:
    axis = alt.Axis(grid=False, labels=False, ticks=False, titlePadding=28) if named else image.WHOLE
    place = image.place(f"Query ({unit} that attends)", f"Key ({unit} attended to)", axis)
    colour = alt.Color("value:Q").title("Attention").scale(type="sqrt", domain=[0, 1], range=list(COLOURS), clamp=True)
    # It stands where no query sees a key.
    at_corner: dict[str, Any] = {"orient": "top-right", "direction": "horizontal"}
    colour = colour.legend(values=[0, 0.1, 0.5, 1], format="~g", **at_corner, **gradient(130))
    layers = [chart_of("image").mark_point(opacity=0).encode(x=place["x"], y=place["y"], color=colour)]
    if marked:  # the label stands where no query sees a key: below the line, and above where the diagonal is near
        mark, roomy = chart_of("mark"), "2 * datum.place < datum.right"
        rule = mark.mark_rule(strokeDash=[6, 3], strokeWidth=grown(1.5), color=CATEGORICAL[7])
        label = mark.mark_text(
            align="right",
            baseline={"expr": f"{roomy} ? 'top' : 'bottom'"},
            dx=-4,
            dy={"expr": f"{roomy} ? 4 : -4"},
            **inked(12),
        )
        layers += [rule.encode(x="place:Q", y="place:Q", y2="right:Q"), rule.encode(y="place:Q")]
        layers.append(label.encode(x="right:Q", y="place:Q", text="label:N"))
    if named:
        symbols = chart_of("symbols").encode(text="symbol:N")
        below = symbols.mark_text(y={"expr": f"height + 12 * {GROWTH}"}, font="monospace", **inked(12))
        beside = symbols.mark_text(x=grown(-12), font="monospace", **inked(12))
        layers += [below.encode(x="place:Q"), beside.encode(y="place:Q")]
    spec = image.spec("image", place, Words("Query", "Key", "Attention", none="not seen"), layers)
    return {**row_together(spec, "image"), "view": UNSEEN}
