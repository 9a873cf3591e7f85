"""Encodings of the gallery in larger models: whether the order of small ones holds there, and repairs of RoPE."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from pe_core.chapters.gallery import SECOND_FILE, gallery_of, order, trained
from pe_core.chapters.gallery_papers import REPAIRED_ENCODING
from pe_core.chapters.wording import counted, formatted, joined, rows
from pe_core.encodings import ENCODINGS
from pe_core.figures import ranking
from pe_core.figures.figure import Facts, Figure
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import EARLY, END, LARGER, TUNED, Standing, repaired
from pe_core.measures.uncertainty import rank_interval, ranks, spearman
from pe_core.parameters import require

LARGER_FILE, EARLY_FILE, TUNED_FILE = map(str, (LARGER, EARLY, TUNED))
LITTLE = 2.0  # nats per character within the training length: what has learned more in these runs is below 1.8


def sizes(multiple: int, measure: str = END, file: str = SECOND_FILE, second: str = LARGER_FILE) -> Figure:
    """Return what small and larger models say of every encoding, at `multiple` times the training length: points.

    `measure` is that of `standings`, the arguments `file` and `second` are galleries; ranks are among the encodings of
    both. Raises `ValueError` where fewer than three encodings are in both.
    """
    others = trained(multiple, measure, second)
    small = [one for one in order(multiple, measure, file) if one.key in others]
    require(len(small) > 2, "second", f"be a gallery with three encodings of {file}", second)
    pairs = [(one, others[one.key]) for one in small]
    means = torch.tensor([[one.mean for one in pair] for pair in pairs], dtype=torch.float64).T
    first, then = (list(map(round, ranks(side).tolist())) for side in means)
    furthest = max(abs(one - other) for one, other in zip(first, then, strict=True))
    moved = {
        one.key: f"{one.title} from {before} to {after}"
        for one, before, after in zip(small, first, then, strict=True)
        if furthest and abs(before - after) == furthest
    }
    changed = [
        f"{one.title} *{one.verdict}* in the small and *{other.verdict}* in the larger"
        for one, other in pairs
        if one.verdict != other.verdict
    ]
    by_seed = _by_seed(small), _by_seed([other for _, other in pairs])
    low, high = rank_interval(*by_seed)
    seeds_low, seeds_high = rank_interval(*by_seed, systems=False)
    facts = {
        "multiple": multiple,
        "n": len(pairs),
        "rho": float(spearman(*means)),
        "low": low,
        "high": high,
        "seeds-low": seeds_low,
        "seeds-high": seeds_high,
        "moved": joined(list(moved.values())),
        "places": furthest,
        "changed": joined(changed),
        "same": len(pairs) - len(changed),
        "worse": sum(other.mean > one.mean for one, other in pairs),
        "far": max(pairs, key=lambda pair: abs(pair[0].mean - pair[1].mean))[0].title,
        "large-high": max(other.mean for _, other in pairs),
        "small-high": max(one.mean for one, _ in pairs),
        **_models(file, second, list(others)),
    }
    return ranking.points(pairs, moved, ranking.SIZES).with_facts(facts)


def _by_seed(found: Sequence[Standing]) -> Tensor:
    return torch.tensor([list(one.grades.values()) for one in found], dtype=torch.float64)


def _models(file: str, second: str, keys: Sequence[str]) -> Facts:
    """Return the sizes of both models, without what an encoding adds to them, and how they were trained."""
    small, large = gallery_of(file), gallery_of(second)
    n_small, n_large = (
        min(one.n_parameters for key in keys for one in side.runs.get(key, {}).values()) for side in (small, large)
    )
    return {
        "parameters": n_small,
        "large-parameters": n_large,
        "times": n_large / n_small,
        "length": small.train_length,
        "large-length": large.train_length,
        "steps": small.settings["steps"],
        "large-steps": large.settings["steps"],
        "batch": small.settings["batch_size"],
        "large-batch": large.settings["batch_size"],
        "seeds": len(small.seeds),
        "large-seeds": counted(len(large.seeds), "seed"),
        "large-torch": large.versions["torch"],
    }


def early(multiple: int, measure: str = END) -> Facts:
    """Return the ratios of all sizes and lengths of training as rows of a table, and how much the early ones learned.

    A row has the encoding; the loss within the training length and the ratio in small models, in the larger ones of
    most steps, and in those of few. The order is that of the small ones.
    """
    sides = [trained(multiple, measure, file) for file in (SECOND_FILE, LARGER_FILE, EARLY_FILE)]
    keys = [key for key in sides[0] if all(key in side for side in sides)]
    cells = [
        (
            ENCODINGS[key].title,
            *(formatted(value, ".2f") for side in sides for value in (side[key].trained, side[key].mean)),
        )
        for key in keys
    ]
    gallery, ratios = gallery_of(EARLY_FILE), [sides[2][key].mean for key in keys]
    return {
        "rows": rows(cells),
        "early-steps": gallery.settings["steps"],
        "early-seeds": len(gallery.seeds),
        "little": sum(sides[2][key].trained > LITTLE for key in keys),
        "later-little": sum(sides[1][key].trained > LITTLE for key in keys),
        "bound": LITTLE,
        "n": len(keys),
        "early-low": min(ratios),
        "early-high": max(ratios),
    }


def large_repairs(multiple: int, measure: str = END) -> Facts:
    """Return RoPE as trained and under repairs, in both sizes and after a fine-tuning, as rows of a table of ratios.

    A row has the ratio in small models, in the larger ones of most steps, in those of few where it is they that were
    fine-tuned, and after the fine-tuning, further steps at the longest length; and what is worse than without a repair.
    """
    of_most = gallery_of(TUNED_FILE).settings["steps"] == gallery_of(LARGER_FILE).settings["steps"]
    files = (SECOND_FILE, LARGER_FILE, *(() if of_most else (EARLY_FILE,)), TUNED_FILE)
    sides: list[Mapping[str, Standing]] = [
        {one.key: one for one in repaired(gallery_of(file), REPAIRED_ENCODING, multiple, measure)} for file in files
    ]
    keys = [key for key in sides[0] if all(key in side for side in sides)]
    cells = [(sides[0][key].title, *(formatted(side[key].mean, ".2f") for side in sides)) for key in keys]
    worse, best = [], []
    for side in sides:
        own = [side[key] for key in keys]
        worse.append(joined([one.title for one in own if one.mean > side[AS_TRAINED.key].mean]))
        best.append(min(own, key=lambda one: one.mean))
    tuned, plain = gallery_of(TUNED_FILE), sides[-1][AS_TRAINED.key]
    return {
        "section": "larger-repairs" if of_most else "larger-repairs-early",
        "title": ENCODINGS[REPAIRED_ENCODING].title,
        "rows": rows(cells),
        "worse": worse[0],
        "large-worse": worse[1],
        "best": best[0].title,
        "large-best": best[1].title,
        "large-best-ratio": best[1].mean,
        "tune-steps": tuned.settings["tune_steps"],
        "tuned-seeds": len(tuned.seeds),
        "early-steps": tuned.settings["steps"],
        "tuned-length": tuned.train_length * MULTIPLES[-1],
        "tuned-plain": plain.mean,
        "tuned-best": best[-1].title,
        "tuned-best-ratio": best[-1].mean,
    }
