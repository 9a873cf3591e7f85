"""The entropy of attention against what has been read, for every encoding of a run."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from pe_core.chapters import inside as pictures
from pe_core.encodings import ENCODINGS
from pe_core.lab.inspection.inside import Spread
from pe_core.lab.inspection.sample_input import sample_input
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.parameters import Parameter
from ui.inside.page import head_of, layer_of
from ui.inside.run import Chosen
from ui.inside.text import say_origin
from ui.widgets.charts import show
from ui.widgets.controls import side_by_side
from ui.widgets.prose import fill, write

NATS, OF_EVEN = "nats", "share of even attention"
MEAN = "mean of all"
MEASURE = Parameter(
    "ins_measure", "Entropy in", NATS, "Even attention to n keys has ln n nats.", choices=(NATS, OF_EVEN)
)


@st.cache_resource(max_entries=4, show_spinner=False)
def _entropies(_run: TrainedRun, suffix: str, seed: int) -> Spread:
    """Return the entropies of a run's models, which no control changes; the suffix and the seed name the run."""
    return pictures.entropies(_run)


def mean_or_head_of(run: TrainedRun) -> Parameter:
    """Return the choice among the mean of all heads and each of them."""
    head = head_of(run)
    return replace(head, name=f"ins_mean_{head.name.removeprefix('ins_')}", default=MEAN, choices=(MEAN, *head.choices))


def draw_entropy(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the entropy of attention against the length of the text, for every encoding of the run."""
    run, config = chosen.run, chosen.run.record.config
    last = config.n_layers if chosen.task else 1  # of a task: the layer that gives the answer
    layer, head, measure = side_by_side(layer_of(run, last), mean_or_head_of(run), MEASURE)
    number = {"layer": int(layer), "head": 0 if head == MEAN else int(head)}
    found = _entropies(run, chosen.suffix, config.seed)
    say_origin(sample_input(run, config.train_length), text)
    trained = found.within(config.train_length)
    before, after = {}, {}
    for key, values in found.entropy.items():
        keys = pictures.of_head(values, **number).exp()
        before[ENCODINGS[key].title], after[ENCODINGS[key].title] = float(keys[trained]), float(keys[-1])
    growth = {title: after[title] / before[title] for title in after}
    facts: dict[str, object] = {
        **number,
        "whose": text["entropy-mean"] if number["head"] == 0 else f"head {number['head']}",
        "trained": config.train_length,
        "length": pictures.longest(run),
        "texts": pictures.N_TEXTS,
        "unit": run.unit,
        "ends": ", ".join(f"{title} {before[title]:.1f} → {after[title]:.1f}" for title in after),
        "most": max(growth, key=growth.__getitem__),
        "most-growth": f"{max(growth.values()):.1f}",
        "least": min(growth, key=growth.__getitem__),
        "least-growth": f"{min(growth.values()):.1f}",
        "even": f"{pictures.longest(run) / config.train_length:g}",
    }
    facts["growth"] = fill(text["entropy-growth" if len(growth) > 1 else "entropy-growth-one"], facts)
    of_even = measure == OF_EVEN
    picture = partial(pictures.entropy, run=run, **number, of_even=of_even)
    figure = pictures.entropy_lines(run, found, **number, of_even=of_even)
    show(picture, key="ins_entropy", alternative=fill(text["entropy-alternative"], facts), height=420, figure=figure)
    write(text["entropy-task" if chosen.task else "entropy"], facts)
