"""What length costs in a run of the lab: the end of long windows against the same characters within training length."""

from pe_core.chapters.lab import LENGTH
from pe_core.chapters.wording import listed
from pe_core.encodings import ENCODINGS
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.runs import Named, Quantity, over_lengths
from pe_core.lab.results.record import RunRecord, judged
from pe_core.lab.results.statistics import at_end, more_bits, whole_windows

COST = Quantity("Bits per character more than within", "+.3f")


def is_known(record: RunRecord) -> bool:
    """Return whether the end of the windows was measured: of a text, in runs that are not from before it was."""
    return bool(record.done) and at_end(record.mean(record.done[0]).lengths)


def length_cost(record: RunRecord) -> Figure:
    """Return what length costs over evaluated length, in bits per character, a line for each encoding.

    It is the loss of the last half training length of each window less that of the same characters in windows of the
    training length: 0 there, and where longer texts cost nothing.
    """
    config, several = record.config, record.config.n_seeds > 1
    curves = {
        ENCODINGS[key].title: [
            [(one.length, more_bits((one,))) for one in outcome.lengths] for outcome in record.outcomes[key].values()
        ]
        for key in record.done
    }
    return over_lengths(
        curves,
        Named.encodings([ENCODINGS[key].title for key in config.encodings]),
        LENGTH,
        COST,
        train_length=config.train_length,
        last=max(config.lengths),
        lengths=config.lengths,
        banded=several,
        spread=several,
    )


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
