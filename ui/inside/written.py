"""What trained models write past their training length, side by side, symbol by symbol."""

from collections.abc import Mapping
from functools import partial

from pe_core.chapters import inside as pictures
from pe_core.encodings import ENCODINGS
from pe_core.figures.lab import length_losses
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.inspection.inside import written
from pe_core.parameters import Parameter
from ui.inside.answers import draw_answers
from ui.inside.growing import grow, in_columns, marked
from ui.inside.run import Chosen
from ui.inside.text import choose_text
from ui.lab.words import ends
from ui.widgets.charts import show
from ui.widgets.controls import side_by_side
from ui.widgets.prose import fill, write

TEMPERATURE = Parameter("ins_temperature", "Temperature", 0.7, "0 takes the likeliest symbol each time.", 0.0, 1.5, 0.1)
SEED = Parameter("ins_draw", "Draw", 0, "Start of the random numbers that draw the symbols.", 0, 99)


def draw_written(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw what each model writes, with the training length marked, beside its losses on held-out text.

    Of a task it is what each model answers.
    """
    if chosen.task:
        draw_answers(chosen, chosen.task, text)
        return
    run, trained = chosen.run, chosen.run.record.config.train_length
    most = pictures.longest(run)
    length = Parameter(
        f"ins_written_past_{trained}", "Characters", min(2 * trained, most), "With the start.", trained, most, 16
    )
    asked, temperature, seed = side_by_side(length, TEMPERATURE, SEED)
    start = choose_text(chosen, trained // 2, text)
    write(text["written"], {"trained": trained, "start": len(start)})
    titles = {
        key: fill(text["written-title"], {"encoding": ENCODINGS[key].title, **losses(run.record.mean(key))})
        for key in run.record.done
    }
    go_on = partial(written, start=run.tokens(start), length=int(asked), temperature=float(temperature), seed=int(seed))
    writers = {key: go_on(pictures.reading(run, key, AS_TRAINED.key)) for key in titles}
    drawn = (start, asked, temperature, seed)
    grow(run, drawn, start, writers, in_columns(titles), lambda key, so_far: marked(so_far, trained))
    facts = {"ends": ends(run.record, lambda one: f"{one.loss:.2f}")}
    write(text["written-losses"])
    picture = partial(length_losses, record=run.record)
    show(picture, key="ins_losses", alternative=fill(text["written-alternative"], facts), height=340)


def losses(outcome: Outcome) -> dict[str, object]:
    """Return the losses of a model on held-out text at its training length and at twice of it, for a sentence."""
    first, second = outcome.lengths[:2]
    return {"at": first.length, "loss": f"{first.loss:.2f}", "past": second.length, "loss-past": f"{second.loss:.2f}"}
