"""Learned tables: the training run that comes with the project, looked at after some of its steps."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache

import pandas as pd
import torch
from torch import Tensor

from pe_core.chapters import requirements
from pe_core.encodings import ENCODINGS
from pe_core.encodings.learned import Learned
from pe_core.encodings.learned import rows as rows_read
from pe_core.figures.curves import Part, across, chosen, curves, layered, levels, lines, marks, ranges, reach, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import split
from pe_core.figures.image import frame_of_looks
from pe_core.lab.inspection import amounts as kept_amounts
from pe_core.lab.inspection.learned_table import KEPT, WAYS, TableConfig, TableRun, decay, read
from pe_core.measures import profile
from pe_core.measures.requirements import REQUIREMENTS
from pe_core.parameters import Parameter, require

LIMIT = 0.15  # end of the colours of the table: rows start at a standard deviation of 0.02
NEVER = "never trained"
ROWS = "Row (position)"
KEPT_CONFIG = TableConfig()
AMOUNTS, AMOUNT_TICKS = (20_000, 400_000), (25_000, 50_000, 100_000, 200_000, 400_000)  # characters
BERT_ROWS, BERT_WIDTH = 512, 768  # Devlin et al. 2018, arXiv:1810.04805, appendix A.2 and section 3, BERT base
FAR = 4  # rows apart, to compare with neighbours
ASKED_LENGTH, ASKED_POSITION = 100, 80  # in the exercise

STEP = Parameter(
    "lrn_step",
    "Training step",
    KEPT_CONFIG.steps,
    "The table was kept after each of these steps; 0 is before training.",
    choices=KEPT_CONFIG.looks,
)
ROW = Parameter("lrn_row", "Row", 20, "The row that all others are compared with.", 0, KEPT_CONFIG.n_rows - 1)


def look(run: TableRun, step: int) -> int:
    """Return which of the run's looks was taken after `step` steps; `ValueError` if none was."""
    steps = run.config.looks
    require(step in steps, "step", f"be one of {', '.join(map(str, steps))}", step)
    return steps.index(step)


def table(step: int) -> Figure:
    """Return the table after `step` steps: a row per position, a column per channel."""
    run = _run()
    facts = {
        **sizes(run),
        "channels": run.config.d_model,
        "characters": step * run.config.tokens_per_step,
        "state": "state" if step else "state-start",
    }
    return _image(run, step, Tensor.double, "Channel", "Value", LIMIT).with_facts(facts)


def similarity(step: int) -> Figure:
    """Return the cosine of every row of the table with every other after `step` steps."""
    run = _run()
    rows, trained = run.tables[look(run, step)], run.config.train_length
    reached, never = cosines(rows[:trained]), cosines(rows[trained:])
    facts = {
        "near": hundredths(reached.diagonal(1)),
        "far": hundredths(reached.diagonal(FAR)),
        "others": hundredths(never.diagonal(1)),
        "offset": FAR,
    }
    return _image(run, step, cosines, ROWS, "Cosine", 1.0).with_facts(facts)


def row(step: int, number: int) -> Figure:
    """Return the cosine of row `number` with every row of the table after `step` steps."""
    run = _run()
    trained, n_rows = run.config.train_length, run.config.n_rows
    require(0 <= number < n_rows, "number", f"be from 0 to {n_rows - 1}", number)
    values = cosines(run.tables[look(run, step)])[number]
    others = values.clone()
    others[number] = -torch.inf
    best = int(others.argmax())
    facts = {
        "other": best,
        "away": abs(best - number),
        "cosine": float(others[best]),
        "never": "" if number < trained else "row-never",
    }
    return _over_rows(run, {"cosine with the chosen row": values}, "Cosine", (-1, 1), chosen(number)).with_facts(facts)


def past_end(step: int) -> Figure:
    """Return the held-out loss at each position under each way to go on past the trained rows, after `step` steps."""
    run = _run()
    trained, guess = run.config.train_length, run.text.unigram_loss
    losses = dict(zip(WAYS, run.losses[look(run, step)], strict=True))
    within = {way: float(one[:trained].double().mean()) for way, one in losses.items()}
    past = {way: float(one[trained:].double().mean()) for way, one in losses.items()}
    untrained, last_row, wrap, interpolated = WAYS
    facts = {
        **sizes(run),
        "within": within[untrained],
        "untrained": past[untrained],
        "last-row": past[last_row],
        "wrap": past[wrap],
        "interpolated": past[interpolated],
        "interpolated-within": within[interpolated],
        "guess": guess,
        "best": min(past, key=past.__getitem__),
        "verdict": "past-end-worse" if past[untrained] > guess > within[untrained] else "past-end",
    }
    level, ends = levels([("guess by frequency", guess)]), (0.0, float(run.losses.max()))
    return _over_rows(run, losses, "Loss (nats per character)", ends, level).with_facts(facts)


