"""Context extension: what rules for longer texts do to the pairs of RoPE, and to a model that was trained with it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypedDict

import torch

from pe_core.chapters.lab import repaired
from pe_core.chapters.wording import listed, rows
from pe_core.encodings import rotary, sinusoidal
from pe_core.figures.bands import circle_bars
from pe_core.figures.curves import DOTTED, MAX_LINES, across, levels, lines, reach, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.record_file import from_json
from pe_core.measures.channels import unfinished
from pe_core.measures.memory import kv_cache_bytes
from pe_core.measures.rotation import first_negative, interpolated, turned_through
from pe_core.measures.similarity import dot_products
from pe_core.parameters import Choices, Parameter
from pe_core.rope_scaling import SCALINGS, Scaled, ntk, plain

TRAINED = "in training"
NO_RULE = "no rule"
FACTORS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
MAX_DOTTED = 32  # pairs that get a dot each; more would run together
MAX_PLACES = 512  # of a kernel that are drawn; in a longer text each is the mean of some neighbours
NEIGHBOURS = 7  # tokens, a little more than a turn of the fastest pair
BASES = torch.logspace(2, 8, 25, dtype=torch.float64)  # four to a power of ten
MAX_DISTANCE = 65_536  # tokens up to which a negative score is looked for
ROUNDING = 1e-9
DOUBLED = tuple(2.0**power for power in range(10))  # ticks: all have room for their labels
ENCODING = "rope"  # of the trained model
BESIDE = ("rerope", "window")  # beside the rules: they bound the distance instead of the frequencies
KEPT = KEPT_RUNS / "repair.json"

RULES = Choices(
    "rules",
    "Rules",
    {key: spec.title for key, spec in SCALINGS.items()},
    ("pi", "ntk", "by_parts", "yarn"),
    maximum=MAX_LINES,
)
FACTOR = Parameter("ext_factor", "Factor", 4, "How many times longer the text is than in training.", choices=FACTORS)
TRAIN_LENGTH = Parameter(
    "ext_train",
    "Training length",
    256,
    "Tokens that the model saw at once in training.",
    choices=tuple(2**power for power in range(6, 15)),
)
HEAD_DIM = Parameter("ext_width", "Head width", 64, "Channels of a head; two form a pair.", 4, 256, 4)
BASE = Parameter(
    "ext_base",
    "Base",
    10_000,
    "Base of the frequencies in training, as a model's configuration has it.",
    100,
    100_000_000,
)


LLAMA_LAYERS, LLAMA_HEADS, LLAMA_HEAD_DIM = 32, 32, 128  # of Llama 2 7B, arXiv:2307.09288
USUAL_LENGTHS = (4_096, 32_768)  # of training, and of what is asked for


class Model(TypedDict):
    """What the controls say of the model that is to read longer texts."""

    factor: int
    train_length: int
    head_dim: int
    base: float


def lengths(rules: Sequence[str], factor: int, train_length: int, head_dim: int) -> Facts:
    """Return how long the longer text is, the pairs, the rules, and the name of the sentence on a text so long."""
    counts = {"target": factor * train_length, "pairs": head_dim // 2, "count": len(rules)}
    return {**counts, "intro": "intro" if factor > 1 else "intro-same"}


def functions(rules: Sequence[str]) -> tuple[Callable[..., Any], ...]:
    """Return the functions of the rules."""
    return tuple(SCALINGS[key].rule for key in rules)


def scaled(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> dict[str, Scaled]:
    """Return what each of the rules, given by their keys, makes of the frequencies of training, by its title."""
    frequencies, target = rotary.frequencies(head_dim, base), factor * train_length
    return {
        SCALINGS[key].title: SCALINGS[key](frequencies, base=base, train_length=train_length, target_length=target)
        for key in rules
    }


def new_angles(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return which angles of each pair were met in training, and which are new in the longer text under each rule."""
    changing = [key for key in rules if key != plain.SPEC.key]  # the first row is that of no rule
    found = scaled(changing, factor, train_length, head_dim, base)
    frequencies, target = rotary.frequencies(head_dim, base), factor * train_length
    met, shown = turned_through(frequencies, train_length), {}  # each token takes one step of the circle
    for title, one in {NO_RULE: Scaled(frequencies), **found}.items():
        more = turned_through(one.frequencies, target) - met
        shown[title] = torch.where(more > ROUNDING, more, 0.0), frequencies / one.frequencies
    counts = {title: int((more > 0).sum()) for title, (more, _) in shown.items()}
    facts = {
        **lengths(rules, factor, train_length, head_dim),
        "unfinished": counts[NO_RULE],
        "each": listed({title: count for title, count in counts.items() if title != NO_RULE}),
        "outcome": "angles" if counts[NO_RULE] else "angles-none",
    }
    return circle_bars(met, shown, float(factor)).with_facts(facts)


