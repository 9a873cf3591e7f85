"""What the lab shows of runs, losses and right answers over steps, positions and evaluated lengths, and what it says.

What is said of a run names the `section` of the lab's text that is true of it, with the numbers that it quotes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pe_core.chapters.wording import listed
from pe_core.encodings import ENCODINGS
from pe_core.figures import runs as kinds
from pe_core.figures.curves import upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.looks.palette import CATEGORICAL, DASHES, GREY, dashes_of
from pe_core.figures.runs import Curve, Shown, block_means, looks_of, over_lengths
from pe_core.lab.experiment.evaluation import Glance, LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Measurement
from pe_core.lab.results.record import RunRecord, judged
from pe_core.lab.results.statistics import (
    BREAKS_FROM,
    HOLDS_UP_TO,
    KEEPS_FROM,
    LEARNED_FROM,
    LOSES_FROM,
    at_end,
    more_bits,
    ratio,
    whole_windows,
)

MAX_POINTS = 100  # of one training curve: more are not told apart, and all are sent again and again during a run
NEARLY = 0.03  # nats per character, or a fraction right: closer lines hide one another
BLOCKS = 8  # points of a line by position for one training length
LOSS = "Loss (nats per character)"
LOSS_OF_TEXT: Shown = upwards(LOSS, zero=False), ".3f"
LOSS_OF_TASK: Shown = upwards("Loss (nats per answer)", zero=False), ".3f"
COST: Shown = upwards("Bits per character more than within", zero=False), "+.3f"
LENGTH, SYMBOLS = "Evaluated length (characters)", "Evaluated length (symbols)"
UNIFORM, BY_FREQUENCY = "uniform guess", "guess by frequency"
BY_HEART = 0.1  # nats per character, below which a text is known by heart: prose costs more than ten times as much

Right = Literal["accuracy", "exact"]
TITLES: dict[Right, str] = {"accuracy": "Right answers", "exact": "Examples without a mistake"}

# An encoding's title, and by evaluated length the losses in nats per character, or the fraction of right answers.
Line = tuple[str, tuple[tuple[int, float], ...]]


def training_curves(record: RunRecord) -> Figure:
    """Return the training loss over steps, a line per encoding of some 100 points, with the lines of guessing."""
    stride = max(1, record.config.steps // MAX_POINTS)
    of_all = ((key, record.curves.get(key, {}).values()) for key in record.config.encodings)
    points = {key: [block_means(curve, stride) for curve in curves] for key, curves in of_all}
    return _of_all(record, points, "Step", last=record.config.steps, marked=False)


def position_losses(record: RunRecord) -> Figure:
    """Return the held-out loss by position of the longest length, in means over eighths of the training length."""
    stride = max(1, record.config.train_length // BLOCKS)
    curves = {
        key: [block_means(outcome.positions, stride) for outcome in record.outcomes[key].values()]
        for key in record.done
    }
    return _of_all(record, curves, "Position", last=max(record.config.lengths))


def length_losses(record: RunRecord) -> Figure:
    """Return the held-out loss over evaluated length: of what is not done yet, that of the newest glances."""
    curves = by_seed(record, lambda one: one.loss)
    title, lengths = SYMBOLS if record.text.is_task else LENGTH, record.config.lengths
    return _of_all(record, curves, title, last=max(lengths), lengths=lengths)


def by_seed(record: RunRecord, of: Callable[[LengthLoss | Glance], float]) -> dict[str, list[Curve]]:
    """Return by encoding what was measured at each length with each seed: of one that is not done, at a glance."""
    found: dict[str, list[Curve]] = {}
    for key in record.config.encodings:
        outcomes = [outcome.lengths for outcome in record.outcomes.get(key, {}).values()]
        measured: Sequence[Sequence[LengthLoss | Glance]] = outcomes or list(record.glances.get(key, {}).values())
        if measured:
            found[key] = [[(one.length, of(one)) for one in lengths] for lengths in measured]
    return found


def losses_by_length(
    losses: Mapping[str, Sequence[Sequence[LengthLoss]]], *, train_length: int, guess: float
) -> Figure:
    """Return a line of the mean loss over the length for each name, in a band from the min to the max of its seeds.

    Names say how many seeds there are where these differ: else a telephone has no room for them.
    """
    differ = len(set(map(len, losses.values()))) > 1
    curves = {
        f"{name} (n={len(by_seed)})" if differ else name: [
            [(loss.length, loss.loss) for loss in one] for one in by_seed
        ]
        for name, by_seed in losses.items()
    }
    return over_lengths(
        curves,
        looks_of(tuple(losses), tuple(curves)),
        LENGTH,
        LOSS_OF_TEXT,
        train_length=train_length,
        lengths=tuple(sorted({length for by_seed in curves.values() for one in by_seed for length, _ in one})),
        guesses={BY_FREQUENCY: guess},
        banded=True,
        spread=True,
    )


def right_answers(record: RunRecord, right: Right) -> Figure:
    """Return which fraction of the answers, or of whole examples, is `right` by evaluated length, by encoding."""
    shown = record if right == "accuracy" else replace(record, glances={})
    curves = by_seed(shown, lambda one: fraction_of(one, right))
    guesses = guess(record, right)
    return _of_all(record, curves, SYMBOLS, fraction(right), lengths=record.config.lengths, guesses=guesses)


def fraction(right: Right) -> Shown:
    """Return a fraction of what is right as what a picture shows upwards."""
    return upwards(TITLES[right], ends=(0, 1), form=".0%"), ".1%"


def fraction_of(one: LengthLoss | Glance, right: Right) -> float:
    """Return what fraction a model of a task has right at one length; a glance knows the right answers only."""
    value = one.accuracy if right == "accuracy" or isinstance(one, Glance) else one.exact
    assert value is not None  # of a task both are known
    return value


def guess(record: RunRecord, right: Right) -> dict[str, float]:
    """Return what a uniform guess has right, by its name; a whole example it hardly ever has."""
    return {UNIFORM: record.text.chance} if right == "accuracy" else {}


def _of_all(
    record: RunRecord,
    curves: Mapping[str, Sequence[Curve]],
    x: str,
    y: Shown | None = None,
    *,
    last: int | None = None,
    lengths: tuple[int, ...] = (),
    guesses: Mapping[str, float] | None = None,
    marked: bool = True,
) -> Figure:
    """Return a line for each encoding of a run, the mean of its seeds in their band, by the keys of `curves`.

    These are losses unless `y` is said. The answers to a task are equally likely, so that both guesses are one.
    """
    config, text, several = record.config, record.text, record.config.n_seeds > 1
    if y is None:
        guesses = {UNIFORM: text.chance_loss}
        guesses = guesses if text.is_task else {BY_FREQUENCY: text.unigram_loss, **guesses}
    return over_lengths(
        {ENCODINGS[key].title: by_seed for key, by_seed in curves.items()},
        looks_of([ENCODINGS[key].title for key in config.encodings]),
        x,
        y or (LOSS_OF_TASK if text.is_task else LOSS_OF_TEXT),
        train_length=config.train_length if marked else None,
        last=last,
        lengths=lengths,
        guesses=guesses,
        banded=several,
        spread=several,
    )


def max_evaluated(record: RunRecord) -> str:
    """Return the longest evaluated length, with its unit."""
    return f"{max(record.config.lengths):,} {'symbols' if record.text.is_task else 'characters'}"


def repaired_titles(record: RunRecord, encoding: str) -> dict[bool, str]:
    """Return the titles of the pictures of an encoding under repairs, by whether its models are tuned."""
    outcome, title = record.mean(encoding), ENCODINGS[encoding].title
    titles = {False: f"{title}, as trained and repaired"} if outcome.repaired else {}
    if outcome.tuned:
        titles[True] = f"{title}, after {record.config.tune_steps} more steps at {max_evaluated(record)} under each"
    return titles


def repaired(
    record: RunRecord, encoding: str, right: Right | None = None, *, by_position: bool = False, tuned: bool = False
) -> Figure:
    """Return what one encoding can do as trained, in grey above the others, and under each repair: means of its seeds.

    It is the loss over evaluated length, or `by_position` of the longest length in means over eighths of the training
    length; of a task what is `right`. The models may be `tuned`: trained on under each repair at the longest length.
    Raises `KeyError` where the encoding is not done.
    """
    config, stride = record.config, max(1, record.config.train_length // BLOCKS)

    def curve(read: Measurement) -> Curve:
        if by_position:
            return block_means(read.positions, stride)
        return [(one.length, fraction_of(one, right) if right else one.loss) for one in read.lengths]

    found = [outcome.evaluations(tuned=tuned) for outcome in record.outcomes[encoding].values()]
    plain, repairs = AS_TRAINED.title, [title for title in found[0] if title != AS_TRAINED.title]
    colours = (GREY, *(CATEGORICAL[place % (len(CATEGORICAL) - 1)] for place in range(len(repairs))))
    drawn, dashes = {title: [curve(one[title]) for one in found] for title in (*repairs, plain)}, [*dashes_of(colours)]
    for place, title in enumerate(repairs):
        if under := sum(_lies_on(drawn[title][0], drawn[other][0]) for other in repairs[:place]):
            dashes[place + 1] = DASHES[min(under, len(DASHES) - 1)]  # in its gaps they are seen
    return over_lengths(
        drawn,
        {"names": (plain, *repairs), "colours": colours, "dashes": dashes, "line": "Read"},
        "Position" if by_position else SYMBOLS if right else LENGTH,
        fraction(right) if right else LOSS_OF_TEXT,
        train_length=config.train_length,
        lengths=() if by_position else config.lengths,
        guesses=guess(record, right) if right else None,
        spread=config.n_seeds > 1,
    )


def _lies_on(one: Curve, other: Curve) -> bool:
    """Return whether the line of a curve hides that of another one nearly everywhere."""
    return all(abs(value - below) < NEARLY for (_, value), (_, below) in zip(one, other, strict=True))


def two_runs(*, first: tuple[Line, ...], second: tuple[Line, ...], of_tasks: bool = False) -> Figure:
    """Draw the loss by length of two runs, or right answers; a line starts at the training length of its run."""
    one, other = (
        {title: [(length / points[0][0], value) for length, value in points] for title, points in lines}
        for lines in (first, second)
    )
    return kinds.two_runs(one, other, fraction("accuracy") if of_tasks else LOSS_OF_TEXT)


def is_known(record: RunRecord) -> bool:
    """Return whether the end of the windows was measured: of a text, in runs that are not from before it was."""
    return bool(record.done) and at_end(record.mean(record.done[0]).lengths)


def length_cost(record: RunRecord) -> Figure:
    """Return what length costs over evaluated length, in bits per character, a line for each encoding.

    It is the loss of the last half training length of each window less that of the same characters in windows of the
    training length: 0 there, and where longer texts cost nothing.
    """
    curves = {
        key: [[(one.length, more_bits((one,))) for one in outcome.lengths] for outcome in record.outcomes[key].values()]
        for key in record.done
    }
    lengths = record.config.lengths
    return _of_all(record, curves, LENGTH, COST, last=max(lengths), lengths=lengths)


def both_measures(record: RunRecord) -> Facts:
    """Return what the measures say of a run at its longest length, and for whom their verdicts differ."""
    means = {key: record.mean(key).lengths for key in record.done}
    whole = {key: judged(whole_windows(losses), record.text) for key, losses in means.items()}
    other = [
        f"{ENCODINGS[key].title} *{record.verdict(key)}* by the one and *{verdict}* by the other"
        for key, verdict in whole.items()
        if verdict != record.verdict(key)
    ]
    length, longest = record.config.train_length, max(record.config.lengths)
    return {
        "half": length // 2,
        "length": length,
        "longest": longest,
        "inside": length / longest,
        "costs": listed({ENCODINGS[key].title: more_bits(losses) for key, losses in means.items()}, "+.3f", "; "),
        "other": "; ".join(other) or "none",
    }


def verdict(record: RunRecord, key: str) -> Facts:
    """Return the verdict on an encoding with its number."""
    title = {"title": ENCODINGS[key].title}
    if key not in record.done:
        return {"section": "verdict-none", **title}
    lengths = record.mean(key).lengths
    facts = {**title, "verdict": record.verdict(key), "length": lengths[-1].length}
    if record.text.is_task:
        return {"section": "verdict-task", "right": fraction_of(lengths[-1], "accuracy"), **facts}
    section = "verdict-end" if is_known(record) else "verdict-whole"
    return {"section": section, "ratio": ratio(lengths), "half": lengths[0].length // 2, **facts}


def rule(record: RunRecord) -> Facts:
    """Return what the numbers of the table are, and the rule of its verdicts."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    facts = {"first": first, "last": last}
    if record.text.is_task:
        limits = {"chance": record.text.chance, "keeps": KEEPS_FROM, "loses": LOSES_FROM, "learned": LEARNED_FROM}
        return {"section": "rule-task", **limits, **facts}
    section = "rule-end" if is_known(record) else "rule-whole"
    limits = {"holds": HOLDS_UP_TO, "breaks": BREAKS_FROM, "unigram": record.text.unigram_loss}
    return {"section": section, "half": first // 2, **limits, **facts}


def worst(record: RunRecord) -> Facts:
    """Return the answer to the exercise: which encoding loses most beyond the training length, and how much."""
    lengths = {key: record.mean(key).lengths for key in record.done}
    if not lengths:
        return {"section": "worst-none"}
    times = {"times": record.config.lengths[-1] // record.config.train_length}
    if record.text.is_task:
        ends = {key: [fraction_of(one, "accuracy") for one in marks] for key, marks in lengths.items()}
        key = max(ends, key=lambda key: ends[key][0] - ends[key][-1])
        title = ENCODINGS[key].title
        return {"section": "worst-task", "title": title, "within": ends[key][0], "past": ends[key][-1], **times}
    ratios = {key: ratio(losses) for key, losses in lengths.items()}
    key = max(ratios, key=ratios.__getitem__)
    section = "worst-end" if is_known(record) else "worst-whole"
    return {"section": section, "title": ENCODINGS[key].title, "ratio": ratios[key], **times}


def by_heart(record: RunRecord) -> list[str]:
    """Return the encodings whose loss on a text is near 0 at the training length."""
    if record.text.is_task:
        return []
    return [key for key in record.done if record.mean(key).lengths[0].loss < BY_HEART]