def lengths(step: int) -> Figure:
    """Return the length of each row before training and after `step` steps."""
    run = _run()
    trained, found = run.config.train_length, row_lengths(run.tables)
    before, after = found[0], found[look(run, step)]
    facts = {
        "before": float(before[:trained].mean()),
        "after": float(after[:trained].mean()),
        "others-before": float(before[trained:].mean()),
        "others-after": float(after[trained:].mean()),
        "longest": int(after.argmax()),
    }
    values = {"before training": before, "after these steps": after}
    return _over_rows(run, values, "Length of the row", (0.0, float(found.max()))).with_facts(facts)


def movement(step: int) -> Figure:
    """Return how much of its first direction each row has after `step` steps: its cosine with the untrained row."""
    run = _run()
    start, now, trained = run.tables[0], run.tables[look(run, step)], run.config.train_length
    cosine, distance = turned(start, now), moved(start, now)
    shrunk = row_lengths(now[trained:]) / row_lengths(start[trained:])
    expected = float(decay(run.config.steps, run.config.peak_learning_rate)[step])
    facts = {
        "trained-cosine": float(cosine[:trained].mean()),
        "trained-moved": float(distance[:trained].mean()),
        "turned": float((1 - cosine[trained:]).abs().max()),
        "moved": 100 * float(distance[trained:].max()),
        "shrunk": float(shrunk.mean()),
        "expected": expected,
        "off": float((shrunk - expected).abs().max()),
        "verdict": "movement" if step else "movement-start",
    }
    lowest = min(float(turned(start, table).min()) for table in run.tables)
    values, ends = {"cosine with the row before training": cosine}, (min(0.0, lowest), 1.0)
    return _over_rows(run, values, "Cosine", ends).with_facts(facts)


def cosines(table: Tensor) -> Tensor:
    """Return the cosine of every row of `table` (R, D) with every other, float64, (R, R); a row of zeros has 0."""
    rows: Tensor = torch.nn.functional.normalize(table.double(), dim=-1)
    return rows @ rows.T


def row_lengths(table: Tensor) -> Tensor:
    """Return the length of each row of `table` (R, D), float64, shape (R,)."""
    found: Tensor = table.double().norm(dim=-1)
    return found


def turned(before: Tensor, after: Tensor) -> Tensor:
    """Return the cosine of each row of `after` (R, D) with the same row `before` (R, D), float64, shape (R,)."""
    return torch.nn.functional.cosine_similarity(before.double(), after.double(), dim=-1)


def moved(before: Tensor, after: Tensor) -> Tensor:
    """Return how far each row of `after` (R, D) lies from `before`, in lengths of the row before, float64, (R,)."""
    return row_lengths(after.double() - before.double()) / row_lengths(before)


def sizes(run: TableRun) -> Facts:
    """Return how many rows the table of a run has, and how many of them its texts use."""
    trained, n_rows = run.config.train_length, run.config.n_rows
    return {"trained": trained, "last": trained - 1, "rows": n_rows, "never": n_rows - trained}


def hundredths(found: Tensor) -> float:
    """Return the mean of some cosines rounded to two digits, 0 without a sign."""
    return round(float(found.mean()), 2) + 0.0


def numbers(step: int) -> Mapping[str, float | None]:
    """Return the number of each requirement for the table after `step` steps; None where it has none."""
    run = _run()
    encoding = profile.initial(ENCODINGS["learned"].build(requirements.SHAPE))
    assert isinstance(encoding, Learned)  # for the type checker
    n_rows = run.config.train_length
    with torch.no_grad():
        encoding.table[:n_rows] = run.tables[look(run, step)][:n_rows]
    return {
        key: one.measure(encoding, requirements.SHAPE) if one.measure else requirements.value(key, "learned")
        for key, one in REQUIREMENTS.items()
    }


def marked() -> Facts:
    """Return what training has made of the order of the rows and of the step to the next one, and what is needed."""
    steps = KEPT_CONFIG.steps
    before, after = numbers(0), numbers(steps)
    facts: dict[str, object] = {"steps": steps}
    for key in ("order", "near"):
        facts |= {
            f"{key}-before": before[key],
            f"{key}-after": after[key],
            f"{key}-needed": REQUIREMENTS[key].threshold,
        }
    return facts