def slowdown(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return by how much each rule slows each pair, for a text `factor` times as long as those of training."""
    frequencies, found = rotary.frequencies(head_dim, base), scaled(rules, factor, train_length, head_dim, base)
    slowing = {title: frequencies / one.frequencies for title, one in found.items()}
    warm = {title: one.temperature for title, one in found.items() if one.temperature != 1}
    facts = {
        **lengths(rules, factor, train_length, head_dim),
        "slowest": ", ".join(f"{title} up to {float(times.max()):.3g}" for title, times in slowing.items()),
        "temperature": "temperature" if warm else "",
        "temperatures": listed(warm, ".4f"),
    }
    dots = len(frequencies) <= MAX_DOTTED
    x, y = across("Pair"), upwards("Slowed by (times)", log=True, ticks=DOUBLED)
    return lines(torch.arange(len(frequencies)), slowing, x, y, reach(1, 10), dots=dots, line="Rule").with_facts(facts)


def wavelengths(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return the wavelength of each pair under each rule and in training, with lines at the two lengths."""
    frequencies = rotary.frequencies(head_dim, base)
    found = {TRAINED: Scaled(frequencies), **scaled(rules, factor, train_length, head_dim, base)}
    waves = {title: sinusoidal.wavelengths(one.frequencies) for title, one in found.items()}
    target = factor * train_length
    marks = [(f"training {train_length:,}", train_length), (f"target {target:,}", target)]
    x, y = across("Pair"), upwards("Wavelength (tokens)", log=True)
    facts = {**lengths(rules, factor, train_length, head_dim), "unfinished": unfinished(frequencies, train_length)}
    ends = levels(marks[:factor], DOTTED)
    return lines(torch.arange(head_dim // 2), waves, x, y, ends, rules=[TRAINED], line="Rule").with_facts(facts)


def ramp(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return how much of position interpolation each rule does to each pair: 0 is left alone, 1 all of it."""
    frequencies, found = rotary.frequencies(head_dim, base), scaled(rules, factor, train_length, head_dim, base)
    parts = {title: interpolated(frequencies, one.frequencies, float(factor)) for title, one in found.items()}
    facts = {
        **lengths(rules, factor, train_length, head_dim),
        "ramp": "ramp" if factor > 1 else "ramp-none",
        "turned": head_dim // 2 - unfinished(frequencies, train_length),
        "kept": listed({title: int((part <= ROUNDING).sum()) for title, part in parts.items()}),
        "whole": listed({title: int((part >= 1 - ROUNDING).sum()) for title, part in parts.items()}),
    }
    dots = head_dim // 2 <= MAX_DOTTED
    x, y = across("Pair"), upwards("Share of interpolation, 1 − γ")
    return lines(torch.arange(head_dim // 2), parts, x, y, reach(0, 1), dots=dots, line="Rule").with_facts(facts)


def kernel(rules: Sequence[str], factor: int, train_length: int, head_dim: int, base: float) -> Figure:
    """Return the score of equal content at each distance under each rule and none, 1 at distance 0 without one."""
    target = factor * train_length
    averaged = target > MAX_PLACES
    distances = torch.linspace(0, target - 1, min(MAX_PLACES, target)).round()
    around = distances[:, None] + torch.arange(NEIGHBOURS if averaged else 1)
    found = {NO_RULE: Scaled(rotary.frequencies(head_dim, base)), **scaled(rules, factor, train_length, head_dim, base)}
    kernels, drawn, negatives = {}, {}, {}
    for title, one in found.items():
        products = dot_products(around.flatten(), one.frequencies).view(around.shape).mean(dim=-1)
        kernels[title] = products / len(one.frequencies) / one.temperature
        if below := distances[products < 0].tolist():
            drawn[title] = int(below[0])
        if first := first_negative(one.frequencies, farthest=min(target - 1, MAX_DISTANCE)):
            negatives[title] = first
    facts = {
        **lengths(rules, factor, train_length, head_dim),
        "last": target - 1,
        "searched": min(target - 1, MAX_DISTANCE),
        "below": listed(drawn, ",") or "none",
        "negatives": listed(negatives, ",") or "none",
        "mean": "kernel-mean" if averaged else "",
        "neighbours": NEIGHBOURS,
    }
    x, y = across("Distance (tokens)"), upwards("Score of equal content")
    return lines(distances, kernels, x, y, reach(0, 1), rules=[NO_RULE], line="Rule").with_facts(facts)


def base_bound(factor: int, train_length: int, head_dim: int) -> Figure:
    """Return how far equal content beats random content, against the base, with a line at the length of a text."""
    target = factor * train_length
    first = [first_negative(rotary.frequencies(head_dim, base), farthest=MAX_DISTANCE) for base in BASES.tolist()]
    reached = torch.tensor([math.inf if one is None else one for one in first], dtype=torch.float64)
    enough = BASES[reached >= target].tolist()
    facts = {
        "target": target,
        "min-base": float(BASES[0]),
        "max-base": float(BASES[-1]),
        "needed": min(enough, default=None),
        "enough": "bound-needed" if enough else "bound-never",
    }
    x, y = across("Base", log=True), upwards("First negative distance (tokens)", log=True)
    level, named = levels([(f"target {target:,}", target)]), {"first negative distance": reached}
    return lines(BASES, named, x, y, level, dots=True, line="Rule").with_facts(facts)


def kept_run(rules: Sequence[str]) -> RunRecord:
    """Return the kept run of a model trained with RoPE, with its repairs that are rules asked for or beside them."""
    record = _record()
    seed = record.config.seed
    outcome = record.outcomes[ENCODING][seed]
    repaired = {key: outcome.repaired[key] for key in (*rules, *BESIDE) if key in outcome.repaired}
    return replace(record, outcomes={ENCODING: {seed: replace(outcome, repaired=repaired)}})


@cache  # the first screen quotes it at every step of its sliders
def _record() -> RunRecord:
    return from_json(KEPT.read_text(encoding="utf-8"))


def trained(rules: Sequence[str], factor: int) -> Facts:
    """Return the losses of the trained model in the longest of its texts that is at most `factor` times as long.

    The fact "tried" names the sentence on the best of the rules. It is empty where the run has none of them, or reads
    no longer text.
    """
    record = kept_run(rules)
    outcome, train_length = record.outcomes[ENCODING][record.config.seed], record.config.train_length
    place = max(at for at, one in enumerate(outcome.lengths) if one.length <= factor * train_length)
    losses = {title: one.lengths[place].loss for title, one in outcome.evaluations().items()}
    best = min(losses, key=losses.__getitem__)
    ruled = {title: losses[title] for key in rules if (title := SCALINGS[key].title) in losses}
    rule = min(ruled, key=ruled.__getitem__, default="")
    return {
        "tried": "tried" if ruled and place else "",
        "plain": losses[AS_TRAINED.title],
        "rule": rule,
        "rule-loss": ruled.get(rule),
        "trained-length": train_length,
        "steps": record.config.steps,
        "length": outcome.lengths[place].length,
        "times": outcome.lengths[place].length // train_length,
        "losses": listed(losses, ".2f"),
        "best": best,
        "min-loss": losses[best],
        "own": outcome.lengths[0].loss,
    }


def losses_by_length(rules: Sequence[str]) -> Figure:
    """Return the held-out loss of the trained model over the length of the text: as trained, and with each repair."""
    return repaired(kept_run(rules), ENCODING)


def memory(factor: int, train_length: int) -> Facts:
    """Return what scores and keys of Llama 2 7B take in float16, in GiB, at the page's lengths and two usual ones."""
    lengths = sorted({train_length, factor * train_length, *USUAL_LENGTHS})
    taken = []
    for n in lengths:
        scores = LLAMA_HEADS * n * n * torch.float16.itemsize / 2**30
        kept = kv_cache_bytes(LLAMA_LAYERS, LLAMA_HEADS, LLAMA_HEAD_DIM, n) / 2**30
        taken.append((f"{n:,}", f"{scores:.3g} GiB", f"{kept:.3g} GiB"))
    facts = {"heads": LLAMA_HEADS, "head-width": LLAMA_HEAD_DIM, "layers": LLAMA_LAYERS}
    return {**facts, "memory": rows(taken), "more": factor, "squared": factor**2}


def slower_pair(guess: int) -> tuple[bool, Facts]:
    """Return whether NTK-aware scaling slows the second of two pairs by the guess, for a text 9 times as long."""
    plain = rotary.frequencies(4)
    fast, slow = (plain / ntk.slowed(plain, 9.0)).tolist()
    return guess == round(slow), {"slow": slow, "fast": fast}
