"""The answer that a run gives, a line for each encoding, and what to think of a text that is known by heart."""

import streamlit as st

from pe_core.chapters.lab import fraction_of, is_known
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.glance import Glance
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import BREAKS_FROM, HOLDS_UP_TO, KEEPS_FROM, LEARNED_FROM, LOSES_FROM, ratio
from ui.language.words import _
from ui.widgets.prose import Text

BY_HEART = 0.1  # nats per character, below which a text is known by heart: prose costs more than ten times as much


def show_verdicts(record: RunRecord) -> None:
    """Write what became of each encoding, in a line, and what to think of a loss near 0."""
    lines = [f"- **{_(ENCODINGS[key].title)}**{_(': ')}{in_a_word(record, key)}" for key in record.config.encodings]
    st.markdown("\n".join(lines))
    if known := by_heart(record):
        titles = _(", ").join(_(ENCODINGS[key].title) for key in known)
        st.warning(Text("lab")("by-heart", {"encodings": titles, "limit": BY_HEART}))


def in_a_word(record: RunRecord, key: str) -> str:
    """Return the verdict on an encoding with its number; what is not done yet is in training."""
    if key not in record.done:
        return _("not done yet")
    lengths = record.mean(key).lengths
    if record.text.is_task:
        right = f"{fraction_of(lengths[-1], 'accuracy'):.0%} right at {lengths[-1].length:,}"
        return _(f"{record.verdict(key)}, {right}")
    if not is_known(record):
        return _(f"{record.verdict(key)}, loss at {lengths[-1].length:,} {ratio(lengths):.2f} times as high")
    return _(
        f"{record.verdict(key)}; the last {lengths[0].length // 2} characters of windows of {lengths[-1].length:,} "
        f"have {ratio(lengths):.2f} times the loss that the same characters have within the training length"
    )


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


def rule_of_losses(record: RunRecord) -> str:
    """Return what the numbers of the table are, and the rule of its verdicts."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    if is_known(record):
        compared = (
            f"loss of the last {first // 2} characters of windows of {last:,} over that of the same characters in "
            f"windows of {first:,}, of the model as trained. *Bits more*: the difference of the two in bits per "
            f"character; *from* and *to* are the ends of its 95 % interval over the text and the seeds. *Whole-window "
            f"ratio*: mean loss over windows of {last:,} over that of {first:,}, as in Press et al."
        )
    else:
        compared = (
            f"mean loss over whole windows of {last:,} over that of {first:,}, as in Press et al.; this run is from "
            f"before the end of the windows was measured."
        )
    return (
        f"Held-out loss in nats per character. Ratio: {compared} Verdict by the ratio: *holds* up to "
        f"{HOLDS_UP_TO}, *breaks* from {BREAKS_FROM}, *degrades* between; *not learned* where the loss at {first:,} is "
        f"no better than guessing by frequency ({record.text.unigram_loss:.3f})."
    )


def rule_of_answers(record: RunRecord) -> str:
    """Return what the numbers of the table are, and the rule of its verdicts."""
    first, last = record.config.lengths[0], record.config.lengths[-1]
    return (
        f"*Right*: right answers in examples of the largest size that fits into the length. *Right past {first:,}*: "
        f"right answers among those asked past the training length in examples of {last:,}; the verdict follows from "
        f"them where they were counted. *All right*: examples without a mistake. A guess has "
        f"{record.text.chance:.0%} of the answers right; *skill* is the part of the rest that a model has right. "
        f"Verdict: *holds* where at least {KEEPS_FROM:.0%} of the skill at {first:,} is "
        f"left at {last:,}, *breaks* where at most {LOSES_FROM:.0%} is, *degrades* between; *not learned* where the "
        f"skill at {first:,} is below {LEARNED_FROM:.0%}."
    )
