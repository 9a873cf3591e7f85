"""What a run has brought: its curves, losses or right answers by length, what repairs make of it, also in words."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pe_core.chapters import lab
from pe_core.chapters.lab import TITLES, Right, both_measures, fraction_of, is_known, length_cost, right_answers
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.evaluation import Glance
from pe_core.lab.results.record import RunRecord
from ui.lab.table import draw_table
from ui.language.words import _
from ui.widgets.charts import Picture, picture, with_legend
from ui.widgets.prose import Text

FORM = ".2f"  # of losses in words


def show_training(record: RunRecord) -> None:
    """Draw the loss of each encoding while it trains."""
    height = with_legend(320, len(record.config.encodings))
    with st.container(key="lab_training"):
        st.markdown(f"**{_('Loss during training')}**")
        picture(lab.training_curves, record=record).chart("lab_curves", describe_training(record), height=height)


def show_answer(record: RunRecord) -> None:
    """Draw what length does to each encoding, which the page asks: what becomes of its loss, or of what is right."""
    if record.text.is_task:
        title, by_length = over_length("accuracy"), picture(right_answers, record=record, right="accuracy")
        alternative = describe_answers(record, "accuracy")
    else:
        title, by_length = "Loss against evaluated length", picture(lab.length_losses, record=record)
        alternative = describe_lengths(record)
    st.markdown(f"**{_(title)}**")
    alternative = f"{alternative} {describe_glances(record)}".strip()
    by_length.chart("lab_lengths", alternative, height=with_legend(340, len(record.config.encodings)))
    _say_verdicts(record)


def _say_verdicts(record: RunRecord) -> None:
    """Write what became of each encoding, in a line, and what to think of a loss near 0."""
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
        st.markdown(f"**{_(over_length('exact'))}**")
        whole = picture(right_answers, record=record, right="exact")
        whole.chart("lab_task_exact", describe_answers(record, "exact"), height=height)
    else:
        show_losses(record, height)
    for key in record.done:
        show_repaired(record, key)
    draw_table(record)
    facts = lab.rule(record)
    st.caption(text.paragraph((facts["section"], "" if record.text.is_task else "rule-verdicts"), facts))


def show_losses(record: RunRecord, height: int) -> None:
    """Draw the losses of a text by position, and what length costs, in pictures of this height."""
    by_position, cost = st.columns(2)
    with by_position:
        st.markdown(f"**{_('Loss at every position of the longest texts')}**")
        picture(lab.position_losses, record=record).chart("lab_positions", describe_lengths(record), height=height)
    if is_known(record):
        with cost:
            text, facts = Text("lab"), both_measures(record)
            cost_title = "What length costs: end of the window against the same characters within training length"
            st.markdown(f"**{_(cost_title)}**")
            alternative = text("cost-alternative", facts)
            picture(length_cost, record=record).chart("lab_cost", alternative, height=height)
        st.markdown(text("cost", facts))


def describe_glances(record: RunRecord) -> str:
    """Return what the newest glances show of the encodings that are not done yet."""
    return " ".join(
        _(
            f"{ENCODINGS[key].title} after {newest[0].step} steps: {_at_a_glance(newest[0])} at {newest[0].length}, "
            f"{_at_a_glance(newest[-1])} at {newest[-1].length}."
        )
        for key, by_seed in record.glances.items()
        for newest in list(by_seed.values())[:1]
    )


def _at_a_glance(one: Glance) -> str:
    return _(f"loss {one.loss:.2f}" if one.accuracy is None else f"{one.accuracy:.0%} right")


def describe_training(record: RunRecord) -> str:
    """Return the text alternative of the training curves."""
    begun = {key: record.curves.get(key, {}).values() for key in record.config.encodings}
    latest = {key: [curve[-1] for curve in curves] for key, curves in begun.items()}
    ends = _(", ").join(
        f"{_(ENCODINGS[key].title)} {over_seeds(losses, FORM)}" for key, losses in latest.items() if losses
    )
    asked = "answer" if record.text.is_task else "character"
    return _(f"Training loss over steps. Latest loss in nats per {asked}: {ends or 'none yet'}.")


def describe_lengths(record: RunRecord) -> str:
    """Return what the losses by length and by position show, in one sentence per encoding."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    sentences = [
        _(
            f"{ENCODINGS[key].title}: loss {_loss_at(record, key, 0)} at the training length of {first}, "
            f"{_loss_at(record, key, -1)} at {last}; {record.verdict(key)}."
        )
        for key in record.done
    ]
    nothing = f"Held-out loss from the training length of {first} to {last}; nothing is done yet."
    return " ".join(sentences) or _(nothing)


def _loss_at(record: RunRecord, key: str, place: int) -> str:
    return over_seeds([outcome.lengths[place].loss for outcome in record.outcomes[key].values()], FORM)


def over_length(right: Right) -> str:
    """Return the title of a picture of what is right."""
    return f"{TITLES[right]} against evaluated length"


def describe_answers(record: RunRecord, right: Right) -> str:
    """Return what a picture of the answers shows, in one sentence per encoding."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    sentences = [
        _(
            f"{ENCODINGS[key].title}: {_right_at(record, key, right, 0)} at the training length of {first}, "
            f"{_right_at(record, key, right, -1)} at {last}; {record.verdict(key)}."
        )
        for key in record.done
    ]
    return f"{_(f'{TITLES[right]}.')} {' '.join(sentences)}"


def _right_at(record: RunRecord, key: str, right: Right, place: int) -> str:
    return over_seeds([fraction_of(one.lengths[place], right) for one in record.outcomes[key].values()], ".0%")


def show_repaired(record: RunRecord, key: str) -> None:
    """Draw what one trained encoding can do as it is and under each repair, and then after a fine-tuning."""
    for tuned, title in lab.repaired_titles(record, key).items():
        st.markdown(f"**{_(title)}**{mean_of(record, key)}")
        outcome = record.mean(key)
        evaluations = outcome.tuned_evaluations() if tuned else outcome.evaluations()
        ends = {repair: one.lengths[-1] for repair, one in evaluations.items()}
        drawn: dict[str, tuple[Picture, str]] = {}
        if record.text.is_task:
            for right, name in TITLES.items():
                found = picture(lab.right_by_length, record=record, encoding=key, right=right, tuned=tuned)
                fractions = {repair: f"{fraction_of(one, right):.0%}" for repair, one in ends.items()}
                drawn[right] = found, describe_repairs(record, key, name, fractions)
        else:
            told = describe_repairs(record, key, "Loss", {repair: f"{one.loss:.2f}" for repair, one in ends.items()})
            drawn["positions"] = picture(lab.by_position, record=record, encoding=key, tuned=tuned), told
            drawn["lengths"] = picture(lab.by_length, record=record, encoding=key, tuned=tuned), told
        kind, before = ("tuned", f"{_(f'{title}.')} ") if tuned else ("repaired", "")
        for column, (name, (found, told)) in zip(st.columns(2), drawn.items(), strict=True):
            found.chart(f"lab_{kind}_{name}_{key}", before + told, height=with_legend(380, len(ends)), place=column)


def describe_repairs(record: RunRecord, key: str, measured: str, ends: Mapping[str, str]) -> str:
    """Return what was measured of an encoding at the longest length, as trained and under each repair."""
    said = _(", ").join(f"{_(repair)} {value}" for repair, value in ends.items())
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
