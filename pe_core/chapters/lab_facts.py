"""What the lab says of a run in words: the verdict on each encoding, its rule, and the answer to the exercise.

Each function names the `section` of the lab's text that is true of the run, with the numbers that it quotes.
"""

from pe_core.chapters.lab import fraction_of, is_known
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Facts
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import BREAKS_FROM, HOLDS_UP_TO, KEEPS_FROM, LEARNED_FROM, LOSES_FROM, ratio

BY_HEART = 0.1  # nats per character, below which a text is known by heart: prose costs more than ten times as much


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
