"""The parts of the page on the inside of trained models: controls, attention maps, the exercise, whose models it is."""

from collections.abc import Mapping
from functools import partial

import streamlit as st
import torch
from torch import Tensor

from pe_core.chapters import inside as pictures
from pe_core.encodings import ENCODINGS, alibi
from pe_core.lab.experiment.dataset import NOT_ASKED
from pe_core.lab.experiment.repair import AS_TRAINED, REPAIRS
from pe_core.lab.inspection import inside, trained_run
from pe_core.lab.inspection.sample_input import Question, question, sample_input
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.parameters import Parameter
from ui.inside.run import Chosen
from ui.inside.text import choose_text, percent
from ui.widgets.charts import show
from ui.widgets.controls import choose_one, literal, side_by_side
from ui.widgets.exercise import ask, judge
from ui.widgets.prose import fill, write

Texts = Mapping[str, str]

PREFERRED, REPAIRED = "sinusoidal", "window"  # shown first, where a run has it
SHORTEST = 16
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


def length_of(run: TrainedRun) -> Parameter:
    """Return the slider of the length, up to what pictures show of a run; of a task it starts with what is learned."""
    most, trained = pictures.longest(run), run.record.config.train_length
    if run.record.text.is_task:
        name, told = f"ins_question_of_{most}", "Symbols that an example has at most."
        return Parameter(name, "Length", trained, told, SHORTEST, most, SHORTEST)
    default = min(2 * trained, most)
    return Parameter(f"ins_length_of_{most}", "Length", default, "Characters that are read.", SHORTEST, most, SHORTEST)


def layer_of(run: TrainedRun, start: int = 1) -> Parameter:
    """Return the choice of the layer, which starts with this one."""
    return _one_of("layer", "Layer", run.record.config.n_layers, start, "Counted from the text.")


def head_of(run: TrainedRun, start: int = 1) -> Parameter:
    """Return the choice of the head, which starts with this one."""
    return _one_of("head", "Head", run.record.config.n_heads, start, "Each head attends on its own.")


def _one_of(name: str, label: str, n: int, start: int, told: str) -> Parameter:
    # A name for each start: a link that leaves the value out means the same one for everybody.
    choices = tuple(str(number) for number in range(1, n + 1))
    from_start = f"_from_{start}" if start > 1 else ""
    return Parameter(f"ins_{name}_of_{n}{from_start}", label, str(start), told, choices=choices)


def draw_attention(chosen: Chosen, text: Texts) -> None:
    """Draw the attention of one head, as trained and beside a repair."""
    run, config = chosen.run, chosen.run.record.config
    left, right = st.columns(2)
    with left:
        encoding = choose_encoding(chosen)
    with right:
        repair = choose_repair(encoding)
    first_layer, first_head = answering_head(chosen, encoding)
    asked, layer, head = side_by_side(length_of(run), layer_of(run, first_layer), head_of(run, first_head))
    read = choose_text(chosen, int(asked), text)
    held_out = question(chosen.task, int(asked)) if chosen.task else None
    question_read = held_out if held_out and held_out.read == read else None
    number = {"layer": int(layer), "head": int(head)}
    longer = len(read) > config.train_length
    facts: dict[str, object] = {
        "encoding": ENCODINGS[encoding].title,
        "repair": REPAIRS[repair].title,
        "summary": REPAIRS[repair].summary,
        "length": len(read),
        "trained": config.train_length,
        "unit": run.unit,
        **number,
    }
    drawn = []
    for name, key in (("own", AS_TRAINED.key), ("repaired", repair)):
        every = pictures.probabilities(run, encoding, key, read)
        found = every[number["layer"] - 1, number["head"] - 1]
        facts |= {f"{name}-{fact}": value for fact, value in answer_facts(chosen, every, number, question_read).items()}
        facts |= {f"{name}-{fact}": value for fact, value in attention_facts(found, config.train_length, read).items()}
        picture = partial(pictures.attention, run=run, encoding=encoding, repair=key, **number, text=read)
        drawn.append((name, picture, found))
    for place, (name, picture, found) in zip(st.columns(2), drawn, strict=True):
        with place:
            st.markdown(fill(text[f"{name}-title"], facts))
            alternative = fill(text[f"{name}-alternative"], facts)
            figure = pictures.attention_figure(run, found, read)
            show(picture, key=f"ins_{name}", alternative=alternative, height=400, figure=figure)
    write(text["attention-past" if longer else "attention-within"], facts)
    if "own-answers" in facts:
        write(text["attention-answers"], facts)


