"""Where trained models attend: the map of one head beside a repair, and the entropy of all of them."""

from dataclasses import replace
from functools import partial

import streamlit as st

from pe_core.chapters import inside
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS
from pe_core.lab.inspection.inside import Spread
from pe_core.lab.inspection.sample_input import question, sample_input
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.parameters import Choice, Parameter
from ui.frame.room import first_screen
from ui.inside.run import Chosen, choose_text, say_origin
from ui.language.words import _
from ui.widgets.charts import Picture
from ui.widgets.controls import control, row
from ui.widgets.prose import Text

PREFERRED, REPAIRED = "rope", "window"  # shown first, where a run has it
STEP = 16  # of the slider of the length
HEIGHT = 330  # pixels of a map: a title and two rows of controls share its screen
NATS, OF_EVEN = "nats", "share of even attention"
MEAN = "mean of all"
MEASURE = Parameter(
    "ins_measure", "Entropy in", NATS, "Even attention to n keys has ln n nats.", choices=(NATS, OF_EVEN)
)


def encoding_of(chosen: Chosen) -> Choice:
    """Return the choice among the encodings of the run."""
    titles = {key: ENCODINGS[key].title for key in chosen.run.models}
    default = PREFERRED if PREFERRED in titles else next(iter(titles))
    return Choice(f"ins_encoding{chosen.suffix}", "Encoding", titles, default)


def length_of(run: TrainedRun) -> Parameter[int]:
    """Return the slider of the length, up to what pictures show of a run; of a task it starts with what is learned."""
    maximum, trained = inside.max_length(run), run.record.config.train_length
    if run.record.text.is_task:
        name, told = f"ins_question_of_{maximum}", "The most symbols that an example has."
        return Parameter(name, "Length", trained, told, STEP, maximum, STEP)
    told = "Number of characters that the model reads."
    return Parameter(f"ins_length_of_{maximum}", "Length", inside.first_length(run), told, STEP, maximum, STEP)


def layer_of(run: TrainedRun, start: int = 1) -> Parameter[str]:
    """Return the choice of the layer, which starts with this one."""
    return _one_of("layer", "Layer", run.record.config.n_layers, start, "Layer 1 is the one next to the text.")


def head_of(run: TrainedRun, start: int = 1) -> Parameter[str]:
    """Return the choice of the head, which starts with this one."""
    return _one_of("head", "Head", run.record.config.n_heads, start, "Each head has its own attention.")


def _one_of(name: str, label: str, n: int, start: int, told: str) -> Parameter[str]:
    # A name for each start: a link that leaves the value out means the same one for everybody.
    choices = tuple(str(number) for number in range(1, n + 1))
    from_start = f"_from_{start}" if start > 1 else ""
    return Parameter(f"ins_{name}_of_{n}{from_start}", label, str(start), told, choices=choices)


@st.cache_resource(max_entries=64, show_spinner=False)
def _first_head(_run: TrainedRun, suffix: str, seed: int, encoding: str) -> tuple[int, int]:
    """Return the layer and the head that are shown first; the suffix and the seed name the run."""
    return inside.first_head(_run, encoding)


def draw_attention(chosen: Chosen, text: Text) -> None:
    """Draw the attention of one head, as trained and beside a repair."""
    run, trained = chosen.run, chosen.run.record.config.train_length
    pictures, controls = first_screen(below=True)
    with controls:
        left, right = st.columns(2)
        with left:
            encoding = control(encoding_of(chosen))
        with right:
            titles = {key: one.title for key, one in inside.repairs_for(encoding).items()}
            default = REPAIRED if REPAIRED in titles else next(iter(titles))
            repair = control(Choice(f"ins_repair_{encoding}", "Beside it", titles, default))
        first_layer, first_head = _first_head(run, chosen.suffix, run.record.config.seed, encoding)
        length, *which = row(length_of(run), layer_of(run, first_layer), head_of(run, first_head))
        layer, head = map(int, which)
        read = choose_text(chosen, length, text)
    held_out = question(chosen.task, length) if chosen.task else None
    asked = held_out if held_out and held_out.read == read else None
    facts: dict[str, object] = {
        "encoding": ENCODINGS[encoding].title,
        "repair": REPAIRS[repair].title,
        "summary": REPAIRS[repair].summary,
        "length": len(read),
        "trained": trained,
        "unit": run.unit,
        "layer": layer,
        "head": head,
    }
    drawn = []
    for name, key in (("own", AS_TRAINED.key), ("repaired", repair)):
        every = inside.probabilities(run, encoding, key, read)
        figure = inside.attention_figure(run, every, layer, head, read, asked)
        facts |= {f"{name}-{fact}": value for fact, value in figure.facts.items()}
        call = partial(inside.attention, run=run, encoding=encoding, repair=key, layer=layer, head=head, text=read)
        drawn.append((name, Picture(call, figure)))
    past = "past" if len(read) > trained else "within"
    for place, (name, picture) in zip(pictures.columns(2), drawn, strict=True):
        with place:
            st.markdown(text(f"{name}-title-{past}", facts))
            picture.chart(f"ins_{name}", text(f"{name}-alternative", facts), height=HEIGHT)
    st.markdown(text(f"attention-{past}", facts))
    if asked:
        st.markdown(text("attention-answers", facts))


@st.cache_resource(max_entries=4, show_spinner=False)
def _entropies(_run: TrainedRun, suffix: str, seed: int) -> Spread:
    """Return the entropies of a run's models, which no control changes; the suffix and the seed name the run."""
    return inside.entropies(_run)


def draw_entropy(chosen: Chosen, text: Text) -> None:
    """Draw the entropy of attention against the length of the text, for every encoding of the run."""
    run, config = chosen.run, chosen.run.record.config
    last = config.n_layers if chosen.task else 1  # of a task: the layer that gives the answer
    place, controls = first_screen()
    with controls:
        each = head_of(run)
        name, choices = each.name.replace("ins_", "ins_mean_"), (MEAN, *each.choices)
        head_or_mean = replace(each, name=name, default=MEAN, choices=choices)
        layer, head, measure = row(layer_of(run, last), head_or_mean, MEASURE)
    number = {"layer": int(layer), "head": 0 if head == MEAN else int(head)}
    found = _entropies(run, chosen.suffix, config.seed)
    say_origin(sample_input(run, config.train_length), text)
    of_even = measure == OF_EVEN
    figure = inside.entropy_lines(run, found, **number, of_even=of_even)
    whose = _(f"head {number['head']}") if number["head"] else text("entropy-mean")
    facts = {**figure.facts, "whose": whose, "growth": text(figure.facts["growth"], figure.facts)}
    picture = Picture(partial(inside.entropy, run=run, **number, of_even=of_even), figure)
    picture.chart("ins_entropy", text("entropy-alternative", facts), height=420, place=place)
    st.markdown(text("entropy-task" if chosen.task else "entropy", facts))
