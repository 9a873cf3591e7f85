"""The answer that a run gives, a line for each encoding, and what to think of a text that is known by heart."""

import streamlit as st

from pe_core.chapters.lab import fraction_of
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.glance import Glance
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import ratio
from ui.language.words import _
from ui.widgets.prose import fill, sections

BY_HEART = 0.1  # nats per character, below which a text is known by heart: prose costs more than ten times as much


def show_verdicts(record: RunRecord) -> None:
    """Write what became of each encoding, in a line, and what to think of a loss near 0."""
    lines = [f"- **{_(ENCODINGS[key].title)}**{_(': ')}{in_a_word(record, key)}" for key in record.config.encodings]
    st.markdown("\n".join(lines))
    if known := by_heart(record):
        titles = _(", ").join(_(ENCODINGS[key].title) for key in known)
        st.warning(fill(sections("lab")["by-heart"], {"encodings": titles, "limit": BY_HEART}))


def in_a_word(record: RunRecord, key: str) -> str:
    """Return the verdict on an encoding with its number; what is not done yet is in training."""
    if key not in record.done:
        return _("not done yet")
    lengths = record.mean(key).lengths
    if record.text.is_task:
        right = f"{fraction_of(lengths[-1], 'accuracy'):.0%} right at {lengths[-1].length:,}"
        return _(f"{record.verdict(key)}, {right}")
    return _(f"{record.verdict(key)}, loss at {lengths[-1].length:,} {ratio(lengths):.2f} times as high")


def by_heart(record: RunRecord) -> list[str]:
    """Return the encodings whose loss on a text is near 0 at the training length."""
    if record.text.is_task:
        return []
    return [key for key in record.done if record.mean(key).lengths[0].loss < BY_HEART]


def at_a_glance(one: Glance) -> str:
    """Return in words what a glance has found."""
    return _(f"loss {one.loss:.2f}" if one.accuracy is None else f"{one.accuracy:.0%} right")


def describe_glances(record: RunRecord) -> str:
    """Return what the newest glances show of the encodings that are not done yet."""
    return " ".join(
        _(
            f"{ENCODINGS[key].title} after {newest[0].step} steps: {at_a_glance(newest[0])} at {newest[0].length}, "
            f"{at_a_glance(newest[-1])} at {newest[-1].length}."
        )
        for key, by_seed in record.glances.items()
        for newest in list(by_seed.values())[:1]
    )