def attention_facts(found: Tensor, train_length: int, read: str) -> dict[str, object]:
    """Return what is said of the attention of a head, (T, T): how spread out, how far back, where the last looks."""
    keys = inside.entropies(found).exp()
    far = found.tril(-train_length).sum(-1)
    best = int(found[-1].argmax())
    return {
        "keys": f"{float(keys[:train_length].mean()):.1f}",
        "keys-past": f"{float(keys[train_length:].mean()):.1f}" if len(read) > train_length else "",
        "far": percent(float(far[train_length:].mean())) if len(read) > train_length else "",
        "character": _shown(read[-1]),
        "best": _shown(read[best]),
        "place": best,
        "share": f"{float(found[-1, best]):.2f}",
    }


def answer_facts(chosen: Chosen, every: Tensor, number: Mapping[str, int], asked: Question | None) -> dict[str, object]:
    """Return how much the heads (layers, H, T, T) look at the right answers to a question: the one shown, and the best.

    Nothing where there is no question.
    """
    if asked is None:
        return {}
    shares = answer_shares(chosen.run, every, asked)
    layer, head = _largest(shares)
    return {
        "answers": percent(float(shares[number["layer"] - 1, number["head"] - 1])),
        "answers-most": percent(float(shares.max())),
        "answers-layer": layer,
        "answers-head": head,
    }


def answering_head(chosen: Chosen, encoding: str) -> tuple[int, int]:
    """Return the layer and the head, from 1, that look most at right answers within the training length.

    They are the first ones where a text was learned.
    """
    if chosen.task is None:
        return 1, 1
    asked = question(chosen.task, chosen.run.record.config.train_length)
    every = pictures.probabilities(chosen.run, encoding, AS_TRAINED.key, asked.read)
    return _largest(answer_shares(chosen.run, every, asked))


def answer_shares(run: TrainedRun, every: Tensor, asked: Question) -> Tensor:
    """Return how much attention goes to right answers where they are asked, (layers, H), of all (layers, H, T, T)."""
    tokens = run.tokens(asked.text)
    return inside.on_answers(every, tokens[:-1], torch.where(asked.asked, tokens, NOT_ASKED)[1:])


def _largest(shares: Tensor) -> tuple[int, int]:
    layer, head = divmod(int(shares.argmax()), shares.shape[1])
    return layer + 1, head + 1


def _shown(character: str) -> str:
    return {" ": "a space", "\n": "a line break"}.get(character, literal(character))


def draw_exercise(text: Texts) -> None:
    """Ask how far back a head of ALiBi looks, compute it from its slope, and measure it in the trained model."""
    guess = ask(text, "ins_guess", 0, LARGEST_GUESS)
    if guess is None:
        return
    run = trained_run.kept()
    slope = float(alibi.slopes(run.record.config.n_heads)[ASKED_HEAD - 1])
    shares = torch.exp(-slope * torch.arange(LARGEST_GUESS, dtype=torch.float64))
    first = int((shares < ASKED_SHARE).nonzero()[0])
    found = pictures.probabilities(run, "alibi", AS_TRAINED.key, sample_input(run, pictures.longest(run)).text)
    beyond = float(found[0, ASKED_HEAD - 1].tril(-first).sum(-1)[first:].mean())
    facts = {
        "guess": guess,
        "first": first,
        "slope": f"{slope:g}",
        "exact": f"{-torch.tensor(ASKED_SHARE).log() / slope:.2f}",
    }
    judge(text, guess == first, {**facts, "beyond": f"{100 * beyond:.2f} %"})


def draw_hint(chosen: Chosen, text: Texts) -> None:
    """Say what to look for in the models of the project, of a task, or of any text."""
    write(text["look-task" if chosen.task else "look" if chosen.file else "look-other"])


def draw_origin(chosen: Chosen, text: Texts) -> None:
    """Say where the models come from, and lead to the lab and to the page that watches a table while it is trained."""
    record = chosen.run.record
    facts = {
        "text": record.text.name,
        "steps": f"{record.config.steps:,}",
        "seed": record.config.seed,
        "layers": record.config.n_layers,
        "channels": record.config.d_model,
        "file": f"pe_core/runs/{chosen.file.name}" if chosen.file else "",
    }
    write(text["origin" if chosen.file else "origin-own"], facts)
    with st.container(horizontal=True):
        st.page_link("pages/lab.py", label="Train models yourself", icon=":material/science:")
        st.page_link("pages/learned.py", label="A learned table as it trains", icon=":material/school:")
