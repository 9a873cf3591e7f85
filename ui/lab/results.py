"""What a run has brought: its curves, losses or right answers by length, what repairs make of it, also in words.

Below is its table, and two of its encodings compared seed by seed: who can be told apart.
"""

from collections.abc import Mapping, Sequence
from itertools import starmap

import streamlit as st
from streamlit.column_config import Column, NumberColumn

from pe_core.chapters import gallery, lab
from pe_core.chapters.lab import TITLES, Right, both_measures, fraction_of, is_known, length_cost, right_answers
from pe_core.encodings import ENCODINGS
from pe_core.figures import ranking as figures
from pe_core.lab.experiment.evaluation import Glance
from pe_core.lab.experiment.settings import MAX_ENCODINGS
from pe_core.lab.results import table
from pe_core.lab.results.comparison import n_tests
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import MAX, MIN
from pe_core.lab.results.table import measures, pair_of
from pe_core.measures.uncertainty import LEVEL
from pe_core.parameters import Choice
from pe_core.wrapping import joined, spelt
from ui.frame.turns import fragment
from ui.language.words import _
from ui.widgets.charts import Picture, picture, with_legend
from ui.widgets.controls import row
from ui.widgets.prose import Text, in_line
from ui.widgets.tables import in_view, show_rows

SHORT = {MIN: "Smallest", MAX: "Largest"}  # headers beside that of their mean
PERCENT = " (%)"
OVER_LENGTH = " against evaluated length"
NARROW = 48  # pixels
FORM = ".2f"  # of losses in words

Row = Mapping[str, str | float]


def show_training(record: RunRecord) -> None:
    """Draw the loss of each encoding while it trains."""
    height = with_legend(320, len(record.config.encodings))
    with st.container(key="lab_training"):
        st.markdown(f"**{_('Loss during training')}**")
        latest = {key: [curve[-1] for curve in record.curves.get(key, {}).values()] for key in record.config.encodings}
        ends = _(", ").join(
            joined([_(ENCODINGS[key].title), " ", over_seeds(losses, FORM)]) for key, losses in latest.items() if losses
        )
        asked = "answer" if record.text.is_task else "character"
        said = _(f"Training loss over steps. Latest loss in nats per {asked}: {ends or 'none yet'}.")
        picture(lab.training_curves, record=record).chart("lab_curves", said, height=height)


def show_answer(record: RunRecord) -> None:
    """Draw what length does to each encoding, which the page asks: what becomes of its loss, or of what is right."""
    if record.text.is_task:
        title, by_length = f"{TITLES['accuracy']}{OVER_LENGTH}", picture(right_answers, record=record, right="accuracy")
    else:
        title, by_length = "Loss against evaluated length", picture(lab.length_losses, record=record)
    st.markdown(f"**{_(title)}**")
    said = describe_lengths(record, "accuracy" if record.text.is_task else None)
    alternative = in_line([said, describe_glances(record)])
    by_length.chart("lab_lengths", alternative, height=with_legend(340, len(record.config.encodings)))
    text, found = Text("lab"), [lab.verdict(record, key) for key in record.config.encodings]
    st.markdown("\n".join(f"- {text(facts['section'], facts)}" for facts in found))
    if record.done and not record.text.is_task:
        st.caption(text("ratios"))
    if known := lab.by_heart(record):
        titles = _(", ").join(_(ENCODINGS[key].title) for key in known)
        st.warning(text("by-heart", {"encodings": titles, "limit": lab.BY_HEART}))


def show_details(record: RunRecord) -> None:
    """Draw all else that a run has brought so far: what came out by position, what length costs, repairs, table."""
    text, seeds = Text("lab"), record.config.seeds
    if len(seeds) > 1:
        st.caption(text("band", {"n": len(seeds), "first": seeds[0], "last": seeds[-1]}))
    if not record.done:
        return
    height = with_legend(380, len(record.config.encodings))
    if record.text.is_task:
        st.markdown(f"**{_(TITLES['exact'] + OVER_LENGTH)}**")
        whole = picture(right_answers, record=record, right="exact")
        whole.chart("lab_task_exact", describe_lengths(record, "exact"), height=height)
    else:
        by_position, cost = st.columns(2)
        with by_position:
            st.markdown(f"**{_('Loss at every position of the longest texts')}**")
            picture(lab.position_losses, record=record).chart("lab_positions", describe_lengths(record), height=height)
        if is_known(record):
            facts = both_measures(record)
            cost_title = "What length costs: end of the window against the same characters within training length"
            cost.markdown(f"**{_(cost_title)}**")
            costs = picture(length_cost, record=record)
            costs.chart("lab_cost", text("cost-alternative", facts), height=height, place=cost)
            st.markdown(text("cost", facts))
    for key in record.done:
        show_repaired(record, key)
    draw_table(record)
    facts = lab.rule(record)
    st.caption(text.paragraph((facts["section"], "" if record.text.is_task else "rule-verdicts"), facts))