def row_of_a_squeezed_text(guess: int) -> tuple[bool, Facts]:
    """Return whether token 80 of 100, squeezed into the trained rows, reads between the guess and the next row."""
    numbers = torch.arange(KEPT_CONFIG.train_length, dtype=torch.float64)[:, None]  # each row holds its own number
    place = float(rows_read(numbers, torch.arange(ASKED_LENGTH), beyond="interpolate")[ASKED_POSITION, 0])
    below = int(place)
    return guess == below, {
        "below": below,
        "above": below + 1,
        "place": place,
        "part": 100 * (place - below),
        "rest": 100 * (1 - place + below),
        "position": ASKED_POSITION,
    }


def origin() -> Facts:
    """Return where the numbers of the kept run come from."""
    run = _run()
    return {
        "text": run.text.name,
        "steps": run.config.steps,
        "seed": run.config.seed,
        "layers": run.config.n_layers,
        "channels": run.config.d_model,
        "file": f"pe_core/runs/{KEPT.name}",
        "torch": run.versions["torch"],
    }


def data() -> Facts:
    """Return how many numbers a table has and how often each row was read in training, here and for BERT."""
    run = _run()
    return {
        "per-row": run.config.steps * run.config.tokens_per_step // run.config.train_length,
        "numbers": run.config.n_rows * run.config.d_model,
        "all-characters": run.config.steps * run.config.tokens_per_step,
        "bert-rows": BERT_ROWS,
        "bert-width": BERT_WIDTH,
        "bert-numbers": BERT_ROWS * BERT_WIDTH,
    }


def _image(
    run: TableRun, step: int, seen: Callable[[Tensor], Tensor], columns: str, title: str, limit: float
) -> Figure:
    """Return what is `seen` of the table, (n_rows, columns), with a line after the rows that training reached."""
    values, played = seen(run.tables[look(run, step)]), replace(STEP, choices=run.config.looks)
    return split(
        values,
        run.config.train_length,
        NEVER,
        _looks(run, seen, limit),
        rows=ROWS,
        columns=columns,
        title=title,
        limit=limit,
        played=played,
        now=step,
    )


@cache
def _run() -> TableRun:
    return read()


@lru_cache(maxsize=4)
def _looks(run: TableRun, seen: Callable[[Tensor], Tensor], limit: float) -> pd.DataFrame:
    """Return what is `seen` of the table after each of its steps, as the browser plays it: the same for every step."""
    return frame_of_looks([seen(table) for table in run.tables], limit)


def _over_rows(
    run: TableRun, values: Mapping[str, Tensor], title: str, ends: tuple[float, float], *parts: Part
) -> Figure:
    """Return a line for each of `values` (n_rows,) over the rows, with a mark after those that training reached."""
    trained = marks([(NEVER, run.config.train_length - 0.5)])
    return lines(torch.arange(run.config.n_rows), values, across(ROWS), upwards(title), reach(*ends), trained, *parts)


def by_amount() -> Figure:
    """Return the mean held-out loss of each encoding over the amount of data, in a band from its best to worst seed."""
    found = kept_amounts.read()
    amounts = torch.tensor(found.characters, dtype=torch.float64)
    losses = {key: torch.tensor(rows, dtype=torch.float64) for key, rows in found.losses.items()}
    seeds = {
        ENCODINGS[key].title: (amounts, values.mean(1), values.amin(1), values.amax(1))
        for key, values in losses.items()
    }
    table, waves = losses["learned"], losses["sinusoidal"]
    enough = waves.mean(1) <= table.mean(1)[-1]
    facts = {
        "seeds": table.shape[1],
        "steps": found.config.steps,
        "amounts": len(amounts),
        "fewest": found.characters[0],
        "half": found.characters[-2],
        "most": found.characters[-1],
        **{f"{key}-fewest": float(values[0].mean()) for key, values in losses.items()},
        **{f"{key}-half": float(values[-2].mean()) for key, values in losses.items()},
        **{f"{key}-most": float(values[-1].mean()) for key, values in losses.items()},
        "lower": int((waves.amax(1) < table.amin(1)).sum()),
        "enough": "amounts-enough" if enough.any() else "amounts-not-enough",
        "enough-characters": found.characters[int(enough.int().argmax())],
    }
    x = across("Characters trained on", ends=AMOUNTS, log=True, ticks=AMOUNT_TICKS)
    y = upwards("Held-out loss (nats per character)", zero=False)
    return layered(curves(ranges(seeds), x, y, dots=True, band=True, spread=True)).with_facts(facts)
