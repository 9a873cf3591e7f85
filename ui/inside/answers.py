"""What the models of a task answer to an example, symbol by symbol, with mistakes marked."""

from collections.abc import Mapping
from functools import partial

from pe_core.chapters import inside as pictures
from pe_core.encodings import ENCODINGS
from pe_core.figures.lab_tasks import right_answers, share_of
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.tasks.base import Task
from pe_core.lab.inspection.inside import answered, written
from pe_core.lab.inspection.sample_input import Question, question
from pe_core.parameters import Parameter
from ui.inside.growing import RIGHT, TOLD, WRONG, grow, in_columns, marked
from ui.inside.run import Chosen
from ui.inside.text import percent, typed
from ui.lab.words import ends
from ui.widgets.charts import show
from ui.widgets.controls import control
from ui.widgets.prose import fill, write

STEP = 16  # symbols


def draw_answers(chosen: Chosen, task: Task, text: Mapping[str, str]) -> None:
    """Draw what each model answers to an example, or how it goes on from what the visitor types."""
    run, trained = chosen.run, chosen.run.record.config.train_length
    most = pictures.longest(run)
    told = "Symbols that an example has at most, or that are written."
    length = int(control(Parameter(f"ins_answers_of_{most}", "Length", min(2 * trained, most), told, STEP, most, STEP)))
    titles = {
        key: fill(text["answers-title"], {"encoding": ENCODINGS[key].title, **_shares(run.record.mean(key))})
        for key in run.record.done
    }
    readings = {key: pictures.reading(run, key, AS_TRAINED.key) for key in titles}
    if start := typed(chosen, text)[:length]:
        write(text["answers-typed"], {"trained": trained, "length": length})
        tokens = run.tokens(start)
        going_on = {key: written(reading, tokens, length) for key, reading in readings.items()}
        grow(run, (start, length), start, going_on, in_columns(titles), lambda key, so_far: marked(so_far, trained))
    else:
        asked = question(task, length)
        facts = {"trained": trained, "example": asked.text, "n": int(asked.asked.sum()), "length": len(asked.text)}
        write(text["answers"], facts)
        tokens = run.tokens(asked.text)
        answers = {key: answered(reading, tokens, asked.asked) for key, reading in readings.items()}
        grow(run, (length,), "", answers, in_columns(titles), lambda key, so_far: judged(asked, so_far, trained))
    _draw_shares(chosen, text)


def judged(asked: Question, so_far: str, trained: int) -> str:
    """Return as HTML what a model has made of a question so far: answers in bold, wrong ones underlined, a count."""
    styles = [
        TOLD if not is_asked else RIGHT if given == right else WRONG
        for given, right, is_asked in zip(so_far, asked.text, asked.asked.tolist(), strict=False)
    ]
    n_answers = len(styles) - styles.count(TOLD)
    within = trained + 1  # the last answer is given and not read, in training too
    return marked(so_far, within, styles) + f"<p>{styles.count(RIGHT)} of {n_answers} answers right.</p>"


def _shares(outcome: Outcome) -> dict[str, object]:
    first, second = outcome.lengths[:2]
    return {"at": first.length, "right": _right(first), "past": second.length, "right-past": _right(second)}


def _right(one: LengthLoss) -> str:
    return percent(share_of(one, "accuracy"))


def _draw_shares(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the share of right answers over all held-out examples, against their length."""
    record = chosen.run.record
    write(text["answers-shares"])
    picture = partial(right_answers, record=record, share="accuracy")
    alternative = fill(text["answers-alternative"], {"ends": ends(record, _right)})
    show(picture, key="ins_shares", alternative=alternative, height=340)
