"""The parts of the page on the inside of trained models: controls, attention maps, entropy, and the exercise."""

from collections.abc import Mapping
from functools import partial

import streamlit as st
import torch
from torch import Tensor

from pe_core.encodings import ENCODINGS, alibi
from pe_core.lab import inside
from pe_core.lab.repair import AS_TRAINED, REPAIRS
from pe_core.lab.trained_run import KEPT, TrainedRun, excerpt
from pe_core.parameters import Parameter, require
from pe_core.pictures import inside as pictures
from ui.charts import show
from ui.controls import choose_one, literal, side_by_side, warn_of_link
from ui.exercise import ask, judge
from ui.inside_run import Chosen, kept
from ui.prose import fill, write

Texts = Mapping[str, str]

PREFERRED, REPAIRED = "sinusoidal", "window"  # shown first, where a run has it
SHORTEST = 16
NATS, OF_EVEN = "nats", "share of even attention"
MEAN = "mean of all"
MEASURE = Parameter(
    "ins_measure", "Entropy in", NATS, "Even attention to n keys has ln n nats.", choices=(NATS, OF_EVEN)
)
ASKED_HEAD, ASKED_SHARE, LARGEST_GUESS = 1, 1 / 1_000, 1_000


def choose_encoding(chosen: Chosen) -> str:
    """Draw the choice among the encodings of the run."""
    titles = {key: ENCODINGS[key].title for key in chosen.run.models}
    default = PREFERRED if PREFERRED in titles else next(iter(titles))
    return choose_one(f"ins_encoding{chosen.suffix}", "Encoding", titles, default)


def choose_repair(encoding: str) -> str:
    """Draw the choice among the repairs for an encoding."""
    titles = {key: repair.title for key, repair in REPAIRS.items() if repair.is_for(encoding)}
    default = REPAIRED if REPAIRED in titles else next(iter(titles))
    return choose_one(f"ins_repair_{encoding}", "Beside it", titles, default)


def choose_text(run: TrainedRun, text: Texts) -> str:
    """Draw the field of the visitor's text and return it; held-out text where it is empty or cannot be read."""
    most = pictures.longest(run)
    typed = st.text_input(
        text["text-label"], key="ins_text", help=text["text-help"], max_chars=most, bind="query-params"
    )
    if not typed:
        return excerpt(run, most)
    try:
        require(len(typed) >= 2, "text", "have at least 2 characters", len(typed))
        run.tokens(typed)
    except ValueError as error:
        warn_of_link(str(error), "held-out text")
        return excerpt(run, most)
    return typed[:most]


def length_of(run: TrainedRun) -> Parameter:
    """Return the slider of the length, up to what pictures show of a run."""
    most = pictures.longest(run)
    default = min(2 * run.record.config.train_length, most)
    return Parameter(f"ins_length_of_{most}", "Length", default, "Characters that are read.", SHORTEST, most, SHORTEST)


def layer_of(run: TrainedRun) -> Parameter:
    """Return the choice of the layer."""
    layers = tuple(range(1, run.record.config.n_layers + 1))
    return Parameter(
        f"ins_layer_of_{len(layers)}", "Layer", "1", "Counted from the text.", choices=tuple(map(str, layers))
    )


def head_of(run: TrainedRun, first: tuple[str, ...] = ()) -> Parameter:
    """Return the choice of the head, with other choices before it."""
    heads = (*first, *(str(head) for head in range(1, run.record.config.n_heads + 1)))
    name = f"ins_{'mean_' if first else ''}head_of_{run.record.config.n_heads}"
    return Parameter(name, "Head", heads[0], "Each head attends on its own.", choices=heads)


def draw_attention(chosen: Chosen, text: Texts) -> None:
    """Draw the attention of one head, as trained and beside a repair."""
    run, config = chosen.run, chosen.run.record.config
    left, right = st.columns(2)
    with left:
        encoding = choose_encoding(chosen)
    with right:
        repair = choose_repair(encoding)
    asked, layer, head = side_by_side(length_of(run), layer_of(run), head_of(run))
    read = choose_text(run, text)[: int(asked)]
    number = {"layer": int(layer), "head": int(head)}
    longer = len(read) > config.train_length
    facts: dict[str, object] = {
        "encoding": ENCODINGS[encoding].title,
        "repair": REPAIRS[repair].title,
        "summary": REPAIRS[repair].summary,
        "length": len(read),
        "trained": config.train_length,
        **number,
    }
    drawn = []
    for name, key in (("own", AS_TRAINED.key), ("repaired", repair)):
        found = pictures.probabilities(run, encoding, key, read)[number["layer"] - 1, number["head"] - 1]
        facts |= {f"{name}-{fact}": value for fact, value in attention_facts(found, config.train_length, read).items()}
        picture = partial(pictures.attention, run=run, encoding=encoding, repair=key, **number, text=read)
        drawn.append((name, picture, found))
    for place, (name, picture, found) in zip(st.columns(2), drawn, strict=True):
        with place:
            st.markdown(fill(text[f"{name}-title"], facts))
            alternative = fill(text[f"{name}-alternative"], facts)
            figure = pictures.attention_figure(run, found)
            show(picture, key=f"ins_{name}", alternative=alternative, height=400, figure=figure)
    write(text["attention-past" if longer else "attention-within"], facts)


