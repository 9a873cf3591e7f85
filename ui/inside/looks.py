"""What trained models do, in three looks: where they attend, how attention spreads, and what they write or answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from itertools import groupby

import streamlit as st

from pe_core.chapters import inside
from pe_core.chapters.lab import fraction_of, length_losses, right_answers
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS
from pe_core.lab.experiment.task import Task
from pe_core.lab.inspection.inside import Spread, answered, written
from pe_core.lab.inspection.sample_input import Question, question, sample_input
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.lab.results.record import RunRecord
from pe_core.parameters import Choice, Parameter
from ui.frame.room import first_screen
from ui.frame.turns import others_first
from ui.inside.run import Chosen, choose_text, say_origin, typed
from ui.lab.results import describe_lengths
from ui.language.words import _
from ui.widgets.charts import Picture, picture
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
TEMPERATURE = Parameter("ins_temperature", "Temperature", 0.7, "0 takes the likeliest symbol each time.", 0.0, 1.5, 0.1)
SEED = Parameter("ins_draw", "Draw", 0, "Start of the random numbers that draw the symbols.", 0, 99)

AT_ONCE = 8  # symbols between two looks of the page: there it can be stopped
WRITTEN = "_ins_written"  # where a session keeps the last texts
_STYLE = "white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace;font-size:0.9rem;margin:0 0 1rem"
_PAST = "background:rgba(213,94,0,0.18);border-left:3px solid #D55E00;padding-left:2px"
TOLD, RIGHT, WRONG = "{}", "<b>{}</b>", '<b style="text-decoration:underline wavy #D55E00 2px">{}</b>'


def one_of(name: str, n: int, start: int = 1) -> Parameter[str]:
    """Return the choice of a layer or a head among n, which starts with this one."""
    # A name for each start: a link that leaves the value out means the same one for everybody.
    from_start = f"_from_{start}" if start > 1 else ""
    told = "Layer 1 is the one next to the text." if name == "layer" else "Each head has its own attention."
    choices = tuple(str(number) for number in range(1, n + 1))
    return Parameter(f"ins_{name}_of_{n}{from_start}", name.capitalize(), str(start), told, choices=choices)


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
            titles = {key: ENCODINGS[key].title for key in run.models}
            default = PREFERRED if PREFERRED in titles else next(iter(titles))
            encoding = control(Choice(f"ins_encoding{chosen.suffix}", "Encoding", titles, default))
        with right:
            titles = {key: one.title for key, one in inside.repairs_for(encoding).items()}
            default = REPAIRED if REPAIRED in titles else next(iter(titles))
            repair = control(Choice(f"ins_repair_{encoding}", "Beside it", titles, default))
        first_layer, first_head = _first_head(run, chosen.suffix, run.record.config.seed, encoding)
        # Up to what pictures show of a run; of a task it starts with what is learned.
        most, config = inside.max_length(run), run.record.config
        name, start, told = (
            f"ins_length_of_{most}",
            inside.first_length(run),
            "Number of characters that the model reads.",
        )
        if chosen.task:
            name, start, told = f"ins_question_of_{most}", trained, "The most symbols that an example has."
        length, *which = row(
            Parameter(name, "Length", start, told, STEP, most, STEP),
            one_of("layer", config.n_layers, first_layer),
            one_of("head", config.n_heads, first_head),
        )
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
    for place, (name, one) in zip(pictures.columns(2), drawn, strict=True):
        place.markdown(text(f"{name}-title-{past}", facts))
        one.chart(f"ins_{name}", text(f"{name}-alternative", facts), height=HEIGHT, place=place)
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
        each = one_of("head", config.n_heads)
        name, choices = each.name.replace("ins_", "ins_mean_"), (MEAN, *each.choices)
        head_or_mean = replace(each, name=name, default=MEAN, choices=choices)
        layer, head, measure = row(one_of("layer", config.n_layers, last), head_or_mean, MEASURE)
    number = {"layer": int(layer), "head": 0 if head == MEAN else int(head)}
    found = _entropies(run, chosen.suffix, config.seed)
    say_origin(sample_input(run, config.train_length), text)
    of_even = measure == OF_EVEN
    figure = inside.entropy_lines(run, found, **number, of_even=of_even)
    whose = _(f"head {number['head']}") if number["head"] else text("entropy-mean")
    facts = {**figure.facts, "whose": whose, "growth": text(figure.facts["growth"], figure.facts)}
    drawn = Picture(partial(inside.entropy, run=run, **number, of_even=of_even), figure)
    drawn.chart("ins_entropy", text("entropy-alternative", facts), height=420, place=place)
    st.markdown(text("entropy-task" if chosen.task else "entropy", facts))


def grow(
    run: TrainedRun,
    asked: tuple[object, ...],
    start: str,
    writers: Mapping[str, Iterator[int]],
    titles: Mapping[str, str],
    show: Callable[[str], str],
) -> None:
    """Draw in two columns, each below its title, what the writers add to `start`, as the HTML that `show` makes of it.

    The last texts of a session, by `asked`, are kept.
    """
    grid, places = st.grid(2), {}
    for key, title in titles.items():
        with grid.cell():
            st.markdown(title)
            places[key] = st.empty()

    def draw(texts: Mapping[str, str]) -> None:
        for key, place in places.items():
            place.html(show(texts[key]))

    before = st.session_state.get(WRITTEN)
    if before is not None and before[:2] == (run, asked):
        texts = before[2]
    else:
        texts = dict.fromkeys(writers, start)
        with others_first():
            for number, symbols in enumerate(zip(*writers.values(), strict=True)):
                if number % AT_ONCE == 0:  # a visitor who has moved on is noticed here
                    draw(texts)
                texts = {key: texts[key] + run.vocabulary[symbol] for key, symbol in zip(texts, symbols, strict=True)}
        st.session_state[WRITTEN] = (run, asked, texts)
    draw(texts)


def marked(text: str, trained: int, styles: Sequence[str] = ()) -> str:
    """Return a text as HTML, with what lies past the training length set off, and a style for each symbol if given."""
    styles = styles or [TOLD] * len(text)
    parts = [_styled(text[:trained], styles[:trained]), _styled(text[trained:], styles[trained:])]
    past = f'<mark style="{_PAST};color:inherit">{parts[1]}</mark>' if parts[1] else ""
    return f'<p style="{_STYLE}">{parts[0]}{past}</p>'


def _styled(text: str, styles: Sequence[str]) -> str:
    runs = groupby(zip(text, styles, strict=True), key=lambda pair: pair[1])
    return "".join(style.format(escape("".join(symbol for symbol, style_of in run))) for style, run in runs)


def titles_of(record: RunRecord, section: str, worded: Callable[[LengthLoss], str], text: Text) -> dict[str, str]:
    """Return what stands above each model: what it has at its training length and at twice of it, in these words."""
    titles = {}
    for key in record.done:
        first, second = record.mean(key).lengths[:2]
        facts = {"at": first.length, "first": worded(first), "past": second.length, "second": worded(second)}
        titles[key] = text(section, {"encoding": ENCODINGS[key].title, **facts})
    return titles


def _right(one: LengthLoss) -> str:
    return f"{100 * fraction_of(one, 'accuracy'):.0f}%"


def _loss(one: LengthLoss) -> str:
    return f"{one.loss:.2f}"


def draw_answers(chosen: Chosen, task: Task, text: Text) -> None:
    """Draw what each model answers to an example, or how it goes on from what the visitor types."""
    run, trained = chosen.run, chosen.run.record.config.train_length
    maximum = inside.max_length(run)
    told = "The most symbols that an example has, or that are written."
    default, name = min(2 * trained, maximum), f"ins_answers_of_{maximum}"
    length = control(Parameter(name, "Length", default, told, STEP, maximum, STEP))
    titles = titles_of(run.record, "answers-title", _right, text)
    models = {key: inside.inspected(run, key, AS_TRAINED.key) for key in titles}
    if start := typed(chosen, text)[:length]:
        st.markdown(text("answers-typed", {"trained": trained, "length": length}))
        tokens = run.tokens(start)
        going_on = {key: written(model, tokens, length) for key, model in models.items()}
        grow(run, (start, length), start, going_on, titles, partial(marked, trained=trained))
    else:
        asked = question(task, length)
        facts = {"trained": trained, "example": asked.text, "n": int(asked.asked.sum()), "length": len(asked.text)}
        st.markdown(text("answers", facts))
        tokens = run.tokens(asked.text)
        answers = {key: answered(model, tokens, asked.asked) for key, model in models.items()}
        grow(run, (length,), "", answers, titles, partial(judged, asked, trained=trained))
    st.markdown(text("answers-shares"))
    alternative = text("answers-alternative", {"ends": describe_lengths(run.record, "accuracy")})
    picture(right_answers, record=run.record, right="accuracy").chart("ins_shares", alternative, height=340)


def judged(asked: Question, so_far: str, trained: int) -> str:
    """Return as HTML what a model has made of a question so far: answers in bold, wrong ones underlined, a count."""
    styles = [
        TOLD if not is_asked else RIGHT if given == right else WRONG
        for given, right, is_asked in zip(so_far, asked.text, asked.asked.tolist(), strict=False)
    ]
    n_answers = len(styles) - styles.count(TOLD)
    within = trained + 1  # the last answer is given and not read, in training too
    told = _(f"{styles.count(RIGHT)} of {n_answers} answers right.")
    return f"{marked(so_far, within, styles)}<p>{told}</p>"


def draw_written(chosen: Chosen, text: Text) -> None:
    """Draw what each model writes, with the training length marked, beside its losses on held-out text.

    Of a task it is what each model answers.
    """
    if chosen.task:
        draw_answers(chosen, chosen.task, text)
        return
    run, trained = chosen.run, chosen.run.record.config.train_length
    maximum = inside.max_length(run)
    name, told = f"ins_written_past_{trained}", "Including the given start."
    length = Parameter(name, "Characters", min(2 * trained, maximum), told, trained, maximum, STEP)
    asked, temperature, seed = row(length, TEMPERATURE, SEED)
    start = choose_text(chosen, trained // 2, text)
    st.markdown(text("written", {"trained": trained, "start": len(start)}))
    titles = titles_of(run.record, "written-title", _loss, text)
    go_on = partial(written, start=run.tokens(start), length=asked, temperature=temperature, seed=seed)
    writers = {key: go_on(inside.inspected(run, key, AS_TRAINED.key)) for key in titles}
    drawn = (start, asked, temperature, seed)
    grow(run, drawn, start, writers, titles, partial(marked, trained=trained))
    st.markdown(text("written-losses"))
    alternative = text("written-alternative", {"ends": describe_lengths(run.record)})
    picture(length_losses, record=run.record).chart("ins_losses", alternative, height=340)
