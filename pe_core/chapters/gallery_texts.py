"""The gallery on two texts: whether what one text says of the encodings holds with another one."""

import torch

from pe_core.chapters.gallery import KEPT_FILE, gallery_of, order
from pe_core.chapters.wording import joined
from pe_core.figures import two_sides
from pe_core.figures.figure import Figure
from pe_core.lab.results.gallery import END, KEPT_PROGRAM, next_apart
from pe_core.lab.results.statistics import NOT_LEARNED
from pe_core.measures.agreement import kendall_tau
from pe_core.parameters import require

SECOND_FILE = str(KEPT_PROGRAM)
SHOWN = 4  # names of those whose verdict changes


def two_texts(multiple: int, measure: str = END, file: str = KEPT_FILE, second: str = SECOND_FILE) -> Figure:
    """Return what two texts say of every encoding, at `multiple` times the training length: a point for each.

    `measure` is that of `standings`, the arguments `file` and `second` are galleries. What has not learned one of the
    texts is left out. Raises `ValueError` where fewer than two encodings are left.
    """
    ours, others = order(multiple, measure, file), {one.key: one for one in order(multiple, measure, second)}
    both = [(one, others[one.key]) for one in ours if one.key in others]
    pairs = [pair for pair in both if NOT_LEARNED not in {one.verdict for one in pair}]
    require(len(pairs) > 1, "second", f"be a gallery with two encodings of {file}", second)
    ratios = torch.tensor([[one.mean for one in pair] for pair in pairs], dtype=torch.float64).T
    changed = [
        f"{one.title} *{one.verdict}* on the first and *{other.verdict}* on the second"
        for one, other in pairs
        if one.verdict != other.verdict
    ]
    shared = {one.key for one, _ in pairs}
    told = [
        (better, worse)
        for better, worse, apart in zip(ours, ours[1:], next_apart(ours), strict=False)  # the last one has no next
        if apart and {better.key, worse.key} <= shared
    ]
    lost = [(better, worse) for better, worse in told if others[better.key].mean >= others[worse.key].mean]
    far, far_second = max(pairs, key=lambda pair: abs(pair[0].mean - pair[1].mean))
    facts = {
        "multiple": multiple,
        "first": gallery_of(file).text.name,
        "second": gallery_of(second).text.name,
        "n": len(pairs),
        "seeds": min(one.n for pair in pairs for one in pair),
        "tau": kendall_tau(*ratios),
        "same": len(pairs) - len(changed),
        "changed": joined(changed[:SHOWN]),
        "apart": len(told),
        "kept": len(told) - len(lost),
        "lost": joined([f"{better.title} and {worse.title}" for better, worse in lost]),
        "far": far.title,
        "far-first": far.mean,
        "far-second": far_second.mean,
    }
    return two_sides.texts(pairs, far.key).with_facts(facts)
