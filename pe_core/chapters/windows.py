"""Windows and sinks: masks, what comes through layers all the same, and what a softmax does with more or fewer keys."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from pe_core import masks
from pe_core.chapters.alibi_and_t5 import slope_of
from pe_core.chapters.wording import counted, listed, number
from pe_core.figures import image
from pe_core.figures.bars import bars, numbers
from pe_core.figures.curves import across, lines, marks, together, upwards, values_read
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.heatmap import heatmap
from pe_core.figures.looks.palette import CATEGORICAL, colour_of
from pe_core.figures.readout import Words
from pe_core.masks import CONVENTIONS, MASKS
from pe_core.measures import entropy as entropies
from pe_core.measures import masked
from pe_core.parameters import Choice, Parameter, Value

MAX_LAYERS = 12
MAX_LENGTH = 128  # tokens
MAX_WINDOW = 4.0  # training lengths, with which all of the longest text is seen at the usual training length
MAX_LENGTH_COMPARED = 96  # tokens in the comparison of masks layer by layer
GLOBAL_EVERY = 4  # every which layer sees all
FARTHEST = 64  # distance up to which M is drawn
FAR_KEY = 32  # the distance whose key is named beside the matrices
N_DRAWN, MAX_DRAWN = 32, 2.0  # queries and keys of a matrix M that is drawn, and end of its colours
BESIDE = ("Window", "ALiBi")  # members of the family whose matrices stand beside each other
MAX_SUBTRACTED = 10.0  # largest M that is drawn
N_KEYS = tuple(round(2 ** (power / 2)) for power in range(4, 21))  # from 4 to 1,024, two steps for each doubling
TICKS = (4, 16, 64, 256, 1_024)
MISTRAL = {"window": 4_096, "n_layers": 32}  # of Mistral 7B
ASKED_WINDOW, ASKED_LAYERS = 5, 6  # in the exercise
MAX_GUESS = 99

Settings = tuple[tuple[str, Value], ...]  # of a mask: the names of its own parameters, with their values

MASK = Choice("win_mask", "Mask", {key: spec.title for key, spec in MASKS.items()}, "window")
LENGTH = Parameter("win_length", "Text length", 64, "Tokens of the text.", 16, MAX_LENGTH, 8)
TRAINED = Parameter(
    "win_trained",
    "Training length",
    32,
    "Tokens of each text of training; masks take their sizes from it.",
    choices=(16, 32, 64, 128),
)
LAYERS = Parameter("win_layers", "Layers", 3, "How often attention is applied.", 1, MAX_LAYERS)
SPAN = Parameter("win_span", "Keys W", 8, "Keys of the window or block, the position's own included.", 1, 32)
WINDOW = Parameter("win_wall", "Window", 16, "Keys that the window lets through.", 1, 48)
HEAD = Parameter("win_head", "Head of 8", 4, "ALiBi and Sandwich weaken from head to head.", 1, 8)
R1 = Parameter("win_r1", "KERPLE r₁", 1.0, "Strength of both forms of KERPLE.", 0.1, 2.0, 0.1)
R2 = Parameter("win_r2", "KERPLE r₂", 0.5, "Scale within the logarithm, or exponent of the power.", 0.1, 2.0, 0.1)
SPREAD = Parameter("win_spread", "Spread of scores σ", 2.0, "Standard deviation of the random scores.", 0.0, 4.0, 0.1)
ALIBI_HEAD = Parameter("win_alibi_head", "ALiBi's head of 8", 4, "The slope halves from head to head.", 1, 8)
SINK = Parameter("win_sink", "Score of the sink", 4.0, "How strongly the model parks attention there.", -2.0, 8.0, 0.5)
N_OTHERS = Parameter("win_others", "Other keys", 8, "Keys in the window beside the sink.", 1, 16)
STEP = Parameter("win_step", "Time step", 60, "Place of the token that is read.", 0, 500)
RECENT = Parameter("win_recent", "Last keys", 6, "Keys of the window, the query included.", 2, 8)
N_SINKS = Parameter("win_first", "Sinks", 4, "First keys that stay in the cache.", 0, 4)

LOST, HEARD, SEEN = "never", "through layers", "seen directly"
COLOURS = {LOST: "#E9B872", HEARD: "#7CC4EE", SEEN: CATEGORICAL[0]}
_WINDOW = CATEGORICAL[3]  # no encoding beside it has this colour
FAMILY = (_WINDOW, *map(colour_of, ("ALiBi", "KERPLE, power", "KERPLE, logarithmic", "Sandwich")))
WAYS = (CATEGORICAL[0], CATEGORICAL[1], _WINDOW, colour_of("ALiBi"))  # plain attention, log-n, a window and ALiBi
WITH, WITHOUT = "sink in view", "sink gone"
DISTANCE = "Distance m − n"
CACHE_ROWS = ("Text: id", "Text: distance", "Cache: id", "Cache: distance")
ALL, RULE, FORMULA = "all so far", "n (W − 1) + 1", "n / exp(σ²/2)"  # what the measured lines are compared with


def own(kind: str) -> dict[str, Parameter[Value]]:
    """Return the parameters that the mask `kind` has of its own; names in the link say which mask they are of."""
    found = {one.name: replace(one, name=f"win_{kind}_{one.name}") for one in MASKS[kind].parameters}
    too_long = {name: one for name, one in found.items() if isinstance(one.maximum, float) and one.maximum > MAX_WINDOW}
    return found | {name: replace(one, maximum=MAX_WINDOW) for name, one in too_long.items()}


@lru_cache(maxsize=1)  # two pictures beside each other show the same masks
def mask_and_reach(kind: str, length: int, trained: int, layers: int, settings: Settings) -> tuple[Tensor, Tensor]:
    """Return a mask of the registry, (T, T), and which token can have influenced which position after the layers."""
    mask = MASKS[kind].build(length, trained, dict(settings))
    return mask, masked.through_layers([mask] * layers)[-1]


def who_knows_whom(kind: str, length: int, trained: int, layers: int, settings: Settings) -> Figure:
    """Return the picture of the mask `kind` with its `settings`, and of what comes through so many layers."""
    mask, through = mask_and_reach(kind, length, trained, layers, settings)
    known = int(through[-1].sum())
    facts = {
        "title": MASKS[kind].title,
        "summary": MASKS[kind].summary,
        "seen": int(mask[-1].sum()),
        "known": known,
        "lost": length - known,
        "n-layers": counted(layers, "layer"),
        "verdict": "lost" if known < length else "all-known",
    }
    past = torch.ones_like(mask).tril()
    values = torch.full(mask.shape, torch.nan)
    for value, where in enumerate((past, through, mask)):
        values[where] = value
    words = Words("Query", "Key", none="lies ahead, not seen", meanings=tuple(COLOURS))
    columns = "Key (token of the lowest layer)"
    figure = image.categories(values, COLOURS, rows="Query", columns=columns, words=words, together=True)
    return figure.with_facts(facts)


def numbers_known(kind: str, length: int, trained: int, layers: int, settings: Settings) -> Figure:
    """Return how many keys each query sees, and of how many tokens it can know through so many layers."""
    mask, through = mask_and_reach(kind, length, trained, layers, settings)
    where = torch.arange(length)
    known = {SEEN: mask.sum(-1), HEARD: through.sum(-1), ALL: where + 1}
    x, y, colours = across("Query"), upwards("Number of tokens"), (COLOURS[SEEN], COLOURS[HEARD])
    return lines(where, known, x, y, together(), rules=[ALL], colours=colours)


def text_length(window: int) -> int:
    """Return the longest text of up to 96 tokens whose last block of `window` tokens is full."""
    return MAX_LENGTH_COMPARED // window * window


def known_by_layer(window: int) -> dict[str, Tensor]:
    """Return of how many tokens the last can know after 0 .. 12 layers, (13,), for masks with the same window."""
    n = text_length(window)
    local, whole = masks.sliding_window(n, window), masks.causal(n)
    kinds = {
        "blocks": [masks.chunked(n, window)] * MAX_LAYERS,
        "window": [local] * MAX_LAYERS,
        "window and 4 sinks": [masks.sinks(n, window, 4)] * MAX_LAYERS,
        "every 2nd key": [masks.dilated(n, window, 2)] * MAX_LAYERS,
        "every 4th layer full": [local if (layer + 1) % GLOBAL_EVERY else whole for layer in range(MAX_LAYERS)],
    }
    return {name: masked.through_layers(layers)[:, -1].sum(-1) for name, layers in kinds.items()}


def reach_by_layer(window: int) -> Figure:
    """Return how many tokens the last can know of, layer by layer, for masks with the same window, and the rule."""
    layers = torch.arange(MAX_LAYERS + 1)
    rule = torch.tensor([min(text_length(window), masked.rule(window, int(layer))) for layer in layers])
    known = known_by_layer(window)
    facts = {"most": MAX_LAYERS, "ends": listed({name: int(counts[-1]) for name, counts in known.items()})}
    x, y = across("Layers"), upwards("Tokens that the last position can know of")
    return lines(layers, {**known, RULE: rule}, x, y, rules=[RULE], dots=True).with_facts(facts)


def conventions(window: int, layers: int) -> Facts:
    """Return what a window of so many keys lets through where it counts the query, and where it does not."""
    n = text_length(window)
    facts: dict[str, object] = {
        "length": n,
        "n-layers": counted(layers, "layer"),
        "mistral": masked.rule(**MISTRAL) - 1,
        "mistral-rounded": MISTRAL["window"] * MISTRAL["n_layers"],
    }
    for convention in CONVENTIONS:
        mask = masks.sliding_window(n, window, convention=convention)
        known = masked.through_layers([mask] * layers)[-1, -1]
        facts |= {f"{convention} keys": int(mask[-1].sum()), f"{convention} known": int(known.sum())}
    return facts


def last_rows(window: int, head: int, r1: float, r2: float) -> dict[str, Tensor]:
    """Return M by distance 0 .. 63, (64,), for each member of the family."""
    return {name: matrix[-1].flip(0) for name, matrix in masked.family(FARTHEST, window, head, r1, r2).items()}


def subtracted_matrix(window: int, head: int, r1: float, r2: float) -> Figure:
    """Return M against the distance for each member of the family; the window is a wall after its last key."""
    rows = last_rows(window, head, r1, r2)
    at_far = {name: float(row[FAR_KEY]) for name, row in rows.items()}
    facts = {"distance": FAR_KEY, "subtracted": listed(at_far, "number").replace("inf", "∞")}
    where = torch.arange(FARTHEST, dtype=torch.float64)
    rows["Window"] = torch.where(where == window, MAX_SUBTRACTED, rows["Window"])
    x, y = across(DISTANCE), upwards("Subtracted from the score, M", ends=(0.0, MAX_SUBTRACTED))
    return lines(where, rows, x, y, colours=FAMILY).with_facts(facts)


def weight_kept(window: int, head: int, r1: float, r2: float) -> Figure:
    """Return e^-M against the distance for each member of the family."""
    kept = {name: masked.kept(row) for name, row in last_rows(window, head, r1, r2).items()}
    facts = {"distance": FAR_KEY, "kept": listed({name: float(row[FAR_KEY]) for name, row in kept.items()}, ".3g")}
    x, y = across(DISTANCE), upwards("What a key keeps, exp(−M)", ends=(0.0, 1.0))
    read = values_read(DISTANCE, FAR_KEY, FARTHEST - 1)
    return lines(torch.arange(FARTHEST), kept, x, y, read, colours=FAMILY).with_facts(facts)


def member_matrix(window: int, head: int, r1: float, r2: float, member: str) -> Figure:
    """Return M of a member of the family for 32 queries and keys; what is above 2, a wall too, has the colour of 2."""
    matrix = masked.family(N_DRAWN, window, head, r1, r2)[member]
    figure = heatmap(matrix.clamp(max=MAX_DRAWN), rows="Query", columns="Key", title="M", limit=MAX_DRAWN)
    return figure.with_facts({"own": float(matrix[-1, -1]), "oldest": number(float(matrix[-1, 0]))})


def spreading(spread: float, trained: int, head: int) -> Figure:
    """Return the effective number of keys, e^H, as keys are added, for four ways to attend, and the formula."""
    n_keys = torch.tensor(N_KEYS)
    formula = entropies.expected(n_keys, spread).exp()
    measured = effective_keys(N_KEYS, spread, trained, head)
    before = float(effective_keys((trained,), spread, trained, head)["plain"])
    after = {name: float(values[-1]) for name, values in measured.items()}
    facts = {
        "most": N_KEYS[-1],
        "before": before,
        "after": listed(after, ".1f"),
        **after,
        "growth": after["plain"] / before,
        "slope": slope_of(head),
        "formula": float(formula[-1]),
        "off": abs(float(formula[-1]) / after["plain"] - 1),
        "enough": entropies.enough_keys(spread),
        "level": entropies.level_spread(trained),
    }
    x = across("Number of keys n", ends=(4.0, 1_024.0), log=True, ticks=TICKS)
    y = upwards("Effective number of keys", ends=(1.0, 1_024.0), log=True, ticks=(1, *TICKS), form=",d")
    drawn, mark = {**measured, FORMULA: formula}, marks([("training length", float(trained))])
    return lines(n_keys, drawn, x, y, mark, rules=[FORMULA], colours=WAYS).with_facts(facts)


def effective_keys(n_keys: Sequence[int], spread: float, trained: int, head: int) -> dict[str, Tensor]:
    """Return e^H for each of `n_keys`, (N,), for each way to attend; H is the mean entropy of 32 queries."""
    found = entropies.by_number_of_keys(torch.tensor(n_keys), spread, trained, slope_of(head))
    return {name: values.exp() for name, values in found.items()}


def sink_gone(sink: float, n_others: int) -> Figure:
    """Return the attention to a sink of this score and to other keys, and what the others get once it is gone."""
    seen, gone = masked.sink_rows(sink, entropies.normal_scores(n_others, 1.0)[0])  # always the same scores
    facts = {
        "others": counted(n_others, "other key"),
        "fraction": float(seen[0]),
        "rest": 1 - float(seen[0]),
        "growth": float(gone[1] / seen[1]),
    }
    keys = ["sink", *(str(place) for place in range(1, n_others + 1))]
    y = upwards("Attention", ends=(0.0, 1.0))
    return bars(keys, {WITH: seen, WITHOUT: gone}, "Key", y, bar="When", numbered=False).with_facts(facts)


def cache_ids(step: int, window: int, n_sinks: int) -> Figure:
    """Return the ids and distances of the keys in the cache at a time step, by places in the text and in the cache."""
    in_text = masked.cached(step, window, n_sinks)
    in_cache = torch.arange(len(in_text))
    from_text, from_cache = (places[-1] - places for places in (in_text, in_cache))
    facts = {
        "read": step + 1,
        "held": len(in_text),
        "room": window + n_sinks,
        "text-farthest": int(from_text[0]),
        "cache-farthest": int(from_cache[0]),
    }
    rows = dict(zip(CACHE_ROWS, (in_text, from_text, in_cache, from_cache), strict=True))
    return numbers(rows, window + n_sinks, columns="Key in the cache, the query last").with_facts(facts)


def known_in_the_end(guess: int) -> tuple[bool, Facts]:
    """Return whether the guess is of how many tokens a late position can know through 6 layers of a window of 5."""
    mask = masks.sliding_window(MAX_GUESS, ASKED_WINDOW)
    known = masked.through_layers([mask] * ASKED_LAYERS)[:, -1].sum(-1).tolist()
    return guess == known[-1], {"count": known[-1], "known": ", ".join(map(str, known))}