def describe_glances(record: RunRecord) -> str:
    """Return what the newest glances show of the encodings that are not done yet."""
    return in_line(
        _(
            f"{ENCODINGS[key].title} after {newest[0].step} steps: {_at_a_glance(newest[0])} at {newest[0].length}, "
            f"{_at_a_glance(newest[-1])} at {newest[-1].length}."
        )
        for key, by_seed in record.glances.items()
        for newest in list(by_seed.values())[:1]
    )


def _at_a_glance(one: Glance) -> str:
    return _(f"loss {one.loss:.2f}" if one.accuracy is None else f"{one.accuracy:.0%} right")


def describe_lengths(record: RunRecord, right: Right | None = None) -> str:
    """Return what a picture of the losses shows, or of what is `right`, in one sentence per encoding."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    sentences = [
        _(
            f"{ENCODINGS[key].title}: {'' if right else 'loss '}{_read(record, key, 0, right)} "
            f"at the training length of {first}, {_read(record, key, -1, right)} at {last}; {record.verdict(key)}."
        )
        for key in record.done
    ]
    if right:
        return in_line([_(f"{TITLES[right]}."), *sentences])
    nothing = f"Held-out loss from the training length of {first} to {last}; nothing is done yet."
    return in_line(sentences) or _(nothing)


def _read(record: RunRecord, key: str, place: int, right: Right | None) -> str:
    """Return in words what the models of an encoding have at one of the lengths."""
    found = [outcome.lengths[place] for outcome in record.outcomes[key].values()]
    if right is None:
        return over_seeds([one.loss for one in found], FORM)
    return over_seeds([fraction_of(one, right) for one in found], ".0%")


def show_repaired(record: RunRecord, key: str) -> None:
    """Draw what one trained encoding can do as it is and under each repair, and then after a fine-tuning."""
    for tuned, title in lab.repaired_titles(record, key).items():
        st.markdown(f"**{_(title)}**{mean_of(record, key)}")
        outcome = record.mean(key)
        evaluations = outcome.evaluations(tuned=tuned)
        ends = {repair: one.lengths[-1] for repair, one in evaluations.items()}
        drawn: dict[str, tuple[Picture, str]] = {}
        if record.text.is_task:
            for right, name in TITLES.items():
                found = picture(lab.repaired, record=record, encoding=key, right=right, tuned=tuned)
                fractions = {repair: f"{fraction_of(one, right):.0%}" for repair, one in ends.items()}
                drawn[right] = found, describe_repairs(record, key, name, fractions)
        else:
            told = describe_repairs(record, key, "Loss", {repair: f"{one.loss:.2f}" for repair, one in ends.items()})
            drawn["positions"] = picture(lab.repaired, record=record, encoding=key, by_position=True, tuned=tuned), told
            drawn["lengths"] = picture(lab.repaired, record=record, encoding=key, tuned=tuned), told
        kind, before = ("tuned", f"{_(f'{title}.')} ") if tuned else ("repaired", "")
        for column, (name, (found, told)) in zip(st.columns(2), drawn.items(), strict=True):
            found.chart(f"lab_{kind}_{name}_{key}", before + told, height=with_legend(380, len(ends)), place=column)


def describe_repairs(record: RunRecord, key: str, measured: str, ends: Mapping[str, str]) -> str:
    """Return what was measured of an encoding at the longest length, as trained and under each repair."""
    said = _(", ").join(joined([_(repair), " ", value]) for repair, value in ends.items())
    title = _(f"{measured} of {ENCODINGS[key].title} at {lab.max_evaluated(record)}")
    return f"{title}{mean_of(record, key)}{_(': ')}{said}."


def over_seeds(values: Sequence[float], form: str) -> str:
    """Return a number in words, of several seeds the mean with the smallest, the largest and how many there are."""
    mean = format(sum(values) / len(values), form)
    return mean if len(values) == 1 else _(f"{mean} ({min(values):{form}} to {max(values):{form}}, n={len(values)})")


def mean_of(record: RunRecord, key: str) -> str:
    """Return of how many runs a number is the mean, to stand behind its name; nothing for one."""
    n = len(record.outcomes[key])
    return _(f", mean of {n} runs") if n > 1 else ""


def draw_table(record: RunRecord) -> None:
    """Draw the rows of a run, and say what several seeds add to them."""
    rows = rows_of(record)
    if record.config.n_seeds == 1:
        show_numbers(rows)
        return
    # First the number that puts the rows in order, then what follows from it.
    unit, length = (PERCENT, record.config.lengths[-1]) if record.text.is_task else ("", 0)
    past = f"Right past {record.config.train_length:,}"
    deciding = past if f"{past}{unit}" in rows[0] else f"Right at {length:,}" if length else "Ratio"
    first = ["Encoding", "n", *(f"{deciding}{ending}{unit}" for ending in ("", *SHORT))]
    others = [name for name in rows[0] if name not in first]
    show_numbers(rows, order=[*first, *sorted(others, key=lambda name: " at " in name)])
    by = f"what is right at {length:,}" if length else "the ratio"
    tests = n_tests(one.get("Told apart from the next") for one in rows)
    st.caption(Text("lab")("rule-seeds", {"by": by, "level": LEVEL, "tests": tests}))


def rows_of(record: RunRecord) -> list[dict[str, str | float]]:
    """Return the rows of a run; the fractions of a task are in percent, which their names say."""

    def in_percent(name: str, value: str | float) -> tuple[str, str | float]:
        return (f"{name}{PERCENT}", 100 * value) if isinstance(value, float) else (name, value)

    rows = table.rows(record)
    return [dict(starmap(in_percent, one.items())) for one in rows] if record.text.is_task else rows


def show_numbers(rows: Sequence[Row], order: Sequence[str] | None = None) -> None:
    """Draw rows of runs, with short headers and as many digits as say something."""
    columns = {**in_view("Run", "Encoding", "Verdict"), "n": Column("Runs", width=NARROW, pinned=True)}
    columns["Trainings of that verdict"] = Column("Runs of that verdict")
    columns["Told apart from the next"] = Column("Differs from the next row")
    for name in {name for one in rows for name, value in one.items() if isinstance(value, float)}:
        ending = next((one for one in SHORT if one in name), "")
        hint = f"{name.replace(ending, '')}: the {SHORT[ending].lower()} of the runs" if ending else None
        form = "%.1f" if PERCENT in name else "%.3f"
        columns[name] = NumberColumn(SHORT.get(ending, name), help=hint, format=form)
    show_rows(rows, columns, order=order)


@fragment
def compare_pair(record: RunRecord, text: Text) -> None:
    """Draw the choice of two encodings of a run and what their common seeds say; nothing where fewer are done."""
    titles = {key: ENCODINGS[key].title for key in record.done}
    if len(titles) < 2:
        return
    st.subheader(text("pair-title"))
    st.markdown(text("pair"))
    default, other = list(titles)[:2]
    by = measures(record)
    first, second, measure = row(
        Choice("pair_first", "One encoding", titles, default),
        Choice("pair_second", "Another one", titles, other),
        Choice("pair_by", "Compared by", by, next(iter(by))),
    )
    if first == second:
        st.markdown(text("pair-same"))
        return
    found = pair_of(record, first, second, measure)
    # Of a text losses and their ratios, of a task fractions, whose differences are percentage points.
    times, form, percent, points = (100, ".1f", PERCENT, "points") if record.text.is_task else (1, ".4f", "", "")

    def signed(difference: float) -> str:
        return spelt(times * difference, f"+{form}")

    n = len(found.seeds)
    facts: dict[str, object] = {
        "first": titles[first],
        "second": titles[second],
        "measure": by[measure],
        "n": n,
        "mean": " ".join([signed(sum(found.differences) / n), _(points)]).strip() if n else "",
        "each": _(", ").join(map(signed, found.differences)),
        "seeds": _(", ").join(map(str, found.seeds)),
        "p": f"= {found.p:.3f}" if found.p >= 0.0005 else "< 0.001",
        "interval": _(" to ").join(map(signed, found.interval or ())) or _("not known"),
        "level": LEVEL,
    }
    st.markdown(text(f"pair {found.told}", facts))
    if n < 2:
        return
    left, right = st.columns(2)
    drawn = picture(figures.pair, record=record, first=first, second=second, measure=measure)
    drawn.chart("lab_pair", text("pair-alternative", facts), height=300, place=left)
    heads = (
        f"{titles[first]}{percent}",
        f"{titles[second]}{percent}",
        f"Difference ({points})" if points else "Difference",
    )
    numbers = zip(found.first, found.second, found.differences, strict=True)
    rows = [
        {"Seed": seed, **{head: times * one for head, one in zip(heads, of_seed, strict=True)}}
        for seed, of_seed in zip(found.seeds, numbers, strict=True)
    ]
    formats = {head: NumberColumn(format=f"%{form}") for head in heads}
    with right:
        show_rows(rows, {"Seed": Column(width=NARROW), **formats})


def draw_trained(key: str, encodings: Sequence[str] = gallery.FIRST_SEEN) -> None:
    """Draw the loss over the length for some encodings, with bands over their seeds; nothing if it has none of them."""
    text, found = Text("gallery"), gallery.trained()
    chosen = tuple(one for one in encodings if one in found)[:MAX_ENCODINGS]
    if not chosen:
        return
    facts = gallery.several(chosen)
    st.markdown(text("elsewhere", facts))
    picture(gallery.by_length, encodings=chosen).chart(key, text("lengths-alternative", facts), height=400)
    st.page_link("pages/gallery.py", label=text("elsewhere-link", facts), icon=":material/leaderboard:")