def attention_facts(found: Tensor, train_length: int, read: str) -> dict[str, object]:
    """Return what is said of the attention of a head, (T, T): how spread out, how far back, where the last looks."""
    keys = inside.entropies(found).exp()
    far = found.tril(-train_length).sum(-1)
    best = int(found[-1].argmax())
    return {
        "keys": f"{float(keys[:train_length].mean()):.1f}",
        "keys-past": f"{float(keys[train_length:].mean()):.1f}" if len(read) > train_length else "",
        "far": f"{100 * float(far[train_length:].mean()):.0f} %" if len(read) > train_length else "",
        "character": _shown(read[-1]),
        "best": _shown(read[best]),
        "place": best,
        "share": f"{float(found[-1, best]):.2f}",
    }


def _shown(character: str) -> str:
    return {" ": "a space", "\n": "a line break"}.get(character, literal(character))


@st.cache_resource(max_entries=4, show_spinner=False)
def _entropies(_run: TrainedRun, suffix: str, seed: int) -> Mapping[str, Tensor]:
    """Return the entropies of a run's models, which no control changes; the suffix and the seed name the run."""
    return pictures.entropies(_run)


def draw_entropy(chosen: Chosen, text: Texts) -> None:
    """Draw the entropy of attention against the length of the text, for every encoding of the run."""
    run, config = chosen.run, chosen.run.record.config
    layer, head, measure = side_by_side(layer_of(run), head_of(run, (MEAN,)), MEASURE)
    number = {"layer": int(layer), "head": 0 if head == MEAN else int(head)}
    found = _entropies(run, chosen.suffix, config.seed)
    before, after = {}, {}
    for key, values in found.items():
        spread = pictures.of_head(values, **number).exp()
        before[ENCODINGS[key].title] = float(
            spread[max(1, config.train_length - pictures.BLOCK) : config.train_length].mean()
        )
        after[ENCODINGS[key].title] = float(spread[-pictures.BLOCK :].mean())
    growth = {title: after[title] / before[title] for title in after}
    facts = {
        **number,
        "whose": text["entropy-mean"] if number["head"] == 0 else f"head {number['head']}",
        "trained": config.train_length,
        "length": pictures.longest(run),
        "texts": pictures.N_TEXTS,
        "ends": ", ".join(f"{title} {before[title]:.1f} → {after[title]:.1f}" for title in after),
        "most": max(growth, key=growth.__getitem__),
        "most-growth": f"{max(growth.values()):.1f}",
        "least": min(growth, key=growth.__getitem__),
        "least-growth": f"{min(growth.values()):.1f}",
        "even": f"{pictures.longest(run) / config.train_length:g}",
    }
    picture = partial(pictures.entropy, run=run, **number, of_even=measure == OF_EVEN)
    figure = pictures.entropy_lines(run, found, **number, of_even=measure == OF_EVEN)
    show(picture, key="ins_entropy", alternative=fill(text["entropy-alternative"], facts), height=420, figure=figure)
    write(text["entropy"], facts)


def draw_exercise(text: Texts) -> None:
    """Ask how far back a head of ALiBi looks, compute it from its slope, and measure it in the trained model."""
    guess = ask(text, "ins_guess", 0, LARGEST_GUESS)
    if guess is None:
        return
    run = kept()
    slope = float(alibi.slopes(run.record.config.n_heads)[ASKED_HEAD - 1])
    shares = torch.exp(-slope * torch.arange(LARGEST_GUESS, dtype=torch.float64))
    first = int((shares < ASKED_SHARE).nonzero()[0])
    found = pictures.probabilities(run, "alibi", AS_TRAINED.key, excerpt(run, pictures.longest(run)))
    beyond = float(found[0, ASKED_HEAD - 1].tril(-first).sum(-1)[first:].mean())
    facts = {
        "guess": guess,
        "first": first,
        "slope": f"{slope:g}",
        "exact": f"{-torch.tensor(ASKED_SHARE).log() / slope:.2f}",
    }
    judge(text, guess == first, {**facts, "beyond": f"{100 * beyond:.2f} %"})


def draw_origin(chosen: Chosen, text: Texts) -> None:
    """Say where the models come from, and lead to the lab and to the page that watches a table while it is trained."""
    record = chosen.run.record
    facts = {
        "text": record.text.name,
        "steps": f"{record.config.steps:,}",
        "seed": record.config.seed,
        "layers": record.config.n_layers,
        "channels": record.config.d_model,
        "file": f"content/runs/{KEPT.name}",
    }
    write(text["origin-own" if chosen.suffix else "origin"], facts)
    with st.container(horizontal=True):
        st.page_link("pages/lab.py", label="Train models yourself", icon=":material/science:")
        st.page_link("pages/learned.py", label="A learned table as it trains", icon=":material/school:")
